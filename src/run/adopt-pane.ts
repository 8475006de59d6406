/**
 * The entry that a pane goes on with after its terminal server has died: a new server gives new ids, and the pane at
 * the old position is the old one to whoever sits in front of it.
 */

import { entryAt } from '../core/entry.js'
import type { Entry, Index } from '../core/schema.js'
import { thisMachine, verdictOf } from '../probes/process.js'
import { formatPosition, type LivePane } from '../terminals/driver.js'
import { isTmuxSurface, tmuxServerOf, tmuxSocketOf } from '../terminals/tmux-sockets.js'

/** True where the server that gave this entry its surface is proven to be gone. */
export function lostItsServer({ surfaceId, seen }: Entry): boolean {
  if (!isTmuxSurface(surfaceId)) return false
  const machine = thisMachine()
  if (seen === undefined || seen.host !== machine.host) return false
  if (seen.bootId !== undefined && seen.bootId !== machine.bootId) return true
  const server = tmuxServerOf(surfaceId)
  return server !== null && verdictOf({ ...machine, ...server }) === 'dead'
}

/**
 * The entries that were at this pane's position of an earlier server on the same socket, in the same folder, with the
 * same agent. More than one: nothing tells which.
 */
export function entriesBefore(index: Index, pane: LivePane, agent: string, cwd: string): readonly Entry[] {
  if (entryAt(index, pane.surfaceId) !== null) return []
  const socket = tmuxSocketOf(pane.surfaceId)
  const address = formatPosition(pane.position)
  return Object.values(index.entries).filter(
    (entry) =>
      entry.state !== 'ended' &&
      entry.address === address &&
      tmuxSocketOf(entry.surfaceId) === socket &&
      entry.agent === agent &&
      entry.cwd === cwd &&
      lostItsServer(entry)
  )
}
