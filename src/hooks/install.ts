/**
 * Installs, removes and checks our hooks in the agents' own settings.
 *
 * A plan says exactly what the file will become; applying it plans again, from the file as it is then. Only our own
 * commands are touched; what a person or another tool wrote stays as it is, to the comment. Running it twice is running
 * it once.
 */

import { rmSync } from 'node:fs'
import type { AgentHooks } from '../agents/hook-facts.js'
import type { AgentTable } from '../agents/row.js'
import { AGENTS, rowFor } from '../agents/table.js'
import type { Environment } from '../core/environment.js'
import { CrashResumeError, invalidInput } from '../core/errors.js'
import { readSettingsFile, replaceSettingsFile } from '../store/settings-file.js'
import { type HookProgram, hookCommand, isOurPlugin, pluginText } from './hook-command.js'
import { withOurs, withoutOurs } from './settings-edit.js'
import { settingsPath } from './status.js'

/** What to do with our hooks. */
export type HookAction = 'install' | 'uninstall'

/** What starts our hooks, and where the agents keep their settings. */
export interface HookPlanOptions extends HookProgram {
  /** Where the agents keep their settings is said here. @default process.env */
  readonly env?: Environment | undefined
  /** @default the table of this library */
  readonly agents?: AgentTable | undefined
}

/** What a settings file is and will be. */
export interface HookPlan {
  readonly agent: string
  readonly action: HookAction
  readonly path: string
  /** Null: no such file. */
  readonly before: string | null
  /** Null: there will be no such file. */
  readonly after: string | null
  readonly changed: boolean
  /** What the agent still needs from the person. */
  readonly notes: readonly string[]
}

/**
 * What installing or removing our hooks would change.
 * @throws ERR_INVALID_INPUT: no hooks of this agent are known, or its settings are no JSON; ERR_IO
 */
export function planHooks(agent: string, action: HookAction, options: HookPlanOptions): HookPlan {
  const hooks = hooksOf(agent, options.agents ?? AGENTS)
  const path = settingsPath(hooks, options.env ?? process.env)
  const before = readSettingsFile(path)
  const after =
    hooks.format === 'plugin'
      ? pluginAfter(action, before, path, pluginText(agent, hooks.script, options))
      : jsonAfter(hooks, action, before, path, hookCommand(agent, options))
  const notes = action === 'install' ? hooks.notes : []
  return { agent, action, path, before, after, changed: after !== before, notes }
}

/**
 * Installs or removes our hooks.
 * @returns what was done
 * @throws as planHooks
 * @example
 * import { applyHooks } from 'crash-resume-index/hooks'
 * const { changed, notes } = await applyHooks('claude', 'install', { node: process.execPath, bin: '/opt/cli.cjs' })
 */
export async function applyHooks(agent: string, action: HookAction, options: HookPlanOptions): Promise<HookPlan> {
  const plan = planHooks(agent, action, options)
  if (plan.changed && plan.after !== null) await replaceSettingsFile(plan.path, plan.after)
  else if (plan.changed) rmSync(plan.path)
  return plan
}

function hooksOf(agent: string, agents: AgentTable): AgentHooks {
  const hooks = rowFor(agent, agents)?.hooks
  if (hooks !== undefined) return hooks
  const known = Object.values(agents).flatMap((row) => (row.hooks === undefined ? [] : [row.name]))
  const next = `choose one of ${known.join(', ')}, or record its sessions yourself`
  throw invalidInput('agent', `${JSON.stringify(agent)} has no hooks that are known`, next)
}

/** The whole file is ours, or something else's that we leave alone. */
function pluginAfter(action: HookAction, before: string | null, path: string, ours: string): string | null {
  if (before !== null && before.trim() !== '' && !isOurPlugin(before)) {
    const next = 'move it away, then run the command again'
    throw new CrashResumeError('ERR_INVALID_INPUT', `${path} was written by something else`, { next, path })
  }
  return action === 'install' ? ours : null
}

function jsonAfter(
  hooks: AgentHooks & { readonly format: 'json' },
  action: HookAction,
  before: string | null,
  path: string,
  command: string
): string | null {
  const isEmpty = before === null || before.trim() === ''
  if (action === 'uninstall' && isEmpty) return before
  try {
    if (action === 'uninstall') return hooks.events.reduce(withoutOurs, before ?? '')
    const start = isEmpty ? '{}\n' : before
    return hooks.events.reduce((text, event) => withOurs(text, event, command, hooks.timeout), start)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const what = `${path} cannot be edited (${error.message})`
    const next = 'fix it, then run the command again'
    throw new CrashResumeError('ERR_INVALID_INPUT', what, { next, path, cause: error })
  }
}
