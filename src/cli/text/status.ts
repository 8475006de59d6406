/**
 * The status for people: a table, the count of each state, and where the index and the machine differ. Pure.
 */
import { stripVTControlCharacters } from 'node:util'
import { inlineCommand, STATUS_STATES, type StatusState } from '../../admin.js'
import type { StatusReport, StatusRow } from '../../index.js'
import { shortSurface } from './recovery.js'
import { printable } from './report-error.js'
import { age, cell, type Look, painted, type Style, table } from './table.js'

const STYLES: Readonly<Record<StatusState, Style>> = {
  alive: 'green',
  starting: 'cyan',
  crashed: 'red',
  closed: 'yellow',
  held: 'yellow',
  gone: 'dim',
  left: 'dim',
  unknown: 'yellow',
  ended: 'dim',
  nested: 'dim',
  unrecorded: 'yellow',
  foreign: 'dim'
}

/** At most so many names in one line. */
const NAMES = 5
const EMPTY = 'the index is empty, and no known agent is running\n'

export interface StatusLook extends Look {
  /** Lines that fit: ended entries are left out first, then the end. @default no limit */
  readonly height?: number
  /** The index that --path names. */
  readonly path?: string | undefined
}

export function renderStatus(report: StatusReport, look: StatusLook): string {
  const { height = Number.POSITIVE_INFINITY } = look
  const rows = ordered(report.rows.filter((row) => !isForwarding(row)))
  const names = namesOf(rows)
  const told = [summary(rows, look), ...problems(report, look), ...differences(rows, names, look)]
  if (rows.length === 0) return EMPTY + told.slice(1).join('')
  const whole = renderRows(rows, names, look) + told.join('')
  if (linesOf(whole, look) <= height) return whole
  const open = rows.filter((row) => last(row) === 0)
  const shorter = (open.length === 0 ? '' : renderRows(open, names, look)) + told.join('')
  return linesOf(shorter, look) <= height ? shorter : cutOff(shorter, look, height)
}

/** It holds no session any more, and says where it went; the JSON has it. */
function isForwarding({ state, reason }: StatusRow): boolean {
  return state === 'ended' && (reason === 'moved' || reason === 'running_elsewhere')
}

/** `12 alive 3 crashed`: for a status bar, without the states that need no attention. */
export function renderLine({ counts }: StatusReport): string {
  const shown = STATUS_STATES.filter(
    (state) => !['closed', 'gone', 'left', 'ended', 'nested', 'foreign'].includes(state)
  )
  const some = shown.filter((state) => state === 'alive' || counts[state] > 0)
  return `${some.map((state) => `${counts[state]} ${state}`).join(' ')}\n`
}

function renderRows(rows: readonly StatusRow[], names: Names, look: Look): string {
  const cells = rows.map((row) => ({
    SURFACE: cell(names.get(row), 'bold'),
    STATE: cell(row.state, STYLES[row.state]),
    AGENT: cell(row.agent),
    SESSION: cell(row.sessionId),
    REPO: cell(row.repo),
    ROLE: cell(row.role),
    AGE: cell(row.lastActive === null ? null : age(look.now - row.lastActive)),
    NOTE: { text: noteOf(row, names, rows), style: 'yellow' as const }
  }))
  return table(['SURFACE', 'STATE', 'AGENT', 'SESSION', 'REPO', 'ROLE', 'AGE', 'NOTE'], cells, look)
}

function noteOf({ interrupted, inside }: StatusRow, names: Names, rows: readonly StatusRow[]): string {
  if (interrupted !== null) return `interrupted: ${interrupted}`
  if (inside === null) return ''
  const whose = rows.find(({ surfaceId, state }) => surfaceId === inside && state !== 'nested')
  return `inside ${(whose && names.get(whose)) ?? inside}`
}

function summary(rows: readonly StatusRow[], look: Look): string {
  const counted = STATUS_STATES.map((state) => [state, rows.filter((row) => row.state === state).length] as const)
  const some = counted.filter(([, n]) => n > 0)
  return `${some.map(([state, n]) => painted(`${n} ${state}`, STYLES[state], look)).join(', ')}\n`
}

/** What could not be probed: a reader of the rest must know. */
function problems({ servers, warnings }: StatusReport, look: Look): readonly string[] {
  const silent = servers.flatMap(({ name, state, reason }) =>
    state === 'unknown' ? [`the terminal server ${name} does not answer (${reason}); what runs there is unknown`] : []
  )
  return [...silent, ...warnings].map((line) => `${painted(printable(line), 'yellow', look)}\n`)
}

