/**
 * The processes of all known agents from one look at the machine, in place of one look an agent and an entry.
 */

import { isAbsolute } from 'node:path'
import { surfaceOfEnv } from './agent-look.js'
import { type AgentProgram, runsAgent } from './core/agent-program.js'
import type { AgentRow, AgentTable } from './core/agent-row.js'
import type { NamedAgent } from './core/agent-tree.js'
import { type RunningAgent, runningAgents } from './probes/agents-running.js'
import { defaultIndexPath, resolveIndexPath } from './store/paths.js'

/** As AgentLookOptions.running: those of one agent, and strangers that have one of the sessions among their arguments. */
export type Running = (row: AgentRow, ids: readonly string[]) => readonly RunningAgent[] | null

/** A person waits for it, not an agent. */
const LIMIT_MS = 2000

/** @param ids the sessions that strangers may be of */
export function lookOnce(agents: AgentTable, ids: readonly string[]): Running {
  const rows = Object.values(agents)
  const any: AgentProgram = {
    name: 'any',
    programs: rows.flatMap(({ programs }) => programs),
    packages: rows.flatMap(({ packages }) => packages ?? [])
  }
  const all = runningAgents(any, surfaceOfEnv, ids, LIMIT_MS)
  if (all === null) return () => null
  return (row, wanted) =>
    all.flatMap((process) => {
      // Arguments that cannot be read are no proof that it is another agent's.
      if (process.stranger === undefined && process.argv.length === 0) return [process]
      if (runsAgent(process.argv, row)) return [process]
      const named = process.argv.some((word) => wanted.some((id) => word === id || word.endsWith(`=${id}`)))
      return named ? [{ ...process, stranger: true as const }] : []
    })
}

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
