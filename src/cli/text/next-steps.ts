/**
 * The commands that a decision leaves to a person, below the sentence that says what it means.
 *
 * Each is a whole line that can be run as it stands, with the evidence that the caller stated and the index that is
 * meant. Where only looking helps, there is none.
 */

import { type OwnCommand, type OwnOptions, ownCommand } from '../../admin.js'
import { AGENTS } from '../../agents.js'
import { isPlaceholder, quoteArgv } from '../../core.js'
import type { Decision, DecisionReason, Entry } from '../../index.js'
import { ACCEPT_LOSS } from './report-error.js'

export interface Asked {
  readonly surfaceId: string
  /** The evidence that the caller stated. */
  readonly evidence: OwnOptions
  readonly path: string | undefined
}

/** A command, and what it does, as a comment behind it. */
type Step = readonly [command: OwnCommand, does: string]

/** A line each. */
export function nextSteps(asked: Asked, entry: Entry | null, decision: Decision): readonly string[] {
  const steps = [...stepsFor(asked, entry, decision), ...interruptedSteps(entry, decision)]
  const lines = steps.map(([command, does]) => commented(ownCommand(command, asked.path), does))
  return [...lines, ...folderSteps(entry, decision)]
}

/** What `end` would do instead, where a new session is wanted and the old one can be resumed. */
export function giveUpStep({ surfaceId, path }: Asked): string {
  return commented(ownCommand({ name: 'end', args: [surfaceId] }, path), 'gives it up, so that you can start a new one')
}

function commented(line: string, does: string): string {
  return `${line}  # ${does}`
}

/** A worktree that was removed can be made again from what is known of it. */
function folderSteps(entry: Entry | null, { reason }: Decision): readonly string[] {
  const { path, origin, branch } = entry?.worktree ?? {}
  if (reason !== 'cwd_missing' || origin === undefined || path === undefined || branch === undefined) return []
  return [commented(quoteArgv(['git', '-C', origin, 'worktree', 'add', '--', path, branch]), 'brings its folder back')]
}

/** A step whose owner died stays open until somebody says how it went. */
function interruptedSteps(entry: Entry | null, { interrupted }: Decision): readonly Step[] {
  if (interrupted === undefined || entry?.dispatch === undefined) return []
  const does = '(or ok) closes the interrupted step, once you have looked'
  return [[{ name: 'settle', args: [entry.dispatch.id, 'failed'] }, does]]
}

function stepsFor(asked: Asked, entry: Entry | null, decision: Decision): readonly Step[] {
  const { surfaceId, evidence } = asked
  if (decision.action === 'resume') {
    const claim: OwnCommand = { name: 'claim', args: [surfaceId], options: evidence, owned: true }
    return [[claim, 'reserves it and prints its command']]
  }
  if (decision.action === 'fresh') {
    const args = [surfaceId, entry?.repo ?? { blank: 'repo' }]
    const options = { '--agent': entry?.agent, ...evidence }
    const mint: Step = [{ name: 'mint', args, options, owned: true }, 'reserves a new session before you start it']
    if (entry === null || isUnnamed(entry)) return [mint]
    if (decision.reason === 'left') return [mint, ...returns(entry)]
    return decision.reason === 'ended' ? [mint, takeBack(entry)] : [mint]
  }
  return STEPS[decision.reason]?.(asked, entry, decision) ?? []
}

type Steps = (asked: Asked, entry: Entry | null, decision: Decision) => readonly Step[]

const NOT_RUNNING: OwnOptions = { '--session': 'not_running' }
const MISSING: OwnOptions = { '--transcript': 'missing' }

