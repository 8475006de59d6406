/**
 * The work on a large index grows with its entries, not with their square: counted in steps, by no clock.
 */
import { afterEach, expect, it, vi } from 'vitest'
import { adoptForeign } from '../../src/core/merge.js'
import { restoreEntries } from '../../src/core/restore.js'
import type { Entry, Index } from '../../src/core/schema.js'
import { emptyIndex } from '../../src/core/verbs.js'
import { entryOf } from './samples.js'

const NOW = 1_000_000
const machine = { host: 'machine-1', bootId: 'boot-1' }

afterEach(() => vi.restoreAllMocks())

/** So many surfaces; `session` names the one of each. */
function large(size: number, session: (at: number) => string, more: Partial<Entry> = {}): Index {
  const entries = Array.from({ length: size }, (_, at) => {
    const { surfaceId, ...rest } = entryOf({ surfaceId: `s${at}`, sessionId: session(at), ...more })
    return [surfaceId, counted({ surfaceId, ...rest })] as const
  })
  return { ...emptyIndex(), entries: Object.fromEntries(entries) }
}

let steps = 0

/** An entry that counts how often its session is looked at. */
function counted(entry: Entry): Entry {
  return new Proxy(entry, {
    get: (target, field) => {
      if (field === 'sessionId') steps += 1
      return Reflect.get(target, field)
    }
  })
}

/** The steps of some work: sessions looked at, and the items of every map that is listed or copied. */
function stepsOf(work: () => void): number {
  steps = 0
  const original = { values: Object.values, entries: Object.entries, keys: Object.keys, assign: Object.assign }
  const listed = <T>(items: T[]): T[] => {
    steps += items.length
    return items
  }
  vi.spyOn(Object, 'values').mockImplementation((of: object) => listed(original.values(of)))
  vi.spyOn(Object, 'entries').mockImplementation((of: object) => listed(original.entries(of)))
  vi.spyOn(Object, 'keys').mockImplementation((of: object) => listed(original.keys(of)))
  vi.spyOn(Object, 'assign').mockImplementation((target: object, ...from: object[]) => {
    steps += from.reduce((sum, one) => sum + original.keys(one ?? {}).length, 0)
    return original.assign(target, ...from)
  })
  work()
  vi.restoreAllMocks()
  return steps
}

const SIZE = 200
const own = (at: number): string => `session-${at}`
const moved = (at: number): string => `session-${at + 1}`
const adopt = (ours: Index, theirs: Index) => adoptForeign(ours, theirs, 'older-tool', machine, NOW)

it.each<[string, (size: number) => void]>([
  ['a plain file is adopted', (size) => void adopt(emptyIndex(), large(size, own))],
  ['every entry has a newer record', (size) => void adopt(large(size, own), large(size, own, { last_active: 5000 }))],
  ['every session moved', (size) => void adopt(large(size, own), large(size, moved, { last_active: 5000 }))],
  [
    'half of a plain file shares its sessions',
    (size) =>
      void adopt(
        emptyIndex(),
        large(size, (at) => own(at >> 1))
      )
  ],
  ['an index is restored', (size) => void restoreEntries(large(size, own), large(size, moved), [], NOW)],
  ['a lost index is restored', (size) => void restoreEntries(emptyIndex(), large(size, own), [], NOW)]
])('%s: four times the entries take about four times the steps', (_, work) => {
  const few = stepsOf(() => work(SIZE))
  const many = stepsOf(() => work(4 * SIZE))
  expect(few).toBeGreaterThan(SIZE)
  expect(many / few).toBeGreaterThan(3)
  expect(many / few).toBeLessThan(5)
})
