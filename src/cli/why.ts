/**
 * The long answer for a person: what is known, what was checked, what it means, what to do next.
 */
import { type Decision, type Entry, type Evidence, type Owner, type Verdicts, verdictFor } from '../index.js'
import { type Asked, nextSteps } from './next-steps.js'
import { mindLines, notesOf } from './render.js'
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
function lifeOf({ state, last_active, last_attempt: last }: Entry, now: number): string {
  const ago = `${age(now - last_active)} ago`
  // What ends a session notes that as its last activity.
  if (state === 'ended') return `last active ${ago}`
  if (state === 'ready') return `last seen alive ${ago}`
  return last?.kind === 'spawn' && last.result === 'ok'
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
    if (seen.host !== evidence.machine.host) lines.push('last seen on another machine')
    else lines.push(seen.bootId === evidence.machine.bootId ? 'last seen in this boot' : 'last seen before this boot')
  }
  const found = runningIn(evidence, entry)
  // Of a process on file the line above says all there is to say.
  const said =
    found === 'unknown' && entry?.proc && !entry.attempt && verdictFor(evidence.verdicts ?? [], entry.proc) === 'dead'
  if (!said) lines.push(`whether the session runs: ${found}`)
  const transcript = entry && evidence.transcript?.[entry.sessionId]
  lines.push(`transcript: ${transcript ?? 'not asked'}`)
  // A resume may fall back to one before.
  for (const { sessionId } of entry?.previous ?? []) {
    const before = evidence.transcript?.[sessionId]
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
  const found = entry && Object.hasOwn(running, entry.sessionId) ? running[entry.sessionId] : undefined
  return typeof found === 'object' ? `yes, ${found.at}` : (found ?? 'unknown')
}
