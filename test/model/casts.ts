/** Who meets in the schedules that are gone through one by one. The first is stopped, then the second. */
import * as jobs from './jobs.js'
import type { Process, World } from './world.js'

/** The processes in the order in which they run, as far as nobody interrupts. */
export type Cast = (world: World) => readonly Process[]

export type CastName =
  | 'three writers'
  | 'a writer, and one that changes four times'
  | 'a writer, one that changes nothing, and a writer'
  | 'two writers, and one that changes nothing'
  | 'a reader, and a writer that changes three times'
  | 'a writer, a reader, and a writer'
  | 'one that saves what it loaded, and a writer'
  | 'a writer, and one that removes'
  | 'one that removes, a reader, and a writer'

export function writer(world: World, name: string, changes = 1): Process {
  const ctx = world.context()
  return world.start(
    name,
    Array.from({ length: changes }, (_, done) => jobs.change(world, ctx, `${name}-${done + 1}`))
  )
}

export function noop(world: World): Process {
  return world.start('noop', [jobs.nothing(world, world.context())])
}

export function reader(world: World): Process {
  return world.start('read', [jobs.reading(world, world.context(), 'the reader')], true)
}

function remover(world: World): Process {
  const ctx = world.context()
  return world.start('gone', [jobs.remove(world, ctx, 'old'), jobs.change(world, ctx, 'gone-1')])
}

function saver(world: World): Process {
  return world.start('save', [jobs.save(world, world.context(), 'save-1')])
}

export const CASTS: Record<CastName, Cast> = {
  'three writers': (world) => [writer(world, 'a'), writer(world, 'b'), writer(world, 'c')],
  'a writer, and one that changes four times': (world) => [writer(world, 'a'), writer(world, 'b', 4)],
  'a writer, one that changes nothing, and a writer': (world) => [writer(world, 'a'), noop(world), writer(world, 'c')],
  'two writers, and one that changes nothing': (world) => [writer(world, 'a'), writer(world, 'b'), noop(world)],
  'a reader, and a writer that changes three times': (world) => [reader(world), writer(world, 'b', 3)],
  'a writer, a reader, and a writer': (world) => [writer(world, 'a'), reader(world), writer(world, 'c')],
  'one that saves what it loaded, and a writer': (world) => [saver(world), writer(world, 'b', 2)],
  'a writer, and one that removes': (world) => [writer(world, 'a'), remover(world)],
  'one that removes, a reader, and a writer': (world) => [remover(world), reader(world), writer(world, 'c')]
}

export const CAST_NAMES = Object.keys(CASTS) as CastName[]
