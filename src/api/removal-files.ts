/**
 * The removals and the way back, on the file: each one update, before which the revision is kept.
 *
 * The processes that an entry names are looked at inside the update, so the verdicts are on the entry that goes. A
 * removal that is told what the caller saw acts only where that still holds.
 */

import { diffIndexes, type EntryChange } from '../core/diff.js'
import { entryAt } from '../core/entry.js'
import { CrashResumeError } from '../core/errors.js'
import { answerLoss } from '../core/loss.js'
import { forget, staleEntries } from '../core/remove.js'
import { restoreEntries } from '../core/restore.js'
import { type Entry, INDEX_VERSION, type Index, type Verdicts } from '../core/schema.js'
import { ownersOf } from '../core/verbs.js'
import { clock } from '../probes/clock.js'
import { verdictsFor } from '../probes/process.js'
import { type PastName, readPast } from '../store/history.js'
import { changeFile, type FileOptions } from './files.js'

export interface ForgetInput {
  readonly surfaceId: string
  /** The fingerprint of the entry that was looked at; `unreadable` for one that could not be read. */
  readonly expect?: string
}

/**
 * Removes an entry; one that cannot be read as well.
 * @returns the entry that was removed; null where it could not be read
 * @throws ERR_ENTRY_UNKNOWN, ERR_CONFLICT; ERR_IN_USE where a process, an attempt or a dispatch may still live; and as
 *   updateIndex
 */
export async function forgetInFile(path: string, input: ForgetInput, options: FileOptions = {}): Promise<Entry | null> {
  let removed: Entry | null = null
  const change = (index: Index): Index => {
    removed = entryAt(index, input.surfaceId)
    return forget(index, input.surfaceId, removed === null ? [] : verdictsOn([removed]), input.expect)
  }
  await changeFile(path, options, change, 'forget')
  return removed
}

/**
 * What a prune would remove: the entries whose last sign of life is more than `maxAgeMs` ago and whose processes are
 * proven dead.
 * @throws ERR_INVALID_INPUT
 */
export function prunable(index: Index, maxAgeMs: number, now: number = clock()): readonly Entry[] {
  return staleEntries(index, maxAgeMs, now, verdictsOn(Object.values(index.entries)))
}

/** All that are older, or those that were looked at. */
export type PruneInput = { readonly maxAgeMs: number } | { readonly entries: readonly Required<ForgetInput>[] }

/**
 * Removes the entries that nothing was heard of for long, but for those that may be in use; or, given those that the
 * caller saw, exactly these, all or none.
 * @returns the entries that were removed
 * @throws ERR_INVALID_INPUT; with `entries` as forgetInFile; and as updateIndex
 */
export async function pruneInFile(
  path: string,
  input: PruneInput,
  options: FileOptions = {}
): Promise<readonly Entry[]> {
  let removed: readonly Entry[] = []
  const change = (index: Index, now: number): Index => {
    const chosen: readonly ForgetInput[] = 'entries' in input ? input.entries : prunable(index, input.maxAgeMs, now)
    removed = chosen.flatMap(({ surfaceId }) => entryAt(index, surfaceId) ?? [])
    const verdicts = verdictsOn(removed)
    return chosen.reduce((left, { surfaceId, expect }) => forget(left, surfaceId, verdicts, expect), index)
  }
  await changeFile(path, options, change, 'prune')
  return removed
}

export interface Restored {
  /** The index as written. */
  readonly index: Index
  /** What it changed; none: nothing was written. */
  readonly changes: readonly EntryChange[]
}

/**
 * Lays an earlier revision or a kept copy over the index, as a new revision: the entries say again what they said
 * then. What it lacks stays, and so does what is known of each session's life.
 * @throws ERR_INVALID_INPUT where there is no such copy; ERR_INDEX_UNREADABLE, ERR_INDEX_NEWER where it cannot be used;
 *   ERR_IN_USE where the open attempt of another session is in the way; and as updateIndex
 */
export async function restoreInFile(path: string, which: PastName, options: FileOptions = {}): Promise<Restored> {
  const source = readPast(path, which)
  if (source.version > INDEX_VERSION) {
    const message = `that copy has version ${source.version}, which this library cannot use; upgrade crash-resume-index`
    throw new CrashResumeError('ERR_INDEX_NEWER', message, { path })
  }
  let changes: readonly EntryChange[] = []
  const change = (index: Index, now: number): Index => {
    const owners = Object.values(index.entries).flatMap(({ attempt }) => attempt?.owner ?? [])
    const restored = restoreEntries(index, source, verdictsFor(owners), now)
    changes = diffIndexes(index, restored)
    return answerLoss(restored)
  }
  const index = await changeFile(path, options, change, 'restore')
  return { index, changes }
}

/**
 * Accepts that an earlier state of the index was lost: what it lacks counts as never recorded again. The state before
 * is kept.
 * @returns false where there is no loss to accept, or where nothing was written since and the bytes are still in place
 * @throws as updateIndex
 */
export async function acceptLossInFile(path: string, options: FileOptions = {}): Promise<boolean> {
  let answered = false
  const change = (index: Index): Index => {
    const next = answerLoss(index)
    answered = next !== index
    return next
  }
  await changeFile(path, options, change, 'accept-loss')
  return answered
}

function verdictsOn(entries: readonly Entry[]): Verdicts {
  return verdictsFor(entries.flatMap(ownersOf))
}
