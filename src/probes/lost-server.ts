/**
 * Whether the terminal server that gave an entry its surface is gone: what ran there died with it. Or whether it lives
 * on without the pane: a person closed that, or its only program died, and neither is proven.
 */
import type { Entry } from '../core/schema.js'
import type { LivePane } from '../terminals/driver.js'
import { isTmuxSurface, terminalOf } from '../terminals/tmux-sockets.js'
import { thisMachine, verdictOf } from './process.js'

/** True if the server that gave this entry its surface is proven to be gone. */
export function lostItsServer({ surfaceId, seen }: Entry): boolean {
  const server = terminalOf(surfaceId)?.server ?? null
  const machine = thisMachine()
  if (server === null || seen === undefined || seen.host !== machine.host) return false
  if (seen.bootId !== undefined && seen.bootId !== machine.bootId) return true
  return verdictOf({ ...machine, ...server }) === 'dead'
}

/**
 * True if the server that gave this entry its surface lives, and lists its panes without that one.
 * @param panes of a whole listing
 */
export function isPaneClosed(entry: Entry, panes: readonly LivePane[]): boolean {
  const { surfaceId } = entry
  if (!isTmuxSurface(surfaceId) || panes.some((pane) => pane.surfaceId === surfaceId)) return false
  return panes.some(({ scope }) => surfaceId.startsWith(`${scope}:%`)) && !lostItsServer(entry)
}
