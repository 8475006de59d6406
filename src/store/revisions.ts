/**
 * The revisions: whole indexes in files named by number, of which the highest is the truth.
 *
 * A commit is a compare-and-swap: the bytes are written and synced under a staged name that says which revision
 * they were made from, then linked to the next number. link() fails where the number is taken, so of two writers
 * that started from one revision only one commits, however long the other slept. Once the link and the folder are
 * synced the change is acknowledged. What a crash leaves behind is a staged name; pruning removes it.
 * Not guaranteed: anything where the file system has no hard links and the commit is a rename under the lock.
 */

import { parseIndex } from '../core/codec.js'
import { CrashResumeError } from '../core/errors.js'
import type { Index } from '../core/schema.js'
import type { StoreContext } from './context.js'
import { toStoreError } from './fail.js'
import {
  attempt,
  close,
  codeOf,
  create,
  fill,
  link,
  list,
  mkdir,
  orAbsent,
  read,
  rename,
  rmdir,
  type Steps,
  size,
  syncDir,
  unlink,
  writeNew
} from './files.js'
import { moveAside } from './kept.js'

const NUMBER = /^[1-9][0-9]{0,14}$/
const STAGED = /^s-(0|[1-9][0-9]{0,14})-[0-9a-f]{32}$/
const SWEPT = '.swept'
const ABANDONED = /^[0-9a-f]{32}(\.swept)?$/
const NO_HARD_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/** The numbers among the names, highest first. */
export function revisionNumbers(names: readonly string[]): number[] {
  return names
    .filter((name) => NUMBER.test(name))
    .map(Number)
    .sort((a, b) => b - a)
}

/** The revision that a staged name was made from, or null for any other name. */
export function stagedBase(name: string): number | null {
  const match = STAGED.exec(name)
  return match ? Number(match[1]) : null
}

export function stagedPath(ctx: StoreContext, base: number): string {
  return `${ctx.paths.history}/s-${base}-${ctx.random()}`
}

export function revisionPath(ctx: StoreContext, number: number): string {
  return `${ctx.paths.history}/${number}`
}

export interface Revision {
  readonly number: number
  /** Null: too large to be read. */
  readonly bytes: Uint8Array | null
  /** Null: unreadable. */
  readonly index: Index | null
}

/** One revision, readable or not; null when its name is gone. */
export function* readRevision(ctx: StoreContext, number: number): Steps<Revision | null> {
  const cached = ctx.cache.last
  let bytes: Uint8Array | null
  try {
    bytes = yield* orAbsent(read(revisionPath(ctx, number), ctx.limits.indexBytes))
    if (bytes === null) return null
  } catch (error) {
    const code = codeOf(error)
    if (code !== 'EFBIG' && code !== 'ENOTREG' && code !== 'EISDIR' && code !== 'ELOOP') throw error
    return { number, bytes: null, index: null }
  }
  if (cached?.number === number && sameBytes(cached.bytes, bytes)) return cached
  const index = decode(bytes)
  return { number, bytes, index: index?.revision === number ? index : null }
}

