/**
 * Tables, colours and times for people: pure, from values to text.
 */
import { given } from '../../admin.js'
import { printable } from './report-error.js'

/** How to print for people. */
export interface Look {
  readonly colour: boolean
  /** Columns; infinite: cut nothing. */
  readonly width: number
  /** Ms since the epoch. */
  readonly now: number
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

const SGR: Readonly<Record<Style, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 }
/** No column becomes narrower than this. */
const NARROWEST = 5

export interface Cell {
  readonly text: string
  readonly style?: Style
}

/** A cell; a dash where there is nothing to say. */
export function cell(text: string | null | undefined, style?: Style): Cell {
  return { text: text || '-', ...given({ style }) }
}

export function painted(text: string, style: Style | undefined, { colour }: Look): string {
  return colour && style !== undefined && text !== '' ? `\u001b[${SGR[style]}m${text}\u001b[0m` : text
}

/** The cells of a row by their columns: a dash stands where it has none. */
export type Row = Readonly<Record<string, Cell>>

/**
 * Columns as wide as their widest cell, two spaces apart; one without any text is left out. On a narrower terminal the
 * widest columns shrink, and a cut cell ends in an ellipsis. Control characters are replaced.
 */
export function table(columns: readonly string[], rows: readonly Row[], look: Look): string {
  const head = columns.filter((name) => rows.length === 0 || rows.some((row) => row[name]?.text !== ''))
  const cells = rows.map((row) => head.map((name) => row[name] ?? cell(null)))
  const lines = [head.map((text): Cell => ({ text, style: 'bold' })), ...cells].map((line) =>
    line.map(({ text, style }) => ({ characters: [...printable(text)], style }))
  )
  const widths = narrowed(
    head.map((_, column) => Math.max(...lines.map((line) => line[column]?.characters.length ?? 0))),
    look.width - 2 * (head.length - 1)
  )
  const text = lines.map((row) => {
    const cells = row.map(({ characters, style }, column) => {
      const width = widths[column] ?? 0
      const cut = characters.length > width ? [...characters.slice(0, width - 1), '…'] : characters
      return painted(cut.join(''), style, look) + ' '.repeat(width - cut.length)
    })
    return cells.join('  ').trimEnd()
  })
  return `${text.join('\n')}\n`
}

/** The widths; the widest shrink until all fit, as far as that goes. */
function narrowed(wanted: readonly number[], room: number): readonly number[] {
  const widths = [...wanted]
  for (let sum = widths.reduce((left, width) => left + width, 0); sum > room; sum--) {
    const widest = widths.indexOf(Math.max(...widths))
    const width = widths[widest] ?? 0
    if (width <= NARROWEST) break
    widths[widest] = width - 1
  }
  return widths
}

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm']
] as const

/** The same in a sentence: 5 s ago, 3 min ago, 2 h ago, 11 days ago. */
export function ago(ms: number): string {
  const [, number = '', unit = ''] = /^(\d+)(\w)$/.exec(age(ms)) ?? []
  if (number === '') return 'in the future'
  const name = { s: 's', m: 'min', h: 'h', d: number === '1' ? 'day' : 'days' }[unit] ?? unit
  return `${number} ${name} ago`
}

/** A span in one unit: 5s, 3m, 2h, 11d. */
export function age(ms: number): string {
  if (ms < 0) return 'in future'
  for (const [size, name] of UNITS) if (ms >= size) return `${Math.floor(ms / size)}${name}`
  return `${Math.floor(ms / 1000)}s`
}

/** A point in time by the local clock: 2026-11-29 14:03:11. */
export function moment(time: number): string {
  const date = new Date(time)
  const two = (number: number): string => String(number).padStart(2, '0')
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`
}

/** A future point in time by the local clock: 2026-11-29 14:03:11 (in 43s). */
export function momentAhead(time: number, now: number): string {
  return `${moment(time)} (${time > now ? `in ${age(Math.max(1000, time - now))}` : 'now'})`
}

/** `1 entry`, `2 entries`. */
export function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}
