/**
 * The verbs on the file: each is one update, stamped with this machine and the clock.
 *
 * When a promise resolves, the change is on stable storage. A rename keeps the revision before it. The removals are in
 * removal-files.ts.
 */

import { DEFAULT_TOUCH_RESOLUTION_MS } from '../core/defaults.js'
import { attemptsAfterSight, entryAt, readableEntry } from '../core/entry.js'
import { rename } from '../core/rename.js'
import type { Entry, Index, Machine, Policy, RecordInput, Warning } from '../core/schema.js'
import * as core from '../core/verbs.js'
import { clock, type Now } from '../probes/clock.js'
import { thisMachine, verdictsFor } from '../probes/process.js'
import { markOf } from '../probes/transcript-mark.js'
import { defaultIndexPath } from '../store/paths.js'
import {
  loadIndex as load,
  openStore as open,
  type Store,
  type StoreOptions,
  saveIndex as save,
  updateIndex as update
} from '../store/store.js'

/** How one write to the file waits and stops, and what it tells. */
export interface FileOptions extends Omit<StoreOptions, 'keep'> {
  /** The moment that is written down, ms since the epoch. @default the clock */
  readonly now?: Now | undefined
  /** Gets warnings: what the write left undone, and what it found. An error is thrown instead. */
  readonly onWarning?: ((warning: Warning) => void) | undefined
}

/**
 * The index without a path of your own: CRASH_RESUME_INDEX_PATH, or ~/.golems/crash-resume-index.json.
 * Fixed when the library is loaded.
 */
export const DEFAULT_INDEX_PATH: string = defaultIndexPath()

/**
 * Opens the index at `path`, for a program that makes more than one change. Nothing is read or written yet. Entries that
 * another tool wrote count as seen on this machine.
 * @param path @default DEFAULT_INDEX_PATH
 * @example
 * import { openStore, touch } from 'crash-resume-index'
 * const store = openStore()
 * const index = await store.update((index) => touch(index, 'pane-1'))
 */
export function openStore(path?: string, options: StoreOptions = {}): Store {
  return open(path, { ...options, machine: thisMachine })
}

/**
 * Changes the index at `path` and returns it as written.
 * @param change pure and synchronous. It runs again on a newer index if another writer was faster
 * @throws ERR_INDEX_NEWER, ERR_INDEX_TOO_LARGE, ERR_NOT_A_FILE, ERR_LOCK_TIMEOUT (without hard links), ERR_IO; and
 *   every error of `change`, with nothing changed
 */
export function updateIndex(path: string, change: (index: Index) => Index, options: StoreOptions = {}): Promise<Index> {
  return update(path, change, { ...options, machine: thisMachine })
}

/**
 * The index at `path`, or an empty one if there is none. It takes no lock and writes nothing. `status` and `unreadable`
 * say what could not be read.
 * @throws ERR_NOT_A_FILE, ERR_IO
 */
export function loadIndex(path: string = defaultIndexPath()): Index {
  return load(path, thisMachine)
}

/**
 * Writes a whole index. A loaded index replaces the revision that it was loaded from; any other one is merged in, entry
 * by entry.
 * @throws ERR_CONFLICT if the file changed since the index was loaded; and as updateIndex
 */
export function saveIndex(path: string, index: Index): void {
  save(path, index, { machine: thisMachine })
}

/**
 * Records that this session is on this surface.
 * @returns the entry as written
 * @throws ERR_INVALID_INPUT, and as updateIndex
 * @example
 * import { DEFAULT_INDEX_PATH, recordToFile } from 'crash-resume-index'
 * await recordToFile(DEFAULT_INDEX_PATH, { surfaceId: 'pane-1', sessionId: 'a1b2', repo: 'golems', agent: 'claude' })
 */
export async function recordToFile(
  path: string,
  input: RecordInput & { readonly policy?: Policy | undefined },
  options: FileOptions = {}
): Promise<Entry> {
  const { policy, ...sighting } = input
  const written = await changeFile(path, options, (index, now) => {
    const known = Object.values(index.entries).filter(
      ({ surfaceId, sessionId }) => surfaceId === input.surfaceId || sessionId === input.sessionId
    )
    const same = known.find(({ sessionId }) => sessionId === input.sessionId)
    const path = input.transcript ?? same?.transcript
    const mark = input.mark ?? (path === undefined ? undefined : markOf(path, input.sessionId, same?.mark))
    const stamped = { ...sighting, mark, seen: input.seen ?? thisMachine() }
    const recorded = core.record(index, stamped, now, verdictsFor(known.flatMap(core.ownersOf)))
    return policy === undefined ? recorded : core.setPolicy(recorded, input.surfaceId, policy)
  })
  return expectEntry(written, input.surfaceId)
}