/** The index in these bytes, or null where they hold none. */
export function decode(bytes: Uint8Array): Index | null {
  try {
    return parseIndex(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return null
  }
}

export function sameBytes(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === b || (a !== null && b !== null && Buffer.compare(a, b) === 0)
}

/** Whether these bytes are what revision `number` holds. False where that revision is gone and cannot be compared. */
export function* isRevision(ctx: StoreContext, number: number, bytes: Uint8Array | null): Steps<boolean> {
  const revision = yield* readRevision(ctx, number)
  return revision !== null && sameBytes(revision.bytes, bytes)
}

/**
 * Commits onto `base`, the revision of the highest name that was listed, readable or not.
 * @returns the staged name, still there, once the change is acknowledged; null where another writer was faster.
 * @throws NoHardLinks where the file system refuses links; ERR_IO with committed 'unknown' where a sync failed.
 */
export function* commitNext(
  ctx: StoreContext,
  base: Revision,
  bytes: Uint8Array,
  how: { readonly syncParent: boolean; readonly byRename: boolean }
): Steps<string | null> {
  const staged = stagedPath(ctx, base.number)
  const next = revisionPath(ctx, base.number + 1)
  try {
    const file = yield* create(staged)
    // A staged name made after its base was pruned would be unknown to the pruning that protects the next slot. And
    // where all was deleted by hand since the read, another revision may have the number by now.
    if (!(yield* isRevision(ctx, base.number, base.bytes))) {
      // The cache may be why it was taken for the newest.
      delete ctx.cache.last
      yield* close(file)
      yield* attempt(unlink(staged))
      return null
    }
    yield* fill(file, staged, bytes)
    if (how.byRename) {
      if ((yield* orAbsent(size(next))) !== null) {
        yield* attempt(unlink(staged))
        return null
      }
      yield* rename(staged, next)
    } else {
      yield* link(staged, next)
    }
  } catch (error) {
    yield* attempt(unlink(staged))
    const code = codeOf(error)
    if (code === 'EEXIST' || code === 'ENOENT') return null
    if (!how.byRename && isLinkRefusal(error)) throw new NoHardLinks()
    throw error
  }
  yield* acknowledge(ctx, how.syncParent)
  return staged
}

/** Thrown where link() is not to be had: the commit must then be a rename under the lock. */
export class NoHardLinks extends Error {}

function isLinkRefusal(error: unknown): boolean {
  const code = codeOf(error)
  return code !== undefined && NO_HARD_LINKS.has(code) && error instanceof Error && 'dest' in error
}

function* acknowledge(ctx: StoreContext, syncParent: boolean): Steps<void> {
  try {
    yield* syncDir(ctx.paths.history)
    if (syncParent) yield* syncDir(ctx.paths.folder)
  } catch (error) {
    throw toStoreError(error, ctx.paths.history, 'unknown')
  }
}

/**
 * The first revision of an index without history: built in a folder of its own, which is then renamed into place,
 * so that the history is never there without a revision.
 * @returns false where another writer was faster.
 */
export function* commitFirst(ctx: StoreContext, number: number, bytes: Uint8Array, there: boolean): Steps<boolean> {
  yield* makeFolders(ctx.paths.folder)
  if (there) yield* emptyHistory(ctx)
  const built = `${ctx.paths.history}.${ctx.random()}`
  try {
    yield* mkdir(built)
    yield* writeNew(`${built}/${number}`, bytes)
    yield* syncDir(built)
    yield* rename(built, ctx.paths.history)
  } catch (error) {
    yield* attempt(unlink(`${built}/${number}`))
    yield* attempt(rmdir(built))
    const code = codeOf(error)
    if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOENT') return false
    throw error
  }
  try {
    yield* syncDir(ctx.paths.folder)
  } catch (error) {
    throw toStoreError(error, ctx.paths.folder, 'unknown')
  }
  return true
}

/**
 * Makes the index's folder, and each above it that is missing; a new folder's name is synced before it is used. Some
 * file systems (/proc is one) call a folder absent although the one above is there: that is an error, not another try.
 */
function* makeFolders(folder: string, aboveIsThere = false): Steps<void> {
  const parent = folder.slice(0, Math.max(folder.lastIndexOf('/'), 1))
  try {
    yield* mkdir(folder)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' && parent !== folder && !aboveIsThere) {
      yield* makeFolders(parent)
      return yield* makeFolders(folder, true)
    }
    if (code !== 'EEXIST') throw error
    // Its maker may have died before its name was durable. A folder that may not be opened was there before us.
    const failed = yield* attempt(syncDir(parent))
    if (failed !== null && codeOf(failed) !== 'EACCES' && codeOf(failed) !== 'EPERM') throw failed
    return
  }
  yield* syncDir(parent)
}

/** A history folder that holds no revision, left by hand: emptied, so that the first revision can take its place. */
function* emptyHistory(ctx: StoreContext): Steps<void> {
  const names = (yield* orAbsent(list(ctx.paths.history))) ?? []
  if (revisionNumbers(names).length > 0) return
  for (const name of names) {
    const path = `${ctx.paths.history}/${name}`
    if (stagedBase(name) !== null) yield* orAbsent(unlink(path))
    else yield* moveAside(ctx, path, 'found-in-history')
  }
}

/** Removes the folders of first writers that were killed before their rename. */
export function* sweepAbandoned(ctx: StoreContext): Steps<void> {
  const prefix = `${ctx.paths.history}.`
  const start = prefix.lastIndexOf('/') + 1
  for (const name of yield* list(ctx.paths.folder)) {
    const path = `${prefix.slice(0, start)}${name}`
    if (!path.startsWith(prefix) || !ABANDONED.test(path.slice(prefix.length))) continue
    // Its writer may be alive: it must find its folder whole or gone, never emptied.
    const swept = path.endsWith(SWEPT) ? path : `${path}${SWEPT}`
    if (swept !== path) yield* orAbsent(rename(path, swept))
    for (const inside of (yield* orAbsent(list(swept))) ?? []) yield* orAbsent(unlink(`${swept}/${inside}`))
    yield* orAbsent(rmdir(swept))
  }
}

/** ERR_INDEX_TOO_LARGE where these bytes are more than an index may hold. */
export function refuseTooLarge(ctx: StoreContext, bytes: Uint8Array): void {
  if (bytes.length <= ctx.limits.indexBytes) return
  const what = `the index would hold ${bytes.length} bytes, more than ${ctx.limits.indexBytes}`
  throw new CrashResumeError('ERR_INDEX_TOO_LARGE', what, { next: 'forget or prune entries', path: ctx.paths.view })
}
