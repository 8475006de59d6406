/**
 * A schedule drawn from a seed: the scenario, the writers and what they do, who runs and for how long, who sleeps, who
 * is killed, when the power goes, when somebody edits the view, which operation fails. The same seed, the same run.
 * It ends as endings.ts says, or throws a Violation with the steps that led to it.
 */
import { checkView, finish, readAlone } from './endings.js'
import * as jobs from './jobs.js'
import { lostIn, type PowerCut } from './memory-fs.js'
import { Violation } from './promises.js'
import { Random } from './random.js'
import { openWorld, SCENARIO_NAMES, type ScenarioName } from './scenarios.js'
import { bytes, type Job, type Process, type Protocol, type World } from './world.js'

const MOST_STEPS = 3000
const FAILURES = ['EIO', 'ENOSPC', 'EACCES', 'EMFILE'] as const

/** What may happen in one run, and how likely at each step. */
interface Weather {
  readonly kills: number
  readonly powerCuts: number
  readonly edits: number
  /** That somebody deletes the history, or spoils a file in it. */
  readonly vandals: number
  readonly faults: number
  readonly shortWrites: number
  /** Steps that a process takes in a row, on average. */
  readonly stride: number
  /** That a process that is switched away from sleeps for long. */
  readonly sleeps: number
}

export function randomRun(protocol: Protocol, seed: number): World {
  const random = new Random(seed)
  const scenario = random.pick(SCENARIO_NAMES)
  const world = openWorld(protocol, scenario)
  world.say(`seed ${seed}`)
  try {
    new RandomRun(world, random, scenario).run()
    return world
  } catch (error) {
    if (error instanceof Violation) throw error
    throw world.violation(`seed ${seed}: ${(error as Error).stack}`)
  }
}

class RandomRun {
  readonly #world: World
  readonly #random: Random
  readonly #weather: Weather
  readonly #sleeping = new Map<Process, number>()
  #names = 0
  #drafts: (jobs.Draft | null)[] = []
  #calm = true
  #editable: boolean

