/**
 * Drives one tmux server, named by its socket. Checked with tmux 3.3a.
 *
 * It starts programs as arguments (`new-window`, `respawn-pane` with -c and -e). tmux runs several arguments without a
 * shell, but gives a single one to a shell, so `env` always comes first. Targets are pane ids, never names that could
 * match another pane.
 */
import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Environment } from '../core/environment.js'
import { type Listing, type LivePane, NoAnswer, type Start, type TerminalDriver } from './driver.js'

export interface TmuxOptions {
  /** The path of the socket. @default tmux's default socket */
  readonly socket?: string
  /** Limit of one call, in ms. @default 5000 */
  readonly limitMs?: number | undefined
  /** How many times longer a call may take on this machine now. @default 1 */
  readonly patience?: () => number
  /** The start time of a process, for the server's incarnation; null: unknown. */
  readonly startOf: (pid: number) => string | null
  /** The configuration of a new server. @default the person's own */
  readonly config?: string
  /** The environment of its calls, and so of a server that one of them starts. @default process.env */
  readonly env?: Environment
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
/** What tmux says if there is no server behind the socket. */
const NO_SERVER = /no server running|No such file or directory|Connection refused|no sessions/

export function tmuxDriver(options: TmuxOptions): TerminalDriver {
  const { socket, limitMs = 5000, config, patience = () => 1, env = process.env } = options
  const answers = new Answers(crypto.randomUUID(), options.startOf)
  const { format } = answers
  const call = (args: readonly string[]): Promise<Answer> =>
    run(
      // Without -u a client in another locale gets underscores for letters.
      ['-u', ...(config === undefined ? [] : ['-f', config]), ...(socket === undefined ? [] : ['-S', socket]), ...args],
      Math.ceil(limitMs * patience()),
      env
    )
  const called = async (args: readonly string[]): Promise<string> => {
    const answer = await call(args)
    if (answer.ok) return answer.out
    if (answer.late) throw new NoAnswer(`tmux ${args[0]}: no answer in time`)
    throw new Error(`tmux ${args[0]}: ${answer.words}`)
  }
  const one = async (args: readonly string[]): Promise<LivePane> => answers.pane(args[0] ?? '', await called(args))
  return {
    name: 'tmux',
    async list(): Promise<Listing> {
      const answer = await call(['list-panes', '-a', '-F', format])
      if (answer.ok) return answers.listing(answer.out)
      if (NO_SERVER.test(answer.words)) return { state: 'absent' }
      return { state: 'unknown', reason: answer.late ? 'no answer in time' : answer.words }
    },
    async open({ session, window, windowName }, start): Promise<LivePane> {
      const named = windowName === undefined ? [] : ['-n', windowName]
      const there = await call(['has-session', '-t', `=${session}`])
      if (there.ok) {
        const target = `=${session}:${window ?? ''}`
        return one(['new-window', '-d', '-t', target, ...named, '-P', '-F', format, ...handed(startArgs(start))])
      }
      if (socket !== undefined) mkdirSync(dirname(socket), { recursive: true, mode: 0o700 })
      const made = [...named, ...ROOM, '-P', '-F', format, ...handed(startArgs(start))]
      const pane = await one(['new-session', '-d', '-s', session, ...made])
      if (window === undefined || pane.position.window === window) return pane
      const id = paneId(pane)
      return one(['move-window', '-s', id, '-t', `=${session}:${window}`, ';', ...answers.shown(id)])
    },
    async split(pane, start): Promise<LivePane> {
      const id = paneId(pane)
      const even = ['select-layout', '-t', id, 'tiled']
      // Also make the panes even before, because a small pane cannot be split.
      const split = ['split-window', '-d', '-t', id, '-P', '-F', format, ...handed(startArgs(start))]
      return one([...even, ';', ...split, ';', ...even])
    },
    async replace(pane, start): Promise<LivePane> {
      const id = paneId(pane)
      const same = `#{&&:#{==:#{pane_pid},${pane.pid}},#{==:#{pane_current_command},${escaped(pane.command)}}}`
      const respawn = ['respawn-pane', '-k', '-t', id, ...startArgs(start)]
      const then = [respawn, answers.shown(id)].map((words) => words.map(quoted).join(' ')).join(' ; ')
      const out = await called(['if-shell', '-F', '-t', id, same, then, `display-message -p ${BUSY}`])
      if (out.trim() === BUSY) throw new Error(`the pane now runs something other than ${pane.command}`)
      return answers.pane('respawn-pane', out)
    },
    async screen(pane): Promise<string | null> {
      const answer = await call(['capture-pane', '-p', '-t', paneId(pane)])
      return answer.ok ? answer.out : null
    }
  }
}

/** The size of a new session while no client is attached. */
const ROOM = ['-x', '220', '-y', '60']
const BUSY = 'crash-resume-index-busy'

/** A word for tmux's own parser, which reads single quotes as a shell does. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}

/** A word inside a format. */
function escaped(word: string): string {
  return word.replaceAll(/[#,}]/g, '#$&')
}

function startArgs({ argv, cwd, env = {} }: Start): readonly string[] {
  const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  // tmux reads the folder as a format.
  const where = cwd === undefined ? [] : ['-c', cwd.replaceAll('#', '##')]
  if (argv === undefined) return [...where, ...variables]
  // For a client that is not attached, its own PATH overrides -e.
  const path = env['PATH'] === undefined ? [] : [`PATH=${env['PATH']}`]
  return [...where, ...variables, '--', 'env', ...path, ...argv]
}

/** Escapes arguments for the client, which reads a semicolon at the end of an argument as the end of a command. */
function handed(words: readonly string[]): readonly string[] {
  return words.map((word) => (word.endsWith(';') ? `${word.slice(0, -1)}\\;` : word))
}

function paneId({ surfaceId }: LivePane): string {
  return surfaceId.slice(surfaceId.lastIndexOf(':') + 1)
}

/**
 * Reads what tmux prints about panes. Names and folders may hold anything, line ends and tabs too, so a random mark
 * separates fields and panes.
 */
class Answers {
  /** The format to ask for. */
  readonly format: string
  private readonly beginning: string
  private readonly field: string

  constructor(
    mark: string,
    private readonly startOf: TmuxOptions['startOf']
  ) {
    this.beginning = `${mark}<`
    this.field = `${mark}|`
    this.format = this.beginning + FIELDS.map((name) => `#{${name}}`).join(this.field)
  }

  /** The command that shows one pane. */
  shown(id: string): readonly string[] {
    return ['display-message', '-p', '-t', id, this.format]
  }

  listing(out: string): Listing {
    const records = this.records(out)
    const panes = records.flatMap((record) => this.read(record) ?? [])
    if (panes.length === 0 && records.length > 0) return { state: 'unknown', reason: 'an unreadable answer' }
    return { state: 'live', panes, ...(panes.length < records.length ? { incomplete: true } : {}) }
  }

  /** @throws Error if it is not a pane */
  pane(command: string, out: string): LivePane {
    const [record] = this.records(out)
    const pane = record === undefined ? null : this.read(record)
    if (pane === null) throw new Error(`tmux ${command}: an unreadable answer`)
    return pane
  }

  private records(out: string): readonly string[] {
    return out.split(this.beginning).slice(1)
  }

  private read(record: string): LivePane | null {
    const parts = record.replace(/\n$/, '').split(this.field)
    const [path = '', server, id = '', session = '', window, pane, pid, dead, windowName = '', command = '', cwd = ''] =
      parts
    if (parts.length !== FIELDS.length || !/^%\d+$/.test(id)) return null
    const start = this.startOf(Number(server))
    if (start === null) return null
    // The form of surface-from-env.ts, because a hook in the pane must report the same id.
    const scope = `tmux:${path}:${server}.${start.replace(/\W+/g, '')}`
    return {
      surfaceId: `${scope}:${id}`,
      scope,
      position: { session, window: Number(window), pane: Number(pane) },
      windowName,
      command,
      cwd,
      pid: Number(pid),
      dead: dead === '1'
    }
  }
}

type Answer =
  | { readonly ok: true; readonly out: string }
  | { readonly ok: false; readonly words: string; readonly late: boolean }

function run(args: readonly string[], limitMs: number, env: Environment): Promise<Answer> {
  return new Promise((resolve) => {
    const done = (error: Error | null, out: string, words: string): void => {
      if (error === null) resolve({ ok: true, out })
      else
        resolve({ ok: false, words: words.trim() || reasonOf(error), late: 'killed' in error && error.killed === true })
    }
    const limits = { timeout: limitMs, killSignal: 'SIGKILL', maxBuffer: 16 * 1024 * 1024 } as const
    execFile('tmux', [...args], { ...limits, env: { ...env } }, done)
  })
}

function reasonOf(error: Error): string {
  return 'code' in error && error.code === 'ENOENT' ? 'tmux is not installed' : error.message
}
