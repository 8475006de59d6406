/**
 * A linked worktree of git: which repository it belongs to, and which branch is checked out in it. It is read from git's
 * own files; no program is started. Once the folder is removed the answer is lost.
 */
import { basename, dirname, isAbsolute, resolve } from 'node:path'
import { given } from '../core/given.js'
import type { Worktree } from '../core/schema.js'
import { readSmall, topOf } from './repo.js'

/**
 * The worktree that a folder lies in.
 * @returns null: none, or it can no longer be told
 */
export function worktreeOf(folder: string): Worktree | null {
  const top = topOf(folder)
  return top === null ? null : worktreeAt(top)
}

/** @returns null where the folder is no top of a linked worktree: a submodule has a file `.git` as well */
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
