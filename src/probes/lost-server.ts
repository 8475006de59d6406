/**
 * Whether the terminal server that gave an entry its surface is gone: what ran there died with it.
 */
import type { Entry } from '../core/schema.js'
import { isTmuxSurface, tmuxServerOf } from '../terminals/tmux-sockets.js'
import { thisMachine, verdictOf } from './process.js'

/** True if the server that gave this entry its surface is proven to be gone. */
export function lostItsServer({ surfaceId, seen }: Entry): boolean {
  if (!isTmuxSurface(surfaceId)) return false
  const machine = thisMachine()
  if (seen === undefined || seen.host !== machine.host) return false
  if (seen.bootId !== undefined && seen.bootId !== machine.bootId) return true
  const server = tmuxServerOf(surfaceId)
  return server !== null && verdictOf({ ...machine, ...server }) === 'dead'
}
