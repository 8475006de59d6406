/**
 * A home of its own with stand-ins for the agents on its PATH, a tmux server, and the built bin: what a person has who
 * lives in tmux. Nothing of the surroundings gets in, and everything that was started is ended by its id.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { noteAddress, verdictOf } from '../../src/core.js'
import { type Entry, loadIndex, type Owner, ownerOf, updateIndex } from '../../src/index.js'
import type { LivePane, TerminalDriver } from '../../src/terminals/driver.js'
import { formatPosition, tmuxDriver } from '../../src/tmux.js'
import { eventually } from './eventually.js'
import { cli } from './programs.js'

const standIn = resolve(import.meta.dirname, '../fixtures/agents/by-name.mjs')

/** A run that was given another clock has it everywhere. */
const ofTheClock = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value = '']) =>
    /^(TZ|LD_PRELOAD|FAKETIME\w*)$/.test(name) ? [[name, value]] : []
  )
)

export interface Life {
  readonly pid: number
  readonly agent: string
  readonly form: 'fresh' | 'resumed'
  readonly sessionId: string
  readonly cwd: string
  /** Variables that tell an agent that it runs inside another one. */
  readonly nesting: readonly string[]
}

export class TmuxLab {
  readonly home: string
  readonly index: string
  constructor() {
    this.home = realpathSync(mkdtempSync(join(tmpdir(), 'cri-lab-')))
    this.index = join(this.home, 'index.json')
    mkdirSync(join(this.home, 'bin'))
    for (const name of ['claude', 'codex', 'gemini']) {
      copyFileSync(standIn, join(this.home, 'bin', name))
      chmodSync(join(this.home, 'bin', name), 0o755)
    }
    const bin = join(this.home, 'bin', 'crash-resume-index')
    writeFileSync(bin, `#!/bin/sh\nexec '${process.execPath}' '${cli()}' "$@"\n`)
    chmodSync(bin, 0o755)
    // Not a login shell, which would set another PATH.
    writeFileSync(join(this.home, '.tmux.conf'), 'set -g default-command /bin/sh\n')
    this.folder('project')
  }

  /** The environment of everything here. */
  get env(): Record<string, string> {
    return {
      ...ofTheClock,
      HOME: this.home,
      PATH: `${join(this.home, 'bin')}:${process.env['PATH'] ?? ''}`,
      TERM: 'xterm-256color',
      SHELL: '/bin/sh',
      PS1: '$ ',
      ENV: '',
      LC_ALL: 'C.UTF-8',
      TMUX_TMPDIR: this.home,
      CRASH_RESUME_INDEX_PATH: this.index
    }
  }

  /** How the stand-ins behave from now on. */
  behave(settings: { help?: string; hook?: string; silent?: boolean; question?: string; quits?: number }): void {
    writeFileSync(join(this.home, 'stand-in.json'), JSON.stringify(settings))
  }

  /** The command line of our own hook. */
  hookOf(agent: string): string {
    return `'${process.execPath}' '${cli()}' hook ${agent}`
  }

  /** A repository. */
  folder(name: string): string {
    const path = join(this.home, name)
    mkdirSync(join(path, '.git'), { recursive: true })
    writeFileSync(join(path, '.git/HEAD'), 'ref: refs/heads/main\n')
    return path
  }

  socket(name = 'sock'): string {
    return join(this.home, name)
  }

  driver(name?: string): TerminalDriver {
    // What a test looks at is waited for, however busy the machine is.
    return tmuxDriver({ socket: this.socket(name), limitMs: 60_000 })
  }

  /** tmux itself, as a person would type it. */
  tmux(name: string, ...args: string[]): string {
    const all = ['-S', this.socket(name), ...args]
    return execFileSync('tmux', all, { encoding: 'utf8', env: this.env, stdio: ['ignore', 'pipe', 'pipe'] }).trim()
  }

  /** Our CLI, away from any terminal; `env` is added. */
  cli(
    args: readonly string[],
    env: Record<string, string> = {}
  ): { status: number | null; stdout: string; stderr: string } {
    const { status, stdout, stderr } = spawnSync(process.execPath, [cli(), ...args], {
      encoding: 'utf8',
      env: { ...this.env, ...env },
      cwd: this.home
    })
    return { status, stdout, stderr }
  }

  async panes(name?: string): Promise<readonly LivePane[]> {
    const listing = await this.driver(name).list()
    return listing.state === 'live' ? listing.panes : []
  }

