/**
 * What a recovery into panes would do, entry by entry, and where. Nothing changes.
 */
import { programOf } from '../agents/command.js'
import { entryAt } from '../core/entry.js'
import type { Environment } from '../core/environment.js'
import type { Entry, Index } from '../core/schema.js'
import { isPaneClosed } from '../probes/lost-server.js'
import { programPath } from '../probes/program-path.js'
import { tmuxDriver } from '../probes/tmux.js'
import { asError, type PassOptions } from '../resume/in-turn.js'
import { previewAll, type RecoverOptions } from '../resume/recover-all.js'
import type { RecoveryRow } from '../resume/report.js'
import { oneLine } from '../resume/reserve.js'
import type { Store } from '../store/store.js'
import { type Listing, listingOf, type TerminalDriver } from '../terminals/driver.js'
import { defaultSocket, tmuxSockets } from '../terminals/tmux-sockets.js'
import { type PlaceKind, placeFor, type Spot, spotOf } from './places.js'

/** How a recovery into panes is planned. */
export interface PlanOptions extends Omit<PassOptions, 'onProgress'>, Pick<RecoverOptions, 'only'> {
  /** Which sessions to bring back though their panes were closed while the terminal server lived on. @default none */
  readonly closed?: ((entry: Entry) => boolean) | undefined
  /** The driver of a server, by its socket. @default tmux */
  readonly driverFor?: ((socket: string) => TerminalDriver) | undefined
}

/** The reasons of a recovery pass, and those against a start in a pane. */
export type PlanReason =
  | RecoveryRow['reason']
  | 'pane_closed'
  | 'other_terminal'
  | 'terminal_unknown'
  | 'program_missing'

/** What a recovery into panes would do with one entry, and where. */
export type PlanRow = RecoveryRow<PlanReason> & {
  /** Null: unreadable. */
  readonly entry: Entry | null
  readonly spot?: Spot
  /** Where it would be resumed, if it would be. */
  readonly place?: PlaceKind
}

/** Terminals that restore their panes themselves, or whose panes cannot be opened from here. */
const OTHER_TERMINALS = /^(cmux|kitty|screen|wezterm|zellij):/

/**
 * One row for each entry, in the order of their places. A session that would be resumed is `pending`, with the reason
 * `planned`. A row may also be pending as `pane_closed` (by a person, or when its only program died), `other_terminal`,
 * `terminal_unknown` (its server does not answer) or `program_missing`.
 * @throws only if the index itself cannot be read
 */
export async function planRecovery(store: Store, options: PlanOptions = {}): Promise<readonly PlanRow[]> {
  const env = options.env ?? process.env
  const index = await store.load()
  const rows = await previewAll(index, options)
  const list = listOnce(options)
  return (await Promise.all(rows.map((row) => placed(row, index, env, list, options)))).toSorted(byPlace)
}

async function placed(
  row: RecoveryRow,
  index: Index,
  env: Environment,
  list: (socket: string) => Promise<Listing>,
  options: PlanOptions
): Promise<PlanRow> {
  const entry = entryAt(index, row.surfaceId)
  if (entry === null) return { ...row, entry }
  const spot = spotOf(entry, homeSocket(env))
  if (row.reason !== 'planned') return { ...row, entry, spot }
  const pending = (reason: PlanReason, why: string): PlanRow => ({ ...row, entry, spot, reason, why })
  if (OTHER_TERMINALS.test(entry.surfaceId)) return pending('other_terminal', 'its panes are opened by hand')
  let file: string
  try {
    file = programOf({ ...entry, sessionId: row.sessionId ?? entry.sessionId }, options)
  } catch (thrown) {
    const error = asError(thrown)
    return { ...row, entry, spot, outcome: 'failed', reason: 'error', why: oneLine(error), error }
  }
  if (programPath(file, env) === null) return pending('program_missing', `${file} is not on the PATH`)
  const listing = await list(spot.socket)
  if (listing.state === 'unknown') return pending('terminal_unknown', listing.reason)
  const whole = listing.state === 'live' && !listing.incomplete ? listing.panes : []
  if (isPaneClosed(entry, whole) && !options.closed?.(entry)) {
    return pending('pane_closed', 'by a person, or when its only program died')
  }
  return { ...row, entry, spot, place: placeFor(entry, spot, listing, index) }
}

/** Asks each server once. */
function listOnce(options: PlanOptions): (socket: string) => Promise<Listing> {
  const listings = new Map<string, Promise<Listing>>()
  return (socket) => {
    const listing = listings.get(socket) ?? listingOf(driverOf(socket, options))
    listings.set(socket, listing)
    return listing
  }
}

/** Orders by server, session, window and pane. Rows without a place come last. */
function byPlace(a: PlanRow, b: PlanRow): number {
  const key = ({ spot, surfaceId }: PlanRow): readonly (string | number)[] => {
    const { session = '\uffff', window = 0, pane = 0 } = spot?.position ?? {}
    return [spot?.socket ?? '\uffff', session, window, pane, surfaceId]
  }
  const [one, other] = [key(a), key(b)]
  const at = one.findIndex((part, index) => part !== other[index])
  const [left = '', right = ''] = [one[at], other[at]]
  return at === -1 ? 0 : left < right ? -1 : 1
}

export function driverOf(socket: string, { driverFor }: Pick<PlanOptions, 'driverFor'>): TerminalDriver {
  return driverFor === undefined ? tmuxDriver({ socket }) : driverFor(socket)
}

/** The server around this process, or tmux's default one. */
export function homeSocket(env: Environment = process.env): string {
  return tmuxSockets([], env)[0] ?? defaultSocket(env)
}
