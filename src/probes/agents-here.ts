/**
 * The processes of all known agents from one look at the machine, in place of one look an agent and an entry.
 */

import { type AgentProgram, runsAgent } from '../agents/program.js'
import type { AgentRow, AgentTable } from '../agents/row.js'
import { surfaceOfEnv } from './agent-look.js'
import { type RunningAgent, runningAgents } from './agents-running.js'

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
