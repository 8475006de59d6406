/**
 * Whose hook it is that fired. The file that named it does not tell: some agents run the hooks of another one's settings.
 *
 * The program above the hook decides. What the agents mark their hooks with is the second witness: it decides where no
 * row knows the program, and where it contradicts the program, the event is no sighting. Marks are inherited too, so
 * that the own mark of a known program outweighs those of others.
 */
import type { AgentRow, AgentTable } from '../agents/row.js'
import { completeRow, rowFor } from '../agents/table.js'
import type { Environment } from '../core/environment.js'
import { nameProblem } from '../core/ids.js'
import type { AgentAbove, AgentProcess } from '../probes/ancestry.js'

export interface HookFacts {
  /** The row of the hook that fired. */
  readonly row: AgentRow
  readonly agents: AgentTable
  readonly env: Environment
  readonly sessionId: string
}

export type HookOwner =
  | { readonly row: AgentRow; readonly process: AgentProcess | null }
  /** The program and the marks contradict each other, or nothing tells which agent it is. */
  | { readonly ignored: 'another_agents_marks' | 'agent_unclear' }

/** Whether the agent's own variable names this session; undefined: it has none here. */
export function isToldSame({ sessionVariable }: AgentRow, env: Environment, sessionId: string): boolean | undefined {
  const told = sessionVariable === undefined ? undefined : env[sessionVariable]
  return told === undefined || told === '' ? undefined : told === sessionId
}

export function whoseHook({ row, agents, env, sessionId }: HookFacts, above: AgentAbove): HookOwner {
  const found = above === 'unclear' ? null : above
  const isMarked = (names: readonly string[]): boolean => names.some((name) => env[name] !== undefined)
  const program = found?.isKnown ? rowFor(found.name, agents) : undefined
  const own = program ?? row
  const others = Object.values(agents).filter(
    (other) => other.name !== own.name && isMarked(other.hookMarks) && isToldSame(other, env, sessionId) !== false
  )
  const isForeign = isMarked(Object.values(agents).flatMap(({ foreignMarks }) => foreignMarks))
  const isOwn = isMarked(own.hookMarks) && isToldSame(own, env, sessionId) !== false
  if (program !== undefined) {
    const contradicts = (others.length > 0 || isForeign) && own.hookMarks.length > 0 && !isMarked(own.hookMarks)
    return contradicts ? { ignored: 'another_agents_marks' } : { row: own, process: found }
  }
  const [other, ...more] = others
  // Only the hooks of agents that mark them are known to be run by others.
  if (own.hookMarks.length === 0 || (isOwn && other === undefined && !isForeign)) return { row: own, process: found }
  if (isOwn || more.length > 0) return { ignored: 'agent_unclear' }
  if (other !== undefined) return { row: other, process: found }
  if (found !== null && nameProblem(found.name) === null) {
    return { row: completeRow({ name: found.name }), process: found }
  }
  // Started by hand, or by something that cannot be seen: nothing speaks against the hook's own word.
  return above === null && !isForeign ? { row, process: null } : { ignored: 'agent_unclear' }
}
