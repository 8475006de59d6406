/**
 * The only removals: one entry on request, or the entries whose last sign of life is old.
 *
 * Both spare an entry while a process that it names (the agent's, the owner of an open attempt, the owner of an open
 * dispatch) is not proven dead. No failure, no exit and no empty observation removes anything.
 */

import { entryState, isUnreadable, knownEntry, quoted, removeEntries, removeEntry } from './entry.js'
import { CrashResumeError } from './errors.js'
import { checkExpected } from './fingerprint.js'
import { checkMs, checkNow } from './ids.js'
import { verdictFor } from './owner.js'
import type { Entry, Index, Owner, Verdicts } from './schema.js'

/**
 * Removes an entry, readable or not.
 * @param verdicts on its processes; what is not listed is unknown.
 * @param expect the fingerprint of the entry that was looked at
 * @throws ERR_ENTRY_UNKNOWN, ERR_CONFLICT; ERR_IN_USE where a process, an attempt or a dispatch may still live
 */
export function forget(index: Index, surfaceId: string, verdicts: Verdicts = [], expect?: string): Index {
  // First of all: what was looked at and is gone since is a conflict too.
  checkExpected(surfaceId, entryState(index, surfaceId), expect)
  if (isUnreadable(index, surfaceId)) return removeEntry(index, surfaceId)
  const entry = knownEntry(index, surfaceId)
  const user = userOf(entry, verdicts)
  if (user === null) return removeEntry(index, surfaceId)
  throw new CrashResumeError(
    'ERR_IN_USE',
    `surface ${quoted(surfaceId)} may be in use: ${user.role} ${user.owner.pid} is not proven dead`,
    { next: 'end that process first', found: entry }
  )
}

/**
 * Removes the entries whose last sign of life is more than `maxAgeMs` ago; those that may be in use stay, and so do
 * those that cannot be read.
 * @param now ms since the epoch
 * @throws ERR_INVALID_INPUT
 */
export function pruneStale(index: Index, maxAgeMs: number, now: number, verdicts: Verdicts = []): Index {
  const stale = staleEntries(index, maxAgeMs, now, verdicts)
  if (stale.length === 0) return index
  return removeEntries(
    index,
    stale.map(({ surfaceId }) => surfaceId)
  )
}

/**
 * What pruneStale would remove.
 * @throws ERR_INVALID_INPUT
 */
export function staleEntries(index: Index, maxAgeMs: number, now: number, verdicts: Verdicts = []): readonly Entry[] {
  checkMs('maxAgeMs', maxAgeMs)
  checkNow(now)
  return Object.values(index.entries).filter(
    (entry) => now - entry.last_active > maxAgeMs && userOf(entry, verdicts) === null
  )
}

/** A process that may still use the entry, and what it is to it. */
function userOf(entry: Entry, verdicts: Verdicts): { readonly role: string; readonly owner: Owner } | null {
  const users = [
    { role: 'its agent, process', owner: entry.proc },
    { role: 'the owner of its open attempt, process', owner: entry.attempt?.owner },
    {
      role: 'the owner of its open dispatch, process',
      owner: entry.dispatch?.result === 'open' ? entry.dispatch.owner : undefined
    }
  ]
  for (const { role, owner } of users) {
    if (owner !== undefined && verdictFor(verdicts, owner) !== 'dead') return { role, owner }
  }
  return null
}
