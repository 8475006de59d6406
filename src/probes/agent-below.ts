/**
 * The agent that runs below a process, such as the first one of a pane.
 *
 * It looks only at the handful of processes below. Finding no agent there proves nothing about an agent that was seen
 * before: only the verdict on that very process does.
 */
import { runsSession } from '../agents/headless.js'
import { launches } from '../agents/program.js'
import type { AgentRow } from '../agents/row.js'
import type { Owner } from '../core/schema.js'
import { type Known, known, unknown } from './known.js'
import { childrenOf, type ListedProcess, listedProcess } from './proc-linux.js'
import { thisMachine } from './process.js'

/** More than a pane ever has below it. */
const MAX_PROCESSES = 2000

/** The agent's own process at or below `top`: not its launcher, and no agent that it started itself. Null: none. */
export function agentBelow(row: AgentRow, top: Owner): Known<Owner | null> {
  const all = processesBelow(top.pid)
  if (!all.known) return all
  const agents = all.value.filter((one) => runsSession(row, one.argv ?? [one.comm]))
  const byPid = new Map(all.value.map((one) => [one.pid, one]))
  const agentPids = new Set(agents.map(({ pid }) => pid))
  const isInside = ({ ppid }: ListedProcess): boolean => {
    const parent = byPid.get(ppid)
    return parent !== undefined && (agentPids.has(parent.pid) || isInside(parent))
  }
  let agent = agents.find((one) => !isInside(one))
  for (let launcher = agent; launcher !== undefined; ) {
    const { pid, argv } = launcher
    launcher = agents.find((one) => one.ppid === pid && launches(argv ?? [], one.argv ?? [], row))
    agent = launcher ?? agent
  }
  return known(agent === undefined ? null : { ...thisMachine(), pid: agent.pid, start: agent.start })
}

/** The process itself, if it runs, and all processes below it. */
function processesBelow(top: number): Known<readonly ListedProcess[]> {
  if (process.platform !== 'linux') return unknown(`the processes of ${process.platform} cannot be told apart`)
  const found: ListedProcess[] = []
  const waiting = [top]
  try {
    for (const pid of waiting) {
      const one = listedProcess(pid)
      if (one === null || one.zombie) continue
      found.push(one)
      const children = childrenOf(pid)
      if (!children.known) {
        // It may have ended meanwhile.
        if (listedProcess(pid) === null) continue
        return children
      }
      waiting.push(...children.value)
      if (waiting.length > MAX_PROCESSES) return unknown(`more than ${MAX_PROCESSES} processes run there`)
    }
  } catch (error) {
    return unknown(`the processes there cannot be read: ${error instanceof Error ? error.message : 'an error'}`)
  }
  return known(found)
}
