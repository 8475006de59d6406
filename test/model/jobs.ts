/**
 * What the processes of a run do: change, change nothing, load and save, read; and what people and older tools do
 * to the view. Each says to the promises what it was told.
 */

import { removeEntries } from '../../src/core/entry.js'
import type { Entry, Index } from '../../src/core/schema.js'
import type { StoreContext } from '../../src/store/context.js'
import type { Steps } from '../../src/store/files.js'
import { SHARED, Violation } from './promises.js'
import { bytes, type Job, text, type World } from './world.js'

/** A change under this tag, `<writer>-<number>`. `keep`: the revision it starts from is kept, as before a removal. */
export function change(world: World, ctx: StoreContext, tag: string, keep?: string): Job {
  return function* () {
    let over: string | null = null
    const apply = (index: Index): Index => {
      over = roleOf(index)
      return applied(world, index, tag)
    }
    const result = yield* told(world, tag, () => world.protocol.update(ctx, apply, { lockWaitMs: 0, keep }))
    if (result !== null) acknowledged(world, tag, result, over)
  }
}

/** An update that changes nothing; its success says that what it returns is durable. */
export function nothing(world: World, ctx: StoreContext): Job {
  return function* () {
    const result = yield* told(world, null, () => world.protocol.update(ctx, (index) => index, { lockWaitMs: 0 }))
    if (result !== null) world.promises.acknowledge(result)
  }
}

/** Loads, changes, and saves onto what was loaded; a conflict is an answer like any other. */
export function save(world: World, ctx: StoreContext, tag: string): Job {
  return function* () {
    let loaded: Index
    try {
      loaded = (yield* world.protocol.readSnapshot(ctx)).index
    } catch (error) {
      if (world.faults === 0) throw error
      return world.say(`${tag} could not load`)
    }
    const changed = applied(world, loaded, tag)
    const onto = loaded.origin
    const result = yield* told(world, tag, () => world.protocol.update(ctx, () => changed, { lockWaitMs: 0, onto }))
    if (result !== null) acknowledged(world, tag, result, roleOf(loaded))
  }
}

/** Removes an entry; nobody but an explicit change brings it back. */
export function remove(world: World, ctx: StoreContext, surfaceId: string): Job {
  return function* () {
    world.promises.removing(surfaceId)
    const result = yield* told(world, null, () =>
      world.protocol.update(ctx, (index) => removeEntries(index, [surfaceId]), { lockWaitMs: 0 })
    )
    if (result === null) return
    world.promises.acknowledge(result)
    world.promises.removed(surfaceId)
  }
}

/** One read, held against what was promised when it began. */
export function reading(world: World, ctx: StoreContext, name: string): Job {
  return function* () {
    const since = world.promises.since()
    let index: Index
    try {
      index = (yield* world.protocol.readSnapshot(ctx)).index
    } catch (error) {
      if (world.faults === 0) throw error
      return world.say('could not read', name)
    }
    world.promises.check(index, since, name)
  }
}

/** The result of an update, held against what was promised before it; null where it failed and may have. */
function* told(world: World, tag: string | null, update: () => Steps<Index>): Steps<Index | null> {
  const since = world.promises.since()
  const name = tag ?? 'the update'
  let result: Index
  try {
    result = yield* update()
  } catch (error) {
    const { code, committed } = error as { code?: string; committed?: unknown }
    const failing = code === 'ERR_IO' && (world.faults > 0 || world.damages > 0)
    const expected = code === 'ERR_CONFLICT' || code === 'ERR_LOCK_TIMEOUT' || failing
    if (!expected) throw error
    world.say(`${name} failed: ${code}, committed ${String(committed)}`)
    if (tag !== null && committed === false) world.promises.refuse(tag)
    if (committed === true) throw new TypeError('an update that committed throws nothing')
    return null
  }
  const left = (result.status?.warnings ?? []).find(({ code }) => LEFT_UNDONE.has(code))
  if (left && world.faults === 0 && world.damages === 0) throw new Violation(`${name} warns: ${left.message}`)
  world.promises.check(result, since, name)
  world.say(`${name} acknowledged`)
  return result
}

const LEFT_UNDONE = new Set<string>(['view_not_published', 'cleanup_failed'])

