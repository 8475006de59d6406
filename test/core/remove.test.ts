import { describe, expect, test } from 'vitest'
import { fingerprint } from '../../src/core/fingerprint.js'
import { forget, pruneStale, staleEntries } from '../../src/core/remove.js'
import type { Entry, Verdict } from '../../src/core/schema.js'
import { lookup } from '../../src/core/verbs.js'
import { deepFreeze, entryOf, indexOf, ownerOf, thrownBy } from './samples.js'

const NOW = 1_000_000
const owner = ownerOf(77)
const users: [what: string, fields: Partial<Entry>][] = [
  ['its agent', { proc: owner }],
  ['the owner of its open attempt', { attempt: { id: 'a', kind: 'resume', owner, at: 1 } }],
  ['the owner of its open dispatch', { dispatch: { id: 'd', step: 'x', owner, at: 1, result: 'open' } }]
]
const unproven: Verdict[] = ['alive', 'unknown']

describe('forget', () => {
  test('removes the entry and no other', () => {
    const index = forget(indexOf({}, { surfaceId: 's2', sessionId: 'b' }), 's1')
    expect(Object.keys(index.entries)).toEqual(['s2'])
  })

  describe.each(users)('%s', (what, fields) => {
    test.each(unproven)('%s: spares it, and names the process', (verdict) => {
      const error = thrownBy(() => forget(indexOf(fields), 's1', [{ owner, verdict }]))
      expect(error.code).toBe('ERR_IN_USE')
      expect(error.message).toContain(`${what}, process 77`)
      expect(error.found).toEqual(entryOf(fields))
    })
    test('not asked about: spares it', () => {
      expect(thrownBy(() => forget(indexOf(fields), 's1')).code).toBe('ERR_IN_USE')
    })
    test('dead in another boot is not dead in this one', () => {
      const verdicts = [{ owner: { ...owner, bootId: 'boot-0' }, verdict: 'dead' }] as const
      expect(thrownBy(() => forget(indexOf(fields), 's1', verdicts)).code).toBe('ERR_IN_USE')
    })
    test('dead: removes it', () => {
      expect(forget(indexOf(fields), 's1', [{ owner, verdict: 'dead' }]).entries).toEqual({})
    })
  })

  test('a settled dispatch holds nothing back', () => {
    const settled = indexOf({ dispatch: { id: 'd', step: 'x', owner, at: 1, result: 'ok' } })
    expect(forget(settled, 's1').entries).toEqual({})
  })

  test('removes only the entry that was looked at', () => {
    const index = indexOf({})
    expect(thrownBy(() => forget(index, 's1', [], fingerprint(entryOf({ gen: 2 })))).code).toBe('ERR_CONFLICT')
    expect(forget(index, 's1', [], fingerprint(entryOf())).entries).toEqual({})
  })

  test('an unknown surface is an error', () => {
    expect(thrownBy(() => forget(indexOf({}), 's9')).code).toBe('ERR_ENTRY_UNKNOWN')
  })

  test('removes an entry that cannot be read, on request', () => {
    const index = deepFreeze({
      ...indexOf({}),
      unreadable: { bad: { raw: 1, reason: 'x' }, b2: { raw: 2, reason: 'y' } }
    })
    expect(forget(index, 'bad').unreadable).toEqual({ b2: { raw: 2, reason: 'y' } })
    expect(forget(forget(index, 'bad'), 'b2')).not.toHaveProperty('unreadable')
    expect(forget(index, 'bad', [], fingerprint('unreadable')).entries).toEqual(index.entries)
    expect(thrownBy(() => forget(index, 'bad', [], fingerprint(entryOf()))).code).toBe('ERR_CONFLICT')
  })
})

describe('pruneStale', () => {
  test.each([
    [10, []],
    [9, ['s1']]
  ])('an age of 10 ms and a limit of %d ms: removes %j', (maxAgeMs, gone) => {
    const index = indexOf({ last_active: NOW - 10 }, { surfaceId: 's2', sessionId: 'b', last_active: NOW })
    const pruned = pruneStale(index, maxAgeMs, NOW)
    expect(gone.filter((surfaceId) => lookup(pruned, surfaceId) === null)).toEqual(gone)
    expect(lookup(pruned, 's2')).not.toBeNull()
    expect(staleEntries(index, maxAgeMs, NOW).map(({ surfaceId }) => surfaceId)).toEqual(gone)
  })

  test('nothing stale: the same index', () => {
    const index = indexOf({ last_active: NOW })
    expect(pruneStale(index, 0, NOW)).toBe(index)
  })

  describe.each(users)('old, %s', (_what, fields) => {
    test.each(unproven)('%s: stays', (verdict) => {
      const index = indexOf(fields)
      expect(pruneStale(index, 1, NOW, [{ owner, verdict }])).toBe(index)
    })
    test('not asked about: stays', () => {
      const index = indexOf(fields)
      expect(pruneStale(index, 1, NOW)).toBe(index)
    })
    test('dead: goes', () => {
      expect(pruneStale(indexOf(fields), 1, NOW, [{ owner, verdict: 'dead' }]).entries).toEqual({})
    })
  })

  test('what cannot be read stays', () => {
    const unreadable = { bad: { raw: 1, reason: 'x' } }
    expect(pruneStale(deepFreeze({ ...indexOf({}), unreadable }), 1, NOW)).toEqual({ ...indexOf(), unreadable })
  })

  test('500 entries, one of them fresh', () => {
    const many = Array.from({ length: 500 }, (_, i) => ({
      surfaceId: `s${i}`,
      sessionId: `x${i}`,
      last_active: i === 7 ? NOW : 1
    }))
    expect(Object.keys(pruneStale(indexOf(...many), 1000, NOW).entries)).toEqual(['s7'])
  })

  test.each([Number.NaN, -1])('refuses an age of %s', (maxAgeMs) => {
    expect(thrownBy(() => pruneStale(indexOf({}), maxAgeMs, NOW)).code).toBe('ERR_INVALID_INPUT')
  })
})
