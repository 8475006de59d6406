/**
 * The agents that this user runs, each under one name, with the index that its hooks record it in.
 */
import { isAbsolute } from 'node:path'
import type { AgentTable } from '../agents/row.js'
import type { Running } from '../probes/agents-here.js'
import type { RunningAgent } from '../probes/agents-running.js'
import { defaultIndexPath, resolveIndexPath } from '../store/paths.js'
import type { NamedAgent } from './place-agents.js'

/** The agents that this user runs, each under one name; null: they could not all be looked at. */
export function agentsOf(agents: AgentTable, running: Running): readonly NamedAgent[] | null {
  const found = new Map<string, NamedAgent>()
  for (const row of Object.values(agents)) {
    const processes = running(row, [])
    if (processes === null) return null
    for (const process of processes) {
      const key = `${process.owner.pid} ${process.owner.start}`
      if (process.stranger || process.otherUser || found.has(key)) continue
      found.set(key, { ...process, agent: row.name, index: indexOf(process.env) })
    }
  }
  return [...found.values()]
}

function indexOf(env: RunningAgent['env']): string | null {
  if (env === null) return null
  const path = defaultIndexPath(env)
  // What it is relative to, its hooks know.
  if (!isAbsolute(path)) return null
  try {
    return resolveIndexPath(path).view
  } catch {
    return null
  }
}