  constructor(world: World, random: Random, scenario: ScenarioName) {
    this.#world = world
    this.#random = random
    const sometimes = (rate: number): number => (random.chance(0.4) ? rate : 0)
    this.#weather = {
      kills: sometimes(0.01),
      powerCuts: sometimes(0.01),
      edits: sometimes(0.02),
      vandals: random.chance(0.1) ? 0.005 : 0,
      faults: random.chance(0.15) ? 0.02 : 0,
      shortWrites: sometimes(0.3),
      stride: random.pick([1, 3, 10, 40]),
      sleeps: random.pick([0, 0.1, 0.4])
    }
    // Until something is acknowledged, the view may be all there is, and whoever spoils it has spoilt the index.
    this.#editable = scenario === 'history present'
    world.givesLock = () => random.chance(0.7)
    // Without hard links all rests on the lock.
    world.honestLock = !world.fs.hardLinks || random.chance(0.5)
    world.fs.onWrite = (asked) => {
      const taken = random.chance(this.#weather.shortWrites) ? 1 + random.below(asked) : asked
      return { taken, told: taken }
    }
    world.fault = (process, op) => {
      if (process.readsOnly || !random.chance(this.#weather.faults)) return null
      this.#calm = false
      // The root may be opened by everyone.
      return op.op === 'close' || op.op === 'syncDir' ? 'EIO' : random.pick(FAILURES)
    }
  }

  run(): void {
    const { processes, fs } = this.#world
    this.#cast()
    let current: Process | undefined
    for (let count = 0; count < MOST_STEPS; count++) {
      if (!processes.some((process) => process.runnable && !process.readsOnly)) break
      const awake = processes.filter((process) => process.runnable && (this.#sleeping.get(process) ?? 0) <= count)
      if (awake.length === 0) {
        this.#sleeping.clear()
        continue
      }
      if (!current?.runnable || !awake.includes(current) || this.#random.chance(1 / this.#weather.stride)) {
        if (current?.runnable && this.#random.chance(this.#weather.sleeps)) {
          this.#sleeping.set(current, count + this.#random.below(150))
        }
        current = this.#random.pick(awake)
      }
      this.#world.step(current)
      this.#befall(current)
    }
    for (const process of processes) if (process.runnable) this.#world.run(process)
    this.#world.fault = () => null
    this.#world.givesLock = () => true
    if (this.#calm) checkView(this.#world)
    fs.onWrite = (asked) => ({ taken: asked, told: asked })
    finish(this.#world)
  }

  #cast(): void {
    const random = this.#random
    for (let count = 2 + random.below(2); count > 0; count--) this.#startWriter()
    const name = this.#name('read')
    const ctx = this.#world.context()
    const reads = Array.from({ length: 1 + random.below(4) }, () => jobs.reading(this.#world, ctx, name))
    this.#world.start(name, reads, true)
  }

  #startWriter(): void {
    const name = this.#name('w')
    const shared = this.#random.chance(0.5) ? this.#world.context() : null
    const list: Job[] = []
    const count = 1 + this.#random.below(2) + this.#random.below(2)
    for (let number = 1; number <= count; number++) {
      const ctx = shared ?? this.#world.context()
      const tag = `${name}-${number}`
      const draw = this.#random.next()
      if (draw < 0.12) list.push(jobs.nothing(this.#world, ctx))
      else if (draw < 0.22) list.push(jobs.save(this.#world, ctx, tag))
      else list.push(jobs.change(this.#world, ctx, tag, draw < 0.27 ? 'before-forget' : undefined))
    }
    this.#world.start(name, list)
  }

  #name(kind: string): string {
    return `${kind}${this.#names++}`
  }

  #befall(current: Process): void {
    const { kills, powerCuts, edits, vandals } = this.#weather
    const random = this.#random
    if (random.chance(0.02)) readAlone(this.#world, 'a reader at once')
    if (random.chance(kills)) {
      this.#calm = false
      const victim = random.chance(0.5) ? current : random.pick(this.#world.processes)
      this.#world.kill(victim)
      if (!victim.readsOnly && random.chance(0.7)) this.#startWriter()
    }
    if (random.chance(powerCuts) && this.#names < 12) {
      this.#calm = false
      this.#world.powerCut(this.#drawCut(), 'something is lost')
      readAlone(this.#world, 'the reader after the power cut')
      this.#world.checkKept()
      this.#cast()
    }
    if (random.chance(vandals)) this.#vandalize()
    if (random.chance(edits)) {
      this.#editable ||= this.#world.promises.since().acknowledged > 0
      if (this.#editable) this.#edit()
    }
  }

  /** What was promised is void, but the store must not be stuck. */
  #vandalize(): void {
    this.#calm = false
    const { fs, paths } = this.#world
    const random = this.#random
    const revisions = fs.namesIn(paths.history).filter((name) => /^[0-9]+$/.test(name))
    if (revisions.length === 0) return
    const how = random.below(4)
    this.#world.damage(['deletes the history', 'deletes all', 'spoils a revision', 'spoils the newest'][how]!)
    if (how < 2) fs.remove(paths.history)
    if (how === 1) fs.remove(paths.view)
    const newest = String(Math.max(...revisions.map(Number)))
    if (how >= 2) fs.overwrite(`${paths.history}/${how === 2 ? random.pick(revisions) : newest}`, bytes('garbage'))
  }

  #drawCut(): PowerCut {
    const random = this.#random
    const share = random.pick([0, 0.5, 1])
    const { history, folder } = this.#world.paths
    return random.pick<PowerCut>([
      lostIn(history),
      lostIn(folder),
      {
        survives: () => random.chance(share),
        content: (durable, written) =>
          random.pick([durable, written, written.subarray(0, random.below(written.length))])
      }
    ])
  }

  #edit(): void {
    this.#calm = false
    const { fs, paths, published } = this.#world
    const random = this.#random
    const name = this.#name('x')
    const overwrite = (text: string): void => jobs.saveDraft(this.#world, { by: 'person', text })
    const kinds: (() => void)[] = [
      () => this.#drafts.push(jobs.edit(this.#world, name)),
      () => this.#drafts.push(jobs.edit(this.#world, name)),
      () => this.#drafts.push(jobs.record(this.#world, name, { alone: false })),
      () => this.#drafts.push(jobs.record(this.#world, name, { alone: true })),
      () => this.#drafts.push(jobs.ahead(this.#world, name)),
      () => overwrite(`garbage ${name}`),
      () => overwrite(''),
      () => fs.remove(paths.view),
      () => published.length > 0 && fs.replace(paths.view, random.pick(published))
    ]
    // What is loaded may be saved at once or much later.
    if (this.#drafts.length === 0 || random.chance(0.3)) random.pick(kinds)()
    if (random.chance(0.6)) {
      const draft = this.#drafts.shift()
      if (draft) jobs.saveDraft(this.#world, draft)
    }
  }
}
