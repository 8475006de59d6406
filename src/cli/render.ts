/**
 * Tables and texts for people: pure, from values to lines.
 */
import type { Decision, Entry, Finding, KeptCopy, PastRevision } from '../index.js'

export interface Look {
  readonly colour: boolean
  readonly width: number
  readonly now: number
}

type Paint = (text: string) => string

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const

function painter({ colour }: Look): (style: keyof typeof CODES) => Paint {
  return (style) => (text) => (colour && text !== '' ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text)
}

/** How long ago, in the one unit that a person would say: 5s, 3m, 2h, 11d. */
export function age(ms: number): string {
  if (ms < 0) return 'in future'
  const units = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'm']
  ] as const
  for (const [size, name] of units) if (ms >= size) return `${Math.floor(ms / size)}${name}`
  return `${Math.floor(ms / 1000)}s`
}

interface Cell {
  readonly text: string
  readonly paint?: Paint
}

/** Columns as wide as their widest cell; where the terminal is narrower, the widest give way. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[], look: Look): string {
  const paint = painter(look)
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => [...(row[column]?.text ?? '')].length))
  )
  const gaps = 2 * (head.length - 1)
  while (widths.reduce((sum, width) => sum + width, gaps) > look.width) {
    const widest = widths.indexOf(Math.max(...widths))
    if ((widths[widest] ?? 0) <= 8) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  const line = (cells: readonly Cell[]): string =>
    cells
      .map(({ text, paint: style }, column) => {
        const width = widths[column] ?? 0
        const cut = [...text].length > width ? `${[...text].slice(0, width - 1).join('')}…` : text
        const pad = column === head.length - 1 ? '' : ' '.repeat(width - [...cut].length)
        return `${style ? style(cut) : cut}${pad}`
      })
      .join('  ')
      .trimEnd()
  return `${[line(head.map((text) => ({ text, paint: paint('bold') }))), ...rows.map(line)].join('\n')}\n`
}

/** What is on which surface, newest first. */
export function renderList(entries: readonly Entry[], unreadable: readonly string[], look: Look): string {
  const paint = painter(look)
  if (entries.length + unreadable.length === 0)
    return 'nothing is recorded yet; `crash-resume-index record --help` shows how\n'
  const styles: Record<Entry['state'], Paint> = {
    ready: paint('green'),
    minted: paint('cyan'),
    spawn_failed: paint('red'),
    ended: paint('dim')
  }
  const sorted = [...entries].sort((a, b) => b.last_active - a.last_active)
  const notes = new Map(sorted.map((entry) => [entry.surfaceId, noteOf(entry)]))
  const noted = [...notes.values()].some((note) => note !== '')
  const rows = sorted.map((entry) => [
    { text: entry.surfaceId, paint: paint('bold') },
    { text: entry.agent ?? '-' },
    { text: entry.sessionId },
    { text: entry.repo },
    { text: entry.role ?? '-' },
    { text: stateOf(entry), paint: styles[entry.state] },
    { text: age(look.now - entry.last_active) },
    ...(noted ? [{ text: notes.get(entry.surfaceId) ?? '', paint: paint('yellow') }] : [])
  ])
  const bad = unreadable.map((surfaceId) => [
    { text: surfaceId, paint: paint('bold') },
    ...['-', '-', '-', '-'].map((text) => ({ text })),
    { text: 'unreadable', paint: paint('red') },
    { text: '-' },
    ...(noted ? [{ text: '' }] : [])
  ])
  const head = ['SURFACE', 'AGENT', 'SESSION', 'REPO', 'ROLE', 'STATE', 'AGE', ...(noted ? ['NOTE'] : [])]
  const count = rows.length + bad.length
  return `${table(head, [...rows, ...bad], look)}${paint('dim')(`${count} ${count === 1 ? 'surface' : 'surfaces'}`)}\n`
}

