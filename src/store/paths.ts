/**
 * Where an index and its companions live.
 *
 * The path is resolved once, through symbolic links, before anything is read: a link in a dotfiles folder keeps
 * pointing at the file that we replace, and everything else is made beside that file, on its file system.
 */
import { readlinkSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { CrashResumeError } from '../core/errors.js'
import { codeOf } from './files.js'

export interface IndexPaths {
  /** The view: what people and other tools read. */
  readonly view: string
  readonly folder: string
  /** The revisions, the truth. */
  readonly history: string
  /** Bytes that must not vanish. */
  readonly kept: string
  /** proper-lockfile's folder. */
  readonly lock: string
}

const LINK_LIMIT = 40

/** The path used when none is given: CRASH_RESUME_INDEX_PATH, else one under the home folder. */
export function defaultIndexPath(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return env['CRASH_RESUME_INDEX_PATH'] || join(env['HOME'] || homedir(), '.golems', 'crash-resume-index.json')
}

/** The companions of a view whose path is resolved already. */
export function indexPaths(view: string): IndexPaths {
  return { view, folder: dirname(view), history: `${view}.history`, kept: `${view}.kept`, lock: `${view}.lock` }
}

/** @throws ERR_NOT_A_FILE for a loop of links or a file in a folder's place; ERR_IO where a folder cannot be entered. */
export function resolveIndexPath(path: string): IndexPaths {
  return indexPaths(followLinks(path))
}

function followLinks(path: string): string {
  let current = resolve(path)
  for (let links = 0; links <= LINK_LIMIT; links++) {
    current = join(realFolder(dirname(current), path), basename(current))
    try {
      current = resolve(dirname(current), readlinkSync(current))
    } catch (error) {
      const code = codeOf(error)
      // EINVAL: it is there and no link. ENOENT: nothing is there, or a dangling link named the file to be made.
      if (code === 'EINVAL' || code === 'ENOENT') return current
      throw cannotResolve(path, error)
    }
  }
  throw cannotResolve(path, Object.assign(new Error('too many links'), { code: 'ELOOP' }))
}

/** The folder's real path; the part of it that does not exist yet is kept as written. */
function realFolder(folder: string, path: string): string {
  try {
    return realpathSync(folder)
  } catch (error) {
    const parent = dirname(folder)
    if (codeOf(error) !== 'ENOENT' || parent === folder) throw cannotResolve(path, error)
    return join(realFolder(parent, path), basename(folder))
  }
}

function cannotResolve(path: string, cause: unknown): CrashResumeError {
  const code = codeOf(cause)
  if (code === 'ELOOP' || code === 'ENOTDIR') {
    const what = code === 'ELOOP' ? 'runs into a loop of symbolic links' : 'has a file where a folder should be'
    const next = 'fix it or give another path'
    return new CrashResumeError('ERR_NOT_A_FILE', `${path} ${what}`, { next, path, cause })
  }
  const next = "check its folders' permissions"
  return new CrashResumeError('ERR_IO', `cannot look up ${path} (${code ?? cause})`, { next, path, cause })
}
