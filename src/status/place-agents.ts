/**
 * Finds the owner of each running agent: an entry, another agent that it runs inside, or none.
 *
 * Pure: the processes are an argument. An agent and its launcher are one, and only the agent is listed. Everything
 * inside an agent belongs to that agent, so the nearest process above counts before the agent's own arguments.
 */
import { launches } from '../agents/program.js'
import type { AgentTable } from '../agents/row.js'
import { sameOwner } from '../core/owner.js'
import type { Entry, Owner } from '../core/schema.js'
import { idsIn, type RunningAgent } from '../probes/processes.js'

/** A running process, with the name of its agent. */
export interface NamedAgent extends Omit<RunningAgent, 'env'> {
  readonly agent: string
  /** The index that its environment names, where its hooks record it; null: unknown. */
  readonly index: string | null
}

export interface PlacedAgent {
  readonly running: NamedAgent
  /** The surface of the entry that records this process, or whose session is in its arguments. */
  readonly holder: string | null
  /** The agent that it runs inside, with its surface if the index has it. */
  readonly inside: { readonly pid: number; readonly surfaceId: string | null } | null
}

/** Each running agent once, in the given order. */
export function placeAgents(
  processes: readonly NamedAgent[],
  entries: readonly Entry[],
  agents: AgentTable
): readonly PlacedAgent[] {
  const launcherOf = (child: NamedAgent): NamedAgent | undefined => {
    const [parent] = child.ancestors
    const row = Object.hasOwn(agents, child.agent) ? agents[child.agent] : undefined
    if (parent === undefined || row === undefined) return undefined
    return processes.find(
      (other) => sameOwner(other.owner, parent) && other.agent === row.name && launches(other.argv, child.argv, row)
    )
  }
  const launchers = new Set(processes.map(launcherOf))
  const agentsOnly = processes.filter((one) => !launchers.has(one))
  return agentsOnly.map((running) => {
    const own = [running.owner, ...startedBy(running, launcherOf)]
    const recorded = entryOf(own, entries)
    if (recorded !== undefined) return { running, holder: recorded.surfaceId, inside: null }
    const above = running.ancestors.filter((owner) => !own.some((one) => sameOwner(one, owner)))
    const known = above.some((owner) => entryOf([owner], entries) !== undefined)
    const named = known ? undefined : entries.find((entry) => names(running, entry))
    if (named !== undefined) return { running, holder: named.surfaceId, inside: null }
    return { running, holder: null, inside: insideOf(above, agentsOnly, entries) }
  })
}

/** The launchers of a process. There may be several. */
function startedBy(child: NamedAgent, launcherOf: (child: NamedAgent) => NamedAgent | undefined): readonly Owner[] {
  const parent = launcherOf(child)
  return parent === undefined ? [] : [parent.owner, ...startedBy(parent, launcherOf)]
}

function insideOf(
  above: readonly Owner[],
  agents: readonly NamedAgent[],
  entries: readonly Entry[]
): PlacedAgent['inside'] {
  for (const owner of above) {
    const entry = entryOf([owner], entries)
    if (entry !== undefined) return { pid: owner.pid, surfaceId: entry.surfaceId }
    const agent = agents.find((other) => sameOwner(other.owner, owner))
    if (agent === undefined) continue
    const named = entries.find((other) => names(agent, other))
    return { pid: owner.pid, surfaceId: named?.surfaceId ?? null }
  }
  return null
}

function entryOf(owners: readonly Owner[], entries: readonly Entry[]): Entry | undefined {
  return entries.find(({ proc }) => proc !== undefined && owners.some((owner) => sameOwner(owner, proc)))
}

/** A moved session belongs to the entry that it moved to. */
function names({ argv, agent, shows = [] }: NamedAgent, entry: Entry): boolean {
  if (entry.reason === 'moved' || (entry.agent !== undefined && entry.agent !== agent)) return false
  return idsIn(argv).concat(shows).includes(entry.sessionId)
}
