/**
 * Folders that an agent's environment names. An agent resolves a relative one from its own working folder, never from
 * ours: looked for in another place, a transcript would seem to be missing.
 */

import { homedir } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import type { Environment } from '../core/environment.js'
import { given } from '../core/given.js'

/** What the home folder and the environment say about where an agent keeps its files. */
export interface AgentPlace {
  readonly home: string
  readonly env: Environment
  /** The launch folder, resolved; absent where it is not known. */
  readonly cwd?: string
}

/** The place of an agent that has this environment. */
export function agentPlace(env: Environment, cwd?: string): AgentPlace {
  return { home: env['HOME'] || homedir(), env, ...given({ cwd }) }
}

/** The absolute path; null: relative to a working folder that is not known. */
export function resolveFromAgentCwd(path: string, cwd: string | undefined): string | null {
  if (isAbsolute(path)) return path
  return cwd === undefined ? null : resolve(cwd, path)
}
