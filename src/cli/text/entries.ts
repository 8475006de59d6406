/**
 * Entries and decisions as people read them: pure, from values to text.
 */
import {
  type Attempt,
  type Decision,
  type DecisionWarning,
  type Dispatch,
  type Entry,
  type Verdicts,
  verdictFor
} from '../../index.js'
import { age, type Cell, count, type Look, painted, type Style, table } from './table.js'

/** An entry that could not be read. */
export interface Unreadable {
  readonly surfaceId: string
  readonly state: 'unreadable'
  readonly reason: string
}

const STATES: Readonly<Record<Entry['state'], Style>> = {
  ready: 'green',
  minted: 'cyan',
  spawn_failed: 'red',
  ended: 'dim'
}

/** The latest activity first. */
export function byActivity(entries: readonly Entry[]): readonly Entry[] {
  return [...entries].sort((a, b) => b.last_active - a.last_active || (a.surfaceId < b.surfaceId ? -1 : 1))
}

/**
 * What is on which surface.
 * @param verdicts on those who hold what is open; one that is not there is unknown
 */
export function renderList(
  entries: readonly Entry[],
  unreadable: readonly Unreadable[],
  look: Look,
  verdicts: Verdicts = []
): string {
  const noteOf = (entry: Entry): string => notesOf(entry, verdicts, look.now).join('; ')
  const all = entries.length + unreadable.length
  if (all === 0) return 'nothing is recorded yet; `crash-resume-index record --help` shows how\n'
  const notes = [...entries.map(noteOf), ...unreadable.map(({ reason }) => reason)]
  const noted = notes.some((note) => note !== '')
  const withNote = (row: readonly Cell[], text: string): readonly Cell[] =>
    noted ? [...row, { text, style: 'yellow' }] : row
  const rows = byActivity(entries).map((entry) =>
    withNote(
      [
        { text: entry.surfaceId, style: 'bold' },
        cell(entry.agent),
        cell(entry.sessionId),
        cell(entry.repo),
        cell(entry.role),
        { text: stateOf(entry), style: STATES[entry.state] },
        cell(age(look.now - entry.last_active))
      ],
      noteOf(entry)
    )
  )
  const bad = unreadable.map(({ surfaceId, reason }) =>
    withNote(
      [
        { text: surfaceId, style: 'bold' },
        ...[null, null, null, null].map(cell),
        { text: 'unreadable', style: 'red' },
        cell(null)
      ],
      reason
    )
  )
  const head = ['SURFACE', 'AGENT', 'SESSION', 'REPO', 'ROLE', 'STATE', 'AGE', ...(noted ? ['NOTE'] : [])]
  const foot = count(all, 'surface', 'surfaces') + (bad.length > 0 ? `, ${bad.length} unreadable` : '')
  return `${table(head, [...rows, ...bad], look)}${painted(foot, 'dim', look)}\n`
}

function cell(text: string | null | undefined): Cell {
  return { text: text || '-' }
}

export function stateOf({ state, reason, policy, moved_to }: Entry): string {
  const why = moved_to === undefined ? reason : `moved to ${moved_to}`
  const words = state === 'ended' && why ? `ended (${why})` : state
  return policy === 'auto' ? words : `${words}, ${policy}`
}

const CAME_UP: ReadonlySet<string> = new Set(['ok', 'seen'])

/** What is open, by whom, and by which id it is settled; and what failed, and why. */
export function notesOf(entry: Entry, verdicts: Verdicts, now: number): readonly string[] {
  const { attempt, dispatch, last_attempt: last } = entry
  const parts: string[] = []
  const open = (what: string, { id, owner }: Attempt | Dispatch): void => {
    parts.push(`${what} open by process ${owner.pid} (${verdictFor(verdicts, owner)}), settle ${id}`)
  }
  const step = `step ${JSON.stringify(dispatch?.step ?? '')}`
  if (attempt) open(attempt.kind, attempt)
  if (dispatch?.result === 'open') open(step, dispatch)
  if (dispatch?.result === 'failed') parts.push(`${step} failed${because(dispatch.why)}`)
  if (last && !CAME_UP.has(last.result) && !last.seen_since) {
    parts.push(`last ${last.kind} failed ${age(now - last.at)} ago: ${last.result}${because(last.why)}`)
  }
  return parts
}

function because(why: string | undefined): string {
  return why ? ` (${why})` : ''
}

/** What would be removed, each with its generation. */
export function renderPlan(entries: readonly Entry[], unreadable: readonly Unreadable[], look: Look): string {
  const rows = entries.map((entry) => [
    { text: entry.surfaceId, style: 'bold' as const },
    cell(String(entry.gen)),
    cell(entry.sessionId),
    cell(entry.repo),
    { text: stateOf(entry), style: STATES[entry.state] },
    cell(age(look.now - entry.last_active))
  ])
  const bad = unreadable.map(({ surfaceId }) => [
    { text: surfaceId, style: 'bold' as const },
    ...[null, null, null].map(cell),
    { text: 'unreadable', style: 'red' as const },
    cell(null)
  ])
  return table(['SURFACE', 'GENERATION', 'SESSION', 'REPO', 'STATE', 'AGE'], [...rows, ...bad], look)
}

const ACTIONS: Readonly<Record<Decision['action'], Style>> = {
  resume: 'green',
  fresh: 'cyan',
  wait: 'yellow',
  refuse: 'red'
}

export function renderDecision(decision: Decision, sentence: string, look: Look): string {
  const mind = mindLines(decision).map((line) => `${line}\n`)
  return `${painted(decision.action, ACTIONS[decision.action], look)}  ${decision.reason}\n${sentence}\n${mind.join('')}`
}

/** What comes along with a resume; the hazards of an agent are its own words. */
const MIND: Readonly<Record<DecisionWarning, string | null>> = {
  surface_recycled: 'the surface is not the one it was',
  cwd_missing: 'its launch folder is gone',
  transcript_unknown: 'nobody knows whether its transcript is there',
  agent_hazard: null
}

export function mindLines({ action, warnings, notes, policy }: Decision): readonly string[] {
  const told = warnings.flatMap((warning) => MIND[warning] ?? [])
  // The sentence of a wait holds its note.
  const hazards = action === 'resume' ? notes : []
  const manual =
    action === 'resume' && policy === 'manual' ? ['its policy is manual: a recovery pass leaves it to you'] : []
  return [...told, ...hazards, ...manual].map((line) => `but mind: ${line}`)
}
