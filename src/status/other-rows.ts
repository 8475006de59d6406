/**
 * The lines of the status without a readable entry: agents inside others, agents that the index does not know, and
 * entries that cannot be read. Pure.
 */
import type { Entry } from '../core/schema.js'
import type { Commands } from './advice.js'
import type { PlacedAgent } from './place-agents.js'
import type { StatusRow } from './state.js'

const NOTHING = {
  sessionId: null,
  repo: null,
  role: null,
  lastActive: null,
  reason: null,
  interrupted: null,
  inside: null
} as const

export interface Surroundings {
  /** What the index holds for the surface that the process is on. */
  readonly entry: Entry | null
  readonly address: string | null
  /** The file of the index. */
  readonly index: string
}

/** An agent without an entry. */
export function processRow(
  { running, inside }: PlacedAgent,
  { entry, address, index }: Surroundings,
  commands: Commands
): StatusRow {
  const { agent, owner, surfaceId } = running
  const base = { ...NOTHING, surfaceId, address, agent, pid: owner.pid }
  if (inside !== null) {
    const whose = inside.surfaceId ?? `process ${inside.pid}`
    const seen = `process ${owner.pid} runs inside the agent of ${whose}`
    return { ...base, state: 'nested', inside: whose, believed: 'nothing', seen, believe: null, advice: null }
  }
  if (running.index !== null && running.index !== index && entry === null) {
    const seen = `process ${owner.pid} of ${agent} runs and belongs to the index ${running.index}`
    return { ...base, state: 'foreign', believed: 'nothing', seen, believe: null, advice: null }
  }
  const [hooks, run] = [{ name: 'hooks status' }, { name: 'run', args: [agent] }].map(commands)
  return {
    ...base,
    state: 'unrecorded',
    believed: entry === null ? 'nothing' : `session ${entry.sessionId} is on this surface`,
    seen: `process ${owner.pid} of ${agent} runs`,
    believe: 'machine',
    advice: `${hooks} says whether its hooks are in place; ${run} records the next one`
  }
}

/** An entry that cannot be read: it is unknown, which does not mean that it is gone. */
export function unreadableRow(surfaceId: string, reason: string, commands: Commands): StatusRow {
  return {
    ...NOTHING,
    surfaceId,
    address: null,
    agent: null,
    pid: null,
    state: 'unknown',
    reason: 'entry_unreadable',
    believed: `something that cannot be read (${reason})`,
    seen: 'what runs there is unknown',
    believe: 'neither',
    advice: `${commands({ name: 'doctor' })} says what is wrong with it`
  }
}
