/** Processes of the fixture program `orchestrator`, and the toy agents that they start: all ended at the end. */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownerOf, verdictOf } from '../../src/probes/process.js'
import type { Answer, Order } from './orders.js'
import { program } from './programs.js'

/** A folder with an index, the toy agents' transcripts, and the list of their lives. */
export class Playground {
  readonly home: string
  readonly path: string
  readonly #orchestrators: Orchestrator[] = []

  constructor() {
    this.home = realpathSync(mkdtempSync(join(tmpdir(), 'crash-resume-index-toys-')))
    this.path = join(this.home, 'index.json')
  }

  orchestrator(): Orchestrator {
    const one = new Orchestrator(this.home)
    this.#orchestrators.push(one)
    return one
  }

  /** Every start of an agent so far. */
  lives(): { pid: number; form: string; sessionId: string }[] {
    let text = ''
    try {
      text = readFileSync(join(this.home, 'lives'), 'utf8')
    } catch {}
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [pid, form = '', sessionId = ''] = line.split(' ')
        return { pid: Number(pid), form, sessionId }
      })
  }

  /** Agents that run now. */
  running(): number[] {
    return this.lives()
      .map(({ pid }) => pid)
      .filter(isToy)
  }

  /** Resolves once the process is dead to whoever looks, which is later than the loss of its memory. */
  async kill(pid: number): Promise<void> {
    const owner = ownerOf(pid)
    process.kill(pid, 'SIGKILL')
    while (owner !== null && verdictOf(owner) !== 'dead') await new Promise((look) => setTimeout(look, 1))
  }

  async remove(): Promise<void> {
    await Promise.all(this.#orchestrators.map((one) => one.kill()))
    await Promise.all(this.running().map((pid) => this.kill(pid)))
    rmSync(this.home, { recursive: true, force: true })
  }
}

/** By its arguments, so that a process of a number that was used again is none; one that is dead has none. */
function isToy(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('toy-agent')
  } catch {
    return false
  }
}

export class Orchestrator {
  readonly #child: ChildProcess
  readonly #ended: Promise<void>
  #answer: ((answer: unknown) => void) | null = null
  #failed: ((error: Error) => void) | null = null

  constructor(home: string) {
    this.#child = fork(program('orchestrator'), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, TOY_HOME: home }
    })
    this.#child.on('message', (answer) => this.#answer?.(answer))
    this.#ended = new Promise((resolve) => {
      this.#child.on('exit', (code, signal) => {
        resolve()
        this.#failed?.(new Error(`the orchestrator ended: ${signal ?? code}`))
      })
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Resolves once the process waits for `go` with the order in its hands. */
  async prepare(order: Order): Promise<void> {
    await this.#ask({ order })
  }

  async go(): Promise<Answer> {
    return (await this.#ask('go')) as Answer
  }

  async obey(order: Order): Promise<Answer> {
    await this.prepare(order)
    return this.go()
  }

  /** By SIGKILL; resolves once it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#ended
  }

  #ask(message: string | { order: Order }): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#answer = resolve
      this.#failed = reject
      this.#child.send(message, (error) => error && reject(error))
    })
  }
}
