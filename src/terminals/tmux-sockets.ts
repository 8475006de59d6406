/**
 * The tmux servers that an index names. A tmux surface and its scope both begin with the path of the socket.
 */
import { join } from 'node:path'
import type { Environment } from '../core/environment.js'

const SCOPE = /^tmux:(.+):(\d+)\.(\w+)(?:@.*|:%\d+)?$/

/** The socket in a surface id or a scope; null: not of tmux. */
export function tmuxSocketOf(id: string | undefined): string | null {
  return SCOPE.exec(id ?? '')?.[1] ?? null
}

/** The terminal that numbered this surface, with the server's process where the id names it. */
export interface SurfaceTerminal {
  readonly name: string
  readonly server: { readonly pid: number; readonly start: string } | null
}

/** Null: the surface was named by a caller. */
export function terminalOf(surfaceId: string): SurfaceTerminal | null {
  const [, name] = /^(cmux|kitty|screen|tmux|wezterm|zellij):/.exec(surfaceId) ?? []
  if (name === undefined) return null
  const [, pid, start] = /:(\d+)\.(\w+):%?\d+$/.exec(surfaceId) ?? []
  return { name, server: pid === undefined || start === undefined ? null : { pid: Number(pid), start } }
}

/** True for an id from tmux's own numbering, which is valid only while its server lives. */
export function isTmuxSurface(surfaceId: string): boolean {
  return tmuxSocketOf(surfaceId) !== null && /:%\d+$/.test(surfaceId)
}

/** The sockets of these entries, of the server that `env` names, and tmux's default socket, each once. */
export function tmuxSockets(
  entries: readonly { readonly surfaceId: string; readonly scope?: string }[],
  env: Environment,
  uid: number | undefined = process.getuid?.()
): string[] {
  const [, inside] = /^(.+),\d+,\d*$/.exec(env['TMUX'] ?? '') ?? []
  const known = entries.flatMap(({ surfaceId, scope }) => tmuxSocketOf(scope) ?? tmuxSocketOf(surfaceId) ?? [])
  return [...new Set([...(inside === undefined ? [] : [inside]), defaultSocket(env, uid), ...known])]
}

/** The default socket of tmux (tmux(1), -L). */
export function defaultSocket(env: Environment, uid: number | undefined = process.getuid?.()): string {
  return join(env['TMUX_TMPDIR'] || '/tmp', `tmux-${uid ?? 0}`, 'default')
}
