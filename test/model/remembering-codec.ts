/**
 * The codec, which remembers what it has read and written, text by text and entry by entry. It is pure, and indexes
 * and entries are never changed in place, so that nobody can tell; one text in a hundred is held against the codec's
 * own. Without this, most of an exploration's time would go into writing and reading the same entries again.
 */
import * as codec from '../../src/core/codec.js'
import type { Entry, Index } from '../../src/core/schema.js'

export * from '../../src/core/codec.js'

const LIMIT = 5000
const indexes = new Map<string, Index>()
const entryTexts = new WeakMap<Entry, string>()
const heads = new Map<number | undefined, string>()
let written = 0

export function parseIndex(text: string): Index {
  const known = indexes.get(text)
  if (known !== undefined) return known
  const index = codec.parseIndex(text)
  remember(text, index)
  return index
}

/** What it has written, it can read: the codec's own tests hold it to that. */
export function serializeIndex(index: Index): string {
  const text = write(index, index.revision)
  const { origin: _origin, status: _status, ...rest } = index
  remember(text, rest)
  return text
}

function remember(text: string, index: Index): void {
  if (indexes.size >= LIMIT) indexes.clear()
  indexes.set(text, index)
}

function write(index: Index, revision: number | undefined): string {
  const whole = codec.serializeIndex
  const entries = Object.values(index.entries)
  if (index.version !== 1 || index.unreadable || index.extra || entries.length === 0) return whole(index)
  const text = `${headOf(revision)}${entries.map(textOf).join(',\n')}\n  }\n}\n`
  if (++written % 100 === 0 && text !== whole(index))
    throw new TypeError(`the codec writes\n${whole(index)}\nnot\n${text}`)
  return text
}

/** What stands before the first entry. */
function headOf(revision: number | undefined): string {
  const known = heads.get(revision)
  if (known !== undefined) return known
  const empty: Index = { version: 1, ...(revision === undefined ? {} : { revision }), entries: {} }
  const text = codec.serializeIndex(empty)
  const head = `${text.slice(0, text.lastIndexOf('{}'))}{\n`
  heads.set(revision, head)
  return head
}

function textOf(entry: Entry): string {
  const known = entryTexts.get(entry)
  if (known !== undefined) return known
  const text = codec.contentOf({ version: 1, entries: { [entry.surfaceId]: entry } })
  const own = text.slice(headOf(undefined).length, text.length - '\n  }\n}\n'.length)
  entryTexts.set(entry, own)
  return own
}
