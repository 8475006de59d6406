/**
 * The pane of tmux that this process is in, found by its id and never by which one is active.
 */

import { launches } from './core/agent-program.js'
import type { AgentRow } from './core/agent-row.js'
import type { Owner } from './core/schema.js'
import { sameOwner } from './core/verdicts.js'
import { runningAgents } from './probes/agents-running.js'
import { chainAbove } from './probes/ancestry.js'
import type { LivePane, TerminalDriver } from './terminals/driver.js'
import type { Environment } from './terminals/spaces.js'
import { surfaceFromEnv } from './terminals/surface-from-env.js'
import { tmuxSocketOf } from './terminals/tmux-sockets.js'
import { tmuxDriver } from './tmux.js'

/** A server that does not answer is not worth waiting for. */
const LIMIT_MS = 1000

export interface OwnPane {
  readonly driver: TerminalDriver
  readonly pane: LivePane
}

/** Null: not in tmux, or it could not be asked. */
export async function ownPane(env: Environment): Promise<OwnPane | null> {
  const { CRASH_RESUME_SURFACE: _named, ...around } = env
  const binding = surfaceFromEnv(around, chainAbove(process.pid))
  if ('unbound' in binding) return null
  const { surfaceId } = binding.surface
  const socket = tmuxSocketOf(surfaceId)
  if (socket === null) return null
  const driver = tmuxDriver({ socket, limitMs: LIMIT_MS })
  const listing = await driver.list()
  const pane = listing.state === 'live' ? listing.panes.find((one) => one.surfaceId === surfaceId) : undefined
  return pane === undefined ? null : { driver, pane }
}

/** The agent's own process at or below this one: not its launcher, and no agent that it has started itself. */
export function agentBelow(row: AgentRow, top: Owner): Owner | null {
  const all = runningAgents(row, () => null) ?? []
  const below = all.filter(
    ({ owner, ancestors }) => sameOwner(owner, top) || ancestors.some((above) => sameOwner(above, top))
  )
  let agent = below.find(({ ancestors }) => !below.some(({ owner }) => ancestors.some((one) => sameOwner(one, owner))))
  for (;;) {
    const launcher = agent
    const launched = below.find(
      ({ ancestors: [parent], argv }) =>
        launcher !== undefined &&
        parent !== undefined &&
        sameOwner(parent, launcher.owner) &&
        launches(launcher.argv, argv, row)
    )
    if (launched === undefined) return agent?.owner ?? null
    agent = launched
  }
}
