/**
 * The commands that a decision leaves open to a person, below the sentence that says what it means.
 *
 * Each is a whole line that can be run as it stands, with what the caller said and the index that was meant; where
 * nothing but looking helps, there is none.
 */
import { type Decision, type DecisionReason, type Entry, isPlaceholder, quoteArgv } from '../../index.js'
import { type OwnLine, ownLine } from './own-command.js'

/** What was asked. */
export interface Asked {
  readonly surfaceId: string
  /** The evidence that the caller gave, as options. */
  readonly evidence: readonly string[]
  readonly path: string | undefined
}

/** A line each. */
export function nextSteps(asked: Asked, entry: Entry | null, decision: Decision): readonly string[] {
  const steps = [...stepsFor(asked, entry, decision), ...interruptedSteps(entry, decision)]
  return [...steps.map((step) => ownLine(step, asked.path)), ...folderSteps(entry, decision)]
}

/** A worktree that was removed can be made again from what is known of it. */
function folderSteps(entry: Entry | null, { reason }: Decision): readonly string[] {
  const { path, origin, branch } = entry?.worktree ?? {}
  if (reason !== 'cwd_missing' || origin === undefined || path === undefined || branch === undefined) return []
  return [`${quoteArgv(['git', '-C', origin, 'worktree', 'add', '--', path, branch])} brings its folder back`]
}

/** A step whose owner died stays open until somebody says how it went. */
function interruptedSteps(entry: Entry | null, { interrupted }: Decision): readonly OwnLine[] {
  if (interrupted === undefined || entry?.dispatch === undefined) return []
  const does = '(or ok) closes the interrupted step, once you have looked'
  return [{ name: 'settle', args: [entry.dispatch.id, 'failed'], does }]
}

function stepsFor(asked: Asked, entry: Entry | null, decision: Decision): readonly OwnLine[] {
  const { surfaceId, evidence: options } = asked
  if (decision.action === 'resume') {
    const does = 'reserves it and prints its command'
    return [{ name: 'claim', args: [surfaceId], options, owned: true, does }]
  }
  if (decision.action === 'fresh') {
    const args = [surfaceId, entry?.repo ?? '<repo>']
    const does = 'writes a new session ahead of its start'
    const mint = { name: 'mint', args, options: [...agentOf(entry), ...options], owned: true, does }
    return decision.reason === 'ended' && entry !== null && !isUnnamed(entry) ? [mint, takingBack(entry)] : [mint]
  }
  return STEPS[decision.reason]?.(asked, entry, decision) ?? []
}

type Steps = (asked: Asked, entry: Entry | null, decision: Decision) => readonly OwnLine[]

const STEPS: Partial<Record<DecisionReason, Steps>> = {
  liveness_unknown: (asked) => [saying(asked, '--session', 'not_running', 'says so, once you have looked')],
  start_unproven: (asked, entry) =>
    isUnnamed(entry)
      ? naming(asked, entry)
      : [saying(asked, '--transcript', 'missing', '(or found) says what you saw')],
  probe_failed: (asked, entry) => (asked.evidence.includes('--task') || !isUnnamed(entry) ? [] : naming(asked, entry)),
  cooldown: ({ surfaceId, evidence: options }) => [{ name: 'why', args: [surfaceId], options, does: 'asks again' }],
  claimed: (asked, entry, { at }) =>
    settling(asked, entry, at, ['ok'], '(or failed) says how it went, where you are the one to say'),
  owner_unverified: (asked, entry, { at }) =>
    settling(asked, entry, at, ['failed', '--kind', 'exited'], 'once you have seen that it and its agent are gone'),
  policy_off: ({ surfaceId }) => [{ name: 'policy', args: [surfaceId, 'auto'], does: 'allows it again' }],
  attempts_exhausted: ({ surfaceId }, entry) => [
    { name: 'policy', args: [surfaceId, entry?.policy ?? 'auto'], does: 'clears the count' }
  ],
  ambiguous: (asked, entry) => naming(asked, entry).slice(0, 1),
  moved: (_asked, _entry, { at }) =>
    at === undefined ? [] : [{ name: 'why', args: [at], does: 'asks for the other surface' }]
}

/** The open attempt, where it stands. */
function settling(
  { surfaceId }: Asked,
  entry: Entry | null,
  at: string | undefined,
  [result = '', ...options]: readonly string[],
  does: string
): readonly OwnLine[] {
  if (at !== undefined && at !== surfaceId)
    return [{ name: 'why', args: [at], does: 'asks for the surface it is open on' }]
  return entry?.attempt === undefined ? [] : [{ name: 'settle', args: [entry.attempt.id, result], options, does }]
}

/** The same question again, with one more word. */
function saying({ surfaceId, evidence }: Asked, option: string, value: string, does: string): OwnLine {
  const at = evidence.indexOf(option)
  const rest = at === -1 ? evidence : evidence.toSpliced(at, 2)
  return { name: 'why', args: [surfaceId], options: [...rest, option, value], does }
}

/** Nobody knows which session it is. */
function isUnnamed(entry: Entry | null): boolean {
  return entry === null || isPlaceholder(entry.sessionId)
}

/** What was ended on purpose is back by being recorded again. */
function takingBack({ surfaceId, sessionId, repo }: Entry): OwnLine {
  return { name: 'record', args: [surfaceId, sessionId, repo], does: 'takes the session back' }
}

/** Only its id makes it one that can be resumed. */
function naming(asked: Asked, entry: Entry | null): readonly OwnLine[] {
  const args = [asked.surfaceId, '<session>', entry?.repo ?? '<repo>']
  const record = { name: 'record', args, options: agentOf(entry), does: 'says which session it is, where there is one' }
  return entry === null ? [record] : [record, saying(asked, '--transcript', 'missing', 'says that there is none')]
}

function agentOf(entry: Entry | null): readonly string[] {
  return entry?.agent === undefined ? [] : ['--agent', entry.agent]
}
