/**
 * What a recovery into panes would do, entry by entry, and where. Nothing is changed.
 */

import { programOf } from '../agents/command.js'
import { entryAt } from '../core/entry.js'
import type { Entry } from '../core/schema.js'
import { programPath } from '../probes/program-path.js'
import { tmuxDriver } from '../probes/tmux.js'
import { type RecoverOptions, type RecoveryRow, recoverAll } from '../resume/recover-all.js'
import type { Store } from '../store/store.js'
import type { Listing, TerminalDriver } from '../terminals/driver.js'
import { defaultSocket, tmuxSockets } from '../terminals/tmux-sockets.js'
import { type PlaceKind, placeFor, type Spot, spotOf } from './places.js'

export interface PlanOptions extends Omit<RecoverOptions, 'resume' | 'dryRun' | 'onProgress' | 'signal'> {
  /** The driver of a server, by its socket. @default tmux */
  readonly driverFor?: (socket: string) => TerminalDriver
  /** Where the agents' programs and sessions are found. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>
}

export interface PlanRow extends RecoveryRow {
  /** Null: it cannot be read. */
  readonly entry: Entry | null
  readonly spot?: Spot
  /** Where it would be resumed; only for those that would be. */
  readonly place?: PlaceKind
}

/** Surfaces of terminals that bring their panes back themselves, or that nothing here can open. */
const OTHER_TERMINALS = /^(cmux|kitty|screen|wezterm|zellij):/

/**
 * One row an entry, in the order of their places. Those that would be resumed are `pending` for the reason `planned`. Besides a decision's reasons,
 * a row may be pending as `other_terminal`, `terminal_unknown` (its server does not answer) and `program_missing`.
 * @throws only where the index itself cannot be read
 */
export async function planRecovery(store: Store, options: PlanOptions = {}): Promise<readonly PlanRow[]> {
  const env = options.env ?? process.env
  const report = await recoverAll(store, { ...options, dryRun: true, resume: never })
  const index = await store.load()
  const listings = new Map<string, Promise<Listing>>()
  const rows = report.rows.map(async (row): Promise<PlanRow> => {
    const entry = entryAt(index, row.surfaceId)
    if (entry === null) return { ...row, entry }
    const spot = spotOf(entry, homeSocket(env))
    if (row.reason !== 'planned') return { ...row, entry, spot }
    const pending = (reason: string, error: string): PlanRow => ({ ...row, entry, spot, reason, error })
    const missing = missingProgram(row.decision?.sessionId ?? entry.sessionId, entry, options, env)
    if (OTHER_TERMINALS.test(entry.surfaceId)) return pending('other_terminal', 'its panes are opened by hand')
    if (missing !== null) return pending('program_missing', `${missing} is not on the PATH`)
    const listing = await listed(spot.socket, listings, options)
    if (listing.state === 'unknown') return pending('terminal_unknown', listing.reason)
    return { ...row, entry, spot, place: placeFor(entry, spot, listing, index) }
  })
  return (await Promise.all(rows)).toSorted(inPlace)
}

/** By server, session, window and pane; what has no place comes last. */
function inPlace(a: PlanRow, b: PlanRow): number {
  const key = ({ spot, surfaceId }: PlanRow): readonly (string | number)[] => {
    const { session = '\uffff', window = 0, pane = 0 } = spot?.position ?? {}
    return [spot?.socket ?? '\uffff', session, window, pane, surfaceId]
  }
  const [one, other] = [key(a), key(b)]
  const at = one.findIndex((part, index) => part !== other[index])
  const [left = '', right = ''] = [one[at], other[at]]
  return at === -1 ? 0 : left < right ? -1 : 1
}

function listed(socket: string, listings: Map<string, Promise<Listing>>, options: PlanOptions): Promise<Listing> {
  const known = listings.get(socket)
  if (known !== undefined) return known
  const asked = driverOf(socket, options).list()
  listings.set(socket, asked)
  return asked
}

export function driverOf(socket: string, { driverFor }: PlanOptions): TerminalDriver {
  return driverFor === undefined ? tmuxDriver({ socket }) : driverFor(socket)
}

/** The server that we are in, else tmux's own. */
export function homeSocket(env: PlanOptions['env'] = process.env): string {
  return tmuxSockets([], env)[0] ?? defaultSocket(env)
}

function missingProgram(
  sessionId: string,
  entry: Entry,
  options: PlanOptions,
  env: Readonly<Record<string, string | undefined>>
): string | null {
  const file = programOf({ ...entry, sessionId }, options)
  return programPath(file, env) === null ? file : null
}

function never(): never {
  throw new TypeError('a plan resumes nothing')
}
