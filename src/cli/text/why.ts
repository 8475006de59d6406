/**
 * `why` for people: what is known of a surface, what was checked, what follows, what to do next.
 */

import { inlineCommand } from '../../admin.js'
import { conversationOf, isPlaceholder, verdictFor } from '../../core.js'
import type { Decision, Entry, Evidence, Owner, Verdicts } from '../../index.js'
import { cautions, notesOf } from './entries.js'
import { type Asked, nextSteps } from './next-steps.js'
import { ago, count, type Look, painted } from './table.js'

export function renderWhy(
  asked: Asked,
  known: Entry | null | 'unreadable',
  evidence: Evidence,
  decision: Decision,
  sentence: string,
  look: Look
): string {
  const part = (title: string, lines: readonly string[]): string =>
    `${painted(title, 'bold', look)}\n${lines.map((line) => `  ${line}\n`).join('')}`
  const entry = known === 'unreadable' ? null : known
  const nothing =
    known === 'unreadable'
      ? `its entry cannot be read; ${inlineCommand({ name: 'doctor' }, asked.path)} says why`
      : `${evidence.index === 'damaged' ? 'the rest of the index' : 'the index'} has no entry for this surface`
  return [
    part(asked.surfaceId, entry === null ? [nothing] : knownLines(asked, entry, evidence.verdicts ?? [], look.now)),
    part('checked', checkedLines(entry, evidence)),
    part('so', [`${decision.action}: ${decision.reason}`, ...cautions(decision)]),
    part('next', [sentence, ...nextSteps(asked, entry, decision)])
  ].join('')
}

function knownLines({ path }: Asked, known: Entry, verdicts: Verdicts, now: number): string[] {
  const { sessionId, repo, role, agent, cwd, state, reason, gen, policy, attempts, last_exit, previous } = known
  const lines = [
    `session ${sessionId} of ${agent ?? `${repo}'s launcher`}, ${state}${reason ? ` (${reason})` : ''}, generation ${gen}`,
    `repo ${repo}${role ? `, role ${role}` : ''}${cwd ? `, in ${cwd}` : ''}, policy ${policy}`,
    `${lifeOf(known, now)}, ${count(attempts, 'attempt', 'attempts')} counted`
  ]
  lines.push(...launchLines(known, path), ...notesOf(known, verdicts, now))
  if (last_exit) {
    const when = ago(now - last_exit.at)
    lines.push(`the agent reported its exit ${when} (${last_exit.reason}); that is not proof that it is gone`)
  }
  for (const before of previous) {
    lines.push(`earlier session ${before.sessionId}, until ${ago(now - before.until)} (${before.why})`)
  }
  return lines
}

function launchLines({ env = {}, withheld = [] }: Entry, path: string | undefined): readonly string[] {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const grants = inlineCommand({ name: 'recover', options: { '--grants': true } }, path)
  return [
    ...(variables.length > 0 ? [`launched with ${variables.join(' ')}`] : []),
    ...(withheld.length > 0 ? [`${grants} alone gives back ${withheld.join(' ')}`] : [])
  ]
}

/** A reserved session has not been seen yet. */
function lifeOf({ state, last_active, attempt, last_attempt: last }: Entry, now: number): string {
  const when = ago(now - last_active)
  // The end of a session is its last activity.
  if (state === 'ended') return `last active ${when}`
  if (state === 'ready') return `last seen alive ${when}`
  // An open attempt is not the last one.
  return attempt === undefined && last?.kind === 'spawn' && last.result === 'ok'
    ? `started ${when}, its session is not known yet`
    : `reserved ${when}, never seen alive`
}

function checkedLines(entry: Entry | null, evidence: Evidence): string[] {
  const lines: string[] = []
  const process = (what: string, owner: Owner | undefined): void => {
    if (owner) lines.push(`${what}, process ${owner.pid}: ${verdictFor(evidence.verdicts ?? [], owner)}`)
  }
  process('the agent', entry?.proc)
  process(`the owner of the open ${entry?.attempt?.kind ?? ''}`, entry?.attempt?.owner)
  process('the owner of the step', entry?.dispatch?.result === 'open' ? entry.dispatch.owner : undefined)
  if (entry?.seen && evidence.machine) {
    const { seen } = entry
    const said = entry.state === 'minted' || entry.state === 'spawn_failed' ? 'reserved' : 'last seen'
    if (seen.host !== evidence.machine.host) lines.push(`${said} on another machine`)
    else lines.push(`${said} ${seen.bootId === evidence.machine.bootId ? 'in' : 'before'} this boot`)
  }
  const found = runningIn(evidence, entry)
  // For a recorded process the line above says it.
  const saidAbove =
    found === 'unknown' && entry?.proc && !entry.attempt && verdictFor(evidence.verdicts ?? [], entry.proc) === 'dead'
  if (!saidAbove) lines.push(`whether the session runs: ${found}`)
  lines.push(transcriptLine(entry, evidence), ...continuedLines(entry, evidence))
  // A resume may fall back to an earlier session.
  for (const { sessionId } of entry?.previous ?? []) {
    const before = transcriptOf(evidence, sessionId)
    if (before !== undefined) lines.push(`transcript of ${sessionId}: ${before}`)
  }
  if (evidence.cwd) lines.push(`launch folder: ${evidence.cwd}`)
  if (evidence.task) lines.push(`task: ${evidence.task}`)
  if (evidence.surface) lines.push(`surface: ${evidence.surface}`)
  if (evidence.index === 'damaged') lines.push('the index: damaged')
  return lines
}

function runningIn({ running }: Evidence, entry: Pick<Entry, 'sessionId'> | null): string {
  if (running === undefined) return 'not asked'
  if (typeof running === 'string') return running
  const found = entry === null ? undefined : ownOf(running, entry.sessionId)
  return typeof found === 'object' ? `yes, ${found.at}` : (found ?? 'unknown')
}

/** Each later session that the conversation went on in. */
function continuedLines(entry: Entry | null, evidence: Evidence): string[] {
  if (entry === null) return []
  const { sessions, unclear } = conversationOf(evidence, entry.sessionId)
  const lines = sessions.slice(1).map((id) => {
    const runs = runningIn(evidence, { sessionId: id })
    return `it went on as ${id}: transcript ${transcriptOf(evidence, id) ?? 'not asked'}, running ${runs}`
  })
  return unclear === undefined ? lines : [...lines, `it may be in ${unclear.join(' or ')}, or in a later session`]
}

function transcriptOf({ transcript = {} }: Evidence, sessionId: string): string | undefined {
  return ownOf(transcript, sessionId)
}

/** A session may be called constructor. */
function ownOf<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

/** Without a session id, the question is which transcripts belong to the surface. */
function transcriptLine(entry: Entry | null, evidence: Evidence): string {
  if (entry !== null && !isPlaceholder(entry.sessionId)) {
    return `transcript: ${transcriptOf(evidence, entry.sessionId) ?? 'not asked'}`
  }
  const { candidates } = evidence
  const which = typeof candidates === 'object' ? candidates.join(', ') || 'none' : (candidates ?? 'not asked')
  return `transcripts that belong here: ${which}`
}
