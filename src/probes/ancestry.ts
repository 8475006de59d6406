/**
 * The processes above one, and the agent among them.
 *
 * A hook's process is a child of its agent, usually with shells and wrappers between. The agent is the nearest program
 * that a row knows, or the process whose number the agent told its children; another program between the two is an agent
 * of its own, unless it can be there for the hook alone. Where no row knows any, it is the one program of the pane that
 * cannot be there for the hook alone: one that is no shell and no wrapper, and is either the only one, or outside of the
 * session in which the hook was started. A process that ends with the hook would prove the session dead while it runs.
 */

import { type AgentProgram, launches, parseArgv, programName, runsAgent, runsNoAgent } from '../agents/program.js'
import type { Environment } from '../core/environment.js'
import type { Machine, Owner } from '../core/schema.js'
import { nearestServer } from '../terminals/surface-from-env.js'
import type { ProcessFacts } from './proc-linux.js'
import { type ProcessTable, processTable, thisMachine } from './process.js'

/** No real chain is this long. A longer one is cut off here and counts as incomplete. */
const MAX_DEPTH = 64
const MAX_LAUNCHERS = 3

/** The processes above one, nearest first. */
export interface Chain {
  readonly links: readonly ProcessFacts[]
  /** False if a process could not be seen, so the chain may continue further up. */
  readonly complete: boolean
  /** The variables that a process was started with; null: they cannot be read. */
  readonly env: ProcessTable['env']
}

/** Walks up from `pid`, which is not itself in the chain, to the first process of the machine or namespace. */
export function chainAbove(pid: number, table: ProcessTable = processTable()): Chain {
  const links: ProcessFacts[] = []
  let below = table.facts(pid)
  while (below !== null && links.length < MAX_DEPTH) {
    // 0: the parent is the kernel, or outside the namespace.
    if (below.ppid === 0) return { links, complete: true, env: table.env }
    const link = table.facts(below.ppid)
    // The parent is gone and its number belongs to a later process: the chain above is unknown.
    if (link === null || startedAfter(link, below)) break
    links.push(link)
    below = link
  }
  return { links, complete: false, env: table.env }
}

/** Linux counts in ticks since the boot. The dates of macOS have no order as text, so they are not compared. */
function startedAfter(link: ProcessFacts, child: ProcessFacts): boolean {
  return /^\d+$/.test(link.start) && Number(link.start) > Number(child.start)
}

/** The identities of the processes above `pid`, nearest first. */
export function ancestorsOf(pid: number, table: ProcessTable = processTable()): Owner[] {
  return chainAbove(pid, table).links.map((link) => asOwner(link, thisMachine()))
}

function asOwner(link: ProcessFacts, machine: Machine): Owner {
  return { ...machine, pid: link.pid, start: link.start }
}

/** An agent's process, found from a process below it. */
export interface AgentProcess {
  /** The agent's name; of a program that no row knows, the program's own. */
  readonly name: string
  /** A row knows the program. */
  readonly isKnown: boolean
  readonly owner: Owner
  readonly argv: readonly string[]
  /** These are all the arguments that it was started with. */
  readonly isWhole: boolean
  /** The processes above the agent's, nearest first, up to the terminal server. */
  readonly ancestors: readonly Owner[]
  /** The name of the agent that this one runs inside; null: none. */
  readonly inside: string | null
}

export interface AgentAboveOptions {
  /** Every agent that it may be. */
  readonly agents: readonly AgentProgram[]
  readonly env: Environment
  readonly table?: ProcessTable
  /** The result of chainAbove, if you have it already. */
  readonly chain?: Chain
  /** @default this one */
  readonly machine?: Machine
  /** Whether what the hook was told names its session as that of the nearest known agent; absent: it does not say. */
  readonly isToldSame?: boolean | undefined
}

/** `unclear`: several processes may be the agent. Null: no process above is one. */
export type AgentAbove = AgentProcess | 'unclear' | null

/** A process above the hook, below the terminal server. */
interface Step {
  readonly link: ProcessFacts
  readonly argv: readonly string[]
  readonly row: AgentProgram | undefined
}

/**
 * The agent whose hook `pid` is.
 * @param pid a process that the agent started
 */
export function agentAbove(pid: number, options: AgentAboveOptions): AgentAbove {
  const { agents, env, table = processTable(), machine = thisMachine() } = options
  const { links } = options.chain ?? chainAbove(pid, table)
  const server = nearestServer(env, { links })?.at
  const steps = links.slice(0, server).map((link): Step => {
    const argv = table.argv(link.pid) ?? [link.comm]
    return { link, argv, row: rowOf(link, argv, agents, env) }
  })
  // Without a server, what has no terminal and nothing below it that has one is no part of the pane.
  const end = server ?? links.findLastIndex(({ terminal }) => terminal) + 1
  const at = steps.findIndex(({ row }) => row !== undefined)
  const found = choose(steps, at, { end, session: table.facts(pid)?.session, isToldSame: options.isToldSame })
  if (found === 'unclear' || found === undefined) return found ?? null
  const from = steps.indexOf(found)
  let top = from
  const { row } = found
  if (row !== undefined) {
    const isLauncher = (): boolean => launches(steps[top + 1]?.argv ?? [], steps[top]?.argv ?? [], row)
    while (top - from < MAX_LAUNCHERS && isLauncher()) top++
  }
  return {
    name: row?.name ?? programName(parseArgv(found.argv).script ?? found.argv[0] ?? found.link.comm),
    isKnown: row !== undefined,
    owner: asOwner(found.link, machine),
    argv: found.argv,
    isWhole: table.argv(found.link.pid) !== null && table.hasTitle?.(found.link.pid) === false,
    ancestors: steps.slice(from + 1).map(({ link }) => asOwner(link, machine)),
    inside: steps.slice(top + 1).find((step) => step.row !== undefined)?.row?.name ?? null
  }
}

function rowOf(
  { pid }: ProcessFacts,
  argv: readonly string[],
  agents: readonly AgentProgram[],
  env: Environment
): AgentProgram | undefined {
  const isTold = ({ pidVariable }: AgentProgram): boolean =>
    pidVariable !== undefined && Number(env[pidVariable]) === pid
  return agents.find((agent) => runsAgent(argv, agent)) ?? agents.find(isTold)
}

interface Bounds {
  /** Where the pane's processes end. */
  readonly end: number
  /** The terminal session of the hook. */
  readonly session: number | undefined
  readonly isToldSame: boolean | undefined
}

/** @param at the nearest process that a row knows; -1: none */
function choose(
  steps: readonly Step[],
  at: number,
  { end, session, isToldSame }: Bounds
): Step | 'unclear' | undefined {
  const between = steps.slice(0, at === -1 ? end : at).filter(({ argv }) => !runsNoAgent(argv))
  // An agent that starts its hooks in a session of their own is outside of it; what manages hooks is inside.
  const outside = between.filter(({ link }) => link.session !== session)
  if (at !== -1) return outside[0] ?? (isToldSame === false ? between[0] : undefined) ?? steps[at]
  if (outside.length === between.length || between.length === 1) return between[0]
  return 'unclear'
}
