/**
 * Entries and decisions as people read them: pure, from values to text.
 */
import type { Decision, Entry } from '../index.js'
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

/** What is on which surface. */
export function renderList(entries: readonly Entry[], unreadable: readonly Unreadable[], look: Look): string {
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

/** What is open, and how the last attempt failed; empty: nothing of note. */
export function noteOf({ attempt, dispatch, last_attempt: last }: Entry): string {
  const parts: string[] = []
  if (attempt) parts.push(`${attempt.kind} open, process ${attempt.owner.pid}`)
  if (dispatch?.result === 'open') parts.push(`at "${dispatch.step}", process ${dispatch.owner.pid}`)
  if (dispatch?.result === 'failed') {
    parts.push(`step "${dispatch.step}" failed${dispatch.why ? ` (${dispatch.why})` : ''}`)
  }
  if (last && last.result !== 'ok' && last.result !== 'seen' && !last.seen_since) {
    parts.push(`last ${last.kind} failed: ${last.result}${last.why ? ` (${last.why})` : ''}`)
  }
  return parts.join('; ')
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
  return `${painted(decision.action, ACTIONS[decision.action], look)}  ${decision.reason}\n${sentence}\n`
}