  /** What is on a pane's screen; lines that the width broke are whole. */
  screen(target: string, name = 'sock'): string {
    return this.tmux(name, 'capture-pane', '-p', '-J', '-t', target)
  }

  type(target: string, line: string, name = 'sock'): void {
    this.tmux(name, 'send-keys', '-t', target, '-l', line)
    this.tmux(name, 'send-keys', '-t', target, 'Enter')
  }

  lives(): readonly Life[] {
    const path = join(this.home, 'lives')
    if (!existsSync(path)) return []
    const lines = readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
    return lines.map((line) => {
      const [pid, agent = '', form, sessionId = '', cwd = '', ...nesting] = line.split(' ')
      return { pid: Number(pid), agent, form: form === 'fresh' ? 'fresh' : 'resumed', sessionId, cwd, nesting }
    })
  }

  transcriptOf({ sessionId }: Pick<Life, 'sessionId'>): string {
    const names = readdirSync(this.home, { recursive: true, encoding: 'utf8' })
    // Gemini's have the first eight characters.
    const ends = [`${sessionId}.jsonl`, `-${sessionId.slice(0, 8)}.jsonl`]
    const name = names.find((each) => ends.some((end) => each.endsWith(end)))
    if (name === undefined) throw new Error(`no transcript of ${sessionId}`)
    return join(this.home, name)
  }

  /** Where the panes are goes into the index, as `status` does it. */
  async noteAddresses(name?: string): Promise<void> {
    for (const { surfaceId, position, scope } of await this.panes(name)) {
      const place = { surfaceId, address: formatPosition(position), scope }
      await updateIndex(this.index, (index) => noteAddress(index, place))
    }
  }

  /** The launch folder of a surface, and its transcript with it, as if it had begun there. */
  async moveTo(surfaceId: string, cwd: string): Promise<void> {
    await updateIndex(this.index, (index) => {
      const entry = index.entries[surfaceId]
      return entry === undefined ? index : { ...index, entries: { ...index.entries, [surfaceId]: { ...entry, cwd } } }
    })
  }

  /** The stand-ins that run now. */
  alive(): readonly Life[] {
    return this.lives().filter(({ pid }) => isRunning(pid) && isStandIn(pid, this.home))
  }

  isUp(pid: number): boolean {
    return existsSync(join(this.home, `up-${pid}`))
  }

  entries(): readonly Entry[] {
    return Object.values(loadIndex(this.index).entries).filter(({ moved_to }) => moved_to === undefined)
  }

  /** Where each surface that its session has left points. */
  forwarded(): Readonly<Record<string, string>> {
    const all = Object.values(loadIndex(this.index).entries)
    return Object.fromEntries(all.flatMap(({ surfaceId, moved_to: to }) => (to === undefined ? [] : [[surfaceId, to]])))
  }

  /** SIGKILL to everything of this home in one go, but for these; back when all of it is gone. */
  async crash(spared: readonly number[] = []): Promise<void> {
    await eventually('the crash', () => {
      const left = this.processes().filter(({ pid }) => !spared.includes(pid))
      // What is stopped sees no other one end, and starts nothing more.
      for (const signal of ['SIGSTOP', 'SIGKILL'] as const) for (const { pid } of left) send(pid, signal)
      return left.length === 0 ? true : null
    })
  }

  /** All that runs with this home. */
  private processes(): readonly Owner[] {
    const mine = `HOME=${this.home}\0`
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && `${contentOf(`/proc/${name}/environ`)}\0`.includes(mine))
      .flatMap((name) => ownerOf(Number(name)) ?? [])
  }

  async close(): Promise<void> {
    await this.crash()
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 })
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended by itself.
  }
}

/** True where the process is `top` or below it. */
export function isBelow(pid: number, top: number): boolean {
  for (let at = pid; at > 1; ) {
    if (at === top) return true
    at = Number(/\) . (\d+)/.exec(contentOf(`/proc/${at}/stat`))?.[1] ?? 0)
  }
  return false
}

function isRunning(pid: number): boolean {
  const owner = ownerOf(pid)
  return owner !== null && verdictOf(owner) === 'alive'
}

/** A number can come back; what is counted must be of this home. */
function isStandIn(pid: number, home: string): boolean {
  return commandOf(pid).includes(join(home, 'bin'))
}

function commandOf(pid: number): string {
  return contentOf(`/proc/${pid}/cmdline`)
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
