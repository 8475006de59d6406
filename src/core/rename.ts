/**
 * Another key for an entry.
 *
 * A surface that another session holds is never written over. Where the same session is on file under both keys
 * (the new one was recorded already), the two become one entry, with all that either knew.
 */

import { knownEntry, putEntry, quoted, readableEntry, removeEntry } from './entry.js'
import { CrashResumeError } from './errors.js'
import { checkSurfaceId } from './ids.js'
import { byStrength, join } from './join.js'
import type { Entry, Index, Verdicts } from './schema.js'

/**
 * The entry of `from` under the surface id `to`.
 * @param verdicts on the processes of both: where the two become one, a living process stays known. What is not listed
 *   is unknown.
 * @throws ERR_INVALID_INPUT, ERR_ENTRY_UNKNOWN, ERR_ENTRY_UNREADABLE; ERR_CONFLICT with what is in the way in `found`
 */
export function rename(index: Index, from: string, to: string, verdicts: Verdicts = []): Index {
  checkSurfaceId(to, 'the new surfaceId')
  const entry = knownEntry(index, from)
  if (from === to) return index
  const there = readableEntry(index, to)
  if (there !== null && there.sessionId !== entry.sessionId) {
    throw inTheWay(there, `holds another session (${there.sessionId})`)
  }
  if (there?.attempt !== undefined && entry.attempt !== undefined) throw inTheWay(there, 'has an open attempt as well')
  const renamed = there === null ? { ...entry, surfaceId: to } : joined(entry, there, verdicts)
  return followed(putEntry(removeEntry(index, from), renamed), from, to)
}

function inTheWay(there: Entry, what: string): CrashResumeError {
  return new CrashResumeError('ERR_CONFLICT', `surface ${quoted(there.surfaceId)} ${what}`, {
    next: 'forget it first, or choose another id',
    found: there
  })
}

/** One surface under two keys. */
function joined(entry: Entry, there: Entry, verdicts: Verdicts): Entry {
  const [lead, other] = [entry, there].sort(byStrength).map((known) => ({ ...known, surfaceId: there.surfaceId }))
  return join(lead as Entry, [other as Entry], { verdicts })
}

/** Entries that say their session moved to `from` find it under the new key. */
function followed(index: Index, from: string, to: string): Index {
  return Object.values(index.entries)
    .filter((entry) => entry.moved_to === from && entry.surfaceId !== to)
    .reduce((left, entry) => putEntry(left, { ...entry, moved_to: to }), index)
}
