/**
 * The rules of the protocol, each with its removal: a change to the source of src, and what must find that out. A rule
 * whose removal nothing finds is either not needed or not tested; both are worth knowing.
 */
import type { CastName } from './casts.js'
import { type DirectedName, playDirected } from './directed.js'
import type { Edit } from './protocol.js'
import type { ScenarioName } from './scenarios.js'
import { everyFailure, everySchedule } from './schedules.js'
import type { Protocol } from './world.js'

/** What must find a violation. */
export type Catcher =
  | { readonly directed: DirectedName }
  | { readonly scenario: ScenarioName; readonly cast: CastName }
  | { readonly failing: ScenarioName }

export interface Mutant {
  readonly rule: string
  /** What goes wrong without it, in one line. */
  readonly hole: string
  readonly edits: readonly Edit[]
  readonly catcher: Catcher
}

/** @throws Violation */
export function tryToCatch(protocol: Protocol, catcher: Catcher): void {
  if ('directed' in catcher) playDirected(protocol, catcher.directed)
  else if ('failing' in catcher) everyFailure(protocol, catcher.failing)
  else everySchedule(protocol, catcher.scenario, catcher.cast)
}

/** The catcher in the words of the table in docs/. */
export function describeCatcher(catcher: Catcher): string {
  if ('directed' in catcher) return `directed: ${catcher.directed}`
  if ('failing' in catcher) return `every failure: ${catcher.failing}`
  return `every schedule: ${catcher.scenario}; ${catcher.cast}`
}

const revisions = (find: string, replace: string): Edit => ({ file: 'store/revisions.ts', find, replace })
const view = (find: string, replace: string): Edit => ({ file: 'store/view.ts', find, replace })
const snapshot = (find: string, replace: string): Edit => ({ file: 'store/snapshot.ts', find, replace })
const update = (find: string, replace: string): Edit => ({ file: 'store/update.ts', find, replace })
const prune = (find: string, replace: string): Edit => ({ file: 'store/prune.ts', find, replace })
const kept = (find: string, replace: string): Edit => ({ file: 'store/kept.ts', find, replace })
const files = (find: string, replace: string): Edit => ({ file: 'store/files.ts', find, replace })
const merge = (find: string, replace: string): Edit => ({ file: 'core/merge.ts', find, replace })

const every = (scenario: ScenarioName, cast: CastName): Catcher => ({ scenario, cast })
const directed = (name: DirectedName): Catcher => ({ directed: name })

const FOUR_CHANGES: Catcher = every('history present', 'a writer, and one that changes four times')

