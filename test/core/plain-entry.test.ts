import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { schemaAccepts } from '../../src/core/entry-schema.js'
import { ENTRY_FIELDS, isPlainEntry } from '../../src/core/plain-entry.js'
import { entryOf, ownerOf } from './samples.js'

const full = entryOf({
  agent: 'claude',
  cwd: '/x',
  worktree: { path: '/x', origin: '/r', branch: 'b' },
  transcript: '/t',
  flags: ['--model', 'm'],
  scope: 's',
  address: 'a:1.2',
  reason: 'r',
  moved_to: 's2',
  seen: { host: 'h', bootId: 'b', ns: 'n' },
  proc: ownerOf(1),
  attempt: { id: 'a', kind: 'spawn', owner: ownerOf(2), at: 1 },
  last_attempt: { id: 'b', kind: 'resume', at: 2, result: 'exited', why: 'w', owner: ownerOf(3) },
  dispatch: { id: 'd', step: 'one', owner: ownerOf(4), at: 3, result: 'open', why: 'w' },
  last_exit: { at: 4, reason: 'other' },
  previous: [{ sessionId: 'p', until: 5, why: 'rotated' }],
  meta: { k: 'v' }
})

/** Values that one field or another refuses, or takes by a hair. */
const ODD = [
  undefined,
  null,
  true,
  false,
  0,
  -0,
  1,
  -1,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  2 ** 53,
  '',
  ' ',
  'ok',
  'x\ny',
  '\u202e',
  '\ud800',
  'é',
  'a'.repeat(513),
  'b'.repeat(5000),
  [],
  [1],
  ['x'],
  [null],
  {},
  { host: 'h' },
  { host: '' },
  { host: 'h', pid: 1 },
  { host: 'h', pid: 0 },
  { at: 1, reason: 'r' },
  { at: -1, reason: 'r' },
  { k: 1 },
  { k: '\n' },
  'minted',
  'auto',
  'spawn',
  new Date(0)
]

/** Every place in a value, as the keys that lead to it. */
function placesIn(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, item]) => placesIn(item, [...path, key]))]
}

function changedAt(value: unknown, [key, ...rest]: readonly string[], item: unknown): unknown {
  if (key === undefined) return item
  if (Array.isArray(value)) return value.map((old, at) => (String(at) === key ? changedAt(old, rest, item) : old))
  return { ...(value as object), [key]: changedAt((value as Record<string, unknown>)[key], rest, item) }
}

const without = (value: unknown, path: readonly string[]): unknown =>
  JSON.parse(JSON.stringify(changedAt(value, path, undefined)))

describe('the quick look at an entry', () => {
  it('accepts what the schema accepts, whatever stands in whichever place', () => {
    let accepted = 0
    for (const path of placesIn(full).slice(1)) {
      for (const item of [...ODD, without(full, path)]) {
        const entry = changedAt(full, path, item) as object
        expect([path, item, isPlainEntry(entry)]).toEqual([path, item, schemaAccepts(entry)])
        accepted += isPlainEntry(entry) ? 1 : 0
      }
      const less = without(full, path) as object
      expect([path, isPlainEntry(less)]).toEqual([path, schemaAccepts(less)])
    }
    expect(accepted).toBeGreaterThan(100)
  })

  it('accepts what the schema accepts, with several faults at once', () => {
    const places = placesIn(full).slice(1)
    const faults = fc.array(fc.tuple(fc.constantFrom(...places), fc.constantFrom(...ODD)), { maxLength: 3 })
    fc.assert(
      fc.property(faults, (changes) => {
        const entry = changes.reduce<unknown>((value, [path, item]) => {
          try {
            return changedAt(value, path, item)
          } catch {
            return value
          }
        }, full) as object
        expect(isPlainEntry(entry)).toBe(schemaAccepts(entry))
      }),
      { numRuns: 2000 }
    )
  })

  it('knows every field of the full entry', () => {
    expect(ENTRY_FIELDS.filter((field) => !(field in full))).toEqual([])
    expect(isPlainEntry(full) && schemaAccepts(full)).toBe(true)
  })
})