const BELIEVE = { index: 'Trust the index', machine: 'Trust what is seen', neither: 'Neither is proven' } as const

/** A line each, those of one kind together. */
function differences(rows: readonly StatusRow[], names: Names, look: StatusLook): readonly string[] {
  const groups = new Map<string, StatusRow[]>()
  for (const row of rows.filter(({ believe }) => believe !== null)) {
    const { state, reason, agent, believed, seen, believe } = row
    const kind = state === 'unrecorded' ? agent : seen
    const key = JSON.stringify([state, reason, believed, believe, kind, isRecovered(row)])
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  return [...groups.values()].map((group) => {
    const [first] = group as [StatusRow]
    const several = group.length > 1
    const some = group.slice(0, NAMES).map((row) => names.get(row) ?? '-')
    const more = group.length > NAMES ? ` and ${group.length - NAMES} more` : ''
    const who = painted(printable(some.join(', ') + more), 'bold', look)
    const seen = several && first.state === 'unrecorded' ? `processes of ${first.agent} run` : first.seen
    const advice =
      several && isRecovered(first) ? `${inlineCommand({ name: 'recover' }, look.path)} resumes them` : first.advice
    const likewise =
      several && !isRecovered(first) && first.state !== 'unrecorded' ? '; do the same for the others' : ''
    const words = `index: ${first.believed}; seen: ${seen}. ${first.believe && BELIEVE[first.believe]}: ${advice}${likewise}`
    return `${who}: ${printable(words)}\n`
  })
}

/** One recovery resumes it together with others. */
function isRecovered({ state, advice }: StatusRow): boolean {
  return state === 'crashed' && advice?.startsWith('`') === true
}

type Names = ReadonlyMap<StatusRow, string>

/** A pane of tmux is named by its position; where two have the same one, with the socket of the server. */
function namesOf(rows: readonly StatusRow[]): Names {
  const ids = new Map<string, Set<string | null>>()
  for (const row of rows) ids.set(shortName(row), (ids.get(shortName(row)) ?? new Set()).add(row.surfaceId))
  const nameOf = (row: StatusRow): string => {
    const name = shortName(row)
    const socket = /^tmux:(.+):\d+\.\w+:%\d+$/.exec(row.surfaceId ?? '')?.[1]
    return socket !== undefined && (ids.get(name)?.size ?? 0) > 1 ? `${name} (${socket})` : name
  }
  return new Map(rows.map((row) => [row, nameOf(row)]))
}

function shortName({ surfaceId, address, pid }: StatusRow): string {
  if (surfaceId === null) return address ?? `process ${pid}`
  return address !== null && shortSurface(surfaceId) !== surfaceId ? address : shortSurface(surfaceId)
}

/** By place, in natural order; a nested agent below its own, and last what has ended or belongs to another index. */
function ordered(rows: readonly StatusRow[]): readonly StatusRow[] {
  const order = new Intl.Collator('en', { numeric: true })
  const place = ({ address, surfaceId, pid }: StatusRow): string => address ?? surfaceId ?? `process ${pid}`
  const whose = (row: StatusRow): StatusRow =>
    (row.inside !== null && rows.find((other) => other.surfaceId === row.inside && other.state !== 'nested')) || row
  return [...rows].sort(
    (a, b) =>
      last(a) - last(b) ||
      order.compare(place(whose(a)), place(whose(b))) ||
      Number(a.state === 'nested') - Number(b.state === 'nested')
  )
}

/** What needs no attention comes last. */
function last({ state }: StatusRow): number {
  return state === 'left' || state === 'ended' ? 1 : state === 'foreign' ? 2 : 0
}

function linesOf(text: string, { width }: Look): number {
  const lines = text.split('\n').slice(0, -1)
  return lines.reduce((sum, line) => sum + heightOf(line, width), 0)
}

/** Colours take no room. */
function heightOf(line: string, width: number): number {
  return Math.max(1, Math.ceil(stripVTControlCharacters(line).length / width))
}

function cutOff(text: string, { width }: Look, height: number): string {
  const lines = text.split('\n').slice(0, -1)
  let room = height - 1
  const kept = lines.findIndex((line) => {
    room -= heightOf(line, width)
    return room < 0
  })
  const left = lines.slice(0, kept)
  return `${[...left, `… ${lines.length - left.length} lines more`].join('\n')}\n`
}
