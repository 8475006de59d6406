/**
 * The verbs on the file: each one update, stamped with this machine and this moment.
 *
 * A promise that resolves is on stable storage. Before a rename the revision is kept; the removals are in
 * removal-files.ts.
 */

import { DEFAULT_TOUCH_RESOLUTION_MS } from '../core/defaults.js'
import { attemptsAfterSight, entryAt, readableEntry } from '../core/entry.js'
import { given } from '../core/given.js'
import { rename } from '../core/rename.js'
import type { Entry, Index, Machine, Policy, RecordInput, Warning } from '../core/schema.js'
import * as core from '../core/verbs.js'
import { clock } from '../probes/clock.js'
import { thisMachine, verdictsFor } from '../probes/process.js'
import { defaultIndexPath } from '../store/paths.js'
import {
  loadIndex as load,
  openStore as open,
  type Store,
  saveIndex as save,
  type UpdateOptions,
  updateIndex as update
} from '../store/store.js'
import type { Change } from '../store/update.js'

export interface FileOptions {
  /** How long to queue after a first conflict, in ms. @default 250 */
  readonly lockWaitMs?: number
  /** Ms since the epoch. @default the clock */
  readonly now?: number
  /** Told what the write left undone, or what was found on the way; nothing that stopped it. */
  readonly onWarning?: (warning: Warning) => void
}

/** Where the index is kept when no path is given: CRASH_RESUME_INDEX_PATH, else ~/.golems/crash-resume-index.json. */
export const DEFAULT_INDEX_PATH: string = defaultIndexPath()

/** @see Store; entries that another tool wrote count as seen on this machine. */
export function openStore(path?: string, options: Omit<UpdateOptions, 'machine'> = {}): Store {
  return open(path, { ...options, machine: thisMachine })
}

/**
 * Changes the index at `path` and returns it as written.
 * @param change pure and synchronous; it runs again on a newer index where another writer was faster
 * @throws ERR_INDEX_NEWER, ERR_INDEX_TOO_LARGE, ERR_NOT_A_FILE, ERR_LOCK_TIMEOUT (without hard links), ERR_IO; and
 *   whatever `change` throws, with nothing changed
 */
export function updateIndex(
  path: string,
  change: Change,
  options: Omit<UpdateOptions, 'machine'> = {}
): Promise<Index> {
  return update(path, change, { ...options, machine: thisMachine })
}

/**
 * The index at `path`, or an empty one where there is none. Takes no lock and writes nothing. What could not be read is
 * in `status` and `unreadable`.
 * @throws ERR_NOT_A_FILE, ERR_IO
 */
export function loadIndex(path: string = defaultIndexPath()): Index {
  return load(path, thisMachine)
}

/**
 * Writes a whole index: onto what it was loaded from, or, if it was never loaded, merged in entry by entry.
 * @throws ERR_CONFLICT where the file changed since the index was loaded; and as updateIndex
 */
export function saveIndex(path: string, index: Index): void {
  save(path, index, { machine: thisMachine })
}

export interface RecordToFileInput extends RecordInput {
  readonly policy?: Policy | undefined
}

/**
 * Records that this session is on this surface.
 * @returns the entry as written
 * @throws ERR_INVALID_INPUT, and as updateIndex
 */
export async function recordToFile(path: string, input: RecordToFileInput, options: FileOptions = {}): Promise<Entry> {
  const { policy, ...sighting } = input
  const stamped = { ...sighting, seen: input.seen ?? thisMachine() }
  const written = await changeFile(path, options, (index, now) => {
    const known = Object.values(index.entries).filter(
      ({ surfaceId, sessionId }) => surfaceId === input.surfaceId || sessionId === input.sessionId
    )
    const recorded = core.record(index, stamped, now, verdictsFor(known.flatMap(core.ownersOf)))
    return policy === undefined ? recorded : core.setPolicy(recorded, input.surfaceId, policy)
  })
  return expectEntry(written, input.surfaceId)
}

/**
 * The session on this surface is alive. Within 30 s of the last sign of life nothing is written.
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

/** Seen a moment ago, in this boot, with nothing that a touch would change. */
function isFresh(entry: Entry, seen: Machine, now: number): boolean {
  const age = now - entry.last_active
  return (
    age >= 0 &&
    age < DEFAULT_TOUCH_RESOLUTION_MS &&
    entry.seen?.host === seen.host &&
    entry.seen.bootId === seen.bootId &&
    // What the last attempt proved no longer holds, and that must be on file.
    (entry.last_attempt === undefined || entry.last_attempt.seen_since === true) &&
    attemptsAfterSight(entry, now) === entry.attempts
  )
}

/**
 * Ends a surface's session on purpose; its entry stays on file.
 * @throws ERR_INVALID_INPUT, ERR_ENTRY_UNKNOWN, ERR_ENTRY_UNREADABLE, ERR_CONFLICT; and as updateIndex
 */
export async function endInFile(path: string, input: core.EndInput, options: FileOptions = {}): Promise<Entry> {
  const written = await changeFile(path, options, (index, now) => core.end(index, input, now))
  return expectEntry(written, input.surfaceId)
}

/**
 * Whether a recovery pass may resume this surface on its own, only on a person's word, or not at all. Clears the
 * count of attempts.
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
 * Another surface id for an entry; one that another session has is not taken.
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

/** One update with this moment, its warnings told. */
export async function changeFile(
  path: string,
  { lockWaitMs, now, onWarning }: FileOptions,
  verb: (index: Index, now: number) => Index,
  keep?: UpdateOptions['keep']
): Promise<Index> {
  const options = given({ lockWaitMs, keep })
  const written = await updateIndex(path, (index) => verb(index, now ?? clock()), options)
  if (onWarning) for (const warning of written.status?.warnings ?? []) onWarning(warning)
  return written
}

function expectEntry(index: Index, surfaceId: string): Entry {
  const entry = entryAt(index, surfaceId)
  if (entry === null) throw new TypeError(`the entry of ${surfaceId} is not in what was written`)
  return entry
}
