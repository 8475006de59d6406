/**
 * The processes above one, and the agent among them.
 *
 * A hook's process is a child of its agent, usually with a shell between. The agent is the nearest process above that
 * runs the agent's program, or the process above whose number the agent told its children. It is never "the first
 * process that is no shell": that could be a wrapper such as `timeout`, which ends with the hook and would prove the
 * session dead while it runs. Without a match the agent is unknown.
 */

import { type AgentProgram, launches, runsAgent } from '../agents/program.js'
import type { Machine, Owner } from '../core/schema.js'
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
}

/** Walks up from `pid`, which is not itself in the chain, to the first process of the machine or namespace. */
export function chainAbove(pid: number, table: ProcessTable = processTable()): Chain {
  const links: ProcessFacts[] = []
  let below = table.facts(pid)
  while (below !== null && links.length < MAX_DEPTH) {
    // 0: the parent is the kernel, or outside the namespace.
    if (below.ppid === 0) return { links, complete: true }
    const link = table.facts(below.ppid)
    // The parent is gone and its number belongs to a later process: the chain above is unknown.
    if (link === null || startedAfter(link, below)) break
    links.push(link)
    below = link
  }
  return { links, complete: false }
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
  readonly owner: Owner
  readonly argv: readonly string[]
  /** The processes above the agent's, nearest first. */
  readonly ancestors: readonly Owner[]
  /** The name of the agent that this one runs inside; null: none. */
  readonly inside: string | null
}

export interface AgentAboveOptions {
  /** Every agent that it may run inside. */
  readonly agents: readonly AgentProgram[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly table?: ProcessTable
  /** The result of chainAbove, if you have it already. */
  readonly chain?: Chain
  /** @default this one */
  readonly machine?: Machine
}

/**
 * The process of `agent` above `pid`.
 * @param pid a process that the agent started
 * @returns null if no process above runs the agent
 */
export function agentAbove(pid: number, agent: AgentProgram, options: AgentAboveOptions): AgentProcess | null {
  const table = options.table ?? processTable()
  const { links } = options.chain ?? chainAbove(pid, table)
  const argv = links.map((link) => table.argv(link.pid) ?? [link.comm])
  const machine = options.machine ?? thisMachine()
  const told = agent.pidVariable === undefined ? Number.NaN : Number(options.env[agent.pidVariable])
  const at = links.findIndex((link, index) => link.pid === told || runsAgent(argv[index] ?? [], agent))
  const found = links[at]
  if (found === undefined) return null
  let top = at
  while (top - at < MAX_LAUNCHERS && launches(argv[top + 1] ?? [], argv[top] ?? [], agent)) top++
  const outer = argv.slice(top + 1).map((above) => options.agents.find((other) => runsAgent(above, other))?.name)
  return {
    owner: asOwner(found, machine),
    argv: argv[at] ?? [],
    ancestors: links.slice(at + 1).map((link) => asOwner(link, machine)),
    inside: outer.find((name) => name !== undefined) ?? null
  }
}
