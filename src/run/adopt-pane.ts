/**
 * The entry that a pane continues with after its terminal server died. The new server gives new ids, but to a person
 * the pane at the old position is the old pane.
 */

import { entryAt } from '../core/entry.js'
import type { Entry, Index } from '../core/schema.js'
import { lostItsServer } from '../probes/lost-server.js'
import { formatPosition, type LivePane } from '../terminals/driver.js'
import { tmuxSocketOf } from '../terminals/tmux-sockets.js'

/**
 * The entries that were at this pane's position in an earlier server on the same socket, in the same folder, with the
 * same agent. If there are several, nothing tells which is right.
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
