/**
 * The few file operations that the protocol is made of, as values: the one seam between the protocol and a disk.
 *
 * The protocol is written as generators that yield a FileOp and are resumed with its result, or with its errno
 * error thrown in. `disk.ts` performs them on the real file system; a test performs them on a file system in
 * memory and stops, kills or fails the protocol between any two. So what is tested is the code that runs.
 * Each operation is one system call's worth of effect; none hides a retry or a fallback.
 */

/** An open file that is being written; only the performer looks inside. */
export interface Handle {
  readonly handle: unknown
}

export type FileOp =
  /** The whole of a regular file. Fails with ENOTREG for anything else, with EFBIG beyond `limit` bytes. */
  | { readonly op: 'read'; readonly path: string; readonly limit: number }
  | { readonly op: 'list'; readonly path: string }
  /** Bytes of the file under that name. */
  | { readonly op: 'size'; readonly path: string }
  /** A new file, mode 0600 whatever the umask; EEXIST when the name is taken. */
  | { readonly op: 'create'; readonly path: string }
  /** Appends; may write less than asked, as write(2) may. Returns the count. */
  | { readonly op: 'write'; readonly file: Handle; readonly bytes: Uint8Array }
  /** Bytes that the open file holds. */
  | { readonly op: 'length'; readonly file: Handle }
  | { readonly op: 'sync'; readonly file: Handle }
  | { readonly op: 'close'; readonly file: Handle }
  | { readonly op: 'link'; readonly from: string; readonly to: string }
  | { readonly op: 'rename'; readonly from: string; readonly to: string }
  | { readonly op: 'unlink'; readonly path: string }
  /** A new folder, mode 0700 whatever the umask. */
  | { readonly op: 'mkdir'; readonly path: string }
  | { readonly op: 'rmdir'; readonly path: string }
  /** Makes the names in the folder durable. */
  | { readonly op: 'syncDir'; readonly path: string }
  /** Waits for the order lock at most that long. Answers with a LockAnswer; never fails. */
  | { readonly op: 'lock'; readonly path: string; readonly waitMs: number; readonly must: boolean }
  | { readonly op: 'unlock'; readonly path: string }

/** Something that is no lock stands in the lock's place: what, and what to do about it. */
export interface OddLock {
  readonly what: string
  readonly next: string
}

/** True: held. False: another holds it. */
export type LockAnswer = boolean | OddLock

/** A piece of the protocol: yields operations, returns its result. */
export type Steps<T> = Generator<FileOp, T, unknown>

/** Carries out one operation; only `lock` and `unlock` may answer with a promise. */
export type Perform = (op: FileOp) => unknown

/** Steps that are one operation. */
function one<A extends readonly unknown[], T>(operation: (...args: A) => FileOp): (...args: A) => Steps<T> {
  return function* (...args) {
    return (yield operation(...args)) as T
  }
}

type OnPath<T> = (path: string) => Steps<T>
type Move = (from: string, to: string) => Steps<void>

export const read: (path: string, limit: number) => Steps<Uint8Array> = one((path, limit) => ({
  op: 'read',
  path,
  limit
}))
export const list: OnPath<string[]> = one((path) => ({ op: 'list', path }))
export const size: OnPath<number> = one((path) => ({ op: 'size', path }))
export const link: Move = one((from, to) => ({ op: 'link', from, to }))
export const rename: Move = one((from, to) => ({ op: 'rename', from, to }))
export const unlink: OnPath<void> = one((path) => ({ op: 'unlink', path }))
export const mkdir: OnPath<void> = one((path) => ({ op: 'mkdir', path }))
export const rmdir: OnPath<void> = one((path) => ({ op: 'rmdir', path }))
export const syncDir: OnPath<void> = one((path) => ({ op: 'syncDir', path }))
/** The first half of writeNew, for a caller that must look at something between the two. */
export const create: OnPath<Handle> = one((path) => ({ op: 'create', path }))
export const close: (file: Handle) => Steps<void> = one((file) => ({ op: 'close', file }))

/**
 * A new file with exactly these bytes, on stable storage but for its name.
 * On failure the name may be there with fewer bytes; the caller removes it.
 */
export function* writeNew(path: string, bytes: Uint8Array): Steps<void> {
  yield* fill(yield* create(path), path, bytes)
}

/** The second half of writeNew: all of the bytes, counted, synced, and the file closed either way. */
export function* fill(file: Handle, path: string, bytes: Uint8Array): Steps<void> {
  let whole = false
  try {
    let done = 0
    while (done < bytes.length) {
      const count = (yield { op: 'write', file, bytes: bytes.subarray(done) }) as number
      if (count <= 0) throw errno('ENOSPC', `write to ${path} made no progress`)
      done += count
    }
    const length = (yield { op: 'length', file }) as number
    if (length !== bytes.length) throw errno('EIO', `${path} holds ${length} bytes of ${bytes.length}`)
    yield { op: 'sync', file }
    whole = true
  } finally {
    // A close that fails too must not hide why the write failed.
    if (whole) yield* close(file)
    else yield* attempt(close(file))
  }
}

/** Runs steps whose failure does not matter here; returns the error, or null. */
export function* attempt(steps: Steps<unknown>): Steps<unknown> {
  try {
    yield* steps
    return null
  } catch (error) {
    return error
  }
}

/** The steps' result, or null when the name is not there. Only ENOENT is absence; any other error is an error. */
export function* orAbsent<T>(steps: Steps<T>): Steps<T | null> {
  try {
    return yield* steps
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

/** The errno name of a failed operation, or undefined for any other error. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

export function errno(code: string, message: string): Error & { code: string } {
  return Object.assign(new Error(`${code}: ${message}`), { code })
}

/** Drives steps to their end on a performer that never answers with a promise. */
export function runSync<T>(steps: Steps<T>, perform: Perform): T {
  let next = steps.next()
  while (!next.done) {
    let result: unknown
    try {
      result = perform(next.value)
    } catch (error) {
      next = steps.throw(error)
      continue
    }
    next = steps.next(result)
  }
  return next.value
}

/** Drives steps to their end, waiting only where the performer answers with a promise. */
export async function run<T>(steps: Steps<T>, perform: Perform): Promise<T> {
  let next = steps.next()
  while (!next.done) {
    let result: unknown
    try {
      result = perform(next.value)
      if (result instanceof Promise) result = await result
    } catch (error) {
      next = steps.throw(error)
      continue
    }
    next = steps.next(result)
  }
  return next.value
}
