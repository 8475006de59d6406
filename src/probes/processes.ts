/**
 * The agents' processes that run in this namespace, from one look at the machine, each with what tells whose it is.
 *
 * A list that may be short of one is none: where /proc cannot be read, or numbers processes otherwise than this process
 * does, the answer is that nothing is known. The look is bounded by the number of processes and not by time, since a
 * machine is busiest right after a crash. Environments are looked at for variables that name a surface or an index; none
 * is kept on disk.
 */
import { lstatSync, readdirSync } from 'node:fs'
import { runsAgent } from '../agents/program.js'
import type { AgentRow } from '../agents/row.js'
import type { Environment } from '../core/environment.js'
import type { Owner } from '../core/schema.js'
import { surfaceFromEnv } from '../terminals/surface-from-env.js'
import { chainAbove } from './ancestry.js'
import { type Known, known, unknown } from './known.js'
import { readText } from './machine-id.js'
import { listedProcess, type ProcessFacts, procIsOurs } from './proc-linux.js'
import { processTable, thisMachine } from './process.js'

/** A process of an agent, or one that has a session among its arguments. */
export interface RunningAgent {
  readonly owner: Owner
  /** The processes above it, nearest first. */
  readonly ancestors: readonly Owner[]
  /** Empty where it may not be read. */
  readonly argv: readonly string[]
  /** Null where it may not be read. */
  readonly env: Environment | null
  /** The surface that its environment binds it to; null: none, or it could not be read. */
  readonly surfaceId: string | null
  /** Of another user, who cannot have the transcript open: it is readable for its own user alone. */
  readonly otherUser: boolean
  /** Not an agent's program, but one of its arguments is a session: a wrapper, or an agent by another name. */
  readonly namesSession?: true
}

/** All of them, of every agent asked about. */
export type Processes = Known<readonly RunningAgent[]>

const MAX_PROCESSES = 50_000

/** Multiplexers keep the arguments of the first program that they were asked to start, long after that has ended. */
const SERVERS = /^(tmux: (server|client)|screen|SCREEN|zellij)/
/** Our own command line names sessions too. */
const OURS = /(^|\/)(cli\.cjs|crash-resume-index)$/

/**
 * One look at all processes.
 * @param agents whose processes are wanted
 * @param sessions a process of another program that has one of these among its arguments comes along
 */
export function lookAtProcesses(agents: readonly AgentRow[], sessions: ReadonlySet<string> = new Set()): Processes {
  // Elsewhere a process's environment cannot be read, so that only few could be told apart.
  if (process.platform !== 'linux') return unknown(`the processes of ${process.platform} cannot be told apart`)
  if (!procIsOurs()) return unknown('/proc shows the processes of another namespace')
  try {
    const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    if (names.length > MAX_PROCESSES) return unknown(`more than ${MAX_PROCESSES} processes run`)
    return known(names.flatMap((name) => look(Number(name), agents, sessions) ?? []))
  } catch (error) {
    return unknown(`/proc cannot be read: ${error instanceof Error ? error.message : 'an error'}`)
  }
}

/** Those of one agent. One whose arguments cannot be read may be its. */
export function ofAgent(all: Processes, agent: AgentRow): Processes {
  if (!all.known) return all
  return known(
    all.value.flatMap((one): readonly RunningAgent[] => {
      if (one.namesSession) return [one]
      if (one.argv.length === 0 || runsAgent(one.argv, agent)) return [one]
      // Another agent's process, which may still have a session of this one among its arguments.
      return [{ ...one, namesSession: true }]
    })
  )
}

/** Null: no process of an agent, or one that has ended meanwhile. */
function look(pid: number, agents: readonly AgentRow[], sessions: ReadonlySet<string>): RunningAgent | null {
  const facts = listedProcess(pid)
  if (facts === null || facts.zombie) return null
  const { argv } = facts
  const isAgent = agents.some((agent) => runsAgent(argv ?? [facts.comm], agent))
  if (!isAgent && !isNamed(argv ?? [], facts.comm, sessions)) return null
  const machine = thisMachine()
  const chain = chainAbove(pid, processTable())
  const env = environmentOf(pid)
  const asOwner = (link: ProcessFacts): Owner => ({ ...machine, pid: link.pid, start: link.start })
  const binding =
    env === null
      ? null
      : surfaceFromEnv(
          env,
          chain,
          agents.flatMap(({ backgroundVariables }) => backgroundVariables)
        )
  return {
    owner: asOwner(facts),
    ancestors: chain.links.map(asOwner),
    argv: argv ?? [],
    env,
    surfaceId: binding !== null && 'surface' in binding ? binding.surface.surfaceId : null,
    otherUser: isOfAnotherUser(pid),
    ...(isAgent ? {} : { namesSession: true })
  }
}

function isNamed(argv: readonly string[], comm: string, sessions: ReadonlySet<string>): boolean {
  if (sessions.size === 0 || SERVERS.test(comm) || argv.slice(0, 2).some((word) => OURS.test(word))) return false
  return idsIn(argv).some((id) => sessions.has(id))
}

/** What may be a session's id among arguments: each word, and what follows its first `=`. */
export function idsIn(argv: readonly string[]): readonly string[] {
  return argv.flatMap((word) => [word, word.slice(word.lastIndexOf('=') + 1)])
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
