/**
 * The established verbs: the verbs of the core, with the clock as the default of `now`, and this machine as the one
 * that saw the session. They return another index and touch no file.
 */

import { type Observed, observe as observeAt } from '../core/observe.js'
import { pruneStale as pruneStaleAt } from '../core/remove.js'
import type { Entry, Index, RecordInput, Sighting, Verdicts } from '../core/schema.js'
import * as core from '../core/verbs.js'
import { clock } from '../probes/clock.js'
import { thisMachine } from '../probes/process.js'

/**
 * Records that this session is on this surface, on your word. It replaces another session there, which goes to
 * `previous`.
 * @param now ms since the epoch. It sets last_active, and captured_at when the surface is new
 * @throws ERR_INVALID_INPUT
 * @example
 * import { emptyIndex, record } from 'crash-resume-index'
 * const index = record(emptyIndex(), { surfaceId: 'pane-1', sessionId: 'a1b2', repo: 'golems' })
 */
export function record(index: Index, input: RecordInput, now: number = clock()): Index {
  return core.record(index, { ...input, seen: input.seen ?? thisMachine() }, now)
}

/**
 * Marks the session on this surface as alive. An unknown surface changes nothing.
 * @param now ms since the epoch
 * @param seen the machine and boot that saw it; @default this one
 * @throws ERR_ENTRY_UNREADABLE
 */
export function touch(
  index: Index,
  surfaceId: string,
  now: number = clock(),
  seen: NonNullable<Entry['seen']> = thisMachine()
): Index {
  return core.touch(index, surfaceId, now, seen)
}

/**
 * The session to resume on this surface. It rests on no evidence: it does not check whether the session is already
 * running. Null: none is known, it ended or never started, it is older than `maxAgeMs` (opt-in), or its policy is off.
 * @throws ERR_ENTRY_UNREADABLE
 */
export function resumableFor(
  index: Index,
  surfaceId: string,
  options: { readonly maxAgeMs?: number | undefined; readonly now?: number | (() => number) | undefined } = {}
): string | null {
  return core.resumableFor(index, surfaceId, { ...options, now: clock(options.now) })
}

/**
 * Removes the entries whose last sign of life is more than `maxAgeMs` ago. Entries whose process may still be alive
 * stay.
 * @param now ms since the epoch
 * @throws ERR_INVALID_INPUT
 */
export function pruneStale(index: Index, maxAgeMs: number, now: number = clock(), verdicts: Verdicts = []): Index {
  return pruneStaleAt(index, maxAgeMs, now, verdicts)
}

/**
 * Takes a sighting of an agent's process into the index.
 * @param verdicts on the processes that the index has recorded; a process without a verdict is unknown
 * @param now ms since the epoch
 * @throws ERR_INVALID_INPUT
 * @example
 * import { lookup, observe, openStore, ownerOf, verdictsFor } from 'crash-resume-index'
 * const proc = ownerOf(4711)
 * await openStore().update((index) => {
 *   const before = lookup(index, 'pane-1')?.proc
 *   const sighting = { surfaceId: 'pane-1', sessionId: 'a1b2', repo: 'golems', proc: proc ?? undefined }
 *   return observe(index, sighting, verdictsFor(before ? [before] : [])).index
 * })
 */
export function observe(index: Index, sighting: Sighting, verdicts: Verdicts = [], now: number = clock()): Observed {
  return observeAt(index, sighting, verdicts, now)
}

/**
 * Ends a session on purpose. Its entry stays, and is not resumed.
 * @param now ms since the epoch
 * @throws ERR_INVALID_INPUT, ERR_ENTRY_UNKNOWN, ERR_ENTRY_UNREADABLE, ERR_CONFLICT
 */
export function end(index: Index, input: core.EndInput, now: number = clock()): Index {
  return core.end(index, input, now)
}

/**
 * Notes what a hook said at the end of the session. That proves nothing. The exit of another session is not noted.
 * @param now ms since the epoch
 * @throws ERR_INVALID_INPUT, ERR_ENTRY_UNREADABLE
 */
export function noteExit(index: Index, input: core.ExitInput, now: number = clock()): Index {
  return core.noteExit(index, input, now)
}