export const MUTANTS: readonly Mutant[] = [
  // Commit
  {
    rule: 'A commit is a link, which fails where the number is taken',
    hole: 'A reads 3 and sleeps; B commits 4; A renames its own 4 over it',
    edits: [revisions('yield* link(staged, next)', 'yield* rename(staged, next)  ')],
    catcher: every('history present', 'three writers')
  },
  {
    rule: 'After the staged name was made, the base is looked at',
    hole: 'A reads 3 and sleeps; 4 to 7 are made, 3 to 5 pruned; A makes its name now, and links into the free slot 4',
    edits: [revisions('if (!(yield* isRevision(ctx, base.number, base.bytes))) {', 'if (!file) {')],
    catcher: FOUR_CHANGES
  },
  {
    rule: 'Byte for byte',
    hole: 'A reads 1 and sleeps; everything is deleted by hand, and B commits a 1 of its own, on which A then commits its 2',
    edits: [
      revisions(
        'if (!(yield* isRevision(ctx, base.number, base.bytes))) {',
        'if ((yield* orAbsent(size(revisionPath(ctx, base.number)))) === null) {'
      )
    ],
    catcher: directed('all is deleted while a writer sleeps, and its number is reached again')
  },
  {
    rule: 'The staged name is made before that look, not after it',
    hole: 'A sees 3, sleeps until it is pruned, and then makes a name that no pruning has seen',
    edits: [
      revisions(
        'const file = yield* create(staged)\n',
        'const there = yield* isRevision(ctx, base.number, base.bytes)\n    const file = yield* create(staged)\n'
      ),
      revisions('if (!(yield* isRevision(ctx, base.number, base.bytes))) {', 'if (!there) {')
    ],
    catcher: FOUR_CHANGES
  },
  {
    rule: 'The staged name carries the revision that it was made from',
    hole: 'a name that carries 4 survives the pruning of 4, the slot it aims at',
    edits: [
      revisions('const staged = stagedPath(ctx, base.number)', 'const staged = stagedPath(ctx, base.number + 1)')
    ],
    catcher: FOUR_CHANGES
  },
  {
    rule: 'All of the bytes are written, however few one write takes',
    hole: 'the disk takes half, and half is committed (or the change fails for no reason)',
    edits: [files('done += count', 'done = bytes.length')],
    catcher: directed('a disk takes part of each write')
  },
  {
    rule: 'The size is checked before the link',
    hole: 'a disk that took less than it said: the newest revision is torn',
    edits: [files('if (length !== bytes.length)', 'if (length < 0)')],
    catcher: directed('a disk takes less than it says')
  },
  {
    rule: 'The staged file is synced before the link',
    hole: 'the power goes: the name is there, the bytes are not',
    edits: [files("    yield { op: 'sync', file }\n", '')],
    catcher: every('history present', 'three writers')
  },
  {
    rule: 'The history folder is synced before the acknowledgement',
    hole: 'the power goes: the name is gone, and the acknowledged change with it',
    edits: [revisions('    yield* syncDir(ctx.paths.history)\n    if (syncParent)', '    if (syncParent)')],
    catcher: every('history present', 'three writers')
  },
  {
    rule: 'Its parent too, unless the view showed what was read',
    hole: 'the first writer died before it synced the parent: the history folder itself is gone, with what B acknowledged in it',
    edits: [revisions('    if (syncParent) yield* syncDir(ctx.paths.folder)\n', '')],
    catcher: every('history not durable', 'three writers')
  },
  {
    rule: 'Its parent too, where the change removes an entry',
    hole: 'an older file was merged, its replacement is not durable; the power goes, and the entry is merged again',
    edits: [update(' || removes(snapshot.index, next)', '')],
    catcher: every('view ahead', 'one that removes, a reader, and a writer')
  },
  {
    rule: 'A failed sync after the link is reported as unknown, not as nothing changed',
    hole: 'the caller is told that nothing changed, and the change is in the next read',
    edits: [
      revisions(
        "throw toStoreError(error, ctx.paths.history, 'unknown')",
        'throw toStoreError(error, ctx.paths.history)'
      )
    ],
    catcher: { failing: 'history present' }
  },
  {
    rule: 'The number comes from the highest name, readable or not',
    hole: 'the newest revision is unreadable: every try aims at its slot for ever',
    edits: [
      update(
        'const number = snapshot.max === 0 ? (snapshot.view?.index?.revision ?? 0) + 1 : snapshot.max + 1',
        'const number = (snapshot.newest?.number ?? snapshot.view?.index?.revision ?? 0) + 1'
      ),
      update('commitNext(ctx, snapshot.base, bytes, {', 'commitNext(ctx, snapshot.newest ?? snapshot.base, bytes, {')
    ],
    catcher: every('newest revision unreadable, view behind', 'three writers')
  },
  {
    rule: 'The number never comes from the view',
    hole: 'a view ahead of the folder: every try aims beyond a revision that is not there',
    edits: [
      update(
        'commitNext(ctx, snapshot.base, bytes, {',
        'commitNext(ctx, { ...snapshot.base, number: snapshot.view?.index?.revision ?? snapshot.max }, bytes, {'
      )
    ],
    catcher: every('view ahead', 'three writers')
  },
  {
    rule: 'Without hard links a commit has the lock',
    hole: 'A sees that 4 is free; B renames its 4 there; A renames over it',
    edits: [update('if (!this.#locked) yield* this.#lock(true)', 'this.#locked = true')],
    catcher: every('no hard links', 'three writers')
  },
  // The first revision
  {
    rule: 'The first revision is built in a folder of its own',
    hole: 'the history is there before the revision is whole: B takes it for unreadable and commits 2, without what A then acknowledges',
    edits: [revisions('const built = ', 'const built = ctx.paths.history || ')],
    catcher: every('history absent', 'three writers')
  },
  {
    rule: 'That folder is synced before the rename',
    hole: 'the power goes: the history is there and empty',
    edits: [revisions('    yield* syncDir(built)\n', '')],
    catcher: every('history absent', 'three writers')
  },
  {
    rule: 'The parent is synced after the rename',
    hole: 'the power goes: the history is gone, with the acknowledged change',
    edits: [
      revisions(
        "    yield* syncDir(ctx.paths.folder)\n  } catch (error) {\n    throw toStoreError(error, ctx.paths.folder, 'unknown')",
        "  } catch (error) {\n    throw toStoreError(error, ctx.paths.folder, 'unknown')"
      )
    ],
    catcher: every('history absent', 'three writers')
  },
  {
    rule: 'A folder that another writer made is synced too',
    hole: 'A made the folder of the index and sleeps; B acknowledges in it; the power goes, and the folder is gone',
    edits: [revisions('const failed = yield* attempt(syncDir(parent))', 'const failed: unknown = null')],
    catcher: every('folder absent', 'three writers')
  },
  {
    rule: 'A history folder without revisions is emptied first',
    hole: 'the rename is refused for ever',
    edits: [revisions('if (there) yield* emptyHistory(ctx)', '')],
    catcher: every('history without revisions, with leftovers', 'three writers')
  },
  {
    rule: 'A first writer that was overtaken starts again',
    hole: 'its change fails, because another was faster',
    edits: [revisions("if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOENT') return false", '')],
    catcher: every('history absent', 'three writers')
  },
  {
    rule: 'It numbers on from a view that has a number',
    hole: 'the power goes, an old view with the number that the history has reached comes back, and passes for an edit of it',
    edits: [update('(snapshot.view?.index?.revision ?? 0) + 1', '1')],
    catcher: directed('the view that was there before comes back with the number that the history has reached')
  },
  {
    rule: "A first writer's leftover is moved away before it is emptied",
    hole: 'the history is deleted by hand; A puts the folder that B has emptied in its place, and acknowledges',
    edits: [revisions('const swept = path.endsWith(SWEPT) ? path', 'const swept = path !== prefix ? path')],
    catcher: directed('a first writer is swept while the history is deleted')
  },
  // Reading
  {
    rule: 'The view is read before the history is listed',
    hole: 'the view of a commit in between has a number that was not listed: it is merged as a foreign view, and half of the change is seen',
    edits: [
      snapshot(
        '  const raw = yield* readView(ctx)\n  const names = yield* orAbsent(list(ctx.paths.history))\n',
        '  const names = yield* orAbsent(list(ctx.paths.history))\n  const raw = yield* readView(ctx)\n'
      )
    ],
    catcher: every('history present', 'a reader, and a writer that changes three times')
  },
  {
    rule: 'A listed revision that is gone: start again',
    hole: 'the reader slept, and all that it listed was pruned: it reads nothing',
    edits: [snapshot('if (revision === null) return null', 'if (revision === null) continue')],
    catcher: every('view deleted', 'a reader, and a writer that changes three times')
  },
  {
    rule: 'A revision read before counts only while it is the newest',
    hole: 'the view still shows 3 when 4 is linked: the change is made from 3 and committed as 5',
    edits: [snapshot('cached.number === max && ', '')],
    catcher: FOUR_CHANGES
  },
  {
    rule: 'A view with a lower number is only behind',
    hole: 'a publisher that slept has put 4 back; merged, it brings back the entry that 5 removed',
    edits: [snapshot('number < newest.number', 'number < 0')],
    catcher: every('history present', 'a writer, and one that removes')
  },
  {
    rule: 'The newest revision is unreadable and the view has its number: the view is that revision',
    hole: 'an acknowledged revision is passed over, or merged in part',
    edits: [snapshot('if (max > 0 && unreadable[0]?.number === max && number === max) {', 'if (max < 0) {')],
    catcher: every('newest revision unreadable', 'a reader, and a writer that changes three times')
  },
  {
    rule: 'A foreign view is read a second time',
    hole: 'an editor empties the file and then writes it: the edit is replaced as unreadable, not adopted',
    edits: [snapshot('if (!sameBytes(again?.bytes ?? null, raw?.bytes ?? null)) return null', '')],
    catcher: directed('an edit is saved in two steps')
  },
  {
    rule: 'Only ENOENT is absence',
    hole: 'a folder that could not be read passes for none: the view, or nothing, is served as all there is',
    edits: [files("if (codeOf(error) === 'ENOENT') return null\n    throw error", 'return null')],
    catcher: { failing: 'history present' }
  },
  {
    rule: 'Bytes that cannot be parsed are not an empty index',
    hole: 'an unreadable revision is read as one without entries',
    edits: [
      revisions(
        'index: index?.revision === number ? index : null',
        'index: index ?? { version: 1, revision: number, entries: {} }'
      )
    ],
    catcher: every('newest revision unreadable, view behind', 'three writers')
  },
  // What someone else wrote
  {
    rule: 'A foreign view is committed on its own first',
    hole: 'a writer that changes nothing acknowledges an edit that is not durable yet',
    edits: [update('if (snapshot.foreign && !state.merged(snapshot)) {', 'if (snapshot.max < 0) {')],
    catcher: directed('one that changes nothing reads an edit, and the power goes')
  },
  {
    rule: 'If a foreign view changes nothing, the history folder is synced before that view is replaced',
    hole: 'a killed writer linked 4; B publishes it; C, who sees it published, acknowledges it unsynced',
    edits: [
      update(
        '    yield* syncDir(ctx.paths.history)\n    yield* syncDir(ctx.paths.folder)\n    const { newest }',
        '    yield* syncDir(ctx.paths.folder)\n    const { newest }'
      )
    ],
    catcher: directed('one publishes over garbage what a killed writer linked, and another acknowledges it')
  },
  {
    rule: 'And its parent',
    hole: 'a killed first writer renamed the history; B publishes from it; what C then acknowledges goes with the folder',
    edits: [
      update(
        '    yield* syncDir(ctx.paths.history)\n    yield* syncDir(ctx.paths.folder)\n    const { newest }',
        '    yield* syncDir(ctx.paths.history)\n    const { newest }'
      ),
      // Keeping their bytes aside syncs it too, as things are.
      kept('  yield* syncDir(ctx.paths.folder)\n  return names', '  return names')
    ],
    catcher: directed(
      'one publishes over an older file what a killed first writer renamed, and another acknowledges it'
    )
  },
  {
    rule: 'Unreadable and foreign bytes are kept aside before the commit',
    hole: 'the only copy of an edit is replaced',
    edits: [update('    yield* keepAll(ctx, snapshot.keep)\n    if (changesNewest', '    if (changesNewest')],
    catcher: every('view garbage', 'three writers')
  },
  {
    rule: 'The kept folder is synced before the commit',
    hole: 'the power goes: the new view is there, and the kept copy is not',
    edits: [kept('  yield* syncDir(folder)\n  if (!kept)', '  if (!kept)')],
    catcher: directed('what was kept outlives the power cut that the publication outlives')
  },
  {
    rule: 'And the folder that it is in',
    hole: 'the power goes: the new view is there, and the kept folder is not',
    edits: [kept('  yield* syncDir(ctx.paths.folder)\n  return names', '  return names')],
    catcher: directed('the kept folder outlives the power cut that the publication outlives')
  },
  {
    rule: 'A merge takes only entries that are newer',
    hole: 'an older tool writes back what it loaded long ago: an acknowledged change is undone',
    edits: [merge('if (theirs.last_active <= mine.last_active) return null', '')],
    catcher: directed('an older tool writes back what it loaded long ago')
  },
  {
    rule: 'A merge removes nothing',
    hole: 'an older tool that writes one entry deletes all others',
    edits: [merge('new Draft(ours)', 'new Draft({ ...ours, entries: {} })')],
    catcher: every('view of an older tool', 'three writers')
  },
  // Publishing
  {
    rule: 'The view is looked at again before it is replaced',
    hole: 'what an older tool wrote since the read is lost without a trace',
    edits: [view('if (yield* clearTheWay(ctx, number, bytes, seen)) yield*', 'if (seen !== undefined) yield*')],
    catcher: directed('an older tool writes between the link and the publication')
  },
  {
    rule: 'A view without a number that was not there at the read is left to the next reader',
    hole: "the older tool's record is kept aside, and never in the index",
    edits: [view('if (index !== null && index.revision === undefined) return false', '')],
    catcher: directed('an older tool writes between the link and the publication')
  },
  {
    rule: 'Other foreign bytes found then are kept aside',
    hole: "a person's edit is lost without a trace",
    edits: [view("yield* keepAside(ctx, there.bytes, index === null ? 'unreadable-view' : 'foreign-view')", '')],
    catcher: directed('a person saves between the link and the publication')
  },
  {
    rule: 'A publisher lists again, and publishes what is newer',
    hole: 'the slower of two publishers leaves the older view in place',
    edits: [view('const newer = yield* newerRevision(ctx, revision.number)', 'const newer = null')],
    catcher: every('history present', 'three writers')
  },
  {
    rule: 'It syncs the folder before it publishes the revision of another writer',
    hole: 'A linked 5 and sleeps; B publishes it; C, who sees it published, acknowledges it; the power goes, and 5 is gone',
    edits: [view('    yield* syncDir(ctx.paths.history)\n', '')],
    catcher: every('history present', 'two writers, and one that changes nothing')
  },
  {
    rule: 'The view is a file of its own',
    hole: 'a person who edits the view in place edits the revision',
    edits: [
      view('yield* writeNew(staged, bytes)', 'yield* link(revisionPath(ctx, number), staged)'),
      view('import { attempt, codeOf, list,', 'import { attempt, codeOf, link, list,'),
      view('import { decode, isRevision, readRevision,', 'import { decode, isRevision, readRevision, revisionPath,')
    ],
    catcher: directed('a person saves garbage over the published view')
  },
  {
    rule: 'A view that cannot be replaced is a warning, not a failure',
    hole: 'the caller is told that nothing changed, and the change is in the next read',
    edits: [update('    if (!failed) return\n', '    if (failed) throw failed\n    if (!failed) return\n')],
    catcher: { failing: 'history present' }
  },
  // Changing nothing
  {
    rule: 'A change that changes nothing syncs the history, unless the view showed it',
    hole: 'A linked 4 and sleeps; B, who changes nothing, acknowledges what 4 holds; the power goes',
    edits: [update('  if (snapshot.max > 0) yield* syncDir(ctx.paths.history)\n', '')],
    catcher: every('history present', 'a writer, one that changes nothing, and a writer')
  },
  {
    rule: 'And its parent',
    hole: 'the same, where a first writer sleeps after its rename',
    edits: [update('  if (snapshot.max > 0 || snapshot.view !== null) yield* syncDir(ctx.paths.folder)\n', '')],
    catcher: every('history absent', 'a writer, one that changes nothing, and a writer')
  },
  {
    rule: 'A save commits only onto what was loaded',
    hole: 'what another committed since the load is overwritten',
    edits: [
      update('if (this.#onto !== undefined && this.#onto !== snapshot.index.origin?.token) {', 'if (!this.#ctx) {')
    ],
    catcher: every('history present', 'one that saves what it loaded, and a writer')
  },
  // Pruning
  {
    rule: 'Staged names from before the lowest revision are removed',
    hole: 'A sleeps with a name made from 3; 4 is pruned; A links into the hole',
    edits: [prune('base !== null && base < lowest', 'base !== null && base < 0')],
    catcher: FOUR_CHANGES
  },
  {
    rule: 'Before the lowest revision, not after it',
    hole: 'A links into the slot of 4 between the two',
    edits: [
      prune(
        '    for (const name of names) {\n',
        '    yield* orAbsent(unlink(revisionPath(ctx, lowest)))\n    for (const name of names) {\n'
      ),
      prune('    }\n    yield* orAbsent(unlink(revisionPath(ctx, lowest)))\n', '    }\n')
    ],
    catcher: FOUR_CHANGES
  },
  {
    rule: 'One revision for each listing',
    hole: 'writers died before they pruned: 3 and 4 go in one round, whose listing removed no name made from 3',
    edits: [
      prune(
        '    yield* orAbsent(unlink(revisionPath(ctx, lowest)))\n',
        '    for (const old of numbers.slice(ctx.limits.revisions)) yield* orAbsent(unlink(revisionPath(ctx, old)))\n'
      )
    ],
    catcher: directed('two writers die before they prune, and one slept since before them')
  },
  {
    rule: 'Leftovers of killed first writers are removed',
    hole: 'they pile up beside the index',
    edits: [
      update('if (revisions <= YOUNG) yield* sweepAbandoned(ctx)', 'if (revisions < 0) yield* sweepAbandoned(ctx)')
    ],
    catcher: directed('killed writers leave nothing behind for long')
  }
]
