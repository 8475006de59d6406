/**
 * One session, one surface, after entries came from elsewhere: of several that claim a session the one with the newer
 * sign of life holds it, with the history of all; the others say where it went.
 *
 * Only what is news is settled. Surfaces that shared a session before are left as they are: nobody said a word on
 * them.
 */

import {
  entryAt,
  holdersOf,
  joinDispatch,
  joinPrevious,
  movedAway,
  putEntry,
  stricterPolicy,
  unknownFields
} from './entry.js'
import type { Entry, Index } from './schema.js'

/** `record`: how the session was launched comes along. `edit`: a person's words stand as they are written. */
type Source = 'edit' | 'record'

/**
 * @param news the surfaces whose entries came just now; where all else is equal, the last of them holds the session
 * @param now ms since the epoch
 */
export function settleHolders(index: Index, news: readonly string[], source: Source, now: number): Index {
  return news.reduceRight((left, surfaceId) => {
    const entry = entryAt(left, surfaceId)
    if (entry === null || entry.state === 'ended') return left
    const rivals = holdersOf(left, entry.sessionId, surfaceId)
    if (rivals.length === 0) return left
    const [first, ...others] = [...rivals, entry].reverse().sort((a, b) => b.last_active - a.last_active)
    return first === undefined ? left : held(left, first, others, source, now)
  }, index)
}

function held(index: Index, holder: Entry, others: readonly Entry[], source: Source, now: number): Index {
  let [left, known] = [index, holder]
  for (const other of others) {
    const next = joined(known, other, source)
    // Two open attempts on one session: each must still be found by its owner.
    const attempt = next.attempt?.id === other.attempt?.id ? {} : pick(other, 'attempt')
    // An older copy of either must be seen to be older, whatever the clocks said.
    const last_active = Math.max(now, other.last_active, holder.last_active)
    left = putEntry(left, { ...movedAway(other, holder.surfaceId, now), ...attempt, last_active })
    known = next
  }
  return putEntry(left, known)
}

/** What is known of the session, in one entry; what is the surface's own stays. */
function joined(holder: Entry, other: Entry, source: Source): Entry {
  const bookkeeping = {
    ...joinDispatch([holder, other]),
    ...lastAttempt(holder, other),
    gen: Math.max(holder.gen, other.gen),
    attempts: Math.max(holder.attempts, other.attempts),
    previous: joinPrevious(holder.sessionId, holder.previous, other.previous)
  }
  if (source === 'edit') {
    return { ...pick(other, 'attempt', 'last_exit', 'proc', 'seen'), ...holder, ...bookkeeping }
  }
  const sameAgent = holder.agent === undefined || other.agent === undefined || holder.agent === other.agent
  return {
    ...unknownFields(other),
    ...pick(other, 'attempt', 'last_exit', 'meta'),
    ...(sameAgent ? pick(other, 'agent', 'cwd', 'worktree', 'transcript', 'flags') : {}),
    ...holder,
    ...bookkeeping,
    policy: stricterPolicy(holder.policy, other.policy)
  }
}

/** The one that may still say something about the session, else the newer one. */
function lastAttempt(holder: Entry, other: Entry): Pick<Entry, 'last_attempt'> {
  const lasts = [holder.last_attempt, other.last_attempt].filter((last) => last !== undefined)
  const [first] = lasts.sort((a, b) => Number(a.seen_since ?? false) - Number(b.seen_since ?? false) || b.at - a.at)
  return first === undefined ? {} : { last_attempt: first }
}

function pick<Field extends keyof Entry>(entry: Entry, ...fields: readonly Field[]): Partial<Entry> {
  return Object.fromEntries(fields.filter((field) => field in entry).map((field) => [field, entry[field]]))
}
