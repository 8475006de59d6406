/**
 * The index as text, and back.
 *
 * Invariants: a text that is not an index is ERR_INDEX_UNREADABLE, never an empty index; what the text holds
 * beyond our fields, and every entry that could not be read, comes out of `serializeIndex` as it went in;
 * records have no prototype, so that `__proto__` is a key like any other.
 * Calling sequence: parseIndex, then verbs, then serializeIndex. `contentOf` of both tells whether anything
 * changed.
 */

import { CrashResumeError } from './errors.js'
import { ExactNumber, type Parsed, parseExact, plainNumbers, stringifyExact } from './exact-numbers.js'
import { given } from './given.js'
import { whereJsonBreaks } from './json-text.js'
import type { Entry, Index, UnreadableEntry } from './schema.js'
import { ENTRY_FIELDS, isRecord, readEntry } from './validate.js'

/** Data nested deeper than this is refused: writing it back could overflow the stack. */
const MAX_DEPTH = 200
const INDEX_FIELDS = new Set(['version', 'revision', 'entries'])
const KNOWN_FIELDS = new Set(ENTRY_FIELDS)
const PLACES: ReadonlyMap<string, number> = new Map(ENTRY_FIELDS.map((field, place) => [field, place]))

/**
 * Reads an index. Entries that are none go to `unreadable`, with the reason; a newer version is read as if it
 * were ours, and `version` says so.
 * @throws ERR_INDEX_UNREADABLE with the place where the text stops being an index
 */
export function parseIndex(text: string): Index {
  const { value: raw, exact } = parseJson(text)
  if (deeperThan(MAX_DEPTH, raw)) throw unreadable(`it is nested deeper than ${MAX_DEPTH} levels`)
  if (!isRecord(raw) || raw instanceof ExactNumber) throw unreadable('it holds no object')
  const version = own(raw, 'version')
  if (version === undefined) throw unreadable('version is missing')
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1) {
    throw unreadable('version is not a whole number, 1 or more')
  }
  const rawEntries = own(raw, 'entries')
  if (rawEntries === undefined) throw unreadable('entries is missing')
  if (!isRecord(rawEntries) || rawEntries instanceof ExactNumber) throw unreadable('entries is not an object')

  const revision = own(raw, 'revision')
  const extra = omit(raw, INDEX_FIELDS)
  const { entries, unreadable: bad } = readEntries(rawEntries, exact)
  return {
    version,
    ...(Number.isSafeInteger(revision) && Number(revision) > 0 ? { revision: Number(revision) } : {}),
    entries,
    ...(isEmpty(bad) ? {} : { unreadable: bad }),
    ...(isEmpty(extra) ? {} : { extra })
  }
}

/** The text of a file: two spaces, the defaults written out, a final newline. */
export function serializeIndex(index: Index): string {
  return write(index, given({ revision: index.revision }))
}

/** Everything that a revision holds but its number: equal texts, nothing changed. */
export function contentOf(index: Index): string {
  return write(index, {})
}

/** Whether two indexes hold the same, their numbers aside: as equal texts would say, without writing those. */
export function sameContent(a: Index, b: Index): boolean {
  if (a === b) return true
  const sameRest = contentOf({ ...a, entries: {} }) === contentOf({ ...b, entries: {} })
  const keys = Object.keys(a.entries)
  if (!sameRest || keys.length !== Object.keys(b.entries).length) return false
  return keys.every((key) => {
    const [one, other] = [a.entries[key], b.entries[key]]
    return one !== undefined && other !== undefined && sameEntry(one, other)
  })
}

/** Whether two entries would be written alike. */
export function sameEntry(a: Entry, b: Entry): boolean {
  return a === b || stringifyExact(inOrder(a)) === stringifyExact(inOrder(b))
}

function write(index: Index, revision: { readonly revision?: number }): string {
  const entries: Record<string, unknown> = Object.create(null)
  for (const [key, entry] of Object.entries(index.entries)) entries[key] = inOrder(entry)
  for (const [key, bad] of Object.entries(index.unreadable ?? {})) entries[key] = bad.raw
  return `${stringifyExact({ version: index.version, ...revision, ...index.extra, entries })}\n`
}

/** Our fields in their order, then the others in theirs: most entries are so already. */
function inOrder(entry: Entry): object {
  if (isInOrder(entry)) return entry
  const ordered: Record<string, unknown> = Object.create(null)
  const fields = new Map<string, unknown>(Object.entries(entry))
  for (const field of [...ENTRY_FIELDS, ...fields.keys()]) ordered[field] = fields.get(field)
  return ordered
}

function isInOrder(entry: Entry): boolean {
  let last = 0
  for (const field of Object.keys(entry)) {
    const place = PLACES.get(field) ?? ENTRY_FIELDS.length
    if (place < last) return false
    last = place
  }
  return true
}

function parseJson(text: string): Parsed {
  const json = text.startsWith('\ufeff') ? text.slice(1) : text
  if (json.trim() === '') throw unreadable('it is empty')
  const nul = json.indexOf('\0')
  if (nul !== -1) throw unreadable(`it holds a NUL byte, after ${nul} characters`)
  try {
    return parseExact(json)
  } catch (error) {
    if (error instanceof SyntaxError) throw unreadable(`it is not JSON: ${whereJsonBreaks(json)}`)
    throw unreadable('it is nested too deep', error)
  }
}

function readEntries(raw: Record<string, unknown>, exact: boolean): Required<Pick<Index, 'entries' | 'unreadable'>> {
  const entries: Record<string, Entry> = Object.create(null)
  const bad: Record<string, UnreadableEntry> = Object.create(null)
  for (const [key, value] of Object.entries(raw)) {
    const found = readEntry(key, exact ? withPlainFields(value) : value)
    if ('entry' in found) entries[key] = found.entry
    else bad[key] = { raw: value, reason: found.reason }
  }
  return { entries, unreadable: bad }
}

/** Our own fields hold plain numbers; unknown ones keep theirs exact. */
function withPlainFields(value: unknown): unknown {
  if (!isRecord(value) || value instanceof ExactNumber) return plainNumbers(value)
  return Object.fromEntries(
    Object.entries(value).map(([field, item]) => [field, KNOWN_FIELDS.has(field) ? plainNumbers(item) : item])
  )
}

/** True when there is data more than so many levels down. */
function deeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const item of Object.values(value)) {
    // Checked before the call: most of an index is no object, and a call for each value would slow a hook down.
    if (typeof item === 'object' && deeperThan(levels - 1, item)) return true
  }
  return false
}

function own(record: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

function omit(record: Record<string, unknown>, keys: ReadonlySet<string>): Record<string, unknown> {
  const rest: Record<string, unknown> = Object.create(null)
  for (const [key, value] of Object.entries(record)) if (!keys.has(key)) rest[key] = value
  return rest
}

function isEmpty(record: object): boolean {
  return Object.keys(record).length === 0
}

function unreadable(reason: string, cause?: unknown): CrashResumeError {
  return new CrashResumeError('ERR_INDEX_UNREADABLE', `the index cannot be read: ${reason}`, { cause })
}
