/**
 * How each terminal names its panes, and how to recognise its server among processes. Every function here is pure.
 *
 * - tmux sets TMUX to `<socket>,<server's process>,<session>` and TMUX_PANE to `%<n>` (tmux(1); seen with 3.3a).
 * - screen sets STY to `<server's process>.<name>` and WINDOW to the number at creation time (screen(1); seen with
 *   4.9.0). It gives the number of a closed window to the next one, so that an id can come back in one server's life.
 * - zellij sets ZELLIJ_SESSION_NAME, which a rename does not change, and ZELLIJ_PANE_ID (zellij.dev, "Integration" and
 *   "CLI Recipes"; not seen here). Each session has a server process of its own.
 * - WezTerm sets WEZTERM_PANE, an id of the GUI or of the mux server that owns the pane (wezterm.org, "wezterm cli";
 *   not seen here).
 * - kitty sets KITTY_WINDOW_ID and KITTY_PID (kitty's glossary; not seen here).
 * - cmux sets CMUX_SURFACE_ID, a UUID (cmux, "Environment variables"; not seen here).
 */
import type { Environment } from '../core/environment.js'

/** A process above the one in question. */
export interface ServerLink {
  readonly pid: number
  readonly start: string
  /** The kernel's name for it, at most 15 bytes on Linux. */
  readonly comm: string
}

/** A pane, as its server counts it. */
export interface PaneId {
  /** Tells this server from others, beside its process. Empty, or ends in a colon. */
  readonly prefix: string
  readonly pane: string
  readonly address?: string
}

export interface Space {
  readonly name: string
  /** Whether the environment names such a server at all. */
  readonly isNamed: (env: Environment) => boolean
  /** Whether this process is such a server: by its number if the environment has it, or by its name. */
  readonly isServer: (link: ServerLink, env: Environment) => boolean
  /** The pane; null: the environment names no pane of this server. */
  readonly paneOf: (env: Environment, link: ServerLink) => PaneId | null
}

const NUMBER = /^\d{1,10}$/
const PRINTABLE = /^[^\p{C}]{1,256}$/u

function number(value: string | undefined): string | null {
  return value !== undefined && NUMBER.test(value) ? value : null
}

export const tmux: Space = {
  name: 'tmux',
  isNamed: (env) => Boolean(env['TMUX']) || Boolean(env['TMUX_PANE']),
  isServer: (link, env) => link.comm.startsWith('tmux: server') || link.pid === tmuxServer(env)?.pid,
  paneOf: (env, link) => {
    const server = tmuxServer(env)
    const pane = env['TMUX_PANE']
    if (server === null || server.pid !== link.pid || pane === undefined || !/^%\d{1,10}$/.test(pane)) return null
    return { prefix: `${server.socket}:`, pane }
  }
}

function tmuxServer(env: Environment): { socket: string; pid: number } | null {
  const [, socket, pid] = /^(.+),(\d+),\d*$/.exec(env['TMUX'] ?? '') ?? []
  return socket === undefined || !PRINTABLE.test(socket) ? null : { socket, pid: Number(pid) }
}

export const screen: Space = {
  name: 'screen',
  isNamed: (env) => Boolean(env['STY']),
  isServer: (link, env) => /^screen$/i.test(link.comm) || link.pid === screenServer(env)?.pid,
  paneOf: (env, link) => {
    const server = screenServer(env)
    const pane = number(env['WINDOW'])
    if (server === null || server.pid !== link.pid || pane === null) return null
    return { prefix: '', pane, address: `${server.session}:${pane}` }
  }
}

function screenServer(env: Environment): { pid: number; session: string } | null {
  const [, pid, session] = /^(\d+)\.(.+)$/.exec(env['STY'] ?? '') ?? []
  return session === undefined || !PRINTABLE.test(session) ? null : { pid: Number(pid), session }
}

export const zellij: Space = {
  name: 'zellij',
  isNamed: (env) => env['ZELLIJ'] !== undefined || Boolean(env['ZELLIJ_PANE_ID']),
  isServer: (link) => link.comm === 'zellij',
  paneOf: (env) => {
    const pane = number(env['ZELLIJ_PANE_ID'])
    const session = env['ZELLIJ_SESSION_NAME'] ?? ''
    if (pane === null) return null
    return { prefix: '', pane, ...(PRINTABLE.test(session) && { address: `${session}:${pane}` }) }
  }
}

export const wezterm: Space = {
  name: 'wezterm',
  isNamed: (env) => Boolean(env['WEZTERM_PANE']),
  isServer: (link) => link.comm === 'wezterm-gui' || link.comm.startsWith('wezterm-mux-ser'),
  paneOf: (env) => {
    const pane = number(env['WEZTERM_PANE'])
    return pane === null ? null : { prefix: '', pane }
  }
}

export const kitty: Space = {
  name: 'kitty',
  isNamed: (env) => Boolean(env['KITTY_WINDOW_ID']),
  isServer: (link, env) => link.comm === 'kitty' || String(link.pid) === env['KITTY_PID'],
  paneOf: (env, link) => {
    const pane = number(env['KITTY_WINDOW_ID'])
    const pid = env['KITTY_PID']
    if (pane === null || (pid !== undefined && pid !== String(link.pid))) return null
    return { prefix: '', pane }
  }
}

/** The surface id of a cmux terminal, or null. */
export function cmux(env: Environment): string | null {
  const id = env['CMUX_SURFACE_ID'] ?? ''
  return /^[0-9A-Za-z-]{1,64}$/.test(id) ? `cmux:${id}` : null
}
