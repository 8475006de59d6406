/**
 * How every run ends: whatever state it left, a read keeps all promises, a fresh writer gets through on its own, the
 * view is the newest revision afterwards, and a power cut that takes all that was not synced takes no promise.
 */
import { revisionNumbers } from '../../src/store/revisions.js'
import { change, nothing, reading } from './jobs.js'
import { ALL_LOST } from './memory-fs.js'
import { same, type World } from './world.js'

/** More than any writer needs that meets nobody. */
const ALONE = 200

export function finish(world: World, options: { readonly cut?: boolean } = {}): void {
  readAlone(world, 'the reader at the end')
  const writer = world.start('last', [change(world, world.context(), 'last-1')])
  world.run(writer, () => false, ALONE)
  checkView(world)
  readAlone(world, 'the reader after the last writer')
  if (options.cut === false) return
  world.run(world.start('noop', [nothing(world, world.context())]), () => false, ALONE)
  world.powerCut(ALL_LOST, 'all that was not synced is lost')
  readAlone(world, 'the reader after the power cut')
  world.checkKept()
}

export function readAlone(world: World, name: string): void {
  world.run(world.start('read', [reading(world, world.context(), name)], true), () => false, ALONE)
}

/** With all writers done and none killed, the view is the newest revision byte for byte, and nothing is left over. */
export function checkView(world: World): void {
  const { fs, paths } = world
  if (!world.promises.changed) return
  const names = fs.namesIn(paths.history)
  const newest = revisionNumbers(names)[0]
  const revision = newest === undefined ? null : fs.bytesOf(`${paths.history}/${newest}`)
  const view = fs.bytesOf(paths.view)
  if (revision === null) throw world.violation('there is no revision at rest')
  if (view === null || !same(revision, view)) throw world.violation(`the view at rest is not revision ${newest}`)
}
