/**
 * Long work inside a running session, written ahead: what is being done, by whom, and how it ended.
 *
 * A dispatch needs no decision and spends no attempt; it outlives attempts and changes of session. Where its owner dies
 * while it is open, every decision on the surface names the step that was interrupted.
 */
import { knownEntry, putEntry, quoted } from './entry.js'
import { CrashResumeError, invalidInput } from './errors.js'
import { given } from './given.js'
import { checkAttemptId, checkName, checkNow } from './ids.js'
import { verdictFor } from './owner.js'
import type { Index, Owner, Verdicts } from './schema.js'

/** Long work that begins inside a session. */
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

/** How long work inside a session went. */
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
  return putEntry(index, { ...entry, dispatch: { ...entry.dispatch, result, ...given({ why }) } })
}
