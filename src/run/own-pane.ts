/**
 * The tmux pane of this process, found by its id and never by which pane is active.
 */

import type { AgentTable } from '../agents/row.js'
import { unionOf } from '../agents/table.js'
import type { Environment } from '../core/environment.js'
import { chainAbove } from '../probes/ancestry.js'
import { type Known, known, unknown } from '../probes/known.js'
import { tmuxDriver } from '../probes/tmux.js'
import type { LivePane, TerminalDriver } from '../terminals/driver.js'
import { surfaceFromEnv } from '../terminals/surface-from-env.js'
import { tmuxSocketOf } from '../terminals/tmux-sockets.js'

/** In ms of a quiet machine. */
const LIMIT_MS = 3000

export interface OwnPane {
  readonly driver: TerminalDriver
  readonly pane: LivePane
}

/** Null: not in tmux. */
export async function ownPane(env: Environment, agents: AgentTable): Promise<Known<OwnPane | null>> {
  const { CRASH_RESUME_SURFACE: _named, ...around } = env
  const binding = surfaceFromEnv(around, chainAbove(process.pid), unionOf(agents, 'backgroundVariables'))
  if ('unbound' in binding) return known(null)
  const { surfaceId } = binding.surface
  const socket = tmuxSocketOf(surfaceId)
  if (socket === null) return known(null)
  const driver = tmuxDriver({ socket, limitMs: LIMIT_MS })
  const listing = await driver.list()
  if (listing.state !== 'live') return unknown(listing.state === 'unknown' ? listing.reason : 'its server is gone')
  const pane = listing.panes.find((one) => one.surfaceId === surfaceId)
  return pane === undefined ? unknown('it does not list this pane') : known({ driver, pane })
}
