/**
 * Whether our hooks are in the agents' settings, and whether what they start is there. Nothing here throws.
 */

import { agentPlace } from '../agents/agent-place.js'
import type { AgentHooks } from '../agents/hook-facts.js'
import { AGENTS } from '../agents/table.js'
import type { Environment } from '../core/environment.js'
import { readSettingsFile } from '../store/settings-file.js'
import { commandOfPlugin, missingFiles } from './hook-command.js'
import type { HookOptions } from './run-hook.js'
import { ourCommands } from './settings-edit.js'

/** How an agent's hooks stand. */
export interface HookStatus {
  readonly agent: string
  readonly path: string
  /** `partly`: not under every event. `broken`: a command of ours starts a file that is not there. */
  readonly state: 'installed' | 'partly' | 'broken' | 'not_installed' | 'unreadable'
  readonly events: readonly string[]
  /** Files that are not there. */
  readonly missing: readonly string[]
  readonly why?: string
}

/** The state of our hooks in every agent that can have them. Never throws. */
export function hooksStatus(options: Pick<HookOptions, 'env' | 'agents'> = {}): readonly HookStatus[] {
  const { env = process.env, agents = AGENTS } = options
  return Object.values(agents).flatMap(({ name, hooks }) => (hooks === undefined ? [] : [statusOf(name, hooks, env)]))
}

function statusOf(agent: string, hooks: AgentHooks, env: Environment): HookStatus {
  const path = settingsPath(hooks, env)
  const base = { agent, path, events: [], missing: [] }
  try {
    const text = readSettingsFile(path)
    if (text === null || text.trim() === '') return { ...base, state: 'not_installed' }
    const found = hooks.events.flatMap((event) => commandsIn(text, hooks, event).map((command) => ({ event, command })))
    if (found.length === 0) return { ...base, state: 'not_installed' }
    const missing = [...new Set(found.flatMap(({ command }) => missingFiles(command)))]
    const events = found.map(({ event }) => event)
    const whole = hooks.events.every((event) => events.includes(event))
    return { ...base, events, missing, state: missing.length > 0 ? 'broken' : whole ? 'installed' : 'partly' }
  } catch (error) {
    return { ...base, state: 'unreadable', why: error instanceof Error ? error.message : 'an error' }
  }
}

/** The file that an agent's hooks are in. */
export function settingsPath(hooks: AgentHooks, env: Environment): string {
  return hooks.path({ ...agentPlace(env), cwd: process.cwd() })
}

/** Our commands under this event; a script of ours tells of all of them. */
function commandsIn(text: string, { format }: AgentHooks, event: string): readonly string[] {
  return format === 'plugin' ? [commandOfPlugin(text) ?? []].flat() : ourCommands(text, event)
}
