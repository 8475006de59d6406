/**
 * How an attempt or a dispatch ended, written after it: success makes the entry ready, failure says what is known.
 *
 * Settling goes by the attempt's id, wherever its entry has moved meanwhile, and touches no other attempt's entry:
 * one that is neither the open nor the last attempt of any entry changes nothing. A hook that saw the session alive
 * may have closed the attempt first; success is then nothing new, and a failure is still written down.
 */

import {
  changeSession,
  endEntry,
  holdersOf,
  knownEntry,
  lastAttempt,
  mergePrevious,
  movedAway,
  putEntries,
  putEntry,
  quoted,
  seenSince,
  without
} from './entry.js'
import { CrashResumeError, invalidInput } from './errors.js'
import { PROVES_GONE } from './evidence.js'
import { checkAttemptId, checkName, checkNow, checkSessionId, checkText, isPlaceholder } from './ids.js'
import { join } from './join.js'
import type { Entry, FailureKind, Index, Owner, Verdicts } from './schema.js'
import { machineOf, verdictFor } from './verdicts.js'

export type AttemptResult = 'ok' | { readonly failed: FailureKind; readonly why?: string | undefined }

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
  if (result === 'ok') return open ? cameUp(index, came(entry, input, now), now) : index
  checkText('why', result.why ?? '')
  return putEntry(index, failed(entry, attemptId, result, now))
}

/** Where the session came up is where it is. */
function cameUp(index: Index, entry: Entry, now: number): Index {
  const holders = entry.state === 'ended' ? [] : holdersOf(index, entry.sessionId, entry.surfaceId)
  const others = holders.map((holder) => without(holder, 'attempt'))
  const moved = holders.map((holder) => movedAway(holder, entry.surfaceId, now))
  return putEntries(index, [join(entry, others), ...moved])
}

/** The session came up. */
function came(entry: Entry, { sessionId, proc }: SettleInput, now: number): Entry {
  const { attempt } = entry
  if (attempt === undefined) return entry
  const next: Entry = {
    ...without(changeSession(entry, sessionId ?? entry.sessionId, 'rotated', now), 'attempt', 'proc'),
    last_attempt: lastAttempt(attempt, 'ok', now),
    seen: machineOf(proc ?? attempt.owner),
    last_active: now,
    ...(proc === undefined ? {} : { proc })
  }
  if (isPlaceholder(next.sessionId)) return next
  // What a person ended meanwhile stays ended.
  return next.state === 'ended' ? next : { ...next, state: 'ready' }
}

/** It did not come up, or is gone again. */
function failed(
  entry: Entry,
  attemptId: string,
  { failed: kind, why }: Exclude<AttemptResult, 'ok'>,
  now: number
): Entry {
  const open = entry.attempt?.id === attemptId
  const source = open ? entry.attempt : entry.last_attempt
  if (source === undefined) return entry
  const closed: Entry = {
    // The process on file is older than an open attempt: it is no proof of what the attempt left behind.
    ...(open ? without(entry, 'attempt', 'proc') : entry),
    last_attempt: lastAttempt(source, kind, now, why)
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

/** What is told of an attempt that closed before, when something newer is known than its failure. */
function isOld({ attempt, last_attempt: last }: Entry, kind: FailureKind): boolean {
  if (attempt !== undefined || last?.seen_since) return true
  return !PROVES_GONE.has(kind) && (last?.result === 'seen' || last?.result === 'ok')
}

export interface DispatchInput {
  readonly surfaceId: string
  /** Unique; settleDispatch names it again. */
  readonly id: string
  /** What is about to be done, in the caller's words. */
  readonly step: string
  readonly owner: Owner
}

/**
 * Long work inside the running session, written ahead; a settled dispatch before it is replaced.
 * @throws ERR_INVALID_INPUT, ERR_ENTRY_UNKNOWN, ERR_ENTRY_UNREADABLE; ERR_IN_USE where the open one's owner is not
 *   proven dead
 */
export function beginDispatch(index: Index, input: DispatchInput, verdicts: Verdicts, now: number): Index {
  const { surfaceId, id, step, owner } = input
  checkAttemptId(id, 'id')
  checkName('step', step)
  const entry = knownEntry(index, surfaceId)
  if (Object.values(index.entries).some((known) => known.dispatch?.id === id)) {
    throw invalidInput('id', `${quoted(id)} was used before`, 'draw another id')
  }
  const { dispatch } = entry
  if (dispatch?.result === 'open' && verdictFor(verdicts, dispatch.owner) !== 'dead') {
    const { pid, start } = dispatch.owner
    const who = start === undefined ? `process ${pid}` : `process ${pid} (started at ${start})`
    const what = `surface ${quoted(surfaceId)} is at step ${JSON.stringify(dispatch.step)} of ${who}, which is not proven dead`
    throw new CrashResumeError('ERR_IN_USE', what, { next: 'let it settle first', found: entry })
  }
  return putEntry(index, { ...entry, dispatch: { id, step, owner, at: now, result: 'open' } })
}

export interface SettleDispatchInput {
  readonly id: string
  readonly result: 'ok' | 'failed'
  readonly why?: string | undefined
}

/** Closes a dispatch; one that is not open on any entry changes nothing. */
export function settleDispatch(index: Index, { id, result, why }: SettleDispatchInput, now: number): Index {
  checkAttemptId(id, 'id')
  checkNow(now)
  const entry = Object.values(index.entries).find(({ dispatch }) => dispatch?.id === id && dispatch.result === 'open')
  if (entry?.dispatch === undefined) return index
  return putEntry(index, { ...entry, dispatch: { ...entry.dispatch, result, ...(why === undefined ? {} : { why }) } })
}