/**
 * Marks the session on this surface as alive. Within 30 s of the last sign of life it writes nothing.
 * @returns the entry as it is now; null for an unknown surface, which changes nothing
 * @throws ERR_ENTRY_UNREADABLE, and as updateIndex
 */
export async function touchInFile(path: string, surfaceId: string, options: FileOptions = {}): Promise<Entry | null> {
  const seen = thisMachine()
  const written = await changeFile(path, options, (index, now) => {
    const entry = readableEntry(index, surfaceId)
    return entry === null || isFresh(entry, seen, now)
      ? index
      : core.touch(index, surfaceId, now, seen, verdictsFor(core.ownersOf(entry)))
  })
  return entryAt(written, surfaceId)
}

/** True if it was seen a moment ago, in this boot, and a touch would change nothing. */
function isFresh(entry: Entry, seen: Machine, now: number): boolean {
  const age = now - entry.last_active
  return (
    age >= 0 &&
    age < DEFAULT_TOUCH_RESOLUTION_MS &&
    entry.seen?.host === seen.host &&
    entry.seen.bootId === seen.bootId &&
    // If the last attempt proved something that no longer holds, the index must say so.
    (entry.last_attempt === undefined || entry.last_attempt.seen_since === true) &&
    attemptsAfterSight(entry, now) === entry.attempts
  )
}

/**
 * Ends the session of a surface on purpose. Its entry stays in the index.
 * @param input `expect`: the fingerprint of the entry that you looked at. If it is another one by now: ERR_CONFLICT
 * @throws ERR_INVALID_INPUT, ERR_ENTRY_UNKNOWN, ERR_ENTRY_UNREADABLE, ERR_CONFLICT; and as updateIndex
 */
export async function endInFile(
  path: string,
  input: { readonly surfaceId: string; readonly reason?: string | undefined; readonly expect?: string | undefined },
  options: FileOptions = {}
): Promise<Entry> {
  const written = await changeFile(path, options, (index, now) => core.end(index, input, now))
  return expectEntry(written, input.surfaceId)
}

/**
 * Sets who may resume this surface: a recovery pass (`auto`), only a person (`manual`), or no one (`off`). It clears
 * the count of attempts.
 * @throws ERR_INVALID_INPUT, ERR_ENTRY_UNKNOWN, ERR_ENTRY_UNREADABLE; and as updateIndex
 */
export async function setPolicyInFile(
  path: string,
  { surfaceId, policy }: { readonly surfaceId: string; readonly policy: Policy },
  options: FileOptions = {}
): Promise<Entry> {
  const written = await changeFile(path, options, (index) => core.setPolicy(index, surfaceId, policy))
  return expectEntry(written, surfaceId)
}

/**
 * Gives an entry another surface id. If both hold the same session, the two entries become one. If the other holds
 * another session, it is refused.
 * @throws ERR_INVALID_INPUT, ERR_ENTRY_UNKNOWN, ERR_ENTRY_UNREADABLE, ERR_CONFLICT; and as updateIndex
 */
export async function renameInFile(
  path: string,
  { from, to }: { readonly from: string; readonly to: string },
  options: FileOptions = {}
): Promise<Entry> {
  const change = (index: Index): Index => {
    const both = [from, to].flatMap((surfaceId) => entryAt(index, surfaceId) ?? [])
    return rename(index, from, to, verdictsFor(both.flatMap(core.ownersOf)))
  }
  const written = await changeFile(path, options, change, 'rename')
  return expectEntry(written, to)
}

/** One update with the clock. It passes the warnings on. */
export async function changeFile(
  path: string,
  { now, onWarning, ...options }: FileOptions,
  verb: (index: Index, now: number) => Index,
  keep?: StoreOptions['keep']
): Promise<Index> {
  const written = await updateIndex(path, (index) => verb(index, clock(now)), { ...options, keep })
  if (onWarning) for (const warning of written.status?.warnings ?? []) onWarning(warning)
  return written
}

function expectEntry(index: Index, surfaceId: string): Entry {
  const entry = entryAt(index, surfaceId)
  if (entry === null) throw new TypeError(`the entry of ${surfaceId} is missing in the written index`)
  return entry
}
