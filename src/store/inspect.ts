/**
 * The state of an index's files, as facts: what a person needs to know when something seems wrong.
 *
 * It judges nothing and repairs nothing, and it never throws for what it finds: a file that cannot be looked at is a
 * fact too. It writes nothing but a trial for hard links, in a folder that is named like those of first writers, so
 * that one left by a kill is swept up like theirs.
 */
import { accessSync, constants, lstatSync, readdirSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { CrashResumeError } from '../core/errors.js'
import { INDEX_VERSION, type Machine, type Warning } from '../core/schema.js'
import { diskContext, type StoreContext } from './context.js'
import { onDiskNow } from './disk.js'
import { toStoreError } from './fail.js'
import { codeOf, type OddLock, runSync } from './files.js'
import { keptNames } from './kept.js'
import { oddLock } from './lock.js'
import { resolveIndexPath } from './paths.js'
import { hasHardLinks, placeOf, type StorageFacts } from './place.js'
import { revisionNumbers, stagedBase } from './revisions.js'
import { readSnapshot, type Snapshot } from './snapshot.js'

/** A file or folder of the index. */
export interface PathFacts {
  readonly path: string
  /** Null: it is not there. */
  readonly kind: 'file' | 'folder' | 'other' | null
  /** The permission bits. */
  readonly mode: number
  /** False where it belongs to another user. */
  readonly own: boolean
  /** Why it could not be looked at, an errno name. */
  readonly error?: string
}

/** All that a look at an index, its folder and its lock found. */
export interface StoreFacts extends StorageFacts {
  /** As it was given, absolute. */
  readonly given: string
  /** Where that leads through symbolic links. */
  readonly view: PathFacts
  readonly folder: PathFacts & { readonly writable: boolean }
  readonly history: PathFacts
  readonly kept: PathFacts
  /** Files inside the two that are open to other users, or belong to one. */
  readonly exposed: readonly PathFacts[]
  /** Null: it could not be tried. */
  readonly hardLinks: boolean | null
  /** What stands in the lock's place and what to do; null: nothing odd. */
  readonly lock: OddLock | null
  /** Names of revisions that were being made; those of killed writers stay until the next prune. */
  readonly staged: number
  /** Folders of first writers that were killed. */
  readonly abandonedFirstWrites: number
  readonly revisions: number
  readonly copies: number
  /** Those of them that were kept because they could not be read. */
  readonly unreadableCopies: number
  /** What a reader gets; or why it gets nothing. */
  readonly index: IndexFacts | { readonly error: CrashResumeError }
}

/** What the view of an index holds. */
export interface IndexFacts {
  readonly there: boolean
  readonly revision: number | null
  readonly version: number
  /** The file's version is newer than what this library writes. */
  readonly newer: boolean
  readonly entries: number
  readonly unreadable: readonly { readonly surfaceId: string; readonly reason: string }[]
  readonly damaged: boolean
  /** The view holds what someone else wrote. */
  readonly foreign: boolean
  readonly warnings: readonly Warning[]
}

/**
 * Looks at the index at `path` and at all that belongs to it.
 * @throws ERR_NOT_A_FILE, ERR_IO where the path cannot be resolved
 */
export function inspectStore(path: string, machine: () => Machine | undefined = () => undefined): StoreFacts {
  const ctx = diskContext(resolveIndexPath(path), machine)
  const { paths } = ctx
  const folder = look(paths.folder)
  const history = namesIn(paths.history)
  const kept = namesIn(paths.kept)
  const inside = [...history.map((name) => `${paths.history}/${name}`), ...kept.map((name) => `${paths.kept}/${name}`)]
  const copies = keptNames(kept)
  const prefix = `${basename(paths.history)}.`
  const besides = namesIn(paths.folder).filter((name) => name.startsWith(prefix))
  return {
    given: resolve(path),
    view: look(paths.view),
    folder: { ...folder, writable: folder.kind === 'folder' && canWrite(paths.folder) },
    history: look(paths.history),
    kept: look(paths.kept),
    exposed: inside.map(look).filter(({ kind, mode, own }) => kind !== null && (!own || (mode & 0o077) !== 0)),
    ...(folder.kind === 'folder' ? placeOf(paths.folder) : { volatile: null, network: null }),
    hardLinks: folder.kind === 'folder' ? hasHardLinks(`${paths.history}.${ctx.random()}`) : null,
    lock: oddLock(paths.lock),
    staged: history.filter((name) => stagedBase(name) !== null).length,
    abandonedFirstWrites: besides.filter((name) => /^[0-9a-f]{32}$/.test(name.slice(prefix.length))).length,
    revisions: revisionNumbers(history).length,
    copies: copies.length,
    unreadableCopies: copies.filter(({ reason }) => /^unreadable-(?:view|revision)$/.test(reason)).length,
    index: readIndex(ctx)
  }
}

function readIndex(ctx: StoreContext): StoreFacts['index'] {
  let snapshot: Snapshot
  try {
    snapshot = runSync(readSnapshot(ctx), onDiskNow)
  } catch (cause) {
    const error = toStoreError(cause, ctx.paths.view)
    if (error instanceof CrashResumeError) return { error }
    throw error
  }
  const { index, view, max, newer } = snapshot
  return {
    there: view !== null || max > 0,
    revision: index.revision ?? null,
    version: newer ?? INDEX_VERSION,
    newer: newer !== null,
    entries: Object.keys(index.entries).length,
    unreadable: Object.entries(index.unreadable ?? {}).map(([surfaceId, { reason }]) => ({ surfaceId, reason })),
    damaged: index.status?.damaged ?? false,
    foreign: snapshot.foreign,
    warnings: index.status?.warnings ?? []
  }
}

function look(path: string): PathFacts {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat === undefined) return { path, kind: null, mode: 0, own: true }
    const kind = stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'other'
    // Own as well where users have no numbers.
    return { path, kind, mode: stat.mode & 0o7777, own: (process.getuid?.() ?? stat.uid) === stat.uid }
  } catch (error) {
    return { path, kind: null, mode: 0, own: true, error: codeOf(error) ?? 'unknown' }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Not there, or not to be listed: look() says which.
    return []
  }
}

function canWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}
