/**
 * The variables that say where an agent keeps its sessions and which account it is: those on its row's list, and no
 * others, whatever a file says. An entry that has them is resumed, and looked for, with exactly those that its agent
 * was launched with: one that was not set then is not set now. An entry without them takes the caller's.
 */
import type { Environment } from '../core/environment.js'
import { textProblem } from '../core/ids.js'
import type { Entry } from '../core/schema.js'
import type { AgentRow } from './row.js'

type Homes = Pick<AgentRow, 'homeVariables'>

/** What is recorded of a launch with this environment; undefined: the row has no such variables. */
export function recordedEnv({ homeVariables }: Homes, env: Environment): Record<string, string> | undefined {
  if (homeVariables.length === 0) return undefined
  return picked(homeVariables, env)
}

/** What to set for a start of the entry, and what to take out of the caller's environment. */
export function launchEnv(
  { homeVariables }: Homes,
  { env }: Pick<Entry, 'env'>
): { readonly set: Readonly<Record<string, string>>; readonly unset: readonly string[] } {
  if (env === undefined) return { set: {}, unset: [] }
  const set = picked(homeVariables, env)
  return { set, unset: homeVariables.filter((name) => !Object.hasOwn(set, name)) }
}

/** The caller's environment as the entry's agent has it. */
export function agentEnv(row: Homes | undefined, entry: Pick<Entry, 'env'>, env: Environment): Environment {
  const { set, unset } = row === undefined ? { set: {}, unset: [] } : launchEnv(row, entry)
  const left = Object.entries(env).filter(([name]) => !unset.includes(name))
  return { ...Object.fromEntries(left), ...set }
}

function picked(names: readonly string[], env: Environment): Record<string, string> {
  const set: Record<string, string> = {}
  for (const name of names) {
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    if (value !== undefined && textProblem(value) === null) set[name] = value
  }
  return set
}
