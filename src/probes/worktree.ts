/**
 * A linked worktree of git: its repository, and the branch that is checked out in it. This reads git's own files and
 * starts no program. Once the folder is removed the answer is lost.
 */
import { basename, dirname, isAbsolute, resolve } from 'node:path'
import { given } from '../core/given.js'
import type { Worktree } from '../core/schema.js'
import { readSmall, topOf } from './repo.js'

/**
 * The linked worktree that contains a folder.
 * @returns null: none, or no longer known
 */
export function worktreeOf(folder: string): Worktree | null {
  const top = topOf(folder)
  return top === null ? null : worktreeAt(top)
}

/** @returns null: the folder is not the top of a linked worktree. A submodule has a file `.git` as well */
export function worktreeAt(path: string): Worktree | null {
  const [, pointed] = /^gitdir: (.+)$/m.exec(readSmall(resolve(path, '.git'))) ?? []
  if (pointed === undefined || !isAbsolute(path)) return null
  const own = resolve(path, pointed)
  const common = readSmall(resolve(own, 'commondir')).trim()
  if (common === '') return null
  const git = resolve(own, common)
  const [, branch] = /^ref: refs\/heads\/(.+)$/m.exec(readSmall(resolve(own, 'HEAD'))) ?? []
  const origin = basename(git) === '.git' ? dirname(git) : git
  return { path, origin, ...given({ branch }) }
}
