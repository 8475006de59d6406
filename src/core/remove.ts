/**
 * The only removals: one entry on request, or the entries whose last sign of life is old.
 *
 * Both spare an entry while a process that it names (the agent's, the owner of an open attempt, the owner of an open
 * dispatch) is not proven dead. The addresses that forward to an entry go with it. No failure, no exit and no empty
 * observation removes anything.
 */

import {
  entryState,
  isForwarding,
  isUnreadable,
  knownEntry,
  putEntries,
  quoted,
  removeEntries,
  whereNow
} from './entry.js'
import { CrashResumeError } from './errors.js'
import { checkExpected } from './fingerprint.js'
import { given } from './given.js'
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
  if (isUnreadable(index, surfaceId)) return removeEntries(index, [surfaceId])
  const entry = knownEntry(index, surfaceId)
  const user = userOf(entry, verdicts)
  if (user === undefined) return withAddresses(index, [surfaceId], verdicts)
  const what = `surface ${quoted(surfaceId)} may be in use: ${user} is not proven dead`
  throw new CrashResumeError('ERR_IN_USE', what, { next: 'end that process first', found: entry })
}

/**
 * Removes the entries whose last sign of life is more than `maxAgeMs` ago; those that may be in use stay, and so do
 * those that cannot be read.
 * @param now ms since the epoch
 * @throws ERR_INVALID_INPUT
 */
export function pruneStale(index: Index, maxAgeMs: number, now: number, verdicts: Verdicts = []): Index {
  const stale = staleEntries(index, maxAgeMs, now, verdicts).map(({ surfaceId }) => surfaceId)
  return stale.length === 0 ? index : withAddresses(index, stale, verdicts)
}

/** An entry goes with the addresses that forward to it; an address that goes is left out of the way of the others. */
function withAddresses(index: Index, surfaceIds: readonly string[], verdicts: Verdicts): Index {
  const removed = new Set(surfaceIds)
  const addresses = Object.values(index.entries).filter((entry) => isForwarding(entry) && !removed.has(entry.surfaceId))
  const gone = addresses.filter(
    (entry) => removed.has(whereNow(index, entry) ?? '') && userOf(entry, verdicts) === undefined
  )
  for (const { surfaceId } of gone) removed.add(surfaceId)
  const rerouted = addresses
    .filter(({ surfaceId, moved_to }) => !removed.has(surfaceId) && removed.has(moved_to ?? ''))
    .map((entry) => ({ ...entry, ...given({ moved_to: whereNow(index, entry) }) }))
  return removeEntries(putEntries(index, rerouted), [...removed])
}

/**
 * What pruneStale would remove.
 * @throws ERR_INVALID_INPUT
 */
export function staleEntries(index: Index, maxAgeMs: number, now: number, verdicts: Verdicts = []): readonly Entry[] {
  checkMs('maxAgeMs', maxAgeMs)
  checkNow(now)
  const old = Object.values(index.entries).filter(({ last_active }) => now - last_active > maxAgeMs)
  return old.filter((entry) => userOf(entry, verdicts) === undefined)
}

/** A process that may still use the entry, by what it is to it. */
function userOf({ proc, attempt, dispatch }: Entry, verdicts: Verdicts): string | undefined {
  const mayLive = (owner: Owner | undefined): boolean => owner !== undefined && verdictFor(verdicts, owner) !== 'dead'
  if (proc && mayLive(proc)) return `its agent, process ${proc.pid}`
  if (attempt && mayLive(attempt.owner)) return `the owner of its open attempt, process ${attempt.owner.pid}`
  const step = dispatch?.result === 'open' && mayLive(dispatch.owner)
  return step ? `the owner of its open dispatch, process ${dispatch.owner.pid}` : undefined
}
