/**
 * Where each session of a recovery goes: into its old pane if that exists and is free; otherwise into a new pane at the
 * old position; otherwise into a new window of the old session. A pane that runs something else is never touched.
 *
 * A pane is free if it runs only an idle shell, or nothing any more. The driver checks that again at the moment of the
 * start. A pane is given to one entry only. The index keeps two recoveries at the same time apart, because a surface
 * holds one session.
 */
import { entryAt } from '../core/entry.js'
import { given } from '../core/given.js'
import type { Entry, Index } from '../core/schema.js'
import { isIdleShell, isShell } from '../probes/idle-shell.js'
import { type Listing, type LivePane, type Position, parsePosition, type TerminalDriver } from '../terminals/driver.js'
import { isTmuxSurface, tmuxSocketOf } from '../terminals/tmux-sockets.js'

/** A window with more panes is not laid out. */
const MAX_PANES = 32

/** Where a session was, as far as it is on record. */
export interface Spot {
  readonly socket: string
  /** Null: its old position is unknown. */
  readonly position: Position | null
  /** The session to open a window in. */
  readonly session: string
}

/** Where an entry was, as far as it is recorded. */
export function spotOf(entry: Entry, fallbackSocket: string): Spot {
  const socket = tmuxSocketOf(entry.scope) ?? tmuxSocketOf(entry.surfaceId) ?? fallbackSocket
  const position = entry.address === undefined ? null : parsePosition(entry.address)
  // tmux takes neither a colon nor a full stop in a name.
  return { socket, position, session: position?.session ?? (entry.repo.replaceAll(/[:.\s]/g, '_') || 'recovered') }
}

/** Where a session would be resumed. */
export type PlaceKind = 'own pane' | 'old place' | 'rebuilt' | 'new window'

/** The kind of place that an entry would get, by the panes of now. */
export function placeFor(entry: Entry, spot: Spot, listing: Listing, index: Index): PlaceKind {
  const panes = listing.state === 'live' ? listing.panes : []
  const same = panes.find(({ surfaceId }) => surfaceId === entry.surfaceId)
  if (same !== undefined) return isFree(same) ? 'own pane' : 'new window'
  const { position } = spot
  if (position === null) return 'new window'
  const there = paneAt(panes, position)
  if (there !== undefined) return isFree(there) && !isTaken(there, entry, index) ? 'old place' : 'new window'
  const window = panesOf(panes, position)
  return window.length === 0 || isOurs(window, index) ? 'rebuilt' : 'new window'
}

/** Creates the missing panes at these positions, in order. A pane that cannot be created is left to `findPane`. */
export async function layOut(
  driver: TerminalDriver,
  wanted: readonly { readonly position: Position; readonly cwd?: string; readonly name: string }[],
  index: Index
): Promise<void> {
  const inOrder = wanted.toSorted(
    ({ position: a }, { position: b }) => compare(a.session, b.session) || a.window - b.window || a.pane - b.pane
  )
  const made = new Set<string>()
  for (const { position, cwd, name } of inOrder) {
    const start = given({ cwd })
    for (let tries = 0; tries < MAX_PANES; tries++) {
      const listing = await driver.list()
      if (listing.state === 'unknown') return
      const panes = listing.state === 'live' ? listing.panes : []
      if (paneAt(panes, position) !== undefined) break
      const window = panesOf(panes, position)
      const last = window.at(-1)
      try {
        if (last === undefined) {
          const { session, window: number } = position
          made.add((await driver.open({ session, window: number, windowName: name }, start)).surfaceId)
        } else if (window.every((pane) => made.has(pane.surfaceId)) || isOurs(window, index)) {
          // A new pane gets the next number, so a pane before the first cannot be created.
          if (last.position.pane >= position.pane) break
          made.add((await driver.split(last, start)).surfaceId)
        } else break
      } catch {
        // Another program was faster, or there is no room. Look again.
        if (tries > 2) break
      }
    }
  }
}

/** The free pane of an entry that no other entry was given; null: none, so open one. */
export function findPane(
  entry: Entry,
  spot: Spot,
  panes: readonly LivePane[],
  index: Index,
  given: ReadonlySet<string>
): LivePane | null {
  const same = panes.find(({ surfaceId }) => surfaceId === entry.surfaceId)
  const there = same ?? (spot.position === null ? undefined : paneAt(panes, spot.position))
  if (there === undefined || given.has(there.surfaceId) || !isFree(there) || isTaken(there, entry, index)) return null
  return there
}

function paneAt(panes: readonly LivePane[], at: Position): LivePane | undefined {
  return panesOf(panes, at).find(({ position }) => position.pane === at.pane)
}

function panesOf(panes: readonly LivePane[], at: Position): readonly LivePane[] {
  return panes
    .filter(({ position }) => position.session === at.session && position.window === at.window)
    .toSorted((one, other) => one.position.pane - other.position.pane)
}

/** True for a window that holds only sessions of the index and idle shells. */
function isOurs(window: readonly LivePane[], index: Index): boolean {
  return window.every((pane) => entryAt(index, pane.surfaceId) !== null || isFree(pane))
}

/** True if another entry is on this pane. */
function isTaken(pane: LivePane, entry: Entry, index: Index): boolean {
  const holder = entryAt(index, pane.surfaceId)
  return holder !== null && holder.surfaceId !== entry.surfaceId
}

/** True for a pane that runs only an idle shell, or nothing any more. */
export function isFree(pane: LivePane): boolean {
  if (pane.dead) return true
  if (!isShell(pane.command)) return false
  if (process.platform !== 'linux') return true
  const idle = isIdleShell(pane.pid)
  return idle.known && idle.value
}

/** True if the surface is a numbered pane, so the entry moves to the pane where it is resumed. */
export function leavesWithItsPane(entry: Entry, pane: LivePane): boolean {
  return isTmuxSurface(entry.surfaceId) && entry.surfaceId !== pane.surfaceId
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
