/**
 * Installs, removes and checks our hooks in the agents' own settings.
 *
 * A plan is made from the text that is there and says exactly what it will become; applying it makes the plan anew from
 * the file as it is then. Only our own commands are touched; what a person or another tool wrote stays as it is, to the
 * comment. Running it twice is running it once.
 */
import { rmSync } from 'node:fs'
import { CrashResumeError, invalidInput } from '../core/errors.js'
import { readSettingsFile, replaceSettingsFile } from '../store/settings-file.js'
import { type HookProgram, hookCommand, isOurPlugin, pluginText } from './hook-command.js'
import { withOurs, withoutOurs } from './settings-edit.js'
import { HOOK_AGENTS, type HookTarget, hookTarget } from './targets.js'

export type HookAction = 'install' | 'uninstall'

export interface HookPlanOptions extends HookProgram {
  /** Where the agents keep their settings is said here. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>
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
  /** What the agent still wants from the person. */
  readonly notes: readonly string[]
}

/**
 * What installing or removing our hooks would change.
 * @throws ERR_INVALID_INPUT: no hooks of this agent are known, or its settings are no JSON; ERR_IO
 */
export function planHooks(agent: string, action: HookAction, options: HookPlanOptions): HookPlan {
  const target = knownTarget(agent)
  const path = target.path(options.env ?? process.env)
  const before = readSettingsFile(path)
  const after =
    target.format === 'plugin'
      ? pluginAfter(target, action, before, path, options)
      : jsonAfter(target, action, before, path, options)
  return {
    agent,
    action,
    path,
    before,
    after,
    changed: after !== before,
    notes: action === 'install' ? target.notes : []
  }
}

/**
 * Installs or removes our hooks.
 * @returns what was done
 * @throws as planHooks
 */
export async function applyHooks(agent: string, action: HookAction, options: HookPlanOptions): Promise<HookPlan> {
  const plan = planHooks(agent, action, options)
  if (plan.changed && plan.after !== null) await replaceSettingsFile(plan.path, plan.after)
  else if (plan.changed) rmSync(plan.path)
  return plan
}

function knownTarget(agent: string): HookTarget {
  const target = hookTarget(agent)
  if (target !== null) return target
  const known = HOOK_AGENTS.join(', ')
  throw invalidInput('agent', `${JSON.stringify(agent)} has no hooks that are known; those of ${known} are`)
}

/** The whole file is ours, or somebody else's that we leave alone. */
function pluginAfter(
  target: HookTarget,
  action: HookAction,
  before: string | null,
  path: string,
  program: HookProgram
): string | null {
  if (before !== null && before.trim() !== '' && !isOurPlugin(before)) {
    const message = `${path} was written by something else; move it away, then try again`
    throw new CrashResumeError('ERR_INVALID_INPUT', message, { path })
  }
  return action === 'install' ? pluginText(target.agent, program) : null
}

function jsonAfter(
  target: HookTarget,
  action: HookAction,
  before: string | null,
  path: string,
  program: HookProgram
): string | null {
  if (action === 'uninstall' && (before === null || before.trim() === '')) return before
  const start = before === null || before.trim() === '' ? '{}\n' : before
  try {
    if (action === 'uninstall') return target.events.reduce(withoutOurs, start)
    const command = hookCommand(target.agent, program)
    return target.events.reduce((text, event) => withOurs(text, event, command, target.timeout), start)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const message = `${path} cannot be edited (${error.message}); mend it, then try again`
    throw new CrashResumeError('ERR_INVALID_INPUT', message, { path, cause: error })
  }
}