function stateOf({ state, reason, policy }: Entry): string {
  const words = state === 'ended' && reason !== undefined ? `ended (${reason})` : state
  return policy === 'auto' ? words : `${words}, ${policy}`
}

/** What is open, and how the last attempt failed. */
export function noteOf({ attempt, dispatch, last_attempt: last }: Entry): string {
  const parts: string[] = []
  if (attempt) parts.push(`${attempt.kind} open, process ${attempt.owner.pid}`)
  if (dispatch?.result === 'open') parts.push(`at "${dispatch.step}", process ${dispatch.owner.pid}`)
  if (last && last.result !== 'ok' && last.result !== 'seen') {
    parts.push(`last ${last.kind} failed: ${last.result}${last.why ? ` (${last.why})` : ''}`)
  }
  return parts.join('; ')
}

export function renderHistory(revisions: readonly PastRevision[], kept: readonly KeptCopy[], look: Look): string {
  const paint = painter(look)
  if (revisions.length + kept.length === 0) return 'no revision yet\n'
  const past = revisions.map(({ revision, time, entries, changes }) => [
    { text: String(revision), paint: paint('bold') },
    { text: `${age(look.now - time)} ago` },
    { text: entries === null ? '-' : String(entries) },
    entries === null
      ? { text: 'cannot be read', paint: paint('red') }
      : { text: changes === null ? '(the one before it is gone)' : changesOf(changes) }
  ])
  const copies = kept.map(({ name, time, reason, entries }) => [
    { text: name, paint: paint('bold') },
    { text: `${age(look.now - time)} ago` },
    { text: entries === null ? '-' : String(entries) },
    { text: entries === null ? `${reason} (no index)` : reason }
  ])
  const parts = [
    ...(past.length > 0 ? [table(['REVISION', 'WRITTEN', 'ENTRIES', 'CHANGED'], past, look)] : []),
    ...(copies.length > 0 ? [table(['KEPT COPY', 'KEPT', 'ENTRIES', 'WHY'], copies, look)] : [])
  ]
  return `${parts.join('\n')}${paint('dim')('`crash-resume-index restore <revision or kept copy>` takes one back')}\n`
}

function changesOf(changes: NonNullable<PastRevision['changes']>): string {
  if (changes.length === 0) return 'nothing'
  const signs = { added: '+', changed: '~', removed: '-' }
  return changes
    .slice(0, 4)
    .map(
      ({ surfaceId, change, fields }) =>
        `${signs[change]}${surfaceId}${fields.length > 0 ? ` (${fields.join(', ')})` : ''}`
    )
    .concat(changes.length > 4 ? [`and ${changes.length - 4} more`] : [])
    .join(' ')
}

export function renderFindings(findings: readonly Finding[], look: Look): string {
  const paint = painter(look)
  const marks = { ok: paint('green')('ok     '), note: paint('yellow')('note   '), problem: paint('red')('problem') }
  return findings
    .map(({ check, state, detail, advice }) => {
      const line = `${marks[state]}  ${check.padEnd(11)}  ${detail}\n`
      return advice === undefined ? line : `${line}${' '.repeat(22)}${paint('bold')('->')} ${advice}\n`
    })
    .join('')
}

/** The removals that would happen, each with its generation. */
export function renderDoomed(entries: readonly Entry[], look: Look): string {
  const rows = entries.map((entry) => [
    { text: entry.surfaceId },
    { text: entry.sessionId },
    { text: entry.repo },
    { text: String(entry.gen) },
    { text: entry.state },
    { text: age(look.now - entry.last_active) }
  ])
  return table(['SURFACE', 'SESSION', 'REPO', 'GEN', 'STATE', 'AGE'], rows, look)
}

export function renderDecision(decision: Decision, sentence: string, look: Look): string {
  const paint = painter(look)
  const styles = { resume: paint('green'), fresh: paint('cyan'), wait: paint('yellow'), refuse: paint('red') }
  return `${styles[decision.action](decision.action)}  ${decision.reason}\n${sentence}\n`
}
