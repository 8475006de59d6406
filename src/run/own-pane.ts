/**
 * The pane of tmux that this process is in, found by its id and never by which one is active.
 */

import { AGENTS, unionOf } from '../agents/table.js'
import type { Environment } from '../core/environment.js'
import { chainAbove } from '../probes/ancestry.js'
import { tmuxDriver } from '../probes/tmux.js'
import type { LivePane, TerminalDriver } from '../terminals/driver.js'
import { surfaceFromEnv } from '../terminals/surface-from-env.js'
import { tmuxSocketOf } from '../terminals/tmux-sockets.js'

/** A server that does not answer is not worth waiting for. */
const LIMIT_MS = 1000

export interface OwnPane {
  readonly driver: TerminalDriver
  readonly pane: LivePane
}

/** Null: not in tmux, or it could not be asked. */
export async function ownPane(env: Environment): Promise<OwnPane | null> {
  const { CRASH_RESUME_SURFACE: _named, ...around } = env
  const binding = surfaceFromEnv(around, chainAbove(process.pid), unionOf(AGENTS, 'backgroundVariables'))
  if ('unbound' in binding) return null
  const { surfaceId } = binding.surface
  const socket = tmuxSocketOf(surfaceId)
  if (socket === null) return null
  const driver = tmuxDriver({ socket, limitMs: LIMIT_MS })
  const listing = await driver.list()
  const pane = listing.state === 'live' ? listing.panes.find((one) => one.surfaceId === surfaceId) : undefined
  return pane === undefined ? null : { driver, pane }
}
