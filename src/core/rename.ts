/**
 * Another key for an entry.
 *
 * A surface that another session holds is never written over. Where the same session is on file under both keys
 * (somebody recorded the new one already), the two become one entry: the living one's word counts, and the history,
 * the earliest sight, the open attempt and the stricter policy of both are kept.
 */

import {
  joinDispatch,
  joinPrevious,
  knownEntry,
  putEntry,
  quoted,
  readableEntry,
  removeEntry,
  stricterPolicy,
  unknownFields
} from './entry.js'
import { CrashResumeError } from './errors.js'
import { checkSurfaceId } from './ids.js'
import type { Entry, Index } from './schema.js'

/**
 * The entry of `from` under the surface id `to`.
 * @throws ERR_INVALID_INPUT, ERR_ENTRY_UNKNOWN, ERR_ENTRY_UNREADABLE; ERR_CONFLICT with what is in the way in `found`
 */
export function rename(index: Index, from: string, to: string): Index {
  checkSurfaceId(to, 'the new surfaceId')
  const entry = knownEntry(index, from)
  if (from === to) return index
  const there = readableEntry(index, to)
  if (there !== null && there.sessionId !== entry.sessionId) {
    throw inTheWay(there, `holds another session (${there.sessionId})`)
  }
  if (there?.attempt !== undefined && entry.attempt !== undefined) throw inTheWay(there, 'has an open attempt as well')
  const renamed = there === null ? { ...entry, surfaceId: to } : merged(entry, there)
  return followed(putEntry(removeEntry(index, from), renamed), from, to)
}

function inTheWay(there: Entry, what: string): CrashResumeError {
  return new CrashResumeError('ERR_CONFLICT', `surface ${quoted(there.surfaceId)} ${what}`, {
    next: 'forget it first, or choose another id',
    found: there
  })
}

function merged(entry: Entry, there: Entry): Entry {
  const [first, second] = isBetter(there, entry) ? [there, entry] : [entry, there]
  const attempt = first.attempt ?? second.attempt
  const lasts = [first.last_attempt, second.last_attempt].filter((last) => last !== undefined)
  const last = lasts.sort((a, b) => b.at - a.at)[0]
  return {
    ...unknownFields(second),
    ...(second.meta === undefined ? {} : { meta: second.meta }),
    ...first,
    ...(attempt === undefined ? {} : { attempt }),
    ...(last === undefined ? {} : { last_attempt: last }),
    ...joinDispatch([first, second]),
    surfaceId: there.surfaceId,
    captured_at: Math.min(first.captured_at, second.captured_at),
    gen: Math.max(first.gen, second.gen),
    attempts: Math.max(first.attempts, second.attempts),
    policy: stricterPolicy(first.policy, second.policy),
    previous: joinPrevious(first.sessionId, first.previous, second.previous)
  }
}

/** What has not ended knows more of its session than what has; of two such, the one heard of later. */
function isBetter(a: Entry, b: Entry): boolean {
  const ranks = rank(a, b) - rank(b, a)
  return ranks === 0 ? a.last_active > b.last_active : ranks < 0
}

function rank(entry: Entry, other: Entry): number {
  if (entry.state !== 'ended') return 0
  if (entry.moved_to === undefined) return 1
  return entry.moved_to === other.surfaceId ? 3 : 2
}

/** Entries that say their session moved to `from` find it under the new key. */
function followed(index: Index, from: string, to: string): Index {
  return Object.values(index.entries)
    .filter((entry) => entry.moved_to === from && entry.surfaceId !== to)
    .reduce((left, entry) => putEntry(left, { ...entry, moved_to: to }), index)
}
