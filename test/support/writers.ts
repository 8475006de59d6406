/** Processes of the fixture program `writer`: started once, given jobs, let go together, ended at the end. */
import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Job, Report } from './jobs.js'
import { program } from './programs.js'

/** The time limit of a test with many processes, for a machine that has other work to do. */
export const MANY_PROCESSES_MS = 900_000

export class Writer {
  readonly #child: ChildProcess
  #answer: ((answer: unknown) => void) | null = null
  #failed: ((error: Error) => void) | null = null
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>

  constructor() {
    this.#child = fork(program('writer'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    this.#child.on('message', (answer) => {
      const asked = this.#answer
      this.#answer = null
      asked?.(answer)
    })
    this.ended = new Promise((resolve) => {
      this.#child.on('exit', (code, signal) => {
        resolve({ code, signal })
        this.#failed?.(new Error(`the writer ended: ${signal ?? code}`))
      })
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Resolves once the process waits for `go` with the job in its hands. */
  async prepare(job: Job): Promise<void> {
    await this.#ask({ job })
  }

  /** Does the prepared job. Rejects where the process ends before it reports. */
  async go(): Promise<Report> {
    return (await this.#ask('go')) as Report
  }

  async work(job: Job): Promise<Report> {
    await this.prepare(job)
    return this.go()
  }

  /** One letter: R running, S sleeping, T stopped, Z dead and not yet waited for. */
  state(): string {
    return stateOf(this.pid)
  }

  /** Resolves once the process has stopped itself. Rejects where it is done with its job without that. */
  async stopped(): Promise<void> {
    while (this.state() !== 'T') {
      if (this.#answer === null) throw new Error('the writer did its job and never stopped')
      await new Promise((look) => setTimeout(look, 1))
    }
  }

  continue(): void {
    this.#child.kill('SIGCONT')
  }

  async end(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.ended
  }

  #ask(message: string | { job: Job }): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#answer = resolve
      this.#failed = reject
      this.#child.send(message)
    })
  }
}

export class Writers {
  readonly #writers: readonly Writer[]

  constructor(count: number) {
    this.#writers = Array.from({ length: count }, () => new Writer())
  }

  /** Every process gets its job and waits; once all do, they are let go together. */
  async work(jobOf: (place: number) => Job): Promise<Report[]> {
    await Promise.all(this.#writers.map((writer, place) => writer.prepare(jobOf(place))))
    return Promise.all(this.#writers.map((writer) => writer.go()))
  }

  /** Each process does its job, so many of them at a time. */
  async take(lanes: number, jobOf: (place: number) => Job): Promise<Report[]> {
    const reports: Report[] = []
    await inLanes(lanes, this.#writers, async (writer, place) => void reports.push(await writer.work(jobOf(place))))
    return reports
  }

  async end(): Promise<void> {
    await Promise.all(this.#writers.map((writer) => writer.end()))
  }
}

export function stateOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).charAt(0)
}

/** Works on the items in order, so many at a time. */
export async function inLanes<T>(
  lanes: number,
  items: readonly T[],
  work: (item: T, place: number) => Promise<void>
): Promise<void> {
  const left = items.entries()
  const lane = async (): Promise<void> => {
    for (const [place, item] of left) await work(item, place)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
