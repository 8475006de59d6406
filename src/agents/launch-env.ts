/**
 * The variables that say where an agent keeps its sessions and which account it is: those on its row's list, and no
 * others, whatever a file says. An entry that has them is resumed, and looked for, with exactly those that its agent
 * was launched with: one that was not set then is not set now. Where they were not recorded, the path of the transcript
 * tells them as far as its row says; otherwise the caller's count.
 */
import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Environment } from '../core/environment.js'
import { textProblem } from '../core/ids.js'
import type { Entry } from '../core/schema.js'
import type { AgentRow } from './row.js'

type Homes = Pick<AgentRow, 'homeVariables' | 'homeOf'>

/** What is recorded of a launch with this environment; undefined: the row has no such variables. */
export function recordedEnv({ homeVariables }: Homes, env: Environment): Record<string, string> | undefined {
  if (homeVariables.length === 0) return undefined
  return picked(homeVariables, env)
}

/** What is known of an entry's launch. */
type Launched = Pick<Entry, 'env' | 'transcript'>

/** What to set for a start of the entry, and what to take out of the caller's environment. */
export function launchEnv(
  row: Homes,
  entry: Launched,
  home: string = process.env['HOME'] || homedir()
): { readonly set: Readonly<Record<string, string>>; readonly unset: readonly string[] } {
  const env = entry.env ?? toldBy(row, entry.transcript, home)
  if (env === undefined) return { set: {}, unset: [] }
  const set = picked(row.homeVariables, env)
  return { set, unset: row.homeVariables.filter((name) => !Object.hasOwn(set, name)) }
}

/** The variables that the path of the transcript tells; undefined: it tells nothing. */
function toldBy({ homeOf }: Homes, transcript: string | undefined, home: string): Entry['env'] {
  const folder = transcript === undefined ? undefined : homeOf?.folder(transcript)
  if (homeOf === undefined || folder == null || !isAbsolute(folder)) return undefined
  const usual = join(home, homeOf.fallback)
  // Named by its variable, the usual folder is not quite the same to an agent.
  return real(folder) === real(usual) ? {} : { [homeOf.variable]: folder }
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** The caller's environment as the entry's agent has it. */
export function agentEnv(row: Homes | undefined, entry: Launched, env: Environment): Environment {
  const { set, unset } = row === undefined ? { set: {}, unset: [] } : launchEnv(row, entry, env['HOME'] || undefined)
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
