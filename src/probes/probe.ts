/**
 * What is true now about a surface and its sessions, as evidence for a decision.
 *
 * `probeAgents` makes the probe of one pass. It looks at the processes once, lists each folder once, and remembers
 * both, however many surfaces it is asked about. It never throws. A question without an answer is left out or unknown,
 * and never counts as absent.
 */
import { agentEnv } from '../agents/launch-env.js'
import type { AgentRow, AgentTable } from '../agents/row.js'
import { AGENTS, rowFor } from '../agents/table.js'
import type { Environment } from '../core/environment.js'
import type { Evidence } from '../core/evidence.js'
import { given } from '../core/given.js'
import { isPlaceholder } from '../core/ids.js'
import type { Entry, Index } from '../core/schema.js'
import { ownersOf } from '../core/verbs.js'
import { conversationsOf } from './continued.js'
import { Folders } from './folders.js'
import { lostItsServer } from './lost-server.js'
import { type PresenceOf, presencesOf } from './presence.js'
import { thisMachine, verdictsFor } from './process.js'
import { lookAtProcesses, ofAgent, type Processes, type RunningAgent } from './processes.js'
import { startedSince } from './started-since.js'

/** What to find out about. */
export interface ProbeTarget {
  readonly surfaceId: string
  /** Null: the index holds none. */
  readonly entry: Entry | null
  readonly index: Index
  /** The sessions whose transcripts to look for. @default the entry's own */
  readonly sessions?: readonly string[] | undefined
  readonly agent?: string | undefined
  readonly repo?: string | undefined
  readonly cwd?: string | undefined
}

/** Finds evidence. If it throws, only the surface in question fails. */
export type Probe = (target: ProbeTarget) => Evidence | Promise<Evidence>

/** Which agents a probe knows, and in which environment it looks. */
export interface ProbeOptions {
  /** @default the table of this library */
  readonly agents?: AgentTable | undefined
  /** It also says where agents keep their sessions, if their entries do not. @default process.env */
  readonly env?: Environment | undefined
  /**
   * All processes of these agents, and others that name one of the sessions in their arguments.
   * @default one look at this machine
   * @internal
   */
  readonly processes?: ((agents: readonly AgentRow[], sessions: ReadonlySet<string>) => Processes) | undefined
  /**
   * @default the folders as this pass sees them
   * @internal
   */
  readonly folders?: Folders | undefined
}

/** The probe of one pass over this machine. A later pass needs a new one. */
export function probeAgents(options: ProbeOptions = {}): Probe {
  return probeOfPass(options)
}

/** The same, with the processes as the pass sees them. */
export function probeOfPass(options: ProbeOptions = {}): Probe & { readonly processes: (index: Index) => Processes } {
  const { agents = AGENTS, env = process.env, processes: lookAt = lookAtProcesses, folders = new Folders() } = options
  let all: Processes | undefined
  const processes = (index: Index, named: readonly string[] = []): Processes => {
    all ??= lookAt(Object.values(agents), new Set([...sessionsIn(index), ...named]))
    return all
  }
  const presences = new WeakMap<Index, Map<string, PresenceOf>>()
  const presenceFor = (row: AgentRow, index: Index): PresenceOf => {
    const known = presences.get(index) ?? new Map<string, PresenceOf>()
    presences.set(index, known)
    const homes = ['HOME', ...row.homeVariables]
    const mayShare = ({ env: its }: RunningAgent): boolean =>
      its === null || homes.every((name) => its[name] === env[name])
    const presence = known.get(row.name) ?? presencesOf(index, ofAgent(processes(index), row), mayShare)
    known.set(row.name, presence)
    return presence
  }
  const probe = async (target: ProbeTarget): Promise<Evidence> => {
    const machine = await probeMachine(target, folders)
    const { entry, index } = target
    const row = rowFor(entry?.agent ?? target.agent, agents)
    if (row === undefined) return machine
    if (entry === null) {
      const { sessions, surfaceId } = target
      const found = { ...machine, ...unrecorded(surfaceId, ofAgent(processes(index, sessions), row)) }
      const [sessionId] = sessions ?? []
      if (sessionId === undefined) return found
      const conversation = await conversationsOf(
        row,
        { sessionId, agent: row.name },
        agentEnv(row, {}, env),
        undefined,
        folders
      )
      // No entry holds it, so that it may run on any surface.
      const presenceOf = presenceFor(row, index)
      const ids = Object.keys(conversation.transcript)
      return { ...found, ...conversation, running: Object.fromEntries(ids.map((id) => [id, presenceOf(id, null)])) }
    }
    const sessions = target.sessions ?? [entry.sessionId]
    const own = agentEnv(row, entry, env)
    const found = await conversationsOf(row, entry, own, sessions, folders)
    const told = isPlaceholder(entry.sessionId) ? await captured(row, entry, index, own, folders) : {}
    const asked = [...Object.keys(found.transcript), ...(Array.isArray(told.candidates) ? told.candidates : [])]
    return {
      ...machine,
      ...found,
      ...told,
      running: running(entry, asked, presenceFor(row, index))
    }
  }
  return Object.assign(probe, { processes })
}

