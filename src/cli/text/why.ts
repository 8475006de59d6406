/**
 * The long answer for a person: what is known, what was checked, what it means, what to do next.
 */
import {
  type Decision,
  type Entry,
  type Evidence,
  isPlaceholder,
  type Owner,
  type Verdicts,
  verdictFor
} from '../../index.js'
import { mindLines, notesOf } from './entries.js'
import { type Asked, nextSteps } from './next-steps.js'
import { age, type Look } from './table.js'

export function renderWhy(
  asked: Asked,
  known: Entry | null | 'unreadable',
  evidence: Evidence,
  decision: Decision,
  sentence: string,
  look: Look
): string {
  const bold = (text: string): string => (look.colour ? `\u001b[1m${text}\u001b[0m` : text)
  const part = (title: string, lines: readonly string[]): string =>
    `${bold(title)}\n${lines.map((line) => `  ${line}\n`).join('')}`
  return [
    part(
      asked.surfaceId,
      known === null ? nothingLines(evidence) : knownLines(known, evidence.verdicts ?? [], look.now)
    ),
    part('checked', checkedLines(known === 'unreadable' ? null : known, evidence)),
    part('so', [`${decision.action}: ${decision.reason}`, ...mindLines(decision)]),
    part('next', [sentence, ...nextSteps(asked, known === 'unreadable' ? null : known, decision)])
  ].join('')
}

function nothingLines({ index }: Evidence): string[] {
  return [`${index === 'damaged' ? 'what is left of the index' : 'the index'} holds nothing for this surface`]
}

function knownLines(known: Entry | 'unreadable', verdicts: Verdicts, now: number): string[] {
  if (known === 'unreadable') return ['its entry cannot be read; `crash-resume-index doctor` says why']
  const { sessionId, repo, role, agent, cwd, state, reason, gen, policy, attempts, last_exit, previous } = known
  const lines = [
    `session ${sessionId} of ${agent ?? `${repo}'s launcher`}, ${state}${reason ? ` (${reason})` : ''}, generation ${gen}`,
    `repo ${repo}${role ? `, role ${role}` : ''}${cwd ? `, in ${cwd}` : ''}, policy ${policy}`,
    `${lifeOf(known, now)}, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'} counted`
  ]
  lines.push(...notesOf(known, verdicts, now))
  if (last_exit)
    lines.push(`its agent said goodbye ${age(now - last_exit.at)} ago (${last_exit.reason}), which proves nothing`)
  for (const before of previous)
    lines.push(`before that ${before.sessionId}, until ${age(now - before.until)} ago (${before.why})`)
  return lines
}

/** What was only written ahead, nobody has seen yet. */
function lifeOf({ state, last_active, attempt, last_attempt: last }: Entry, now: number): string {
  const ago = `${age(now - last_active)} ago`
  // What ends a session notes that as its last activity.
  if (state === 'ended') return `last active ${ago}`
  if (state === 'ready') return `last seen alive ${ago}`
  // An open attempt is another one than the last.
  return attempt === undefined && last?.kind === 'spawn' && last.result === 'ok'
    ? `came up ${ago}, its session not known yet`
    : `never seen alive, written ahead ${ago}`
}

function checkedLines(entry: Entry | null, evidence: Evidence): string[] {
  const lines: string[] = []
  const process = (what: string, owner: Owner | undefined): void => {
    if (owner) lines.push(`${what}, process ${owner.pid}: ${verdictFor(evidence.verdicts ?? [], owner)}`)
  }
  process('the agent', entry?.proc)
  process(`who started the open ${entry?.attempt?.kind ?? ''}`, entry?.attempt?.owner)
  process('who is at the step', entry?.dispatch?.result === 'open' ? entry.dispatch.owner : undefined)
  if (entry?.seen && evidence.machine) {
    const { seen } = entry
    const said = entry.state === 'minted' || entry.state === 'spawn_failed' ? 'written ahead' : 'last seen'
    if (seen.host !== evidence.machine.host) lines.push(`${said} on another machine`)
    else lines.push(`${said} ${seen.bootId === evidence.machine.bootId ? 'in' : 'before'} this boot`)
  }
  const found = runningIn(evidence, entry)
  // Of a process on file the line above says all there is to say.
  const saidAbove =
    found === 'unknown' && entry?.proc && !entry.attempt && verdictFor(evidence.verdicts ?? [], entry.proc) === 'dead'
  if (!saidAbove) lines.push(`whether the session runs: ${found}`)
  lines.push(transcriptLine(entry, evidence))
  // A resume may fall back to one before.
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

function runningIn({ running }: Evidence, entry: Entry | null): string {
  if (running === undefined) return 'not asked'
  if (typeof running === 'string') return running
  const found = entry === null ? undefined : ownOf(running, entry.sessionId)
  return typeof found === 'object' ? `yes, ${found.at}` : (found ?? 'unknown')
}

function transcriptOf({ transcript = {} }: Evidence, sessionId: string): string | undefined {
  return ownOf(transcript, sessionId)
}

/** A session may be called constructor. */
function ownOf<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

/** Where no session id is known, it is asked which transcripts belong to the surface. */
function transcriptLine(entry: Entry | null, evidence: Evidence): string {
  if (entry !== null && !isPlaceholder(entry.sessionId)) {
    return `transcript: ${transcriptOf(evidence, entry.sessionId) ?? 'not asked'}`
  }
  const { candidates } = evidence
  const which = typeof candidates === 'object' ? candidates.join(', ') || 'none' : (candidates ?? 'not asked')
  return `transcripts that belong here: ${which}`
}
