/**
 * The rows of the status without a readable entry: nested agents, agents that the index does not have, and unreadable
 * entries. Pure.
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
  /** The entry of the process's surface; null: none. */
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

/** An unreadable entry. Its session is unknown, which does not mean gone. */
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
