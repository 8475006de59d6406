/**
 * Where an errno becomes one of our errors: once, at the edge of the store.
 *
 * The protocol lets errno errors pass; `toStoreError` gives them a code, the path, what was committed, and the
 * next thing to do. An error that has a code of ours already passes unchanged.
 */
import { type Advice, type Committed, CrashResumeError } from '../core/errors.js'
import { inlineCommand } from '../core/own-command.js'
import { codeOf } from './files.js'

const NOT_A_FILE = new Set(['ENOTREG', 'EISDIR', 'ENOTDIR', 'ELOOP', 'ENXIO'])

/** By errno name: what it means, and what to do. */
const ERRNOS: Readonly<Record<string, readonly [meaning: string, next: Advice]>> = {
  EACCES: ['no permission', 'give this user access to it, or use another path'],
  EPERM: ['not permitted', 'give this user access to it, or use another path'],
  EROFS: ['the file system is read-only', 'use a path on a writable file system'],
  ENOSPC: ['the disk is full', 'make room and try again; the index is as it was'],
  EDQUOT: ['the disk quota is used up', 'make room and try again; the index is as it was'],
  EFBIG: ['it is larger than an index may be', 'see what wrote it'],
  EMFILE: ['too many files are open in this process', 'close some and try again'],
  ENFILE: ['too many files are open on this machine', 'try again later'],
  EIO: ['the disk reports an error', (path) => `check it, and run ${inlineCommand({ name: 'doctor' }, path)}`],
  ENAMETOOLONG: ['the path is too long', 'use a shorter one'],
  EXDEV: ['it is on another file system', 'keep the index and its history on one file system']
}
const CHECK: Advice = (path) => `check the path and its file system, and run ${inlineCommand({ name: 'doctor' }, path)}`

export function toStoreError(cause: unknown, path: string, committed: Committed = false): unknown {
  if (cause instanceof CrashResumeError || !(cause instanceof Error)) return cause
  const code = codeOf(cause)
  // An error that is no failed file operation is a mistake in the caller's function or in ours: let it be seen.
  if (code === undefined || !/^E[A-Z0-9]+$/.test(code)) return cause
  const where = 'path' in cause && typeof cause.path === 'string' ? cause.path : path
  if (NOT_A_FILE.has(code)) {
    const details = { next: 'move it away or give another path', path: where, cause, committed }
    return new CrashResumeError('ERR_NOT_A_FILE', `${where} is not a regular file (${code})`, details)
  }
  const [meaning, next = CHECK] = ERRNOS[code] ?? []
  const failed = meaning === undefined ? `${where}: ${code}` : `${where}: ${code}, ${meaning}`
  const what = committed === 'unknown' ? `${failed} (the change is written but may not survive a power cut)` : failed
  return new CrashResumeError('ERR_IO', what, { next, path: where, cause, committed })
}
