/**
 * The name of the repository around a folder, found by walking up; no program is started.
 */
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { textProblem } from '../core/ids.js'

/** Deeper than any repository lies. */
const MAX_LEVELS = 64

/** The base name of the repository's top folder, else of the folder; never blank, and safe to store. */
export function repoOf(folder: string | undefined): string {
  if (folder === undefined) return 'unknown'
  let top = folder
  for (let level = 0; level < MAX_LEVELS; level++) {
    // A worktree and a submodule have a file of that name.
    if (existsSync(join(top, '.git'))) return nameOf(top)
    const above = dirname(top)
    if (above === top) break
    top = above
  }
  return nameOf(folder)
}

function nameOf(folder: string): string {
  const name = basename(folder).trim()
  if (name === '') return 'root'
  return textProblem(name) === null ? name : name.replace(/[^\p{L}\p{N}._-]/gu, '_')
}
