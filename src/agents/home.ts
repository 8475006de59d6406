/**
 * Folders that an agent's environment names. An agent takes a relative one from its working folder, never from ours:
 * looked for in another place, a transcript would seem to be missing.
 */
import { isAbsolute, resolve } from 'node:path'

/** The path as the agent takes it; null: relative, to a working folder that is not known. */
export function asTheAgentTakesIt(path: string, cwd: string | undefined): string | null {
  if (isAbsolute(path)) return path
  return cwd === undefined ? null : resolve(cwd, path)
}
