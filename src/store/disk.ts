/**
 * The file operations of files.ts on the real file system.
 *
 * Files are opened with O_NOFOLLOW and O_NONBLOCK: the path was resolved once, a link that appears later is an
 * error, and a FIFO, socket or device in a file's place is refused instead of waited for. The calls are
 * synchronous: an update is two dozen of them, and a process that is killed leaves nothing half-scheduled behind.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeSync
} from 'node:fs'
import { errno, type FileOp, type Handle } from './files.js'
import { acquireLock, acquireLockNow, releaseLock, releaseLockNow } from './lock.js'

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants
const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

type Performers = { readonly [Op in FileOp as Op['op']]: (op: Op) => unknown }

const PERFORMERS: Performers = {
  read: ({ path, limit }) => readWhole(path, limit),
  list: ({ path }) => readdirSync(path),
  size: ({ path }) => lstatSync(path).size,
  create: ({ path }) => createFile(path),
  write: ({ file, bytes }) => writeSync(descriptor(file), bytes),
  length: ({ file }) => fstatSync(descriptor(file)).size,
  sync: ({ file }) => fsyncSync(descriptor(file)),
  close: ({ file }) => closeSync(descriptor(file)),
  link: ({ from, to }) => linkSync(from, to),
  rename: ({ from, to }) => renameSync(from, to),
  unlink: ({ path }) => unlinkSync(path),
  mkdir: ({ path }) => makeFolder(path),
  rmdir: ({ path }) => rmdirSync(path),
  syncDir: ({ path }) => syncFolder(path),
  lock: ({ path, waitMs }) => acquireLock(path, waitMs),
  unlock: ({ path }) => releaseLock(path)
}

/** Performs one operation. `lock` and `unlock` answer with a promise, all others at once. */
export function onDisk(op: FileOp): unknown {
  const perform: (op: never) => unknown = PERFORMERS[op.op]
  return perform(op as never)
}

/** The same for a caller that cannot wait: it takes the order lock only where a commit must rest on it. */
export function onDiskNow(op: FileOp): unknown {
  if (op.op === 'lock') return op.must ? acquireLockNow(op.path, op.waitMs) : false
  if (op.op === 'unlock') return releaseLockNow(op.path)
  return onDisk(op)
}

function descriptor(file: Handle): number {
  return file.handle as number
}

function readWhole(path: string, limit: number): Uint8Array {
  const fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const stat = fstatSync(fd)
    if (!stat.isFile()) throw errno('ENOTREG', `${path} is not a regular file`)
    if (stat.size > limit) throw errno('EFBIG', `${path} holds ${stat.size} bytes, more than ${limit}`)
    // The file may grow while it is read; the byte that is asked for beyond its size tells.
    let buffer = Buffer.allocUnsafe(stat.size + 1)
    let filled = 0
    for (;;) {
      const count = readSync(fd, buffer, filled, buffer.length - filled, null)
      if (count === 0) return buffer.subarray(0, filled)
      filled += count
      if (filled > limit) throw errno('EFBIG', `${path} holds more than ${limit} bytes`)
      if (filled === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2)
    }
  } finally {
    closeSync(fd)
  }
}

function createFile(path: string): Handle {
  const fd = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, FILE_MODE)
  try {
    if ((fstatSync(fd).mode & 0o777) !== FILE_MODE) fchmodSync(fd, FILE_MODE)
  } catch (error) {
    closeSync(fd)
    throw error
  }
  return { handle: fd }
}

function makeFolder(path: string): void {
  mkdirSync(path, FOLDER_MODE)
  if ((lstatSync(path).mode & 0o777) !== FOLDER_MODE) chmodSync(path, FOLDER_MODE)
}

function syncFolder(path: string): void {
  const fd = openSync(path, O_RDONLY | O_DIRECTORY)
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
