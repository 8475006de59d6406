/**
 * The surface of a process, from its environment and the processes above it. It starts no program.
 *
 * Every child process inherits environment variables, even one that left the pane long ago: a terminal started from a
 * pane, a daemon, a server that outlived its terminal. So a variable counts only if its server is above the process,
 * and of several servers the nearest one owns the pane. The server's process number and start time are part of the id,
 * because most servers count from 0 again: `%0` of the next server is another surface. Otherwise the process is
 * unbound: nothing is guessed, and the active pane is never used.
 *
 * A surface that is named explicitly is inherited too. It counts for what was started with it: where the nearest server
 * itself was started with it, it names the place of what started that server, and not one of its panes.
 */
import type { Environment } from '../core/environment.js'
import { given } from '../core/given.js'
import { cmux, kitty, type ServerLink, type Space, screen, tmux, wezterm, zellij } from './spaces.js'

/** A place where a session runs. */
export interface Surface {
  readonly surfaceId: string
  /** The incarnation of the server that counts the panes. The next one makes every id of this one stale. */
  readonly scope?: string
  /** The position as a person says it. */
  readonly address?: string
}

/** The processes above the one in question. */
export interface Above {
  /** Nearest first. */
  readonly links: readonly ServerLink[]
  /** False if the chain may continue further up. */
  readonly complete: boolean
  readonly bootId?: string
  /** The variables that a process was started with; null: they cannot be read. */
  readonly env?: (pid: number) => Environment | null
}

/** Why there is no surface. */
export type UnboundReason =
  /** A background session: its environment names its daemon's pane. */
  | 'background'
  /** No variable of a known terminal. */
  | 'no_surface'
  /** There are variables, but their server is not above the process, or not the nearest one. */
  | 'server_not_above'
  /** A server is above the process, but the variable for its pane is missing or odd. */
  | 'pane_unnamed'

export type Binding = { readonly surface: Surface } | { readonly unbound: UnboundReason }

/** The servers that can be recognised among processes. */
const SPACES: readonly Space[] = [tmux, zellij, screen, wezterm, kitty]

/** No control or format characters; the length that a surface id may have. */
const EXPLICIT = /^[^\p{C}]{1,512}$/u

/**
 * The surface of the process that has `env`, below the processes `above`.
 * @param background variables that only a background session has
 */
export function surfaceFromEnv(env: Environment, above: Above, background: readonly string[]): Binding {
  if (background.some((name) => isSet(env[name]))) return { unbound: 'background' }
  const explicit = env['CRASH_RESUME_SURFACE']
  const nearest = nearestServer(env, above)
  const inherited = nearest === undefined ? undefined : above.env?.(nearest.link.pid)?.['CRASH_RESUME_SURFACE']
  if (isSet(explicit) && explicit !== inherited)
    return EXPLICIT.test(explicit) ? { surface: { surfaceId: explicit } } : { unbound: 'pane_unnamed' }

  if (nearest !== undefined) {
    const surface = bind(nearest, env, above)
    return surface === null ? { unbound: 'pane_unnamed' } : { surface }
  }
  const multiplexed = SPACES.some((space) => space.isNamed(env))
  // The environment does not name the process of cmux. Its ids are never used twice.
  const id = cmux(env)
  if (id !== null && (above.complete || !multiplexed)) return { surface: { surfaceId: id } }
  return { unbound: multiplexed || id !== null ? 'server_not_above' : 'no_surface' }
}

interface Server {
  readonly space: Space
  readonly link: ServerLink
  /** Its place among the processes above. */
  readonly at: number
}

/** The terminal server that the process of this environment is below. */
export function nearestServer(env: Environment, { links }: Pick<Above, 'links'>): Server | undefined {
  for (const [at, link] of links.entries()) {
    const space = SPACES.find((one) => one.isServer(link, env))
    if (space !== undefined) return { space, link, at }
  }
  return undefined
}

function bind({ space, link }: Server, env: Environment, above: Above): Surface | null {
  const found = space.paneOf(env, link)
  if (found === null) return null
  // macOS gives the start as a date with blanks.
  const scope = `${space.name}:${found.prefix}${link.pid}.${link.start.replace(/\W+/g, '')}`
  return {
    surfaceId: `${scope}:${found.pane}`,
    scope: above.bootId === undefined ? scope : `${scope}@${above.bootId}`,
    ...given({ address: found.address })
  }
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== ''
}
