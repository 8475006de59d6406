/**
 * The entries that a pane may continue with whose id the index does not know. A terminal that starts again gives new ids
 * to its panes; to a person the pane at the old position, or in the old folder, is the old pane.
 */

import { entryAt } from '../core/entry.js'
import type { Entry, Index } from '../core/schema.js'
import { lostItsServer } from '../probes/lost-server.js'
import { terminalOf, tmuxSocketOf } from '../terminals/tmux-sockets.js'

/** A pane, and what is to run in it. */
export interface NewPane {
  readonly surfaceId: string
  readonly agent: string
  readonly cwd: string
}

/**
 * The entries of the same agent and folder whose surfaces were of the same terminal, and cannot be told to be there
 * still: their server is gone, or the terminal's ids do not name one. Whether they run is not looked at.
 */
export function entriesBefore(index: Index, { surfaceId, agent, cwd }: NewPane): readonly Entry[] {
  const terminal = terminalOf(surfaceId)
  if (terminal === null || entryAt(index, surfaceId) !== null) return []
  return Object.values(index.entries).filter(
    (entry) =>
      entry.state !== 'ended' &&
      entry.agent === agent &&
      entry.cwd === cwd &&
      terminalOf(entry.surfaceId)?.name === terminal.name &&
      tmuxSocketOf(entry.surfaceId) === tmuxSocketOf(surfaceId) &&
      (terminal.server === null || lostItsServer(entry))
  )
}
