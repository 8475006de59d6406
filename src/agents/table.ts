/**
 * The agents that are known, by name. A caller adds or replaces rows by handing over a table of its own; nothing is
 * registered globally.
 */

import { claude } from './claude.js'
import { codex } from './codex.js'
import { copilot } from './copilot.js'
import { gemini } from './gemini.js'
import { opencode } from './opencode.js'
import { qwen } from './qwen.js'
import type { AgentRow, AgentTable } from './row.js'
import { unverifiedAgents } from './unverified.js'

/** The agent of entries that name none: their repo's launcher starts a Claude Code. */
export const DEFAULT_AGENT = 'claude'

export const AGENTS: AgentTable = byName([claude, codex, gemini, opencode, copilot, qwen, ...unverifiedAgents])

/** The known agents, with these rows added or in place of those of the same name. */
export function withAgents(rows: readonly AgentRow[]): AgentTable {
  return Object.assign(Object.create(null), AGENTS, byName(rows))
}

/**
 * True where an agent's output says that the session which it was to resume is not there: to be settled as
 * `session_gone`, and not tried again.
 */
export function saysSessionGone(agent: string, output: string, agents: AgentTable = AGENTS): boolean {
  const row = Object.hasOwn(agents, agent) ? agents[agent] : undefined
  return row?.sessionGone?.test(output) ?? false
}

function byName(rows: readonly AgentRow[]): AgentTable {
  const table: Record<string, AgentRow> = Object.create(null)
  for (const row of rows) table[row.name] = row
  return table
}
