/**
 * The past of an index: its revisions, what each changed, and the copies that were kept.
 *
 * For people and for going back; it takes no lock and writes nothing. What disappears while it is read (pruned,
 * expired) is left out. Times are those of the files, for display; nothing rests on them.
 */
import { lstatSync, readdirSync } from 'node:fs'
import { diffIndexes, type EntryChange } from '../core/diff.js'
import { type Advice, CrashResumeError, invalidInput } from '../core/errors.js'
import { inlineCommand } from '../core/own-command.js'
import type { Index } from '../core/schema.js'
import { emptyIndex } from '../core/verbs.js'
import { LIMITS } from './context.js'
import { type ConversationCopy, conversationCopies } from './conversations.js'
import { onDiskNow } from './disk.js'
import { toStoreError } from './fail.js'
import { codeOf, read, runSync } from './files.js'
import { keptNames } from './kept.js'
import { type IndexPaths, resolveIndexPath } from './paths.js'
import { decode, revisionNumbers } from './revisions.js'

/** A revision that is still on file. */
export interface PastRevision {
  readonly revision: number
  /** When it was written, ms since the epoch. */
  readonly time: number
  readonly bytes: number
  /** How many entries it holds; null: it cannot be read. */
  readonly entries: number | null
  /** Against the revision before it; null where that one is gone, or one of the two cannot be read. */
  readonly changes: readonly EntryChange[] | null
}

/** Bytes that were kept before something replaced or removed them. */
export interface KeptCopy {
  readonly name: string
  /** When it was kept, ms since the epoch. */
  readonly time: number
  /** Why it was kept: `before-forget`, `unreadable-view`, ... */
  readonly reason: string
  readonly bytes: number
  /** The revision that it is a copy of, where it says so. */
  readonly revision: number | null
  /** How many entries it holds; null: it is no index, and cannot be restored. */
  readonly entries: number | null
}

/** What can be restored: revisions and kept copies, newest first. */
export interface Past {
  /** Newest first. */
  readonly revisions: readonly PastRevision[]
  /** Newest first. */
  readonly kept: readonly KeptCopy[]
  /** The conversations that were copied before a recovery, newest first. */
  readonly conversations: readonly ConversationCopy[]
}

/** A revision by its number, or a kept copy by the name that `historyOf` gives. */
export type PastName = { readonly revision: number } | { readonly kept: string }

/**
 * The revisions, the kept copies and the copied conversations of the index at `path`; all are empty where nothing was written yet.
 * @throws ERR_IO, ERR_NOT_A_FILE
 */
export function historyOf(path: string): Past {
  const paths = resolveIndexPath(path)
  return guarded(paths, () => ({
    revisions: revisionsOf(paths),
    kept: keptOf(paths),
    conversations: conversationCopies(paths.view)
  }))
}

/**
 * The index in a revision or in a kept copy.
 * @throws ERR_INVALID_INPUT where there is none of that name; ERR_INDEX_UNREADABLE where it holds no index; ERR_IO
 */
export function readPast(path: string, which: PastName): Index {
  const paths = resolveIndexPath(path)
  return guarded(paths, () => {
    const known =
      'revision' in which
        ? revisionNumbers(namesIn(paths.history)).includes(which.revision)
        : keptNames(namesIn(paths.kept)).some(({ name }) => name === which.kept)
    if (!known) {
      const what = 'revision' in which ? `revision ${which.revision}` : `kept copy ${JSON.stringify(which.kept)}`
      const next: Advice = (path) => `${inlineCommand({ name: 'history' }, path)} lists what does`
      throw invalidInput(what, 'does not exist', next)
    }
    const file = 'revision' in which ? `${paths.history}/${which.revision}` : `${paths.kept}/${which.kept}`
    const index = indexIn(file)
    if (index !== null) return index
    const next = 'look at its bytes there'
    throw new CrashResumeError('ERR_INDEX_UNREADABLE', `${file} holds no index`, { next, path: file })
  })
}

function revisionsOf(paths: IndexPaths): PastRevision[] {
  const there = revisionNumbers(namesIn(paths.history)).flatMap((revision) => {
    const file = `${paths.history}/${revision}`
    const facts = factsOf(file)
    return facts === null ? [] : [{ revision, ...facts, index: indexIn(file) }]
  })
  return there.map(({ index, ...facts }, place) => {
    const before = there[place + 1]
    const first = facts.revision === 1 ? emptyIndex() : null
    const base = before?.revision === facts.revision - 1 ? before.index : first
    const changes = index === null || base === null ? null : diffIndexes(base, index)
    return { ...facts, entries: countOf(index), changes }
  })
}

function keptOf(paths: IndexPaths): KeptCopy[] {
  return keptNames(namesIn(paths.kept)).flatMap((copy) => {
    const file = `${paths.kept}/${copy.name}`
    const facts = factsOf(file)
    if (facts === null) return []
    const index = indexIn(file)
    return [{ ...copy, bytes: facts.bytes, revision: index?.revision ?? null, entries: countOf(index) }]
  })
}

function countOf(index: Index | null): number | null {
  return index && Object.keys(index.entries).length + Object.keys(index.unreadable ?? {}).length
}

/** Null: no index is there. What was moved aside because it was too large, or no file, is none. */
function indexIn(file: string): Index | null {
  try {
    return decode(runSync(read(file, LIMITS.indexBytes), onDiskNow))
  } catch (error) {
    if (['EFBIG', 'ENOTREG', 'EISDIR', 'ELOOP', 'ENXIO', 'ENOENT'].includes(codeOf(error) ?? '')) return null
    throw error
  }
}

function factsOf(file: string): { readonly time: number; readonly bytes: number } | null {
  const stat = lstatSync(file, { throwIfNoEntry: false })
  return stat === undefined ? null : { time: Math.round(stat.mtimeMs), bytes: stat.size }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

function guarded<T>(paths: IndexPaths, look: () => T): T {
  try {
    return look()
  } catch (error) {
    throw toStoreError(error, paths.view)
  }
}
