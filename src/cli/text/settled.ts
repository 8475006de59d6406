/**
 * What settle did, in a sentence: from the entry before and after it to what stands there now. Pure.
 */
import { type AttemptResult, type Entry, isPlaceholder } from '../../index.js'
import { stateOf } from './entries.js'
import { ownLine } from './own-command.js'

/** What was asked of settle, and the entry that it concerned. */
export interface Settling {
  readonly id: string
  readonly result: AttemptResult
  readonly before: Entry
  readonly after: Entry
}

/** Whether the id is of a dispatch, and not of an attempt. */
function isOfDispatch({ id, before }: Settling): boolean {
  return before.attempt?.id !== id && before.last_attempt?.id !== id
}

/** @param path the index that was named by --path */
export function settledLine(settling: Settling, path: string | undefined): string {
  return isOfDispatch(settling) ? dispatchLine(settling) : attemptLine(settling, path)
}

function dispatchLine({ id, result, before, after }: Settling): string {
  const { surfaceId, dispatch } = after
  const step = `the step ${JSON.stringify(dispatch?.step ?? '')} on ${surfaceId}`
  const given = result === 'ok' ? 'ok' : 'failed'
  if (before.dispatch?.result === 'open') return `settled ${id} as ${given}: ${step}`
  const why = dispatch?.why ? ` (${dispatch.why})` : ''
  return `nothing changed: ${id} was settled as ${dispatch?.result}${why} before; ${step}`
}

function attemptLine({ id, result, before, after }: Settling, path: string | undefined): string {
  const now = standing(after)
  const last = after.last_attempt
  const asked = result === 'ok' ? 'ok' : `failed (${result.failed})`
  if (before.attempt?.id === id) {
    const unknown = result === 'ok' && after.state === 'minted'
    return `settled ${id} as ${asked}: ${now}${unknown ? '; its session is not known yet: its hook says it, or record it' : ''}`
  }
  const earlier = before.last_attempt?.result
  const closed =
    earlier === 'seen'
      ? 'was closed before, when its session was seen'
      : `was settled as ${earlier === 'ok' ? 'ok' : `failed (${earlier})`} before`
  if (JSON.stringify(before) !== JSON.stringify(after)) {
    // The same failure told again is newer: the wait for the next attempt begins anew.
    if (result !== 'ok' && earlier === result.failed) return `settled ${id} as ${asked} once more: ${now}`
    const newer = last?.seen_since ? ', and its session was seen since' : ''
    return `noted ${id} as ${asked}, which ${closed}${newer}: ${now}`
  }
  const line = `nothing changed: ${id} ${closed}; ${now}`
  if (result !== 'ok' || earlier === 'seen' || earlier === 'ok' || isPlaceholder(after.sessionId)) return line
  const record = ownLine({ name: 'record', args: [after.surfaceId, after.sessionId, after.repo] }, path)
  return `${line}. If it came up after all, \`${record}\` says so`
}

function standing(entry: Entry): string {
  const which = entry.state === 'ready' ? ` with session ${entry.sessionId}` : ''
  return `${entry.surfaceId} is ${stateOf(entry)}${which}`
}
