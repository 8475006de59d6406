/**
 * The real disk with a watcher in between: every file operation of the store is counted and noted, and a hook may
 * stop, kill or fail the process right before or right after it. What runs is the store's own code on real files.
 */
import { basename } from 'node:path'
import { onDisk, onDiskNow } from '../../src/store/disk.js'
import { codeOf, type FileOp, type LockAnswer, type Perform } from '../../src/store/files.js'

export interface Hooks {
  /** Throws: the operation fails with that error and is not carried out. `n` counts from 1. */
  readonly before?: (op: FileOp, n: number) => void
  readonly after?: (op: FileOp, n: number, result?: unknown) => void
}

export interface WatchedDisk {
  readonly perform: Perform
  /** For a caller that cannot wait. */
  readonly performNow: Perform
  /** What was asked for, in order, as in `link s -> 7`. */
  readonly ops: string[]
  /** Links that found their number taken or their staged name gone. */
  readonly conflicts: () => number
  readonly locks: LockAnswer[]
}

export function watchedDisk(hooks: Hooks = {}): WatchedDisk {
  const ops: string[] = []
  const locks: LockAnswer[] = []
  let conflicts = 0

  const watch =
    (disk: Perform): Perform =>
    (op) => {
      const n = ops.push(nameOf(op))
      hooks.before?.(op, n)
      const done = (result: unknown): unknown => {
        if (op.op === 'lock') locks.push(result as LockAnswer)
        hooks.after?.(op, n, result)
        return result
      }
      let result: unknown
      try {
        result = disk(op)
      } catch (error) {
        if (isConflict(op, error)) conflicts += 1
        hooks.after?.(op, n)
        throw error
      }
      return result instanceof Promise ? result.then(done) : done(result)
    }

  return { perform: watch(onDisk), performNow: watch(onDiskNow), ops, locks, conflicts: () => conflicts }
}

function isConflict(op: FileOp, error: unknown): boolean {
  const code = codeOf(error)
  if (op.op === 'link') return code === 'EEXIST' || code === 'ENOENT'
  return op.op === 'rename' && (code === 'ENOTEMPTY' || code === 'EEXIST')
}

/** An operation in one line; random parts of names are left out, so that two runs can be compared. */
export function nameOf(op: FileOp): string {
  if ('path' in op) return `${op.op} ${short(op.path)}`
  if ('from' in op) return `${op.op} ${short(op.from)} -> ${short(op.to)}`
  return op.op
}

function short(path: string): string {
  const name = basename(path)
  if (/^s-\d+-[0-9a-f]{32}$/.test(name)) return 'staged'
  if (/^t-\d+T\d+Z-[0-9a-f]{32}$/.test(name)) return 'unnamed'
  return name.replace(/\.[0-9a-f]{32}$/, '.unborn').replace(/^\d{8}T\d{9}Z-/, '')
}
