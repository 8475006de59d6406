/**
 * The running agents of this user, each with its name and the index where its hooks record it.
 */
import { isAbsolute } from 'node:path'
import { runsSession } from '../agents/headless.js'
import type { AgentTable } from '../agents/row.js'
import type { Environment } from '../core/environment.js'
import { type Known, known } from '../probes/known.js'
import type { Processes } from '../probes/processes.js'
import { defaultIndexPath, resolveIndexPath } from '../store/paths.js'
import type { NamedAgent } from './place-agents.js'

export function agentsOf(agents: AgentTable, processes: Processes): Known<readonly NamedAgent[]> {
  if (!processes.known) return processes
  const rows = Object.values(agents)
  return known(
    processes.value.flatMap((one): readonly NamedAgent[] => {
      if (one.namesSession || one.otherUser) return []
      const row = rows.find((each) => one.argv.length === 0 || runsSession(each, one.argv))
      return row === undefined ? [] : [{ ...one, agent: row.name, index: indexOf(one.env) }]
    })
  )
}

function indexOf(env: Environment | null): string | null {
  if (env === null) return null
  const path = defaultIndexPath(env)
  // Only its hooks know the folder that it is relative to.
  if (!isAbsolute(path)) return null
  try {
    return resolveIndexPath(path).view
  } catch {
    return null
  }
}
