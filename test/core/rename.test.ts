import { describe, expect, test } from 'vitest'
import { decideAt } from '../../src/core/decide-at.js'
import { observe } from '../../src/core/observe.js'
import { forget } from '../../src/core/remove.js'
import { rename } from '../../src/core/rename.js'
import type { Attempt, Entry, Index } from '../../src/core/schema.js'
import { lookup } from '../../src/core/verbs.js'
import { deepFreeze, earlier, entryOf, indexOf, ownerOf, thrownBy } from './samples.js'

const attempt: Attempt = { id: 'a', kind: 'resume', owner: ownerOf(5), at: 9 }

test('the entry, whole, under the new key', () => {
  const whole: Partial<Entry> = { role: 'lead', attempt, proc: ownerOf(6), previous: earlier('x'), gen: 3 }
  const index = rename(indexOf(whole, { surfaceId: 's2', sessionId: 'b' }), 's1', 'new')
  expect(lookup(index, 's1')).toMatchObject({ state: 'ended', reason: 'moved', moved_to: 'new', previous: [] })
  for (const field of ['attempt', 'proc'] as const) expect(lookup(index, 's1')).not.toHaveProperty(field)
  expect(lookup(index, 'new')).toEqual(entryOf({ ...whole, surfaceId: 'new' }))
  expect(lookup(index, 's2')?.sessionId).toBe('b')
})

test.each(['__proto__', 'constructor', 'toString', '日本'])('to %s', (to) => {
  expect(lookup(rename(indexOf({}), 's1', to), to)?.surfaceId).toBe(to)
})

test('onto itself: the same index', () => {
  const index = indexOf({})
  expect(rename(index, 's1', 's1')).toBe(index)
})

test('an entry whose session moved to the renamed surface still finds it', () => {
  const index = rename(indexOf({}, { surfaceId: 's2', state: 'ended', reason: 'moved', moved_to: 's1' }), 's1', 'new')
  expect(lookup(index, 's2')?.moved_to).toBe('new')
})

describe('the old key', () => {
  const asked = (index: Index, surfaceId: string): string => {
    const { action, reason, at } = decideAt(index, surfaceId, { running: 'no' }, { now: 9 })
    return `${action} ${reason} ${at}`
  }

  test('answers with where the session is now, over several moves of every kind', () => {
    let index = rename(indexOf({}), 's1', 's2')
    index = observe(index, { surfaceId: 's3', sessionId: 'session-a', repo: 'r', proc: ownerOf(3) }, [], 5000).index
    index = rename(index, 's3', 's4')
    for (const surfaceId of ['s1', 's2', 's3']) expect(asked(index, surfaceId)).toBe('refuse moved s4')
  })

  test('is back in use after the way back, and free for another session', () => {
    const back = rename(rename(indexOf({}), 's1', 's2'), 's2', 's1')
    expect(lookup(back, 's1')).toEqual(entryOf())
    expect(asked(back, 's2')).toBe('refuse moved s1')
    const other = rename(rename(indexOf({}, { surfaceId: 's3', sessionId: 'b' }), 's1', 's2'), 's3', 's1')
    expect(lookup(other, 's1')).toMatchObject({ sessionId: 'b', state: 'ready' })
  })

  test('is one of at most eight, and goes with its entry', () => {
    let index = indexOf({ surfaceId: 'p0' })
    for (let i = 0; i < 12; i++) index = rename(index, `p${i}`, `p${i + 1}`)
    expect(Object.keys(index.entries).sort()).toHaveLength(9)
    expect(asked(index, 'p11')).toBe('refuse moved p12')
    expect(Object.keys(forget(index, 'p12').entries)).toEqual([])
  })

  test('stays followed when one in the middle is forgotten', () => {
    let index = observe(indexOf({}), { surfaceId: 's2', sessionId: 'session-a', repo: 'r' }, [], 5000).index
    index = observe(index, { surfaceId: 's3', sessionId: 'session-a', repo: 'r' }, [], 6000).index
    expect(asked(forget(index, 's2'), 's1')).toBe('refuse moved s3')
  })
})

describe('refused', () => {
  const index = deepFreeze({
    ...indexOf({ attempt }, { surfaceId: 's2', sessionId: 'b' }, { surfaceId: 's3', attempt: { ...attempt, id: 'b' } }),
    unreadable: { bad: { raw: 1, reason: 'x' } }
  })
  test.each([
    ['from an unknown surface', 's9', 'new', 'ERR_ENTRY_UNKNOWN'],
    ['from an unreadable entry', 'bad', 'new', 'ERR_ENTRY_UNREADABLE'],
    ['onto an unreadable entry', 's1', 'bad', 'ERR_ENTRY_UNREADABLE'],
    ['onto a blank key', 's1', ' ', 'ERR_INVALID_INPUT'],
    ['onto a key with a control character', 's1', 'a\u0007', 'ERR_INVALID_INPUT'],
    ['onto another session', 's1', 's2', 'ERR_CONFLICT'],
    ['onto the same session where both have an open attempt', 's1', 's3', 'ERR_CONFLICT']
  ])('%s', (_name, from, to, code) => {
    expect(thrownBy(() => rename(index, from, to)).code).toBe(code)
  })

  test('a conflict carries what is there', () => {
    expect(thrownBy(() => rename(index, 's1', 's2')).found).toEqual(lookup(index, 's2'))
  })
})

