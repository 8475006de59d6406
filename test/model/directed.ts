/**
 * Schedules laid out by hand, one for each hole that a search by chance or with two switches does not find, or finds
 * late. Each says what it closes; the names are what the table of rules refers to.
 */
import type { FileOp } from '../../src/store/files.js'
import { noop, reader, writer } from './casts.js'
import { finish, readAlone } from './endings.js'
import * as jobs from './jobs.js'
import { ALL_LOST, lostIn } from './memory-fs.js'
import { openWorld, type ScenarioName } from './scenarios.js'
import type { Protocol, World } from './world.js'

export type DirectedName =
  | 'two writers die before they prune, and one slept since before them'
  | 'a first writer sleeps after its rename until its revision is pruned'
  | 'a first writer is swept while the history is deleted'
  | 'all is deleted while a writer sleeps, and its number is reached again'
  | 'an edit is saved in two steps'
  | 'an older tool writes between the link and the publication'
  | 'a person saves between the link and the publication'
  | 'a person saves garbage over the published view'
  | 'an older tool writes back what it loaded long ago'
  | 'what was kept outlives the power cut that the publication outlives'
  | 'the kept folder outlives the power cut that the publication outlives'
  | 'one publishes over garbage what a killed writer linked, and another acknowledges it'
  | 'one publishes over an older file what a killed first writer renamed, and another acknowledges it'
  | 'one that changes nothing reads an edit, and the power goes'
  | 'the view that was there before comes back with the number that the history has reached'
  | 'a folder that another made cannot be synced'
  | 'a disk takes part of each write'
  | 'a disk takes less than it says'
  | 'killed writers leave nothing behind for long'

interface Directed {
  readonly scenario: ScenarioName
  readonly play: (world: World) => void
}

const pathOf = (op: FileOp): string => ('to' in op ? op.to : 'path' in op ? op.path : '')

/** The operation of this kind on a path that ends so. */
const at =
  (kind: FileOp['op'], end: RegExp) =>
  (op: FileOp): boolean =>
    op.op === kind && end.test(pathOf(op))

/** The same, the second time. */
function second(stop: (op: FileOp) => boolean): (op: FileOp) => boolean {
  let met: FileOp | null = null
  return (op) => {
    if (!stop(op) || op === met) return false
    if (met !== null) return true
    met = op
    return false
  }
}

