/**
 * How an attempt or a dispatch ended, written after it: success makes the entry ready, failure says what is known.
 *
 * Settling goes by the attempt's id, wherever its entry has moved meanwhile, and touches no other attempt's entry:
 * one that is neither the open nor the last attempt of any entry changes nothing. A hook that saw the session alive
 * may have closed the attempt first; success is then nothing new, and a failure is still written down.
 */
import { checkEntry } from './entry-schema.js'
import { CrashResumeError } from './errors.js'
import { checkAttemptId, checkName, checkSessionId, checkText, isPlaceholder } from './ids.js'
import type { Entry, FailureKind, Index, Owner, Verdicts } from './schema.js'
import {
  changeSession,
  endEntry,
  knownEntry,
  lastAttempt,
  mergePrevious,
  OVERTAKEN,
  putEntry,
  quoted,
  without
} from './transitions.js'
import { machineOf, verdictFor } from './verdicts.js'

export type AttemptResult = 'ok' | { readonly failed: FailureKind; readonly why?: string }

export interface SettleInput {
  readonly attemptId: string
  /** `not_started`, `exited` and `session_gone` say that the attempt's process is gone. */
  readonly result: AttemptResult
  /** The session that came up, where it was not known before or turned out to be another. */
  readonly sessionId?: string
  /** The agent's own process. */
  readonly proc?: Owner
}

/**
 * Closes an attempt.
 * @param now ms since the epoch
 * @throws ERR_INVALID_INPUT
 */
export function settle(index: Index, input: SettleInput, now: number): Index {
  checkAttemptId(input.attemptId)
  if (input.sessionId !== undefined) checkSessionId(input.sessionId)
  const { attemptId, result } = input
  const entry = Object.values(index.entries).find(
    ({ attempt, last_attempt: last }) => attempt?.id === attemptId || last?.id === attemptId
  )
  if (entry === undefined) return index
  const open = entry.attempt?.id === attemptId
  if (result === 'ok') return open ? putEntry(index, checkEntry(came(entry, input, now))) : index
  checkText('why', result.why ?? '')
  return putEntry(index, checkEntry(failed(entry, attemptId, result, now)))
}

/** The session came up. */
function came(entry: Entry, { sessionId, proc }: SettleInput, now: number): Entry {
  const { attempt } = entry
  if (attempt === undefined) return entry
  const closed = {
    ...without(entry, 'attempt', 'proc'),
    last_attempt: lastAttempt(attempt, 'ok', now),
    seen: machineOf(proc ?? attempt.owner),
    last_active: now,
    ...(proc === undefined ? {} : { proc })
  }
  const id = sessionId ?? entry.sessionId
  if (isPlaceholder(id)) return closed
  const changed = changeSession(closed, id, 'rotated', now)
  const next: Entry = { ...changed, ...(proc === undefined ? {} : { proc }) }
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
  // Another session took the surface meanwhile: that the attempt's process is gone says nothing about that one.
  if (source === undefined || (!open && entry.last_attempt?.why === OVERTAKEN)) return entry
  const closed: Entry = {
    ...(open ? without(entry, 'attempt') : entry),
    last_attempt: lastAttempt(source, kind, now, why)
  }
  if (kind === 'session_gone' && !isPlaceholder(entry.sessionId)) {
    const gone = { sessionId: entry.sessionId, until: now, why: 'session_gone' } as const
    const ended = endEntry(closed, 'session_gone')
    return { ...ended, previous: mergePrevious('', [gone, ...entry.previous]) }
  }
  return open && entry.state === 'minted' ? { ...closed, state: 'spawn_failed' } : closed
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
  const { dispatch } = entry
  if (dispatch?.result === 'open' && verdictFor(verdicts, dispatch.owner) !== 'dead') {
    const { pid, start } = dispatch.owner
    const who = start === undefined ? `process ${pid}` : `process ${pid} (started at ${start})`
    const message = `surface ${quoted(surfaceId)} is at step ${JSON.stringify(dispatch.step)} of ${who}, which is not proven dead; let it settle first`
    throw new CrashResumeError('ERR_IN_USE', message, { found: entry })
  }
  return putEntry(index, checkEntry({ ...entry, dispatch: { id, step, owner, at: now, result: 'open' } }))
}

export interface SettleDispatchInput {
  readonly id: string
  readonly result: 'ok' | 'failed'
  readonly why?: string
}

/** Closes a dispatch; one that is not open on any entry changes nothing. */
export function settleDispatch(index: Index, { id, result, why }: SettleDispatchInput): Index {
  checkAttemptId(id, 'id')
  const entry = Object.values(index.entries).find(({ dispatch }) => dispatch?.id === id && dispatch.result === 'open')
  if (entry?.dispatch === undefined) return index
  return putEntry(
    index,
    checkEntry({ ...entry, dispatch: { ...entry.dispatch, result, ...(why === undefined ? {} : { why }) } })
  )
}
