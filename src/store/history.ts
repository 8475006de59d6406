/**
 * The past of an index: its revisions and the copies that were kept, for people who want to see it or to go back.
 *
 * Read only. What disappears while it is read (pruned, expired) is left out.
 */
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { diffIndexes, type EntryChange } from '../core/diff.js'
import { emptyIndex } from '../core/entries.js'
import { CrashResumeError } from '../core/errors.js'
import type { Index } from '../core/schema.js'
import { LIMITS } from './context.js'
import { toStoreError } from './fail.js'
import { codeOf } from './files.js'
import { keptNames } from './kept.js'
import { type IndexPaths, resolveIndexPath } from './paths.js'
import { decode, revisionNumbers } from './revisions.js'

export interface PastRevision {
  readonly revision: number
  /** When it was written, by the file's time: ms since the epoch. */
  readonly time: number
  readonly bytes: number
  /** Null: it cannot be read. */
  readonly entries: number | null
  /** Against the revision before it; null where that one, or this one, cannot be read or is gone. */
  readonly changes: readonly EntryChange[] | null
}

export interface KeptCopy {
  readonly name: string
  readonly time: number
  /** Why it was kept: `before-forget`, `unreadable-view`, ... */
  readonly reason: string
  readonly bytes: number
  /** Null: it is no index, and cannot be restored. */
  readonly entries: number | null
}

export interface Past {
  /** Newest first. */
  readonly revisions: readonly PastRevision[]
  /** Newest first. */
  readonly kept: readonly KeptCopy[]
}

/** @throws ERR_IO, ERR_NOT_A_FILE */
export function historyOf(path: string): Past {
  const paths = resolveIndexPath(path)
  return guarded(paths, () => ({ revisions: revisionsOf(paths), kept: keptOf(paths) }))
}

/**
 * The index in a revision (by number) or in a kept copy (by name).
 * @throws ERR_INVALID_INPUT where there is none of that name, ERR_INDEX_UNREADABLE where it holds no index
 */
export function readPast(path: string, which: string): Index {
  const paths = resolveIndexPath(path)
  const revision = /^[1-9][0-9]*$/.test(which)
  const known = revision
    ? revisionNumbers(namesIn(paths.history)).includes(Number(which))
    : keptNames(namesIn(paths.kept)).some(({ name }) => name === which)
  if (!known) {
    const message = `${JSON.stringify(which)} is neither a revision nor a kept copy; history lists them`
    throw new CrashResumeError('ERR_INVALID_INPUT', message, { path: paths.view })
  }
  const file = `${revision ? paths.history : paths.kept}/${which}`
  const index = guarded(paths, () => decode(readFileSync(file)))
  if (index !== null) return index
  throw new CrashResumeError('ERR_INDEX_UNREADABLE', `${file} holds no index; its bytes can be looked at there`, {
    path: file
  })
}

function revisionsOf(paths: IndexPaths): PastRevision[] {
  const read = revisionNumbers(namesIn(paths.history)).flatMap((number) => {
    const file = `${paths.history}/${number}`
    const facts = factsOf(file)
    return facts === null ? [] : [{ number, ...facts, index: facts.bytes > LIMITS.indexBytes ? null : indexIn(file) }]
  })
  return read.map(({ number, time, bytes, index }, place) => {
    const before = read[place + 1]
    const base = before?.number === number - 1 ? before.index : number === 1 ? emptyIndex() : null
    return {
      revision: number,
      time,
      bytes,
      entries: countOf(index),
      changes: index === null || base === null ? null : diffIndexes(base, index)
    }
  })
}

function keptOf(paths: IndexPaths): KeptCopy[] {
  return keptNames(namesIn(paths.kept)).flatMap(({ name, time, reason }) => {
    const file = `${paths.kept}/${name}`
    const facts = factsOf(file)
    if (facts === null) return []
    const index = facts.bytes > LIMITS.indexBytes ? null : indexIn(file)
    return [{ name, time, reason, bytes: facts.bytes, entries: countOf(index) }]
  })
}

function countOf(index: Index | null): number | null {
  return index && Object.keys(index.entries).length + Object.keys(index.unreadable ?? {}).length
}

function indexIn(file: string): Index | null {
  try {
    return decode(readFileSync(file))
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'EISDIR') return null
    throw error
  }
}

function factsOf(file: string): { readonly time: number; readonly bytes: number } | null {
  try {
    const { mtimeMs, size } = lstatSync(file)
    return { time: Math.round(mtimeMs), bytes: size }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
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
