/**
 * What the probes of this machine find out about a surface, with what is known of its agent: whether its session and
 * the ones before run, which of their transcripts are there, and whether the surface is still the one it was.
 *
 * Never throws: what could not be found out is left out, and what is left out is unknown. A caller's own word goes
 * before all of it.
 */

import type { AgentRow, AgentTable } from '../agents/row.js'
import { AGENTS, rowFor, unionOf } from '../agents/table.js'
import type { Evidence } from '../core/evidence.js'
import { isPlaceholder } from '../core/ids.js'
import type { Entry, Index } from '../core/schema.js'
import { surfaceFromEnv } from '../terminals/surface-from-env.js'
import { type RunningAgent, runningAgents, type SurfaceOf } from './agents-running.js'
import { type Look, lookAround } from './look.js'
import { type Presence, presenceOf } from './presence.js'
import { thisMachine } from './process.js'
import { startedSince } from './started-since.js'
import { findTranscript } from './transcripts.js'

/** What may be set for a look; the defaults are this machine. */
export interface AgentLookOptions {
  /** @default the table of this library */
  readonly agents?: AgentTable
  /** Where the agents keep their sessions is said here too. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** @default the processes of this namespace */
  readonly running?: (row: AgentRow, ids: readonly string[]) => readonly RunningAgent[] | null
}

/** The default of the gate and of the recovery pass. */
export function lookAtAgents(options: AgentLookOptions = {}): Look {
  const { agents = AGENTS, env = process.env, running = runningOfRow } = options
  return async (question) => {
    const around = await lookAround(question)
    const { entry } = question
    const row = rowFor(entry?.agent ?? question.agent, agents)
    if (row === undefined) return around
    const ids = entry === null ? [] : sessionsOf(entry)
    const processes = running(row, ids)
    if (entry === null) return { ...around, ...strangers(question.surfaceId, processes) }
    return {
      ...around,
      running: presences(ids, entry, question.index, processes),
      transcript: await transcripts(row, ids, entry, env),
      ...(isPlaceholder(entry.sessionId) ? await captured(row, entry, question.index, env) : {})
    }
  }
}

/** The entry's session, and those before it that a resume may fall back to. */
function sessionsOf(entry: Entry): readonly string[] {
  const before = entry.previous.filter(({ why }) => why === 'rotated' || why === 'replaced')
  return [entry.sessionId, ...before.map(({ sessionId }) => sessionId)]
}

/**
 * A process that was recorded speaks for its own session by its verdict. What runs on another machine, or in another
 * namespace, is not among the processes here.
 */
function presences(
  ids: readonly string[],
  entry: Entry,
  index: Index,
  processes: readonly RunningAgent[] | null
): Record<string, Presence> {
  const { host, ns } = thisMachine()
  const { proc, seen, attempt, last_attempt: last } = entry
  // An attempt starts its agent where its owner is; one that came up was seen since.
  const cameUp = last?.result === 'ok' || last?.result === 'seen' || last?.seen_since === true
  const places = [proc ?? seen, attempt?.owner, cameUp ? undefined : last?.owner].filter((place) => place !== undefined)
  const here = places.every((place) => place.host === host && place.ns === ns)
  // What an open attempt may have started is not the process that was recorded before.
  const speaks = proc !== undefined && attempt === undefined
  const found: Record<string, Presence> = Object.create(null)
  for (const id of ids) {
    const presence = presenceOf(id, entry, index, processes)
    const proven = here && !(speaks && id === entry.sessionId)
    found[id] = presence === 'no' && !proven ? 'unknown' : presence
  }
  return found
}

async function transcripts(
  row: AgentRow,
  ids: readonly string[],
  entry: Entry,
  env: Readonly<Record<string, string | undefined>>
): Promise<Record<string, 'found' | 'missing' | 'unknown'>> {
  const found: Record<string, 'found' | 'missing' | 'unknown'> = Object.create(null)
  for (const sessionId of ids.filter((id) => !isPlaceholder(id))) {
    const { cwd, transcript } = entry
    const own = sessionId === entry.sessionId && transcript !== undefined ? { transcript } : {}
    const query = { sessionId, ...(cwd === undefined ? {} : { cwd }), ...own }
    const { state } = await findTranscript(row, query, { env })
    // A repo's launcher may keep its sessions anywhere: where no agent is recorded, not found is not gone.
    found[sessionId] = state === 'missing' && entry.agent === undefined ? 'unknown' : state
  }
  return found
}

/** A surface that nobody has recorded: an agent may run on it all the same. */
function strangers(surfaceId: string, processes: readonly RunningAgent[] | null): Evidence {
  const here = (processes ?? []).filter((process) => process.surfaceId === surfaceId)
  return here.length === 0 ? {} : { candidates: 'unknown' }
}

/**
 * The start of an agent that chooses its own ids, with no hook to tell the id. A session that began since, in that
 * folder, and that no entry holds, may be the one; which one it is nothing identifies, so that it is never picked.
 */
async function captured(
  row: AgentRow,
  entry: Entry,
  index: Index,
  env: Readonly<Record<string, string | undefined>>
): Promise<Evidence> {
  const since = entry.attempt?.at ?? entry.last_attempt?.at
  if (row.startedSince === undefined || since === undefined) return {}
  const entries = Object.values(index.entries)
  const taken = entries.flatMap(({ sessionId, previous }) => [sessionId, ...previous.map((one) => one.sessionId)])
  const started = await startedSince(row.startedSince, { since, env, cwd: entry.cwd })
  const free = started === null ? null : started.filter((id) => !taken.includes(id))
  return { candidates: free !== null && free.length === 0 ? [] : 'unknown' }
}

const runningOfRow = (row: AgentRow, ids: readonly string[]): readonly RunningAgent[] | null =>
  runningAgents(row, surfaceOfEnv, ids)

/** The surface that a process is bound to by its environment and the servers above it. */
export const surfaceOfEnv: SurfaceOf = (env, chain) => {
  const found = surfaceFromEnv(env, chain, unionOf(AGENTS, 'backgroundVariables'))
  return 'surface' in found ? found.surface.surfaceId : null
}
