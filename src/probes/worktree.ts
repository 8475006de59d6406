/**
 * A linked worktree of git: which repository it belongs to, and which branch is checked out in it. It is read from git's
 * own files; no program is started. Once the folder is removed nobody can tell any more.
 */
import { readFileSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, resolve } from 'node:path'

export interface Worktree {
  /** The worktree's top folder. */
  readonly path: string
  /** The folder of the repository: its main worktree, or the bare repository itself. */
  readonly origin: string
  /** Absent: none is checked out. */
  readonly branch?: string
}

/** @returns null where the folder is no top of a linked worktree: a submodule has a file `.git` as well */
export function worktreeAt(path: string): Worktree | null {
  const [, pointed] = /^gitdir: (.+)$/m.exec(read(resolve(path, '.git'))) ?? []
  if (pointed === undefined || !isAbsolute(path)) return null
  const own = resolve(path, pointed)
  const common = read(resolve(own, 'commondir')).trim()
  if (common === '') return null
  const git = resolve(own, common)
  const [, branch] = /^ref: refs\/heads\/(.+)$/m.exec(read(resolve(own, 'HEAD'))) ?? []
  const origin = basename(git) === '.git' ? dirname(git) : git
  return { path, origin, ...(branch === undefined ? {} : { branch }) }
}

/** More than any of these files holds. */
const MAX_BYTES = 8192

/** Empty where there is no such file, as where it is a folder. */
function read(path: string): string {
  try {
    const { size } = statSync(path)
    // A FIFO has no size.
    return size > 0 && size <= MAX_BYTES ? readFileSync(path, 'utf8') : ''
  } catch {
    return ''
  }
}
