/**
 * The processes of an agent that run in this namespace, each with what tells whose it is.
 *
 * A list that may be short of one is none: where /proc cannot be gone through in time, or is not ours, the answer is
 * null. Only the variables that name a surface are taken from an environment, and none is kept.
 */
import { lstatSync, readdirSync } from 'node:fs'
import { type AgentProgram, runsAgent } from '../agents/program.js'
import { chainAbove } from './ancestry.js'
import { readText } from './machine-id.js'
import type { AgentProcessSeen } from './presence.js'
import { linuxArgv, linuxFacts, type ProcessFacts, procIsOurs } from './proc-linux.js'
import { processTable, thisMachine } from './process.js'

export type Environment = Readonly<Record<string, string | undefined>>

/** Works out the surface of a process; src/terminals does. */
export type SurfaceOf = (
  env: Environment,
  above: { readonly links: readonly ProcessFacts[]; readonly complete: boolean }
) => string | null

const LIMIT_MS = 300
const MAX_PROCESSES = 50_000

/** An agent's process and its environment's variables. */
export interface RunningAgent extends AgentProcessSeen {
  readonly pid: number
  /** Null where it may not be read. */
  readonly env: Environment | null
}

/** Multiplexers keep the arguments of the first program that they were asked to start, long after that has ended. */
const SERVERS = /^(tmux: (server|client)|screen|SCREEN|zellij)/
/** Our own command line names sessions too. */
const OURS = /(^|\/)(cli\.cjs|crash-resume-index)$/

/**
 * @param ids sessions: a process of another program that has one among its arguments comes along as a stranger
 * @returns null where they could not all be looked at
 */
export function runningAgents(
  agent: AgentProgram,
  surfaceOf: SurfaceOf,
  ids: readonly string[] = [],
  limitMs: number = LIMIT_MS
): RunningAgent[] | null {
  // Elsewhere a process's environment cannot be read, so that only few would be told apart.
  if (process.platform !== 'linux' || !procIsOurs()) return null
  const late = performance.now() + limitMs
  const found: RunningAgent[] = []
  try {
    const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    if (names.length > MAX_PROCESSES) return null
    for (const name of names) {
      if (performance.now() > late) return null
      const one = look(Number(name), agent, surfaceOf, ids)
      if (one !== null) found.push(one)
    }
  } catch {
    return null
  }
  return found
}

/** Null: no process of the agent, or one that has ended meanwhile. */
function look(pid: number, agent: AgentProgram, surfaceOf: SurfaceOf, ids: readonly string[]): RunningAgent | null {
  const argv = linuxArgv(pid)
  const facts = linuxFacts(pid)
  if (facts === null || facts.zombie) return null
  const stranger = !runsAgent(argv ?? [facts.comm], agent)
  if (stranger && !isNamed(argv ?? [], facts.comm, ids)) return null
  const machine = thisMachine()
  const chain = chainAbove(pid, processTable())
  const env = environmentOf(pid)
  const asOwner = (link: ProcessFacts): RunningAgent['owner'] => ({ ...machine, pid: link.pid, start: link.start })
  return {
    pid,
    owner: asOwner(facts),
    ancestors: chain.links.map(asOwner),
    argv: argv ?? [],
    env,
    surfaceId: env === null ? null : surfaceOf(env, chain),
    otherUser: isOfAnotherUser(pid),
    ...(stranger ? { stranger } : {})
  }
}

function isNamed(argv: readonly string[], comm: string, ids: readonly string[]): boolean {
  if (ids.length === 0 || SERVERS.test(comm) || argv.slice(0, 2).some((word) => OURS.test(word))) return false
  return argv.some((word) => ids.some((id) => word === id || word.endsWith(`=${id}`)))
}

/** What a process was started with; null where it may not be read. */
export function environmentOf(pid: number): Environment | null {
  const text = readText(`/proc/${pid}/environ`)
  if (text === null) return null
  const env: Record<string, string> = Object.create(null)
  for (const pair of text.split('\0')) {
    const at = pair.indexOf('=')
    if (at > 0) env[pair.slice(0, at)] = pair.slice(at + 1)
  }
  return env
}

/** Neither this user's nor root's, who may read and write everything. */
function isOfAnotherUser(pid: number): boolean {
  try {
    const { uid } = lstatSync(`/proc/${pid}`)
    return uid !== 0 && uid !== process.getuid?.()
  } catch {
    return false
  }
}
