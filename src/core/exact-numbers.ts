/**
 * Numbers that JSON.parse would change, kept as they are written.
 *
 * A double holds neither 12345678901234567890 nor 1e400 nor the sign of -0 in JSON, and data that is not ours
 * must survive a rewrite. `parseExact` turns such a number into an ExactNumber; `stringifyExact` writes it
 * back digit by digit. Both cost a regular expression where no such number is in sight. An index that holds
 * one must not be cloned by structuredClone, which would drop the class.
 */

import { endOfString } from './json-text.js'

/** A number as its text. Only ever found in unknown fields and in entries that could not be read. */
export class ExactNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** What the number is for those who need no more than a double. */
  valueOf(): number {
    return Number(this.text)
  }

  /** Marks the place in JSON.stringify's output; see stringifyExact. */
  toJSON(): string {
    return `${NUMBER_MARK}${this.text}`
  }
}

const NUMBER_MARK = 'crash-resume-index:number:'
// What may be one: -0, an exponent, 16 digits (15 always fit). Text inside strings may match; it only costs time.
const SUSPECT = /[:,[\s](?:-0|-?\d+(?:\.\d+)?[eE]|-?[\d.]{16})/
const QUOTE_OR_NUMBER = /"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
const NUL_RUN = /(?:\\u0000)+/g

export interface Parsed {
  readonly value: unknown
  /** True when the value holds an ExactNumber. */
  readonly exact: boolean
}

/**
 * JSON.parse, with an ExactNumber for each number that a double would change.
 * @throws SyntaxError as JSON.parse does
 */
export function parseExact(text: string): Parsed {
  const value: unknown = JSON.parse(text)
  if (!SUSPECT.test(text)) return { value, exact: false }
  const nuls = longestNulRun(text) + 1
  const mark = '\\u0000'.repeat(nuls)
  const marked = replaceNumbers(text, (number) => (isExact(number) ? number : `"${mark}${number}"`))
  if (marked === text) return { value, exact: false }
  return { value: revive(JSON.parse(marked), '\0'.repeat(nuls)), exact: true }
}

/** JSON.stringify with two spaces, and the text of each ExactNumber in its place. */
export function stringifyExact(value: unknown): string {
  const text = JSON.stringify(value, null, 2)
  if (!text.includes(NUMBER_MARK)) return text
  const nuls = longestNulRun(text) + 1
  function marked(this: Record<string, unknown>, key: string, item: unknown): unknown {
    // `item` is what toJSON has made of it.
    const own = this[key]
    return own instanceof ExactNumber ? `${'\0'.repeat(nuls)}${own.text}` : item
  }
  const mark = new RegExp(`"(?:\\\\u0000){${nuls}}([^"]*)"`, 'g')
  return JSON.stringify(value, marked, 2).replace(mark, '$1')
}

/** No string of the text has more NULs in a row, so that what has is ours. */
function longestNulRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(NUL_RUN), ([run]) => run.length / 6))
}

/** The same data with every ExactNumber as a plain number. */
export function plainNumbers(value: unknown): unknown {
  if (value instanceof ExactNumber) return value.valueOf()
  return mapInside(value, plainNumbers)
}

/** The text with each number outside strings replaced. */
function replaceNumbers(text: string, replace: (number: string) => string): string {
  const token = new RegExp(QUOTE_OR_NUMBER)
  let done = ''
  let from = 0
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    if (match[0] === '"') {
      token.lastIndex = endOfString(text, match.index)
    } else {
      done += text.slice(from, match.index) + replace(match[0])
      from = token.lastIndex
    }
  }
  return done + text.slice(from)
}

/** True when reading and writing the number gives the same number. */
function isExact(token: string): boolean {
  const value = Number(token)
  return Number.isFinite(value) && decimal(token) === decimal(JSON.stringify(value))
}

/** Sign, digits without outer zeros, and exponent: equal for equal numbers, however they are written. */
function decimal(token: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return `${sign}0`
  return `${sign}${significant}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length)}`
}

function revive(value: unknown, mark: string): unknown {
  if (typeof value === 'string') return value.startsWith(mark) ? new ExactNumber(value.slice(mark.length)) : value
  return mapInside(value, (item) => revive(item, mark))
}

/** A copy with the function applied to each item of an array or an object; other values as they are. */
function mapInside(value: unknown, change: (item: unknown) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(change)
  // Unlike an assignment, fromEntries makes an own property of `__proto__` too.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, change(item)]))
}
