/** The real bin as a process of its own, with its system calls on one folder watched, and held or killed at one. */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { Fault } from './jobs.js'
import { cli, preload } from './programs.js'

export interface Watch {
  /** Its calls on this folder, and on files opened in it, count. */
  readonly folder: string
  readonly fault?: Fault
  /** It waits before its first call (`start`), or before the one that commits. */
  readonly gate?: 'start' | 'commit'
}

export interface Run {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stderr: string
  /** As in `link index.json.history/staged index.json.history/7 ok`. */
  readonly calls: readonly string[]
  /** From its first call to its last. */
  readonly ms: number
}

export class WatchedCli {
  readonly #child: ChildProcess
  readonly ended: Promise<Run>
  /** Resolves once it waits at its gate. */
  readonly atGate: Promise<void>

  constructor(watch: Watch, args: readonly string[]) {
    this.#child = spawn(process.execPath, ['--require', preload('fs-watcher'), cli(), ...args], {
      env: { ...process.env, CRASH_RESUME_WATCH: JSON.stringify(watch) },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe']
    })
    let stderr = ''
    let report = ''
    let arrived = (): void => {}
    this.atGate = new Promise((resolve) => {
      arrived = resolve
    })
    const [, , errors, calls] = this.#child.stdio as readonly (Readable | null)[]
    errors?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    calls?.setEncoding('utf8').on('data', (text: string) => {
      report += text
      if (/^gate$/m.test(report)) arrived()
    })
    this.ended = new Promise((resolve) => {
      this.#child.on('close', (code, signal) => {
        resolve({ code, signal, stderr, ...parsed(report) })
      })
    })
  }

  openGate(): void {
    ;(this.#child.stdio[4] as Writable).end('.')
  }
}

function parsed(report: string): { calls: string[]; ms: number } {
  const lines = report.split('\n').filter((line) => /^\d/.test(line))
  const at = (line: string | undefined): number => Number.parseFloat(line ?? '0')
  return { calls: lines.map((line) => line.replace(/^\S+ /, '')), ms: at(lines.at(-1)) - at(lines[0]) }
}
