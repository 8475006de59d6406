/**
 * Another key for an entry.
 *
 * The old key stays as a forwarding address: who kept it is told where the session is now. Of the addresses of one
 * entry the newest few are kept. A surface that another session holds is never written over. Where the same session is on file under both keys
 * (the new one was recorded already), the two become one entry, with all that either knew.
 */

import { isForwarding, knownEntry, movedAway, putEntries, quoted, readableEntry, removeEntries } from './entry.js'
import { CrashResumeError } from './errors.js'
import { checkSurfaceId } from './ids.js'
import { byStrength, join } from './join.js'
import type { Entry, Index, Verdicts } from './schema.js'

/** Forwarding addresses of one entry. */
const ADDRESS_LIMIT = 8

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
  const isFree = there !== null && isForwarding(there) && there.attempt === undefined
  if (there !== null && !isFree && there.sessionId !== entry.sessionId) {
    throw inTheWay(there, `holds another session (${there.sessionId})`)
  }
  if (there?.attempt !== undefined && entry.attempt !== undefined) throw inTheWay(there, 'has an open attempt as well')
  const renamed = there === null ? { ...entry, surfaceId: to } : joined(entry, there, verdicts)
  return followed(putEntries(index, [movedAway(entry, to, entry.last_active), renamed]), from, to)
}

function inTheWay(there: Entry, what: string): CrashResumeError {
  return new CrashResumeError('ERR_CONFLICT', `surface ${quoted(there.surfaceId)} ${what}`, {
    next: 'forget it first, or choose another id',
    found: there
  })
}

/** One surface under two keys; or a surface whose own session had moved away. */
function joined(entry: Entry, there: Entry, verdicts: Verdicts): Entry {
  if (entry.sessionId !== there.sessionId) return join(entry, [there], { at: there.surfaceId, changed: true })
  const [lead, other] = [entry, there].sort(byStrength).map((known) => ({ ...known, surfaceId: there.surfaceId }))
  return join(lead as Entry, [other as Entry], { verdicts })
}

/** Entries that say their session moved to `from` find it under the new key; the oldest addresses go. */
function followed(index: Index, from: string, to: string): Index {
  const others = Object.values(index.entries).filter(({ surfaceId }) => surfaceId !== from && surfaceId !== to)
  const renewed = others.filter((entry) => entry.moved_to === from).map((entry) => ({ ...entry, moved_to: to }))
  const addresses = [...renewed, ...others.filter((entry) => entry.moved_to === to)]
    .filter((entry) => isForwarding(entry) && entry.attempt === undefined)
    .sort((a, b) => b.last_active - a.last_active)
  const dropped = addresses.slice(ADDRESS_LIMIT - 1).map(({ surfaceId }) => surfaceId)
  return removeEntries(putEntries(index, renewed), dropped)
}
