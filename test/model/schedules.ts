/**
 * All schedules of a cast with at most two switches: the first process stops before some operation, the second one
 * too, and then each of the endings comes: all run on, in one order or another, the stopped ones are killed, or the
 * power goes. And all single failures: each operation of a process on its own, failing once.
 */
import type { FileOp } from '../../src/store/files.js'
import { CASTS, type CastName, noop, reader, writer } from './casts.js'
import { checkView, finish } from './endings.js'
import { ALL_KEPT, ALL_LOST, lostFrom, lostIn, NAMES_KEPT, type PowerCut } from './memory-fs.js'
import { openWorld, type ScenarioName } from './scenarios.js'
import type { Process, Protocol, World } from './world.js'

/**
 * Where a stop tells: before an operation that others can see or that sees others. Who is killed at the stop, or cut
 * off, might as well have stopped before its reads (`reads` false); while the power stays, it is all the same whether
 * a folder was synced (`syncs` false); and nobody looks into a file under a name that only its writer knows.
 */
interface Stops {
  readonly reads: boolean
  readonly syncs: boolean
}

const READS = new Set<FileOp['op']>(['read', 'list', 'size'])
const PRIVATE = new Set<FileOp['op']>(['write', 'length', 'sync', 'close'])

function tells(world: World, op: FileOp, { reads, syncs }: Stops): boolean {
  if (op.op === 'syncDir') return syncs
  if (PRIVATE.has(op.op) || (!reads && READS.has(op.op))) return false
  const path = 'path' in op ? op.path : 'to' in op ? op.to : ''
  return !path.startsWith(world.paths.kept) || op.op === 'mkdir'
}

/** Steps until the process is about to do its `count`-th operation that tells; false: it was done before. */
function runTo(world: World, process: Process, count: number, stops: Stops): boolean {
  let passed = 0
  for (;;) {
    const op = process.peek()
    if (op === null) return passed === count
    if (tells(world, op, stops) && passed++ === count) return true
    world.step(process)
  }
}

interface Ending {
  readonly first: Stops
  readonly second: Stops
  readonly end: (world: World, first: Process, second: Process, others: readonly Process[]) => void
  /** Only where something is not synced. */
  readonly unsynced?: boolean
}

const runAll = (world: World, ...order: readonly Process[]): void => {
  for (const process of order) world.run(process)
}

const goesOn: Stops = { reads: true, syncs: false }
const isKilled: Stops = { reads: false, syncs: false }
const isCutOff: Stops = { reads: false, syncs: true }

const cut = (name: string, powerCut: (world: World) => PowerCut, unsynced = true): Ending => ({
  ...{ first: isCutOff, second: isCutOff, unsynced },
  end: (world) => world.powerCut(powerCut(world), name)
})

const ENDINGS: readonly Ending[] = [
  { first: goesOn, second: goesOn, end: (world, first, second, others) => runAll(world, first, second, ...others) },
  { first: goesOn, second: goesOn, end: (world, first, second, others) => runAll(world, ...others, second, first) },
  {
    ...{ first: goesOn, second: isKilled },
    end: (world, first, second, others) => {
      world.kill(second)
      runAll(world, first, ...others)
    }
  },
  {
    ...{ first: isKilled, second: isKilled },
    end: (world, first, second, others) => {
      world.kill(first)
      world.kill(second)
      runAll(world, ...others)
    }
  },
  {
    ...{ first: { reads: true, syncs: true }, second: isCutOff },
    end: (world, first, _second, others) => {
      runAll(world, first, ...others)
      world.powerCut(ALL_LOST, 'all that was not synced is lost')
    }
  },
  cut('all that was not synced is lost', () => ALL_LOST, false),
  cut('all is kept', () => ALL_KEPT),
  cut('the names are kept', () => NAMES_KEPT),
  cut('what happened in the history is lost', ({ paths }) => lostIn(paths.history)),
  cut('what happened beside the view is lost', ({ paths }) => lostIn(paths.folder))
]

/**
 * Goes through all of them, one ending after the other.
 * @param options.full also with the unsynced changes lost from each of them on
 * @returns how many schedules there were
 */
export function everySchedule(
  protocol: Protocol,
  scenario: ScenarioName,
  cast: CastName,
  options: { readonly full?: boolean } = {}
): number {
  let schedules = 0
  const conclude = (ending: Ending, { world, first, second, others }: Stopped): void => {
    if (ending.unsynced && world.fs.unsynced().length === 0) return
    ending.end(world, first, second, others)
    if (world.processes.every((process) => process.alive && process.done)) checkView(world)
    finish(world)
    schedules += 1
  }
  for (const ending of ENDINGS) {
    for (const stopped of everyStop(protocol, scenario, cast, ending)) conclude(ending, stopped())
  }
  if (!options.full) return schedules
  for (const stopped of everyStop(protocol, scenario, cast, { first: isCutOff, second: isCutOff })) {
    for (const place of stopped().world.fs.unsynced()) {
      conclude(
        cut(`lost from change ${place} on`, () => lostFrom(place)),
        stopped()
      )
    }
  }
  return schedules
}

interface Stopped {
  readonly world: World
  readonly first: Process
  readonly second: Process
  readonly others: readonly Process[]
}

/** Each pair of places where the first two can stop, as a function that brings a new world there. */
function* everyStop(
  protocol: Protocol,
  scenario: ScenarioName,
  cast: CastName,
  stops: Pick<Ending, 'first' | 'second'>
): Generator<() => Stopped, void> {
  for (let i = 0; ; i++) {
    for (let j = 0; ; j++) {
      let met = [true, true]
      const stop = (): Stopped => {
        const world = openWorld(protocol, scenario)
        world.say(`${cast}; the first stops at ${i}, the second at ${j}`)
        const [first, second, ...others] = CASTS[cast](world) as [Process, Process, ...Process[]]
        met = [runTo(world, first, i, stops.first), runTo(world, second, j, stops.second)]
        return { world, first, second, others }
      }
      let ready: Stopped | null = stop()
      if (!met[0]) return
      if (!met[1]) break
      yield () => {
        const stopped = ready ?? stop()
        ready = null
        return stopped
      }
    }
  }
}

/** What the process that meets the failure comes upon. */
const BEFORE: readonly ((world: World) => void)[] = [
  () => {},
  (world) => world.run(writer(world, 'z')),
  (world) => {
    world.run(writer(world, 'z'))
    // Nothing but the history can answer.
    world.fs.remove(world.paths.view)
  }
]

/**
 * A writer, one that changes nothing, or a reader meets a failure at its n-th operation, for every n: once, or at
 * every operation from then on.
 * @returns how many failures there were
 */
export function everyFailure(protocol: Protocol, scenario: ScenarioName, codes: readonly string[] = ['EIO']): number {
  let failures = 0
  for (const who of [writer, noop, reader]) {
    for (const before of BEFORE) {
      for (const [code, lasting] of codes.flatMap((code) => [[code, false] as const, [code, true] as const])) {
        for (let count = 0; ; count++) {
          const world = openWorld(protocol, scenario)
          before(world)
          const process = who(world, 'a')
          let left = count
          world.fault = (by) => (by === process && (left-- === 0 || (lasting && left < 0)) ? code : null)
          world.say(`${code} at operation ${count}${lasting ? ' and after it' : ''}`)
          world.run(process)
          if (world.faults === 0) break
          world.fault = () => null
          finish(world)
          failures += 1
        }
      }
    }
  }
  return failures
}
