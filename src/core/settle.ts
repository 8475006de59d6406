/**
 * How an attempt ended, written after it: success makes the entry ready, failure says what is known.
 *
 * Settling goes by the attempt's id, wherever its entry has moved meanwhile, and touches no other attempt's entry:
 * one that is neither the open nor the last attempt of any entry changes nothing. A hook that saw the session alive
 * may have closed the attempt first; success is then nothing new, and a failure is still written down.
 */

import {
  changeSession,
  endEntry,
  holdersOf,
  keepProcess,
  lastAttempt,
  mergePrevious,
  movedAway,
  putEntries,
  putEntry,
  seenSince,
  without
} from './entry.js'
import { PROVES_GONE } from './evidence.js'
import { given } from './given.js'
import { checkAttemptId, checkNow, checkSessionId, checkText, isPlaceholder } from './ids.js'
import { join } from './join.js'
import { machineOf } from './owner.js'
import type { Entry, FailureKind, Index, Owner } from './schema.js'

/** How an attempt went. */
export type AttemptResult = 'ok' | { readonly failed: FailureKind; readonly why?: string | undefined }

/** How an attempt went. */
export interface SettleInput {
  readonly attemptId: string
  /** `not_started`, `exited` and `session_gone` say that the attempt's process is gone. */
  readonly result: AttemptResult
  /** The session that came up, where it was not known before or turned out to be another. */
  readonly sessionId?: string | undefined
  /** The agent's own process. */
  readonly proc?: Owner | undefined
}

/**
 * Closes an attempt.
 * @param now ms since the epoch
 * @throws ERR_INVALID_INPUT
 */
export function settle(index: Index, input: SettleInput, now: number): Index {
  checkAttemptId(input.attemptId)
  checkNow(now)
  if (input.sessionId !== undefined) checkSessionId(input.sessionId)
  const { attemptId, result } = input
  const entry = Object.values(index.entries).find(
    ({ attempt, last_attempt: last }) => attempt?.id === attemptId || last?.id === attemptId
  )
  if (entry === undefined) return index
  const open = entry.attempt?.id === attemptId
  if (result === 'ok') return open ? markStarted(index, started(entry, input, now), now) : index
  checkText('why', result.why ?? '')
  return putEntry(index, failed(entry, attemptId, result, now))
}

/** Takes a claim back that has started nothing of its session: it does not count as an attempt. */
export function withdraw(index: Index, attemptId: string): Index {
  const entry = Object.values(index.entries).find(({ attempt }) => attempt?.id === attemptId)
  if (entry?.attempt?.kind !== 'resume') return index
  return putEntry(index, { ...without(entry, 'attempt'), attempts: Math.max(0, entry.attempts - 1) })
}

/** The session is on the surface where it started. */
function markStarted(index: Index, entry: Entry, now: number): Index {
  const holders = entry.state === 'ended' ? [] : holdersOf(index, entry.sessionId, entry.surfaceId)
  const others = holders.map((holder) => without(holder, 'attempt'))
  const moved = holders.map((holder) => movedAway(holder, entry.surfaceId, now))
  return putEntries(index, [join(entry, others), ...moved])
}

/** The session started. */
function started(entry: Entry, { sessionId, proc }: SettleInput, now: number): Entry {
  const { attempt } = entry
  if (attempt === undefined) return entry
  const next: Entry = {
    ...without(
      keepProcess(changeSession(entry, sessionId ?? entry.sessionId, 'rotated', now), 'unknown'),
      'attempt',
      'proc_unknown'
    ),
    last_attempt: lastAttempt(attempt, 'ok', now),
    seen: machineOf(proc ?? attempt.owner),
    last_active: now,
    ...given({ proc })
  }
  if (isPlaceholder(next.sessionId)) return next
  // What a person ended meanwhile stays ended.
  return next.state === 'ended' ? next : { ...next, state: 'ready' }
}

/** It did not start, or is gone again. */
function failed(entry: Entry, attemptId: string, result: Exclude<AttemptResult, 'ok'>, now: number): Entry {
  const { failed: kind, why } = result
  const open = entry.attempt?.id === attemptId
  const source = open ? entry.attempt : entry.last_attempt
  if (source === undefined) return entry
  const closed: Entry = {
    // The process on file is older than an open attempt: it is no proof of what the attempt left behind.
    ...(open ? without(keepProcess(entry, 'unknown'), 'attempt') : entry),
    // Where the clock was set back, the last sight of the session would seem to come after the failure.
    last_attempt: lastAttempt(source, kind, open ? Math.max(now, entry.last_active) : now, why)
  }
  if (!open && isOld(entry, kind)) return seenSince(closed)
  if (kind === 'session_gone' && !isPlaceholder(entry.sessionId)) {
    const gone = { sessionId: entry.sessionId, until: now, why: 'session_gone' } as const
    const ended = endEntry(closed, 'session_gone')
    return { ...ended, previous: mergePrevious('', [gone, ...entry.previous]) }
  }
  // A resume was begun on a start's transcript: failing, it does not undo the start.
  const unstarted = open && entry.state === 'minted' && source.kind === 'spawn'
  return unstarted ? { ...closed, state: 'spawn_failed' } : closed
}

/** A late report on an attempt that was closed before, where something newer than its failure is known. */
function isOld({ attempt, last_attempt: last }: Entry, kind: FailureKind): boolean {
  if (attempt !== undefined || last?.seen_since) return true
  return !PROVES_GONE.has(kind) && (last?.result === 'seen' || last?.result === 'ok')
}
