/**
 * One run of the protocol: a file system in memory, the processes on it, and what was promised to whom.
 *
 * A process is a list of jobs, each a generator of file operations; a step carries out one operation of one process.
 * A process that is killed is not stepped any more: what it had done stays, also an operation whose result it never
 * saw. A pause is a process that is not stepped for a while. A power cut ends all processes and takes back what was
 * not synced. Every step is written down, so that a violation comes with the schedule that led to it.
 */
import type { StoreContext } from '../../src/store/context.js'
import { codeOf, type FileOp, type Steps } from '../../src/store/files.js'
import { type IndexPaths, indexPaths } from '../../src/store/paths.js'
import type { readSnapshot } from '../../src/store/snapshot.js'
import type { update } from '../../src/store/update.js'
import { failure, MemoryFs, type PowerCut } from './memory-fs.js'
import { Promises, Violation } from './promises.js'

/** The code under test: the store's own, or a copy of it with a rule taken out. */
export interface Protocol {
  readonly update: typeof update
  readonly readSnapshot: typeof readSnapshot
}

/** A piece of work of one process; its first step begins it. */
export type Job = () => Steps<void>

export class Process {
  readonly name: string
  readonly readsOnly: boolean
  readonly #jobs: Job[]
  #steps: Steps<void> | null = null
  /** The operation that the next step carries out; null before the first and after the last one. */
  next: FileOp | null = null
  alive = true
  lastViewRead: Uint8Array | null = null

  constructor(name: string, jobs: readonly Job[], readsOnly: boolean) {
    this.name = name
    this.#jobs = [...jobs]
    this.readsOnly = readsOnly
  }

  get done(): boolean {
    return this.#steps === null && this.#jobs.length === 0
  }

  get runnable(): boolean {
    return this.alive && !this.done
  }

  /** Begins the next job if none is under way, and answers the operation it is about to carry out. */
  peek(): FileOp | null {
    while (this.#steps === null && this.#jobs.length > 0) {
      this.#steps = this.#jobs.shift()!()
      this.#follow(this.#steps.next())
    }
    return this.next
  }

  give(result: unknown): void {
    this.#follow(this.#steps!.next(result))
  }

  fail(error: unknown): void {
    this.#follow(this.#steps!.throw(error))
  }

  #follow(result: IteratorResult<FileOp, void>): void {
    this.next = result.done ? null : result.value
    if (result.done) this.#steps = null
  }
}

const READS = new Set(['read', 'list', 'size'])
const ROOT = '/home'

/** What may go wrong with an operation; null: nothing. */
export type Fault = (process: Process, op: FileOp) => string | null

export class World {
  readonly protocol: Protocol
  readonly fs: MemoryFs = new MemoryFs()
  readonly paths: IndexPaths = indexPaths(`${ROOT}/index.json`)
  readonly promises: Promises = new Promises()
  readonly processes: Process[] = []
  /** Every own revision's bytes that ever were. */
  readonly revisions: Uint8Array[] = []
  /** What the view has shown of them. */
  readonly published: Uint8Array[] = []
  /** Foreign bytes that the view does not show any more. */
  readonly replaced: Uint8Array[] = []
  fault: Fault = () => null
  /** Whether a free lock is given; a held one is refused, or robbed where the lock is not `honest`. */
  givesLock: () => boolean = () => true
  honestLock = true
  steps = 0
  /** What befell the run. */
  faults = 0
  kills = 0
  powerCuts = 0
  edits = 0
  /** How often somebody damaged the history by hand. */
  damages = 0
  #lockHolder: Process | null = null
  #drawn = 0
  readonly #log: (readonly [who: string, what: string | FileOp, code?: string])[] = []

  constructor(protocol: Protocol) {
    this.protocol = protocol
  }

