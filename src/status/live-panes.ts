/**
 * The panes of the terminal servers, and the pane of an entry or a process.
 *
 * A server that does not answer is unknown. Nothing follows from that about the programs in its panes.
 */

import { given } from '../core/given.js'
import type { Entry, Owner } from '../core/schema.js'
import type { AddressInput } from '../core/verbs.js'
import { thisMachine } from '../probes/process.js'
import { formatPosition, type LivePane, listingOf, type TerminalDriver } from '../terminals/driver.js'
import { isTmuxSurface, tmuxSocketOf } from '../terminals/tmux-sockets.js'

/** One server of terminals. */
export interface TerminalServer {
  /** For tmux: the path of its socket. */
  readonly name: string
  readonly driver: TerminalDriver
}

/** How a terminal server answered. */
export type ServerStatus = { readonly name: string } & (
  | {
      readonly state: 'live'
      readonly panes: number
      /** Some of its panes are unreadable. */
      readonly incomplete?: true
      readonly reason: null
    }
  | { readonly state: 'absent'; readonly panes: number; readonly reason: null }
  | {
      readonly state: 'unknown'
      readonly panes: null
      /** Why it is unknown. */
      readonly reason: string
    }
)

export interface LivePanes {
  readonly servers: readonly ServerStatus[]
  readonly panes: readonly LivePane[]
}

/** Asks all servers at the same time. */
export async function listPanes(servers: readonly TerminalServer[]): Promise<LivePanes> {
  const listings = await Promise.all(servers.map(listOf))
  return {
    servers: listings.map(({ status }) => status),
    panes: listings.flatMap(({ panes }) => panes)
  }
}

async function listOf({ name, driver }: TerminalServer): Promise<{ status: ServerStatus; panes: readonly LivePane[] }> {
  const listing = await listingOf(driver)
  const { state } = listing
  if (state === 'unknown') return { status: { name, state, panes: null, reason: listing.reason }, panes: [] }
  if (state === 'absent') return { status: { name, state, panes: 0, reason: null }, panes: [] }
  const { panes, incomplete } = listing
  return { status: { name, state, panes: panes.length, reason: null, ...given({ incomplete }) }, panes }
}

/**
 * The pane of this surface. If the caller chose the surface's id, the pane above its process.
 * @param processes the agent's living process and those above it, nearest first
 */
export function paneOf(
  surfaceId: string | null,
  processes: readonly Owner[],
  panes: readonly LivePane[]
): LivePane | null {
  const listed = panes.find((pane) => pane.surfaceId === surfaceId)
  if (listed !== undefined) return listed
  // An id of tmux that is not listed belongs to another server, or to a pane that is gone.
  if (surfaceId !== null && isTmuxSurface(surfaceId)) return null
  const { host, ns } = thisMachine()
  for (const owner of processes) {
    const pane = panes.find(({ pid }) => pid === owner.pid && owner.host === host && owner.ns === ns)
    if (pane !== undefined) return pane
  }
  return null
}

/** What to say about the pane or the server, besides the agent. */
export function placeWords(entry: Entry, pane: LivePane | null, server: ServerStatus | undefined): string | null {
  if (pane !== null) return pane.dead ? 'its pane exists, but its program has ended' : `its pane runs ${pane.command}`
  if (server?.state === 'unknown') return `its terminal server does not answer (${server.reason})`
  if (server?.state === 'absent') return 'its terminal server is gone'
  return server?.state === 'live' && !server.incomplete && isTmuxSurface(entry.surfaceId) ? 'its pane is gone' : null
}

/** The server of an entry's surface, or of its last place. */
export function serverOf({ scope, surfaceId }: Entry, servers: readonly ServerStatus[]): ServerStatus | undefined {
  const socket = tmuxSocketOf(surfaceId) ?? tmuxSocketOf(scope)
  return servers.find(({ name }) => name === socket)
}

/** Where the entry is now, if the index says something else. */
export function moveOf(entry: Entry, pane: LivePane): AddressInput | null {
  const address = formatPosition(pane.position)
  const { bootId } = thisMachine()
  // In the form of the hooks: after a reboot a process number and its start time may occur again.
  const scope = bootId === undefined ? pane.scope : `${pane.scope}@${bootId}`
  if (entry.address === address && (entry.scope === scope || entry.scope === pane.scope)) return null
  return { surfaceId: entry.surfaceId, address, scope }
}
