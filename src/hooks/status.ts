/**
 * Whether our hooks are in the agents' settings, and whether what they start is there. Nothing here throws.
 */
import { readSettingsFile } from '../store/settings-file.js'
import { missingFiles } from './hook-command.js'
import { ourCommands } from './settings-edit.js'
import { HOOK_AGENTS, type HookTarget, hookTarget } from './targets.js'

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
export function hooksStatus(env: Readonly<Record<string, string | undefined>> = process.env): readonly HookStatus[] {
  return HOOK_AGENTS.flatMap((agent) => {
    const target = hookTarget(agent)
    return target === null ? [] : [statusOf(target, env)]
  })
}

function statusOf(target: HookTarget, env: Readonly<Record<string, string | undefined>>): HookStatus {
  const path = target.path(env)
  const base = { agent: target.agent, path, events: [], missing: [] }
  try {
    const text = readSettingsFile(path)
    if (text === null || text.trim() === '') return { ...base, state: 'not_installed' }
    const found = target.format === 'plugin' ? pluginCommands(text) : jsonCommands(target, text)
    if (found.length === 0) return { ...base, state: 'not_installed' }
    const missing = [...new Set(found.flatMap(([, command]) => missingFiles(command)))]
    const events = found.map(([event]) => event)
    const whole = target.events.every((event) => events.includes(event))
    return { ...base, events, missing, state: missing.length > 0 ? 'broken' : whole ? 'installed' : 'partly' }
  } catch (error) {
    return { ...base, state: 'unreadable', why: error instanceof Error ? error.message : 'an error' }
  }
}

function jsonCommands(target: HookTarget, text: string): [event: string, command: string][] {
  return target.events.flatMap((event) => ourCommands(text, event).map((command): [string, string] => [event, command]))
}

/** The plugin's command is its one list of words. */
function pluginCommands(text: string): [event: string, command: string][] {
  const words: unknown = JSON.parse(/^const command = (\[.*\])$/m.exec(text)?.[1] ?? '[]')
  if (!Array.isArray(words) || words.length === 0) return []
  return [['chat.message', words.map((word) => `'${String(word).replaceAll("'", `'\\''`)}'`).join(' ')]]
}
