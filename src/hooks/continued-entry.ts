/**
 * The entry whose conversation a background session goes on with. Its environment names no pane, or another one's.
 */
import { agentEnv } from '../agents/launch-env.js'
import type { AgentRow } from '../agents/row.js'
import type { Environment } from '../core/environment.js'
import { sameOwner } from '../core/owner.js'
import type { Entry, Index } from '../core/schema.js'
import type { AgentProcess } from '../probes/ancestry.js'
import { nextSession } from '../probes/continued.js'

export interface BackgroundSession {
  readonly sessionId: string
  /** The agent's own process; null: not found. */
  readonly process: AgentProcess | null
  readonly env: Environment
}

/** Null: no entry's, so far as the agent's files tell. */
export async function continuedEntry(
  index: Index,
  row: AgentRow,
  { sessionId, process, env }: BackgroundSession
): Promise<Entry | null> {
  const entries = Object.values(index.entries).filter(({ agent, reason }) => agent === row.name && reason !== 'moved')
  const own = entries.find(
    (entry) => entry.sessionId === sessionId || (entry.proc && process && sameOwner(entry.proc, process.owner))
  )
  if (own !== undefined) return own
  for (const entry of entries) {
    const next = await nextSession(row, entry, agentEnv(row, entry, env))
    if (next.known && next.value === sessionId) return entry
  }
  return null
}
