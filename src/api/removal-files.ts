/**
 * Removals, and how to undo them, on the file. Each is one update that keeps the revision before it.
 *
 * The update itself looks at the processes of an entry, so the verdicts are about the entry that is removed. If the
 * caller says what it saw, the removal happens only if that is still true.
 */

import { diffIndexes, type EntryChange } from '../core/diff.js'
import { entryAt, isForwarding } from '../core/entry.js'
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

/** The entry to remove, as it was looked at. */
export interface ForgetInput {
  readonly surfaceId: string
  /** The fingerprint of the entry that the caller saw; `unreadable` for an unreadable entry. */
  readonly expect?: string
}

/**
 * Removes an entry, readable or not.
 * @returns the removed entry; null: it was unreadable
 * @throws ERR_ENTRY_UNKNOWN, ERR_CONFLICT; ERR_IN_USE if a process, an attempt or a dispatch may still be alive; and as
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
 * The entries that a prune would remove: their last sign of life is more than `maxAgeMs` ago, and their processes are
 * proven dead.
 * @throws ERR_INVALID_INPUT
 */
export function prunable(index: Index, maxAgeMs: number, now: number = clock()): readonly Entry[] {
  return staleEntries(index, maxAgeMs, now, verdictsOn(Object.values(index.entries)))
}

/** All entries that are older, or the entries that the caller saw. */
export type PruneInput = { readonly maxAgeMs: number } | { readonly entries: readonly Required<ForgetInput>[] }

/**
 * Removes the entries without recent activity, except those that may be in use. Given the entries that the caller saw,
 * it removes exactly these, all or none.
 * @returns the removed entries
 * @throws ERR_INVALID_INPUT; with `entries` as forgetInFile; and as updateIndex
 */
export async function pruneInFile(
  path: string,
  input: PruneInput,
  options: FileOptions = {}
): Promise<readonly Entry[]> {
  let removed: readonly Entry[] = []
  const change = (index: Index, now: number): Index => {
    const asked: readonly ForgetInput[] = 'entries' in input ? input.entries : prunable(index, input.maxAgeMs, now)
    // An address would go with the entry that it forwards to.
    const chosen = asked.toSorted((a, b) => addressRank(index, b) - addressRank(index, a))
    removed = chosen.flatMap(({ surfaceId }) => entryAt(index, surfaceId) ?? [])
    const verdicts = verdictsOn(removed)
    return chosen.reduce((left, { surfaceId, expect }) => forget(left, surfaceId, verdicts, expect), index)
  }
  await changeFile(path, options, change, 'prune')
  return removed
}

function addressRank(index: Index, { surfaceId }: ForgetInput): number {
  const entry = entryAt(index, surfaceId)
  return Number(entry !== null && isForwarding(entry))
}

/** What a restore wrote. */
export interface Restored {
  /** The index as written. */
  readonly index: Index
  /** What changed; none: nothing was written. */
  readonly changes: readonly EntryChange[]
}

/**
 * Restores an earlier revision or a kept copy, as a new revision. Its entries get their old values. Entries that it
 * lacks stay, and so does what is known about each session's life.
 * @throws ERR_INVALID_INPUT if there is no such copy; ERR_INDEX_UNREADABLE, ERR_INDEX_NEWER if it cannot be used;
 *   ERR_IN_USE if the open attempt of another session is in the way; and as updateIndex
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
 * Accepts that an earlier state of the index was lost. From then on, surfaces without an entry count as never recorded.
 * It keeps the state before.
 * @returns false: there is no loss to accept, or nothing was written since and the bytes are still in place
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