function acknowledged(world: World, tag: string, result: Index, over: string | null): void {
  const own = result.entries[tag.slice(0, tag.lastIndexOf('-'))]
  if (own?.meta?.[tag] === undefined) throw new Violation(`the update ${tag} returned an index without it`)
  world.promises.changed = true
  world.promises.acknowledge(result)
  if (over !== null) world.promises.supersede(over)
}

function roleOf(index: Index): string | null {
  return index.entries[SHARED]?.role ?? null
}

/** The tag in the writer's own entry and in the shared one, whose last_active stays. */
function applied(world: World, index: Index, tag: string): Index {
  const own = tag.slice(0, tag.lastIndexOf('-'))
  const mine = index.entries[own] ?? entry(own, world.now())
  const shared = index.entries[SHARED] ?? entry(SHARED, world.now())
  const next: Entry = {
    ...mine,
    sessionId: `s-${tag}`,
    attempts: mine.attempts + 1,
    last_active: world.now(),
    meta: counted(mine, tag)
  }
  return putEntry(putEntry(index, next), { ...shared, role: tag, meta: counted(shared, tag) })
}

export function putEntry(index: Index, entry: Entry): Index {
  const entries: Record<string, Entry> = Object.assign(Object.create(null), index.entries)
  entries[entry.surfaceId] = entry
  return { ...index, entries }
}

function counted(of: Entry, tag: string): Record<string, string> {
  return { ...of.meta, [tag]: String(Number(of.meta?.[tag] ?? 0) + 1) }
}

export function entry(surfaceId: string, at: number): Entry {
  return {
    ...{ surfaceId, sessionId: `s-${surfaceId}`, repo: 'golems', role: null, captured_at: at, last_active: at },
    ...{ state: 'ready', gen: 1, attempts: 0, policy: 'auto', previous: [] }
  }
}

/** What stands in a person's editor, or in an older tool's memory, between its load and its save. */
export interface Draft {
  readonly by: 'person' | 'older tool' | 'copier'
  readonly text: string
}

/** A person's edit of what the view shows now: another role, and an entry of its own. Null: it shows no index. */
export function edit(world: World, name: string): Draft | null {
  const file = shown(world)
  if (file === null) return null
  const { entries } = file
  const changed = { ...entries, [name]: sixFields(entry(name, world.now())) }
  if (entries[SHARED]) changed[SHARED] = { ...entries[SHARED], role: name }
  return { by: 'person', text: `${JSON.stringify({ ...file, entries: changed })}\n` }
}

/** What an older tool makes of it: the fields it knows, its record of the shared surface, and an entry of its own. */
export function record(world: World, name: string, options: { readonly alone: boolean }): Draft {
  const entries: Record<string, unknown> = {}
  if (!options.alone) {
    for (const [key, value] of Object.entries(shown(world)?.entries ?? {})) entries[key] = sixFields(value)
  }
  entries[name] = sixFields(entry(name, world.now()))
  entries[SHARED] = { ...sixFields(entry(SHARED, world.now())), role: name }
  return { by: 'older tool', text: `${JSON.stringify({ version: 1, entries })}\n` }
}

/** A view from a folder that had gone further: its number is above all that is here. */
export function ahead(world: World, name: string): Draft | null {
  const file = shown(world)
  if (file === null) return null
  const { entries } = JSON.parse(record(world, name, { alone: true }).text) as { entries: Record<string, unknown> }
  const both = { ...file.entries, ...entries }
  return { by: 'copier', text: `${JSON.stringify({ ...file, revision: (file.revision ?? 0) + 50, entries: both })}\n` }
}

export function saveDraft(world: World, draft: Draft): void {
  world.edits += 1
  world.say(`writes the view: ${draft.text.trim().slice(0, 60)}`, draft.by)
  if (draft.by === 'person') world.fs.overwrite(world.paths.view, bytes(draft.text))
  else world.fs.replace(world.paths.view, bytes(draft.text))
}

type File = { readonly revision?: number; readonly entries: Record<string, Entry> }

function shown(world: World): File | null {
  const there = world.fs.bytesOf(world.paths.view)
  if (there === null) return null
  try {
    return JSON.parse(text(there)) as File
  } catch {
    return null
  }
}

function sixFields({ surfaceId, sessionId, repo, role, captured_at, last_active }: Entry): Record<string, unknown> {
  return { surfaceId, sessionId, repo, role, captured_at, last_active }
}
