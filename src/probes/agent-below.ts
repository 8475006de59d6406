/**
 * The agent that runs below a process, such as the first one of a pane.
 */
import { launches } from '../agents/program.js'
import type { AgentRow } from '../agents/row.js'
import { sameOwner } from '../core/owner.js'
import type { Owner } from '../core/schema.js'
import { runningAgents } from './agents-running.js'

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