const STEPS: Partial<Record<DecisionReason, Steps>> = {
  index_damaged: () => [
    [{ name: 'history' }, 'lists what you can restore'],
    [ACCEPT_LOSS, 'accepts the loss']
  ],
  entry_unreadable: () => [[{ name: 'doctor' }, 'says what is wrong with it']],
  liveness_unknown: (asked) => [stating(asked, NOT_RUNNING, 'if you have seen that it does not run')],
  foreign_host: (asked) => [stating(asked, NOT_RUNNING, 'if you have seen that it does not run there')],
  start_unproven: (asked, entry, decision) =>
    isUnnamed(entry) ? naming(asked, entry, decision) : [stating(asked, MISSING, '(or found) says what you saw')],
  probe_failed: (asked, entry, decision) =>
    asked.evidence['--task'] || !isUnnamed(entry) ? [] : naming(asked, entry, decision),
  cooldown: (asked) => [stating(asked, {}, 'asks again')],
  claimed: (asked, entry, { at }) =>
    settling(asked, entry, at, { name: 'settle', args: ['ok'] }, '(or failed) says how it went, if you know'),
  owner_unverified: (asked, entry, { at }) => {
    const settle = { name: 'settle', args: ['failed'], options: { '--kind': 'exited' } }
    return settling(asked, entry, at, settle, 'if you have seen that it and its agent are gone')
  },
  policy_off: ({ surfaceId }) => [[{ name: 'policy', args: [surfaceId, 'auto'] }, 'allows it again']],
  attempts_exhausted: ({ surfaceId }, entry) => [
    [{ name: 'policy', args: [surfaceId, entry?.policy ?? 'auto'] }, 'clears the count']
  ],
  ambiguous: naming,
  session_unclear: naming,
  moved: (_asked, _entry, { at }) =>
    at === undefined ? [] : [[{ name: 'why', args: [at] }, 'asks about the other surface']]
}

/** The open attempt, where it stands. */
function settling(
  { surfaceId }: Asked,
  entry: Entry | null,
  at: string | undefined,
  settle: OwnCommand,
  does: string
): readonly Step[] {
  if (at !== undefined && at !== surfaceId) {
    return [[{ name: 'why', args: [at] }, 'asks about the surface that it is open on']]
  }
  if (entry?.attempt === undefined) return []
  return [[{ ...settle, args: [entry.attempt.id, ...(settle.args ?? [])] }, does]]
}

/** The same question again, with one more statement. */
function stating({ surfaceId, evidence }: Asked, more: OwnOptions, does: string): Step {
  return [{ name: 'why', args: [surfaceId], options: { ...evidence, ...more } }, does]
}

/** Its session is unknown. */
function isUnnamed(entry: Entry | null): boolean {
  return entry === null || isPlaceholder(entry.sessionId)
}

/** A session that was ended on purpose comes back by being recorded again. */
function takeBack({ surfaceId, sessionId, repo }: Entry): Step {
  return [{ name: 'record', args: [surfaceId, sessionId, repo] }, 'takes the session back']
}

/** A session that its person left comes back on a word. */
function returns({ surfaceId, sessionId, agent }: Entry): readonly Step[] {
  const here: Step = [{ name: 'recover', options: { '--left': true, '--only': surfaceId } }, 'resumes it in its place']
  const row = agent === undefined || !Object.hasOwn(AGENTS, agent) ? undefined : AGENTS[agent]
  if (row === undefined) return [here]
  return [
    here,
    [{ name: 'run', args: [row.name, ...row.resume(sessionId)] }, 'resumes it in the pane where you type it']
  ]
}

/** Only its id makes a session resumable: a line for each that it may be. */
function naming(asked: Asked, entry: Entry | null, { candidates }: Decision): readonly Step[] {
  const sessions = candidates ?? [{ blank: 'session' }]
  const steps = sessions.map((session): Step => {
    const args = [asked.surfaceId, session, entry?.repo ?? { blank: 'repo' }]
    const record: OwnCommand = { name: 'record', args, options: { '--agent': entry?.agent } }
    return [record, 'says which session it is, if there is one']
  })
  return entry === null || candidates !== undefined
    ? steps
    : [...steps, stating(asked, MISSING, 'says that there is none')]
}
