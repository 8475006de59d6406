/**
 * tmux, one server by its socket. Checked with tmux 3.3a.
 *
 * Programs are started as arguments (`new-window`, `respawn-pane` with -c and -e), which tmux runs without a shell when
 * there are several; a single one it would hand to a shell, so that `env` always goes first. Targets are pane ids of
 * the server's own, never names that could match another.
 */
import { execFile } from 'node:child_process'
import type { Listing, LivePane, Start, TerminalDriver } from './driver.js'

export interface TmuxOptions {
  /** The socket's path. @default tmux's own */
  readonly socket?: string
  /** Limit of one call, in ms. @default 5000 */
  readonly limitMs?: number
  /** Start time of a process, for the server's incarnation; null: not known. */
  readonly startOf: (pid: number) => string | null
  /** A configuration to start a new server with. @default the person's own */
  readonly config?: string
}

const FIELDS = [
  'socket_path',
  'pid',
  'pane_id',
  'session_name',
  'window_index',
  'pane_index',
  'pane_pid',
  'pane_dead',
  'window_name',
  'pane_current_command',
  'pane_current_path'
]
const FORMAT = FIELDS.map((field) => `#{${field}}`).join('\t')
/** What tmux says when there is no server behind the socket. */
const NO_SERVER = /no server running|No such file or directory|Connection refused|no sessions/

export function tmuxDriver(options: TmuxOptions): TerminalDriver {
  const { socket, limitMs = 5000, config } = options
  const call = (args: readonly string[]): Promise<Answer> =>
    run(
      [...(config === undefined ? [] : ['-f', config]), ...(socket === undefined ? [] : ['-S', socket]), ...args],
      limitMs
    )
  const one = async (args: readonly string[]): Promise<LivePane> => {
    const answer = await call(args)
    if (!answer.ok) throw new Error(`tmux ${args[0]}: ${answer.words || 'no answer in time'}`)
    const pane = parseLine(answer.out.replace(/\n$/, ''), options)
    if (pane === null) throw new Error(`tmux ${args[0]}: an answer that cannot be read`)
    return pane
  }
  return {
    name: 'tmux',
    async list(): Promise<Listing> {
      const answer = await call(['list-panes', '-a', '-F', FORMAT])
      if (!answer.ok) {
        if (NO_SERVER.test(answer.words)) return { state: 'absent' }
        return { state: 'unknown', reason: answer.words || `no answer within ${limitMs} ms` }
      }
      const lines = answer.out.split('\n').filter((line) => line !== '')
      const panes = lines.flatMap((line) => parseLine(line, options) ?? [])
      if (panes.length < lines.length) return { state: 'unknown', reason: 'an answer that cannot be read' }
      return { state: 'live', panes }
    },
    async open({ session, windowName }, start): Promise<LivePane> {
      const named = windowName === undefined ? [] : ['-n', windowName]
      const there = await call(['has-session', '-t', `=${session}`])
      const where = there.ok ? ['new-window', '-d', '-t', `=${session}:`] : ['new-session', '-d', '-s', session]
      return one([...where, ...named, '-P', '-F', FORMAT, ...startArgs(start)])
    },
    async replace(pane, start): Promise<LivePane> {
      const id = paneId(pane)
      const answer = await call(['respawn-pane', '-k', '-t', id, ...startArgs(start)])
      if (!answer.ok) throw new Error(`tmux respawn-pane: ${answer.words || 'no answer in time'}`)
      return one(['display-message', '-p', '-t', id, FORMAT])
    }
  }
}

function startArgs({ argv, cwd, env = {} }: Start): readonly string[] {
  const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  // tmux reads a semicolon at an argument's end as the end of its command.
  const words = argv.map((word) => (word.endsWith(';') ? `${word.slice(0, -1)}\\;` : word))
  return [...(cwd === undefined ? [] : ['-c', cwd]), ...variables, '--', 'env', ...words]
}

function paneId({ surfaceId }: LivePane): string {
  return surfaceId.slice(surfaceId.lastIndexOf(':') + 1)
}

function parseLine(line: string, { startOf }: TmuxOptions): LivePane | null {
  const parts = line.split('\t')
  const [path = '', server, id = '', session = '', window, pane, pid, dead, windowName = '', command = '', ...folder] =
    parts
  if (parts.length < FIELDS.length || !/^%\d+$/.test(id)) return null
  const start = startOf(Number(server))
  if (start === null) return null
  // The form of surface-from-env.ts, so that a hook in the pane reports the same id.
  const scope = `tmux:${path}:${server}.${start.replace(/\W+/g, '')}`
  return {
    surfaceId: `${scope}:${id}`,
    scope,
    position: { session, window: Number(window), pane: Number(pane) },
    windowName,
    command,
    cwd: folder.join('\t'),
    pid: Number(pid),
    dead: dead === '1'
  }
}

type Answer = { readonly ok: true; readonly out: string } | { readonly ok: false; readonly words: string }

function run(args: readonly string[], limitMs: number): Promise<Answer> {
  return new Promise((resolve) => {
    const done = (error: Error | null, out: string, words: string): void =>
      resolve(error === null ? { ok: true, out } : { ok: false, words: words.trim() || missing(error) })
    execFile('tmux', [...args], { timeout: limitMs, killSignal: 'SIGKILL', maxBuffer: 16 * 1024 * 1024 }, done)
  })
}

function missing(error: Error): string {
  return 'code' in error && error.code === 'ENOENT' ? 'tmux is not installed' : ''
}
