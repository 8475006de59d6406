/**
 * The repository around a folder, found by walking up. It starts no program.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { textProblem } from '../core/ids.js'

/** Deeper than any repository lies. */
const MAX_LEVELS = 64
/** More than any of git's own small files holds. */
const MAX_BYTES = 8192

/** The base name of the repository's top folder, or of the folder outside a repository. Never blank, safe to store. */
export function repoOf(folder: string | undefined): string {
  return folder === undefined ? 'unknown' : nameOf(topOf(folder) ?? folder)
}

/** The top folder of the repository or worktree that a folder lies in, or null. */
export function topOf(folder: string): string | null {
  let top = folder
  for (let level = 0; level < MAX_LEVELS; level++) {
    if (isTop(top)) return top
    const above = dirname(top)
    if (above === top) break
    top = above
  }
  return null
}

/** As git sees it: `.git` is a folder with a HEAD, or a file that names such a folder (worktrees and submodules). */
function isTop(folder: string): boolean {
  const git = join(folder, '.git')
  return existsSync(join(git, 'HEAD')) || readSmall(git).startsWith('gitdir: ')
}

/** The text of one of git's small files; empty: it is missing, or not a plain file. */
export function readSmall(path: string): string {
  try {
    const { size } = statSync(path)
    // A FIFO has no size.
    return size > 0 && size <= MAX_BYTES ? readFileSync(path, 'utf8') : ''
  } catch {
    return ''
  }
}

function nameOf(folder: string): string {
  const name = basename(folder).trim()
  if (name === '') return 'root'
  return textProblem(name) === null ? name : name.replace(/[^\p{L}\p{N}._-]/gu, '_')
}
