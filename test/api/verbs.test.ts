import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { end, noteExit } from '../../src/core.js'
import { emptyIndex, type Index, lookup, observe, pruneStale, record, resumableFor, touch } from '../../src/index.js'

const PRESENT = Date.UTC(2026, 0, 2)
const input = { surfaceId: 's1', sessionId: 'session-a', repo: 'golems' }
const old: Index = record(emptyIndex(), input, PRESENT - 1000)

beforeEach(() => {
  vi.useFakeTimers({ now: PRESENT })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('without a time, the present is meant', () => {
  test.each<[verb: string, index: () => Index]>([
    ['record', () => record(emptyIndex(), input)],
    ['touch', () => touch(old, 's1')],
    ['end', () => end(old, { surfaceId: 's1' })],
    ['observe', () => observe(old, input).index]
  ])('%s', (_verb, index) => {
    expect(lookup(index(), 's1')?.last_active).toBe(PRESENT)
  })

  test('noteExit', () => {
    const index = noteExit(old, { surfaceId: 's1', sessionId: 'session-a', reason: 'other' })
    expect(lookup(index, 's1')?.last_exit?.at).toBe(PRESENT)
  })

  test('resumableFor', () => {
    expect(resumableFor(old, 's1')).toBe('session-a')
    expect(resumableFor(old, 's1', { maxAgeMs: 1000 })).toBe('session-a')
    expect(resumableFor(old, 's1', { maxAgeMs: 999 })).toBeNull()
    expect(resumableFor(old, 's1', { maxAgeMs: 999, now: PRESENT - 1 })).toBe('session-a')
  })

  test('pruneStale', () => {
    expect(pruneStale(old, 1000)).toBe(old)
    expect(pruneStale(old, 999).entries).toEqual({})
  })
})
