/**
 * An older index taken back onto the current one: an undo that is itself a change, so that it can be undone.
 *
 * It removes nothing: an entry that the older index lacks stays. Generations go up, never back, and attempts are not
 * restored: who is starting something now goes on doing so.
 */
import type { Entry, Index } from './schema.js'
import { endEntry, entryAt, holderOf, putEntry, without } from './transitions.js'

/** What the entry says of itself; the rest is bookkeeping that an undo must not turn back. */
function content(entry: Entry): string {
  const words = without(
    entry,
    'attempt',
    'last_attempt',
    'attempts',
    'gen',
    'last_active',
    'seen',
    'proc',
    'captured_at'
  )
  return JSON.stringify(Object.entries(words).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** @returns the index with the entries of `source` that differ; itself where none does */
export function restoreEntries(index: Index, source: Index): Index {
  let restored = index
  for (const entry of Object.values(source.entries)) {
    const current = entryAt(restored, entry.surfaceId)
    if (current !== null && content(current) === content(entry)) continue
    restored = restoreEntry(restored, entry, current)
  }
  return restored
}

function restoreEntry(index: Index, source: Entry, current: Entry | null): Index {
  const next: Entry = {
    ...without(source, 'attempt', 'last_attempt', 'proc', 'seen'),
    gen: Math.max(source.gen, current?.gen ?? 0) + 1,
    attempts: current?.attempts ?? 0,
    captured_at: Math.min(source.captured_at, current?.captured_at ?? source.captured_at),
    ...pick(current),
    // What was seen of the session then holds only where it is the session that was seen last.
    ...(current === null || current.sessionId === source.sessionId ? seenOf(current ?? source) : {})
  }
  const holder = next.state === 'ended' ? null : holderOf(index, next.sessionId, next.surfaceId)
  const freed = holder === null ? index : putEntry(index, endEntry(holder, 'moved', next.surfaceId))
  return putEntry(freed, next)
}

function pick(current: Entry | null): Partial<Entry> {
  return {
    ...(current?.attempt && { attempt: current.attempt }),
    ...(current?.last_attempt && { last_attempt: current.last_attempt })
  }
}

function seenOf(entry: Entry): Partial<Entry> {
  return { ...(entry.seen && { seen: entry.seen }), ...(entry.proc && { proc: entry.proc }) }
}