/**
 * The evidence that needs no agent: the machine and its boot, the verdicts on the processes that the index names, and
 * whether the launch folder exists.
 */
export async function probeMachine(
  { entry, index, cwd }: ProbeTarget,
  folders: Folders = new Folders()
): Promise<Evidence> {
  // Another entry may hold an attempt on the same or an earlier session. Without an entry, any may.
  const sessions = entry === null ? null : [entry.sessionId, ...entry.previous.map(({ sessionId }) => sessionId)]
  const concerned = Object.values(index.entries).filter(({ sessionId }) => sessions?.includes(sessionId) ?? true)
  const folder = entry?.cwd ?? cwd
  return {
    machine: thisMachine(),
    verdicts: verdictsFor(concerned.flatMap(ownersOf)),
    ...(entry !== null && lostItsServer(entry) ? ({ server: 'gone' } as const) : {}),
    ...(folder === undefined ? {} : { cwd: await folders.state(folder) })
  }
}

/** The earlier sessions that a resume may fall back to, newest first. */
export function fallbacksOf({ previous }: Entry): readonly string[] {
  return previous.filter(({ why }) => why === 'rotated' || why === 'replaced').map(({ sessionId }) => sessionId)
}

function sessionsIn({ entries }: Index): ReadonlySet<string> {
  return new Set(Object.values(entries).flatMap((entry) => [entry.sessionId, ...fallbacksOf(entry)]))
}

/**
 * For the session of a recorded process its verdict speaks. A process on another machine or in another namespace is not
 * among the processes here.
 */
function running(entry: Entry, sessions: readonly string[], presenceOf: PresenceOf): NonNullable<Evidence['running']> {
  const { host, ns } = thisMachine()
  const { proc, seen, attempt, last_attempt: last } = entry
  // An attempt starts its agent where its owner runs. If it came up, the agent was seen since.
  const cameUp = last?.result === 'ok' || last?.result === 'seen' || last?.seen_since === true
  const places = [proc ?? seen, attempt?.owner, cameUp ? undefined : last?.owner].filter((place) => place !== undefined)
  const here = places.every((place) => place.host === host && place.ns === ns)
  // Where a hook could not tell the process, no list of recognised processes proves anything.
  const recognised = !entry.proc_unknown
  // The process of an open attempt, and of a later sight, need not be the process that was recorded before.
  const speaks = proc !== undefined && !proc.seen_since && attempt === undefined
  const found: Record<string, ReturnType<PresenceOf>> = Object.create(null)
  for (const id of [entry.sessionId, ...fallbacksOf(entry), ...sessions]) {
    const presence = presenceOf(id, entry)
    const proven = here && recognised && !(speaks && id === entry.sessionId)
    found[id] = presence === 'no' && !proven ? 'unknown' : presence
  }
  return found
}

/** A surface without an entry. An agent may still run on it. */
function unrecorded(surfaceId: string, processes: Processes): Evidence {
  if (!processes.known) return { candidates: 'unknown' }
  const may = processes.value.some(
    ({ surfaceId: on, env, namesSession, otherUser }) =>
      !namesSession && (on === surfaceId || (env === null && !otherUser))
  )
  return may ? { candidates: 'unknown' } : {}
}

/**
 * The start of an agent that chooses its own ids, without a hook that reports the id. A session that began since in
 * that folder, and that no entry holds, may be it. The only one is taken if it began when the recorded process did, and
 * no other start of the agent, whose id was not told either, was under way there.
 */
async function captured(
  row: AgentRow,
  entry: Entry,
  index: Index,
  env: Environment,
  folders: Folders
): Promise<Evidence> {
  const { startedSince: rule } = row
  const since = beganAt(entry)
  if (rule === undefined || since === undefined) return {}
  const entries = Object.values(index.entries)
  const taken = entries.flatMap(({ sessionId, previous }) => [sessionId, ...previous.map((one) => one.sessionId)])
  const begun = await startedSince(rule, { since, env, folders, ...given({ cwd: entry.cwd }) })
  if (!begun.known) return { candidates: 'unknown' }
  const possible = begun.value.filter(({ sessionId }) => !taken.includes(sessionId))
  const [only, another] = possible
  if (only === undefined) return { candidates: [] }
  const until = since + rule.withinMs
  const isRival = (other: Entry): boolean =>
    other.surfaceId !== entry.surfaceId && other.agent === entry.agent && isPlaceholder(other.sessionId)
  const at = rule.at(only.sessionId)
  const isProven =
    another === undefined && entry.proc !== undefined && entry.cwd !== undefined && at !== null && at <= until
  return isProven && !entries.some(isRival)
    ? { candidates: [only.sessionId], possible }
    : { candidates: 'unknown', possible }
}

function beganAt({ attempt, last_attempt: last }: Entry): number | undefined {
  return attempt?.at ?? last?.began ?? last?.at
}
