/**
 * Which folder an agent was launched in. No program is started.
 */
import { realpathSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { claudeProjectSlug, claudeProjectSlugUnshortened } from '../agents/claude-slug.js'

export interface LaunchFolderFacts {
  readonly agent: string
  /** The working folder that the hook reported. */
  readonly cwd?: string
  readonly transcript?: string
  /** What is on record for the same session. */
  readonly known?: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * The launch folder. An agent's working folder moves while it works, so that what is on record for the session stands.
 * For Claude the folder that its transcript is kept in says which one is meant: it resumes from that one in every
 * version, and keeps it when it is resumed from another folder.
 */
export function launchFolder({ agent, cwd, transcript, known, env }: LaunchFolderFacts): string | undefined {
  if (agent === 'claude' && transcript !== undefined) {
    const kept = basename(dirname(transcript))
    const owns = (path: string | undefined): boolean => path !== undefined && isClaudeFolderOf(kept, path)
    const owner = [known, cwd, env['CLAUDE_PROJECT_DIR']].find(owns)
    if (owner !== undefined) return owner
  }
  return known ?? cwd
}

function isClaudeFolderOf(kept: string, path: string): boolean {
  return [path, real(path)].some(
    (spelled) => claudeProjectSlug(spelled) === kept || claudeProjectSlugUnshortened(spelled) === kept
  )
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
