/** What a run may find on the disk when it begins. All of it is durable, unless a scenario's name says otherwise. */
import { serializeIndex } from '../../src/core/codec.js'
import type { Entry, Index } from '../../src/core/schema.js'
import { ahead, type Draft, edit, entry, putEntry, record } from './jobs.js'
import { SHARED } from './promises.js'
import { bytes, type Protocol, text, World } from './world.js'

export type ScenarioName =
  | 'history present'
  | 'history absent'
  | 'folder absent'
  | 'history young'
  | 'only the file of an older tool'
  | 'history deleted'
  | 'history without revisions, with leftovers'
  | 'leftovers of killed first writers'
  | 'history not durable'
  | 'history not durable, view of an older tool'
  | 'revision not durable'
  | 'revision not durable, view garbage'
  | 'view edited'
  | 'view edited, not durable'
  | 'view formatted'
  | 'view of an older tool'
  | 'view ahead'
  | 'view stale'
  | 'view of a revision that is gone'
  | 'view deleted'
  | 'view garbage'
  | 'view emptied'
  | 'newest revision unreadable'
  | 'newest revision unreadable, view edited'
  | 'newest revision unreadable, view behind'
  | 'newest revision unreadable, view deleted'
  | 'no revision readable'
  | 'nothing readable'
  | 'history with a hole'
  | 'no hard links'

const LONG_AGO = 1_780_000_000_000
const GARBAGE = bytes('{"version": 1, "entr')
const STAGED = `s-3-${'e'.repeat(32)}`
const UNBORN = `index.json.history.${'f'.repeat(31)}`

/** Revision `number` of an index that has been in use; the shared entry's role says which it is. */
function revision(number: number): Uint8Array {
  const known = made.get(number)
  if (known !== undefined) return known
  const empty: Index = { version: 1, revision: number, entries: {} }
  const used = putEntry(empty, entry('old', LONG_AGO))
  const content = bytes(serializeIndex(putEntry(used, { ...entry(SHARED, LONG_AGO), role: `r${number}` })))
  made.set(number, content)
  return content
}

const made = new Map<number, Uint8Array>()

const firstFields = ({ surfaceId, sessionId, repo, role, captured_at, last_active }: Entry): object => ({
  ...{ surfaceId, sessionId, repo, role, captured_at, last_active }
})

const olderFile = bytes(
  JSON.stringify({
    version: 1,
    entries: { old: firstFields(entry('old', LONG_AGO)), [SHARED]: firstFields(entry(SHARED, LONG_AGO)) }
  })
)

interface Files {
  readonly view?: Uint8Array
  /** Absent: no history folder. */
  readonly history?: Readonly<Record<string, Uint8Array>>
  /** In the folder of the index. */
  readonly beside?: Readonly<Record<string, Uint8Array>>
}

type Scenario = (world: World) => void

function lay(world: World, { view, history, beside }: Files): void {
  const { paths, fs } = world
  fs.perform({ op: 'mkdir', path: paths.folder })
  if (history) fs.perform({ op: 'mkdir', path: paths.history })
  for (const [name, content] of Object.entries(history ?? {})) fs.replace(`${paths.history}/${name}`, content)
  for (const [name, content] of Object.entries(beside ?? {})) fs.replace(`${paths.folder}/${name}`, content)
  if (view) fs.replace(paths.view, view)
  fs.settle()
}

/** An index whose newest revision that anybody can read is `truth`. */
function inUse(truth: number, files: Files, then: (world: World) => void = () => {}): Scenario {
  return (world) => {
    lay(world, files)
    for (let number = 1; number <= truth + 1; number++) world.revisions.push(revision(number))
    for (let number = 1; number < truth; number++) world.promises.supersede(`r${number}`)
    world.promises.expect('old', SHARED)
    then(world)
  }
}

/** Somebody writes the view over what it showed. */
function foreign(draft: (world: World) => Draft | null, durable = true): (world: World) => void {
  return (world) => {
    world.fs.replace(world.paths.view, bytes(draft(world)?.text ?? ''))
    if (!durable) return
    world.fs.settle()
    world.promises.expect('x0')
  }
}

