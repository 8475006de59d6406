/**
 * The lines of the status that stand for no readable entry: agents inside others, agents that the index does not
 * know, and entries that cannot be read. Pure.
 */

import { quoteArgv } from '../core/quote.js'
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

/** An agent that is no entry's. */
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
    const seen = `process ${owner.pid} of ${agent} runs, which belongs to the index ${running.index}`
    return { ...base, state: 'foreign', believed: 'nothing', seen, believe: null, advice: null }
  }
  const run = `${commands('run').slice(0, -1)} -- ${quoteArgv([agent])}\``
  return {
    ...base,
    state: 'unrecorded',
    believed: entry === null ? 'nothing' : `session ${entry.sessionId} is on this surface`,
    seen: `process ${owner.pid} of ${agent} runs`,
    believe: 'machine',
    advice: `\`crash-resume-index hooks status\` says whether its hooks are in place; ${run} records the next one`
  }
}

/** An entry that cannot be read: nothing is known of it, which is not that it is gone. */
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
    seen: 'what runs there cannot be asked for',
    believe: 'neither',
    advice: `${commands('doctor')} says what is wrong with it`
  }
}
