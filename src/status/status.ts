/**
 * Compares what runs now with the index. It has a row for each entry, and one for each running agent without an entry.
 *
 * It takes one snapshot of the index, one listing of each terminal server, and one look at the processes. The state of
 * an entry is the decision that a recovery would make. It starts and ends nothing. It writes only where a surface was
 * found, so that a recovery knows its old place after a crash.
 */

import { AGENTS } from '../agents/table.js'
import type { Decision } from '../core/decision.js'
import { CrashResumeError } from '../core/errors.js'
import { sameOwner } from '../core/owner.js'
import type { Entry, Index, Owner } from '../core/schema.js'
import { type AddressInput, noteAddress } from '../core/verbs.js'
import { ancestorsOf } from '../probes/ancestry.js'
import { clock } from '../probes/clock.js'
import { isPaneClosed } from '../probes/lost-server.js'
import { type Probe, probeOfPass } from '../probes/probe.js'
import { verdictOf } from '../probes/process.js'
import { tmuxDriver } from '../probes/tmux.js'
import { type PreviewOptions, previewOn } from '../resume/preview.js'
import { oneLine } from '../resume/reserve.js'
import type { Store } from '../store/store.js'
import { formatPosition } from '../terminals/driver.js'
import { tmuxSocketOf, tmuxSockets } from '../terminals/tmux-sockets.js'
import { commandsFor } from './advice.js'
import { agentsOf } from './agents-of.js'
import {
  type LivePanes,
  listPanes,
  moveOf,
  paneOf,
  placeWords,
  type ServerStatus,
  serverOf,
  type TerminalServer
} from './live-panes.js'
import { processRow, unreadableRow } from './other-rows.js'
import { type PlacedAgent, placeAgents } from './place-agents.js'
import { entryRow } from './row.js'
import { STATUS_STATES, type StatusRow, type StatusState } from './state.js'

/** What the status shows, and where it looks. */
export interface StatusOptions extends PreviewOptions {
  /** Which surfaces to show. @default all */
  readonly only?: ((entry: Entry) => boolean) | undefined
  /** The terminal servers to list. @default those of tmux: of the entries, the environment, its default, `sockets` */
  readonly servers?: readonly TerminalServer[] | undefined
  /** More sockets of tmux to list. */
  readonly sockets?: readonly string[] | undefined
  /** How long a server may take to answer, in ms of a quiet machine. @default 2000 */
  readonly limitMs?: number | undefined
  /** The index that the commands of the advice name by --path. @default none */
  readonly path?: string | undefined
  /** Write to the index where surfaces were found. @default true */
  readonly write?: boolean | undefined
}

/** What runs where now, against what the index believes. */
export interface StatusReport {
  /** Ms since the epoch. */
  readonly at: number
  readonly rows: readonly StatusRow[]
  readonly counts: Readonly<Record<StatusState, number>>
  readonly servers: readonly ServerStatus[]
  /** Failed looks and writes, in a line each. */
  readonly warnings: readonly string[]
}

/** How many entries are decided at the same time; each reads transcripts. */
const CONCURRENCY = 8

/**
 * Compares what runs now with the index: one row for each entry, and one for each running agent without an entry.
 * What cannot be checked is unknown, with a line in `warnings`.
 * @throws ERR_INDEX_UNREADABLE, and as store.load. No other failure stops it.
 * @example
 * import { openStore, statusOf } from 'crash-resume-index'
 * const { rows, counts } = await statusOf(openStore())
 * for (const { surfaceId, state, advice } of rows) console.log(`${surfaceId} ${state} ${advice ?? ''}`)
 * console.log(`${counts.crashed} crashed`)
 */
export async function statusOf(store: Store, options: StatusOptions = {}): Promise<StatusReport> {
  const index = await store.load()
  if (index.status?.damaged) {
    const message = `${store.path} exists but is not a readable index`
    throw new CrashResumeError('ERR_INDEX_UNREADABLE', message, { path: store.path })
  }
  const { agents = AGENTS, env = process.env, path } = options
  const commands = commandsFor(path)
  const everyone = Object.values(index.entries)
  const entries = everyone.filter((entry) => options.only?.(entry) ?? true)
  const listing = listPanes(
    options.servers ?? tmuxServers([...tmuxSockets(everyone, env), ...(options.sockets ?? [])], options)
  )
  const pass = probeOfPass(options)
  const processes = agentsOf(agents, pass.processes(index))
  const placed = processes.known ? placeAgents(processes.value, everyone, agents) : []
  const ours = placed.filter(({ running }) => running.index === null || running.index === store.path)
  const panes = await withThoseOf(ours, await listing, options)
  const at = clock(options.now)
  const failed: string[] = []
  const found = await inTurn(entries, async (entry) => {
    const decision = await decisionOn(entry, index, { ...options, now: at }, options.probe ?? pass, failed)
    return { entry, decision, ...whereabouts(entry, placed, panes) }
  })
  const taken = new Set<PlacedAgent>()
  const known = found.map(({ entry, decision, pane, own, also, server }) => {
    const pid = own?.pid ?? null
    const base = {
      address: pane && formatPosition(pane.position),
      pid,
      also,
      place: placeWords(entry, pane, server),
      closed: server?.state === 'live' && !server.incomplete && isPaneClosed(entry, panes.panes),
      unreachable: pane === null && server?.state === 'unknown'
    }
    const row = entryRow(entry, decision, { ...base, candidate: null }, commands)
    // The process may be this session, so it is not shown as another agent.
    const candidate = isOpen(row) && pid === null ? strayOn(entry, placed) : undefined
    if (candidate === undefined) return row
    taken.add(candidate)
    return entryRow(entry, decision, { ...base, candidate: candidate.running.owner.pid }, commands)
  })
  const others = placed
    .filter((one) => one.holder === null && !taken.has(one) && options.only === undefined)
    .map((one) => {
      const entry = entryOn(index, one.running.surfaceId)
      return processRow(one, { entry, address: addressOf(one, panes), index: store.path }, commands)
    })
  const bad = Object.entries(index.unreadable ?? {}).map(([surfaceId, { reason }]) =>
    unreadableRow(surfaceId, reason, commands)
  )
  const moves = found.flatMap(({ entry, pane }) => (pane === null ? [] : (moveOf(entry, pane) ?? [])))
  const rows = [...known, ...others, ...bad]
  const counts = STATUS_STATES.map((state) => [state, rows.filter((row) => row.state === state).length] as const)
  return {
    at,
    rows,
    counts: Object.fromEntries(counts) as Record<StatusState, number>,
    servers: panes.servers,
    warnings: [
      ...indexWarnings(index),
      ...failed,
      ...(processes.known ? [] : [`the running agents are unknown: ${processes.why}`]),
      ...(options.write === false ? [] : await noteMoves(store, index, moves))
    ]
  }
}