const two = { 2: revision(2), 3: revision(3) }
const both = { view: revision(3), history: two }
const bad = { ...two, 3: GARBAGE }

/** A first writer died after it had put its history into place. */
function unsyncedHistory(files: Files): (world: World) => void {
  return (world) => {
    lay(world, { ...files, beside: { 'built/1': revision(1) } })
    world.fs.perform({ op: 'rename', from: `${world.paths.folder}/built`, to: world.paths.history })
    world.revisions.push(revision(1))
  }
}

/** A writer died after its link. */
function unsyncedRevision(world: World): void {
  const { history } = world.paths
  world.fs.perform({ op: 'link', from: `${history}/${STAGED}`, to: `${history}/4` })
}

const SCENARIOS: Record<ScenarioName, Scenario> = {
  'history present': inUse(3, both),
  'history absent': (world) => lay(world, {}),
  'folder absent': () => {},
  'history young': inUse(1, { view: revision(1), history: { 1: revision(1) } }),
  'only the file of an older tool': inUse(0, { view: olderFile }),
  'history deleted': inUse(3, { view: revision(3) }),
  'history without revisions, with leftovers': inUse(3, {
    view: revision(3),
    history: { [`s-0-${'e'.repeat(32)}`]: GARBAGE, notes: GARBAGE }
  }),
  'leftovers of killed first writers': (world) =>
    lay(world, { beside: { [`${UNBORN}1/1`]: GARBAGE, [`${UNBORN}2/4`]: revision(4) } }),
  'history not durable': unsyncedHistory({}),
  'history not durable, view of an older tool': (world) => {
    unsyncedHistory({ view: olderFile })(world)
    world.promises.expect('old', SHARED)
  },
  'revision not durable': inUse(3, { ...both, history: { ...two, [STAGED]: revision(4) } }, unsyncedRevision),
  'revision not durable, view garbage': inUse(
    3,
    { view: GARBAGE, history: { ...two, [STAGED]: revision(4) } },
    unsyncedRevision
  ),
  'view edited': inUse(
    3,
    both,
    foreign((world) => edit(world, 'x0'))
  ),
  'view edited, not durable': inUse(
    3,
    both,
    foreign((world) => edit(world, 'x0'), false)
  ),
  'view formatted': inUse(3, { view: bytes(`${text(revision(3))}\n`), history: two }),
  'view of an older tool': inUse(
    3,
    both,
    foreign((world) => record(world, 'x0', { alone: true }))
  ),
  'view ahead': inUse(
    3,
    both,
    foreign((world) => ahead(world, 'x0'))
  ),
  'view stale': inUse(3, { view: revision(2), history: two }),
  'view of a revision that is gone': inUse(3, { view: revision(1), history: two }),
  'view deleted': inUse(3, { history: two }),
  'view garbage': inUse(3, { view: GARBAGE, history: two }),
  'view emptied': inUse(3, { view: bytes(''), history: two }),
  'newest revision unreadable': inUse(3, { view: revision(3), history: bad }),
  'newest revision unreadable, view edited': inUse(3, { view: revision(3), history: bad }, (world) => {
    foreign(() => edit(world, 'x0'))(world)
    // It is the newest revision that can be read, and goes into the next one whole.
    world.revisions.push(world.fs.bytesOf(world.paths.view)!)
  }),
  'newest revision unreadable, view behind': inUse(2, { view: revision(2), history: bad }),
  'newest revision unreadable, view deleted': inUse(2, { history: bad }),
  'no revision readable': inUse(2, { view: revision(2), history: { 2: GARBAGE, 3: GARBAGE } }),
  'nothing readable': (world) => {
    lay(world, { view: GARBAGE, history: { 3: GARBAGE } })
    world.promises.damaged = true
  },
  'history with a hole': inUse(5, { view: revision(5), history: { 2: revision(2), 5: revision(5) } }),
  'no hard links': inUse(3, both, (world) => {
    world.fs.hardLinks = false
  })
}

export const SCENARIO_NAMES = Object.keys(SCENARIOS) as ScenarioName[]

export function openWorld(protocol: Protocol, name: ScenarioName): World {
  const world = new World(protocol)
  SCENARIOS[name](world)
  world.say(name)
  return world
}
