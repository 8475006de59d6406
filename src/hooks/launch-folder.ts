/**
 * Which folder an agent was launched in. No program is started.
 */

import { realpathSync } from 'node:fs'
import type { AgentRow } from '../agents/row.js'
import type { Environment } from '../core/environment.js'

export interface LaunchFolderFacts {
  readonly row: AgentRow
  /** The working folder that the hook reported. */
  readonly cwd?: string | undefined
  readonly transcript?: string | undefined
  /** What is on record for the same session. */
  readonly known?: string | undefined
  readonly env: Environment
}

/**
 * The launch folder. An agent's working folder moves while it works, so that what is on record for the session stands;
 * but where the path of its transcript tells the launch folder, that decides.
 */
export function launchFolder({ row, cwd, transcript, known, env }: LaunchFolderFacts): string | undefined {
  const rule = row.launchFolder
  if (rule === undefined || transcript === undefined) return known ?? cwd
  const owns = (path: string | undefined): boolean =>
    path !== undefined && [path, real(path)].some((spelled) => rule.keeps(transcript, spelled))
  return [known, cwd, env[rule.variable]].find(owns) ?? known ?? cwd
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