const DIRECTED: Record<DirectedName, Directed> = {
  'two writers die before they prune, and one slept since before them': {
    scenario: 'history present',
    play: (world) => {
      const sleeper = writer(world, 'a')
      world.run(sleeper, at('link', /\/4$/))
      for (const name of ['b', 'c']) {
        const victim = writer(world, name)
        world.run(victim, second(at('create', /\/s-/)))
        world.kill(victim)
      }
      world.run(writer(world, 'd'))
      world.run(sleeper)
    }
  },
  'a first writer sleeps after its rename until its revision is pruned': {
    scenario: 'history absent',
    play: (world) => {
      const first = writer(world, 'a')
      world.run(first, at('rename', /\.history$/))
      world.step(first)
      world.run(writer(world, 'b', 3))
      world.run(first)
    }
  },
  'a first writer is swept while the history is deleted': {
    scenario: 'history absent',
    play: (world) => {
      const swept = writer(world, 'a')
      world.run(swept, at('rename', /\.history$/))
      const sweeper = writer(world, 'b')
      world.run(sweeper, at('rmdir', /./))
      world.say('deletes the history', 'person')
      world.fs.remove(world.paths.history)
      world.run(swept)
      readAlone(world, 'the reader after the swept writer')
      world.run(sweeper)
    }
  },
  'all is deleted while a writer sleeps, and its number is reached again': {
    scenario: 'history young',
    play: (world) => {
      const sleeper = writer(world, 'a')
      world.run(sleeper, at('create', /\/s-1-/))
      world.say('deletes all', 'person')
      world.fs.remove(world.paths.history)
      world.fs.remove(world.paths.view)
      world.promises.restart()
      world.run(writer(world, 'b'))
      world.run(sleeper)
    }
  },
  'an edit is saved in two steps': {
    scenario: 'history present',
    play: (world) => {
      const draft = jobs.edit(world, 'x1')!
      jobs.saveDraft(world, { by: 'person', text: '' })
      const process = noop(world)
      world.run(process, at('read', /\/3$/))
      world.step(process)
      jobs.saveDraft(world, draft)
      world.promises.expect('x1')
      world.run(process)
    }
  },
  'an older tool writes between the link and the publication': {
    scenario: 'history present',
    play: (world) => {
      const publisher = writer(world, 'a')
      world.run(publisher, second(at('create', /\/s-/)))
      jobs.saveDraft(world, jobs.record(world, 'x1', { alone: true }))
      world.promises.expect('x1')
      world.run(publisher)
    }
  },
  'a person saves between the link and the publication': {
    scenario: 'history present',
    play: (world) => {
      const publisher = writer(world, 'a')
      world.run(publisher, second(at('create', /\/s-/)))
      jobs.saveDraft(world, jobs.edit(world, 'x1')!)
      world.mustKeep()
      world.run(publisher)
    }
  },
  'a person saves garbage over the published view': {
    scenario: 'history present',
    play: (world) => {
      world.run(writer(world, 'a'))
      jobs.saveDraft(world, { by: 'person', text: 'garbage' })
      world.mustKeep()
      world.run(reader(world))
    }
  },
  'an older tool writes back what it loaded long ago': {
    scenario: 'history present',
    play: (world) => {
      world.run(writer(world, 'a'))
      const draft = jobs.record(world, 'x1', { alone: false })
      world.run(world.start('a', [jobs.change(world, world.context(), 'a-2')]))
      jobs.saveDraft(world, draft)
      world.promises.expect('x1')
      world.run(reader(world))
      world.run(noop(world))
    }
  },
  'what was kept outlives the power cut that the publication outlives': {
    scenario: 'view garbage',
    play: (world) => {
      world.run(writer(world, 'a'))
      world.powerCut(lostIn(world.paths.kept), 'what happened to the kept names is lost')
      world.checkKept()
    }
  },
  'the kept folder outlives the power cut that the publication outlives': {
    scenario: 'history present',
    play: (world) => {
      const publisher = writer(world, 'a')
      world.run(publisher, second(at('create', /\/s-/)))
      world.fs.perform({ op: 'mkdir', path: world.paths.kept })
      jobs.saveDraft(world, jobs.edit(world, 'x1')!)
      world.mustKeep()
      world.run(publisher, at('rename', /\/index\.json$/))
      const before = new Set(world.fs.unsynced())
      world.step(publisher)
      const cut = { ...ALL_LOST, survives: ({ place }: { place: number }) => !before.has(place) }
      world.powerCut(cut, 'the publication alone survives')
      world.checkKept()
    }
  },
  'one publishes over garbage what a killed writer linked, and another acknowledges it': {
    scenario: 'revision not durable, view garbage',
    play: (world) => {
      const publisher = writer(world, 'a')
      world.run(publisher, second(at('create', /\/s-4-/)))
      world.run(noop(world))
      world.powerCut(ALL_LOST, 'all that was not synced is lost')
    }
  },
  'one publishes over an older file what a killed first writer renamed, and another acknowledges it': {
    scenario: 'history not durable, view of an older tool',
    play: (world) => {
      world.fs.perform({ op: 'mkdir', path: world.paths.kept })
      const publisher = writer(world, 'a')
      world.run(publisher, second(at('create', /\/s-1-/)))
      world.run(writer(world, 'b'))
      world.powerCut(ALL_LOST, 'all that was not synced is lost')
    }
  },
  'one that changes nothing reads an edit, and the power goes': {
    scenario: 'view edited, not durable',
    play: (world) => {
      world.run(noop(world))
      world.powerCut(ALL_LOST, 'all that was not synced is lost')
    }
  },
  'the view that was there before comes back with the number that the history has reached': {
    scenario: 'history deleted',
    play: (world) => {
      for (const change of ['1', '2', '3']) world.run(writer(world, `a${change}`))
      world.powerCut(ALL_LOST, 'all that was not synced is lost')
    }
  },
  'a folder that another made cannot be synced': {
    scenario: 'folder absent',
    play: (world) => {
      world.fs.perform({ op: 'mkdir', path: world.paths.folder })
      world.fault = (_, op) => (op.op === 'syncDir' && op.path === '/' ? 'EIO' : null)
      world.run(writer(world, 'a'))
      if (world.faults === 0) throw world.violation('the folder was not synced')
      world.fault = () => null
      world.powerCut(ALL_LOST, 'all that was not synced is lost')
    }
  },
  'a disk takes part of each write': {
    scenario: 'history present',
    play: (world) => {
      world.fs.onWrite = (asked) => ({ taken: Math.ceil(asked / 3), told: Math.ceil(asked / 3) })
      world.run(writer(world, 'a'))
    }
  },
  'a disk takes less than it says': {
    scenario: 'history present',
    play: (world) => {
      world.fs.onWrite = (asked) => {
        world.faults += 1
        return { taken: Math.floor(asked / 2), told: asked }
      }
      world.run(writer(world, 'a'))
      world.fs.onWrite = (asked) => ({ taken: asked, told: asked })
      if (world.faults === 0) throw world.violation('nothing was written')
    }
  },
  'killed writers leave nothing behind for long': {
    scenario: 'leftovers of killed first writers',
    play: (world) => {
      const first = writer(world, 'a')
      world.run(first, at('rename', /\.history$/))
      world.kill(first)
      const second = writer(world, 'b', 2)
      world.run(second, at('link', /\/2$/))
      world.kill(second)
      world.run(writer(world, 'c', 5))
      const { fs, paths } = world
      const left = [
        ...fs.namesIn(paths.folder).filter((name) => name.startsWith('index.json.history.')),
        ...fs.namesIn(paths.history).filter((name) => !/^[0-9]+$/.test(name))
      ]
      if (left.length > 0) throw world.violation(`left behind: ${left.join(', ')}`)
    }
  }
}

export const DIRECTED_NAMES = Object.keys(DIRECTED) as DirectedName[]

/** @throws Violation */
export function playDirected(protocol: Protocol, name: DirectedName): void {
  const world = openWorld(protocol, DIRECTED[name].scenario)
  world.say(name)
  DIRECTED[name].play(world)
  finish(world)
}
