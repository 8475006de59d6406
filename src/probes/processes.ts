/**
 * The agents' processes in this namespace, from one look at the machine, each with what tells its surface.
 *
 * An incomplete list counts as no list. If /proc cannot be read, or numbers processes differently, the answer is
 * unknown. The look is limited by the number of processes and not by time, because a machine is busiest right after a
 * crash. Environments are read for variables that name a surface or an index. None is stored.
 */
import { lstatSync, readdirSync } from 'node:fs'
import { runsSession } from '../agents/headless.js'
import { isOurs, runsAgent } from '../agents/program.js'
import type { AgentRow } from '../agents/row.js'
import type { Environment } from '../core/environment.js'
import type { Owner } from '../core/schema.js'
import { surfaceFromEnv } from '../terminals/surface-from-env.js'
import { chainAbove } from './ancestry.js'
import { type Known, known, unknown } from './known.js'
import { linuxEnvironment, listedProcess, type ProcessFacts, procIsOurs } from './proc-linux.js'
import { processTable, thisMachine } from './process.js'
import { sessionsShown } from './session-of-process.js'

/** A process of an agent, or another process that names a session in its arguments. */
export interface RunningAgent {
  readonly owner: Owner
  /** The processes above it, nearest first. */
  readonly ancestors: readonly Owner[]
  /** Empty: it may not be read. */
  readonly argv: readonly string[]
  /** Null: it may not be read. */
  readonly env: Environment | null
  /** The surface that its environment names; null: none, or unreadable. */
  readonly surfaceId: string | null
  /** It belongs to another user, who cannot have the transcript open: only its own user can read it. */
  readonly otherUser: boolean
  /** The sessions that it shows: in its note, or by the files that it holds. */
  readonly shows?: readonly string[]
  /** A background session's: it is on no surface. */
  readonly background?: true
  /** Not an agent's program, but it names a session in its arguments: a wrapper, or an agent by another name. */
  readonly namesSession?: true
}

/** All processes of every agent in question. */
export type Processes = Known<readonly RunningAgent[]>

const MAX_PROCESSES = 50_000

/** Multiplexers keep the arguments of the first program that they started, long after it has ended. */
const SERVERS = /^(tmux: (server|client)|screen|SCREEN|zellij)/

/**
 * One look at all processes.
 * @param agents the agents whose processes to list
 * @param sessions a process of another program is listed too if it names one of these in its arguments
 */
export function lookAtProcesses(agents: readonly AgentRow[], sessions: ReadonlySet<string> = new Set()): Processes {
  // Other systems do not show the environment of a process, so only few could be told apart.
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

/** The processes of one agent. A process with unreadable arguments may be one of them. */
export function ofAgent(all: Processes, agent: AgentRow): Processes {
  if (!all.known) return all
  return known(
    all.value.flatMap((one): readonly RunningAgent[] => {
      if (one.namesSession) return [one]
      if (one.argv.length === 0 || runsSession(agent, one.argv)) return [one]
      // Another agent's process. It may still name a session of this agent in its arguments.
      return [{ ...one, namesSession: true }]
    })
  )
}

/** Null: not an agent, or ended meanwhile. */
function look(pid: number, agents: readonly AgentRow[], sessions: ReadonlySet<string>): RunningAgent | null {
  const facts = listedProcess(pid)
  if (facts === null || facts.zombie) return null
  const { argv } = facts
  const words = argv ?? [facts.comm]
  const row = agents.find((agent) => runsAgent(words, agent))
  const isNaming = isNamed(argv ?? [], facts.comm, sessions)
  if (row === undefined && !isNaming) return null
  const machine = thisMachine()
  const asOwner = (link: ProcessFacts): Owner => ({ ...machine, pid: link.pid, start: link.start })
  const env = linuxEnvironment(pid)
  const shows = row === undefined ? [] : sessionsShown(row, asOwner(facts), env ?? process.env)
  // A chore runs no session, unless it shows one: it is looked at like a program of another kind.
  const isAgent = agents.some((agent) => runsSession(agent, words))
  if (!isAgent && !isNaming && shows.length === 0) return null
  const chain = chainAbove(pid, processTable())
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
    ...(shows.length === 0 ? {} : { shows }),
    ...(row?.backgroundVariables.some((name) => env?.[name]) ? { background: true } : {}),
    ...(isAgent ? {} : { namesSession: true })
  }
}

function isNamed(argv: readonly string[], comm: string, sessions: ReadonlySet<string>): boolean {
  if (sessions.size === 0 || SERVERS.test(comm) || isOurs(argv)) return false
  return idsIn(argv).some((id) => sessions.has(id))
}

/** The possible session ids in arguments: each word, and the part behind its last `=`. */
export function idsIn(argv: readonly string[]): readonly string[] {
  return argv.flatMap((word) => [word, word.slice(word.lastIndexOf('=') + 1)])
}

/** True if it is neither this user's nor root's. Root may read and write everything. */
function isOfAnotherUser(pid: number): boolean {
  try {
    const { uid } = lstatSync(`/proc/${pid}`)
    return uid !== 0 && uid !== process.getuid?.()
  } catch {
    return false
  }
}