  /** A context as a process of its own would make it. */
  context(revisions = 2): StoreContext {
    return {
      paths: this.paths,
      random: () => (++this.#drawn).toString(16).padStart(32, '0'),
      now: () => this.now(),
      hash,
      machine: () => undefined,
      limits: { indexBytes: 1 << 20, revisions, historyBytes: 1 << 26 },
      cache: {}
    }
  }

  /** A clock that moves with every step. */
  now(): number {
    return 1_790_000_000_000 + this.steps * 10
  }

  start(name: string, jobs: readonly Job[], readsOnly = false): Process {
    const process = new Process(name, jobs, readsOnly)
    this.processes.push(process)
    return process
  }

  /** One operation of one process. */
  step(process: Process): void {
    const op = process.peek()
    if (op === null) return
    this.steps += 1
    let result: unknown
    try {
      result = this.#perform(process, op)
    } catch (error) {
      if (error instanceof Violation) throw error
      this.#log.push([process.name, op, codeOf(error) ?? String(error)])
      this.#deliver(() => process.fail(error))
      return
    }
    this.#log.push(op.op === 'lock' ? [process.name, op, String(result)] : [process.name, op])
    this.#deliver(() => process.give(result))
  }

  /** Steps a process until it is done, or about to carry out an operation that `stop` picks. */
  run(process: Process, stop: (op: FileOp) => boolean = () => false, limit = 2000): void {
    for (let count = 0; process.runnable; count++) {
      const op = process.peek()
      if (op !== null && stop(op)) return
      if (count >= limit) throw this.violation(`${process.name} is not done after ${limit} operations on its own`)
      this.step(process)
    }
  }

  kill(process: Process): void {
    if (!process.runnable) return
    process.alive = false
    if (this.#lockHolder === process) this.#lockHolder = null
    this.kills += 1
    this.say('killed', process.name)
  }

  powerCut(cut: PowerCut, name: string): void {
    for (const process of this.processes) process.alive = false
    this.#lockHolder = null
    this.powerCuts += 1
    this.fs.powerCut(cut)
    this.say(`the power goes: ${name}`)
  }

  /** Somebody damages the history, and with it what was promised. */
  damage(how: string): void {
    this.damages += 1
    this.promises.release()
    this.say(how, 'vandal')
  }

  say(what: string, who = '--'): void {
    this.#log.push([who, what])
  }

  violation(message: string): Violation {
    return new Violation(message, this.schedule())
  }

  /** The steps so far, one a line: who, what, and the error if there was one. */
  schedule(): string {
    return this.#log.map((line) => formatLine(this.paths.folder, line)).join('\n')
  }

  #deliver(give: () => void): void {
    try {
      give()
    } catch (error) {
      if (error instanceof Violation && error.schedule !== '') throw error
      throw this.violation(error instanceof Violation ? error.message : `unexpected: ${(error as Error).stack}`)
    }
  }

  #perform(process: Process, op: FileOp): unknown {
    if (process.readsOnly && !READS.has(op.op)) throw this.violation(`the reader does ${op.op}`)
    if (op.op === 'lock') return this.#lock(process)
    if (op.op === 'unlock') {
      if (this.#lockHolder === process) this.#lockHolder = null
      return undefined
    }
    const code = this.fault(process, op)
    if (code !== null) {
      this.faults += 1
      const [path, dest] = pathsOf(op)
      throw failure(code, op.op, path, dest)
    }
    if (op.op === 'rename' && op.to === this.paths.view) this.#aboutToReplaceView(process)
    if (op.op === 'read' && op.path === this.paths.view) process.lastViewRead = null
    const result = this.fs.perform(op)
    if (op.op === 'rename' && op.to === this.paths.view) this.published.push(this.fs.bytesOf(op.to)!)
    if (op.op === 'read' && op.path === this.paths.view) process.lastViewRead = result as Uint8Array
    if (op.op === 'link' || op.op === 'rename') this.#noteRevision(op.to)
    return result
  }

  #lock(process: Process): boolean {
    if (this.#lockHolder?.runnable && this.honestLock) return false
    if (!this.givesLock()) return false
    this.#lockHolder = process
    return true
  }

  #noteRevision(path: string): void {
    const { history } = this.paths
    const paths = path === history ? this.fs.namesIn(history).map((name) => `${history}/${name}`) : [path]
    for (const each of paths) {
      const bytes = this.fs.bytesOf(each)
      if (/^[1-9][0-9]*$/.test(each.slice(history.length + 1)) && bytes !== null) this.revisions.push(bytes)
    }
  }

  /** Nothing that somebody else wrote is thrown away, but for what came between the last look and the rename. */
  #aboutToReplaceView(process: Process): void {
    const there = this.fs.bytesOf(this.paths.view)
    if (there === null || process.lastViewRead === null || !same(there, process.lastViewRead)) return
    if (this.revisions.some((bytes) => same(bytes, there))) return
    this.replaced.push(there)
    this.checkKept()
  }

  /** What somebody has just written into the view must not vanish. */
  mustKeep(): void {
    this.replaced.push(this.fs.bytesOf(this.paths.view)!)
  }

  /** @throws Violation where bytes that were replaced are kept nowhere */
  checkKept(): void {
    if (this.damages > 0) return
    const { fs, paths } = this
    for (const gone of this.replaced) {
      const places = [paths.view, ...fs.namesIn(paths.kept).map((name) => `${paths.kept}/${name}`)]
      const found = places.some((path) => {
        const there = fs.bytesOf(path)
        return there !== null && same(there, gone)
      })
      if (!found) throw this.violation(`what somebody wrote into the view is kept nowhere: ${text(gone)}`)
    }
  }
}

export function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

export function bytes(value: string): Uint8Array {
  return new TextEncoder().encode(value)
}

export function same(a: Uint8Array, b: Uint8Array): boolean {
  return a === b || Buffer.compare(a, b) === 0
}

/** Two FNV-1a sums: enough to tell a few dozen texts apart. */
function hash(data: Uint8Array): string {
  let [a, b] = [0x811c9dc5, 0x01234567]
  for (const byte of data) {
    a = Math.imul(a ^ byte, 0x01000193)
    b = Math.imul(b ^ byte, 0x01000193) + 1
  }
  return [a, b].map((sum) => (sum >>> 0).toString(16).padStart(8, '0')).join('')
}

function pathsOf(op: FileOp): readonly [string, string?] {
  if ('path' in op) return [op.path]
  return 'from' in op ? [op.from, op.to] : ['?']
}

function formatLine(folder: string, [who, what, code]: readonly [string, string | FileOp, string?]): string {
  if (typeof what === 'string') return `${who.padEnd(4)} ${what}`
  const short = (path: string): string =>
    path
      .replace(`${folder}/`, '')
      .replace(/0{20,}/, '..')
      .replace('index.json.', '')
  const paths = 'path' in what || 'from' in what ? pathsOf(what).map((path) => short(path ?? '')) : []
  return `${who.padEnd(4)} ${what.op} ${paths.filter((path) => path !== '').join(' -> ')}${code ? `: ${code}` : ''}`
}