describe('onto the same session', () => {
  const merge = (from: Partial<Entry>, to: Partial<Entry>): Entry | null => {
    const index = rename(indexOf(from, { ...to, surfaceId: 's2' }), 's1', 's2')
    expect(lookup(index, 's1')).toMatchObject({ state: 'ended', moved_to: 's2' })
    return lookup(index, 's2')
  }

  test('the histories become one, newest first', () => {
    const merged = merge(
      {
        previous: [
          { sessionId: 'x', until: 5, why: 'rotated' },
          { sessionId: 'y', until: 3, why: 'rotated' }
        ]
      },
      {
        previous: [
          { sessionId: 'z', until: 4, why: 'replaced' },
          { sessionId: 'x', until: 2, why: 'rotated' }
        ]
      }
    )
    expect(merged?.previous.map(({ sessionId, until }) => [sessionId, until])).toEqual([
      ['x', 5],
      ['z', 4],
      ['y', 3]
    ])
  })

  test.each<[what: string, from: Partial<Entry>, to: Partial<Entry>, merged: Partial<Entry>]>([
    ['the earliest sight', { captured_at: 10 }, { captured_at: 20 }, { captured_at: 10 }],
    ['the earliest sight, the other way round', { captured_at: 20 }, { captured_at: 10 }, { captured_at: 10 }],
    ['the higher generation and count', { gen: 2, attempts: 1 }, { gen: 3, attempts: 0 }, { gen: 3, attempts: 1 }],
    ['the stricter policy', { policy: 'manual' }, { policy: 'off' }, { policy: 'off' }],
    ['the open attempt of the one', { attempt }, {}, { attempt }],
    ['the open attempt of the other', {}, { attempt }, { attempt }],
    [
      'the words of the one heard of later',
      { last_active: 5, role: 'a' },
      { last_active: 6, role: 'b' },
      { role: 'b', last_active: 6 }
    ],
    [
      'the living one’s state',
      { state: 'ended', reason: 'moved', moved_to: 's2', last_active: 9 },
      { last_active: 6 },
      { state: 'ready' }
    ],
    [
      'the living one’s state, the other way round',
      { last_active: 6 },
      { state: 'ended', reason: 'moved', moved_to: 's1', last_active: 9 },
      { state: 'ready' }
    ],
    [
      'of two ended ones not the one that points at the other',
      { state: 'ended', reason: 'done' },
      { state: 'ended', reason: 'moved', moved_to: 's1', last_active: 9999 },
      { state: 'ended', reason: 'done' }
    ],
    [
      'the later of the last attempts',
      { last_attempt: { id: 'x', kind: 'spawn', at: 1, result: 'ok' } },
      { last_attempt: { id: 'y', kind: 'spawn', at: 2, result: 'ok' } },
      { last_attempt: { id: 'y', kind: 'spawn', at: 2, result: 'ok' } }
    ],
    [
      'the open dispatch',
      { dispatch: { id: 'd', step: 'x', owner: ownerOf(5), at: 1, result: 'ok' } },
      { dispatch: { id: 'e', step: 'y', owner: ownerOf(5), at: 1, result: 'open' } },
      { dispatch: { id: 'e', step: 'y', owner: ownerOf(5), at: 1, result: 'open' } }
    ]
  ])('keeps %s', (_what, from, to, merged) => {
    expect(merge(from, to)).toMatchObject(merged)
  })

  const report: Partial<Entry> = {
    agent: 'claude',
    cwd: '/w',
    worktree: { path: '/w', origin: '/r' },
    transcript: '/t.jsonl',
    flags: ['--model', 'm'],
    role: 'lead',
    last_exit: { at: 1, reason: 'other' },
    meta: { k: 'v' }
  }

  test.each<[string, Partial<Entry>, Partial<Entry>]>([
    ['from', report, { last_active: 9000 }],
    ['to', { last_active: 9000 }, report]
  ])('nothing that the less recent one knew is lost (%s)', (_which, from, to) => {
    expect(merge(from, to)).toMatchObject({ ...report, last_active: 9000 })
  })

  test('but what belongs to another agent stays with it', () => {
    const merged = merge(report, { agent: 'codex', last_active: 9000 })
    expect(merged).toMatchObject({ agent: 'codex', meta: { k: 'v' } })
    for (const field of ['cwd', 'worktree', 'transcript', 'flags']) expect(merged).not.toHaveProperty(field)
  })

  test('a living process of the less recent one stays known', () => {
    const [proc, seen] = [ownerOf(7), { host: 'machine-1', bootId: 'boot-1' }]
    const index = indexOf({ last_active: 9000 }, { surfaceId: 's2', proc, seen })
    const merged = rename(index, 's1', 's2', [{ owner: proc, verdict: 'alive' }])
    expect(lookup(merged, 's2')).toMatchObject({ proc, seen, last_active: 9000 })
  })

  test('the death of a stale process of the other proves nothing', () => {
    expect(merge({ last_active: 9000 }, { proc: ownerOf(7) })?.proc).toEqual({ ...ownerOf(7), seen_since: true })
  })

  test('nothing points at itself', () => {
    const merged = merge({ last_active: 6 }, { state: 'ended', reason: 'moved', moved_to: 's1', last_active: 9 })
    expect(merged).not.toHaveProperty('moved_to')
    expect(merged).not.toHaveProperty('reason')
  })
})