/** What a recovery would decide. If the look fails for one entry, that entry is unknown, and the others continue. */
async function decisionOn(
  { surfaceId, repo, agent }: Entry,
  index: Index,
  options: PreviewOptions,
  probe: Probe,
  failed: string[]
): Promise<Decision> {
  const request = { surfaceId, repo, agent }
  try {
    return (await previewOn(index, request, {}, options, probe)).decision
  } catch (error) {
    options.signal?.throwIfAborted()
    failed.push(`${surfaceId} could not be looked at: ${oneLine(error)}`)
    return (await previewOn(index, request, {}, options, () => ({}))).decision
  }
}

/** Each socket once. */
function tmuxServers(sockets: readonly string[], { limitMs = 2000 }: StatusOptions): readonly TerminalServer[] {
  return [...new Set(sockets)].map((name) => ({ name, driver: tmuxDriver({ socket: name, limitMs }) }))
}

/** Adds the servers that only the surface of a process names. */
async function withThoseOf(
  placed: readonly PlacedAgent[],
  { servers, panes }: LivePanes,
  options: StatusOptions
): Promise<LivePanes> {
  if (options.servers !== undefined) return { servers, panes }
  const sockets = placed.flatMap(({ running }) => tmuxSocketOf(running.surfaceId ?? undefined) ?? [])
  const fresh = sockets.filter((socket) => !servers.some(({ name }) => name === socket))
  const more = await listPanes(tmuxServers(fresh, options))
  return { servers: [...servers, ...more.servers], panes: [...panes, ...more.panes] }
}

/** The agent's living process if it is known, its pane, and the server of that pane. */
function whereabouts(
  entry: Entry,
  placed: readonly PlacedAgent[],
  { panes, servers }: LivePanes
): {
  readonly own: Owner | null
  readonly also: readonly number[]
  readonly pane: LivePanes['panes'][number] | null
  readonly server: ServerStatus | undefined
} {
  const { proc, surfaceId } = entry
  const mine = placed.filter(({ holder }) => holder === surfaceId)
  const held = mine.find(({ running }) => proc !== undefined && sameOwner(running.owner, proc)) ?? mine[0]
  const recorded = proc !== undefined && held === undefined && verdictOf(proc) === 'alive' ? proc : null
  const own = held?.running.owner ?? recorded
  const above = held?.running.ancestors ?? (recorded === null ? [] : ancestorsOf(recorded.pid))
  const pane = paneOf(surfaceId, own === null ? [] : [own, ...above], panes)
  const also = mine.filter((one) => one !== held).map(({ running }) => running.owner.pid)
  return { own, also, pane, server: serverOf(entry, servers) }
}

function isOpen({ state }: StatusRow): boolean {
  return state === 'unknown' || state === 'starting'
}

function strayOn({ surfaceId }: Entry, placed: readonly PlacedAgent[]): PlacedAgent | undefined {
  return placed.find((one) => one.holder === null && one.inside === null && one.running.surfaceId === surfaceId)
}

function entryOn(index: Index, surfaceId: string | null): Entry | null {
  return Object.values(index.entries).find((entry) => entry.surfaceId === surfaceId) ?? null
}

function addressOf({ running }: PlacedAgent, { panes }: LivePanes): string | null {
  const pane = paneOf(running.surfaceId, [running.owner, ...running.ancestors], panes)
  return pane && formatPosition(pane.position)
}

function indexWarnings({ status }: Index): readonly string[] {
  const warnings = status?.warnings ?? []
  return warnings.filter(({ code }) => code !== 'entry_unreadable').map(({ code, message }) => `${message} [${code}]`)
}

/** @returns what failed. A place matters only after a crash, so a failed write is a warning. */
async function noteMoves(store: Store, index: Index, moves: readonly AddressInput[]): Promise<readonly string[]> {
  const warnings: string[] = []
  const failed = (what: string, error: unknown): void => {
    warnings.push(
      `the place of ${what} could not be written to the index: ${error instanceof Error ? error.message : String(error)}`
    )
  }
  const sound = moves.filter((move) => {
    try {
      return noteAddress(index, move) !== index
    } catch (error) {
      failed(move.surfaceId, error)
      return false
    }
  })
  if (sound.length === 0) return warnings
  try {
    await store.update((current) => sound.reduce(noteAddress, current))
  } catch (error) {
    failed(sound.map(({ surfaceId }) => surfaceId).join(', '), error)
  }
  return warnings
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = new Array(items.length)
  const waiting = items.entries()
  const worker = async (): Promise<void> => {
    for (const [at, item] of waiting) results[at] = await work(item)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  return results
}
