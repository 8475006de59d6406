/**
 * A linked worktree of git: which repository it belongs to, and which branch is checked out in it. It is read from git's
 * own files; no program is started. Once the folder is removed nobody can tell any more.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, resolve } from 'node:path'
import type { Worktree } from '../core/schema.js'

/** Deeper than any worktree lies. */
const MAX_LEVELS = 64

/**
 * The worktree that a folder lies in.
 * @returns null: none, or nobody can tell any more
 */
export function worktreeOf(folder: string): Worktree | null {
  let top = folder
  for (let level = 0; level < MAX_LEVELS; level++) {
    if (existsSync(resolve(top, '.git'))) return worktreeAt(top)
    const above = dirname(top)
    if (above === top) return null
    top = above
  }
  return null
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
