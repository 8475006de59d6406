import { describe, expect, it } from 'vitest'
import { entryAt } from '../../src/core/entry.js'
import { restoreEntries } from '../../src/core/restore.js'
import type { Attempt, Entry, Index, Verdicts } from '../../src/core/schema.js'
import { deepFreeze, entryOf, indexOf, ownerOf, thrownBy } from './samples.js'

const NOW = 9000
const laid = (current: Index, source: Index, verdicts: Verdicts = []): Index =>
  restoreEntries(current, source, verdicts, NOW)
const at = (index: Index, surfaceId = 's1'): Entry => {
  const entry = entryAt(index, surfaceId)
  if (entry === null) throw new Error(`no ${surfaceId}`)
  return entry
}
const attempt = (id: string, pid: number): Attempt => ({ id, kind: 'resume', owner: ownerOf(pid), at: 5000 })

describe('an entry that says the same', () => {
  const alive = { last_active: 8000, gen: 3, proc: ownerOf(7), seen: { host: 'h', bootId: 'b' }, attempts: 1 }

  it.each<[string, Partial<Entry>]>([
    ['in every field', {}],
    ['but for its life since', alive],
    ['but for what it held before', { previous: [{ sessionId: 'b', until: 1, why: 'rotated' }] }],
    ['but for an open attempt', { attempt: attempt('a1', 7) }],
    ['but for an exit that was noted', { last_exit: { at: 3, reason: 'other' } }]
  ])('%s stays as it is', (_, fields) => {
    const current = indexOf(fields)
    expect(laid(current, indexOf({}))).toBe(current)
    expect(laid(current, indexOf(alive))).toBe(current)
  })

  it('and was minted then stays started', () => {
    const current = indexOf({ state: 'ready' })
    expect(laid(current, indexOf({ state: 'minted' }))).toBe(current)
    expect(laid(current, indexOf({ state: 'spawn_failed' }))).toBe(current)
  })
})

it.each<[string, Partial<Entry>, Partial<Entry>]>([
  ['an end on purpose', { state: 'ended', reason: 'done' }, { state: 'ready' }],
  ['a policy', { policy: 'off' }, { policy: 'manual' }],
  ['a role', { role: 'worker' }, { role: 'lead' }],
  ['a folder', { cwd: '/b' }, { cwd: '/a' }],
  ['a field that was not there', {}, { agent: 'claude' }],
  ['a field of another tool', {}, { future: 1 } as Partial<Entry>]
])('%s is taken back, as another generation', (_, now, then) => {
  const restored = at(laid(indexOf({ gen: 4, ...now }), indexOf({ gen: 2, ...then })))
  expect(restored).toMatchObject({ gen: 5, ...then })
})

it('takes away what was told since', () => {
  const restored = at(laid(indexOf({ state: 'ended', reason: 'done', address: 'work:1' }), indexOf({})))
  expect(restored).not.toHaveProperty('reason')
  expect(restored).not.toHaveProperty('address')
})

it('leaves the life of the same session as it is known now', () => {
  const life = {
    last_active: 8000,
    seen: { host: 'h', bootId: 'now' },
    proc: ownerOf(7),
    attempts: 2,
    attempt: attempt('a1', 7),
    last_exit: { at: 7000, reason: 'other' },
    transcript: '/t/new.jsonl'
  }
  const then = { last_active: 3000, seen: { host: 'h', bootId: 'then' }, proc: ownerOf(6), transcript: '/t/old.jsonl' }
  expect(at(laid(indexOf({ ...life, policy: 'off' }), indexOf(then)))).toEqual(entryOf({ ...life, gen: 2 }))
})

describe('another session than now', () => {
  const current = indexOf({
    sessionId: 'session-b',
    gen: 4,
    last_active: 8000,
    captured_at: 500,
    proc: ownerOf(8),
    seen: { host: 'h', bootId: 'now' },
    attempts: 2,
    last_attempt: { id: 'a1', kind: 'resume', at: 8500, result: 'session_gone' },
    previous: [{ sessionId: 'session-a', until: 6000, why: 'replaced' }]
  })
  const then = { gen: 3, last_active: 4000, proc: ownerOf(6), seen: { host: 'h', bootId: 'then' } }

  it('comes back, and the one that gives way is the newest of the previous ones', () => {
    expect(at(laid(current, indexOf(then)))).toEqual(
      entryOf({
        gen: 5,
        captured_at: 500,
        last_active: 4000,
        seen: { host: 'h', bootId: 'then' },
        previous: [{ sessionId: 'session-b', until: NOW, why: 'replaced' }]
      })
    )
  })

  it('takes no process, attempt or failure of either time for its own', () => {
    const restored = at(laid(current, indexOf({ ...then, attempt: attempt('a0', 6), attempts: 1 })))
    for (const field of ['proc', 'attempt', 'last_attempt']) expect(restored).not.toHaveProperty(field)
    expect(restored.attempts).toBe(0)
  })

  it('leaves a dispatch that runs on the surface open', () => {
    const dispatch = { id: 'd1', step: 'migrate', owner: ownerOf(7), at: 7000, result: 'open' } as const
    const settled = { ...dispatch, id: 'd0', result: 'ok' } as const
    const index = indexOf({ ...at(current), dispatch })
    expect(at(laid(index, indexOf({ ...then, dispatch: settled }))).dispatch).toEqual(dispatch)
  })

  it('does not open a dispatch again that was settled since', () => {
    const dispatch = { id: 'd1', step: 'migrate', owner: ownerOf(7), at: 3000, result: 'open' } as const
    const settled = { ...dispatch, result: 'ok' } as const
    const index = indexOf({ ...at(current), dispatch: settled })
    expect(at(laid(index, indexOf({ ...then, dispatch }))).dispatch).toEqual(settled)
  })

  it.each(['alive', 'unknown'] as const)('is refused while the owner of an open attempt is %s', (verdict) => {
    const index = indexOf({ ...at(current), attempt: attempt('a2', 9) })
    const error = thrownBy(() => laid(index, indexOf(then), [{ owner: ownerOf(9), verdict }]))
    expect(error.code).toBe('ERR_IN_USE')
    expect(error.message).toContain('process 9')
  })

  it('drops an attempt whose owner is dead', () => {
    const index = indexOf({ ...at(current), attempt: attempt('a2', 9) })
    const restored = at(laid(index, indexOf(then), [{ owner: ownerOf(9), verdict: 'dead' }]))
    expect(restored).not.toHaveProperty('attempt')
    expect(restored.sessionId).toBe('session-a')
  })
})

describe('a surface that is gone now', () => {
  it('comes back with the next generation, without its process and attempt', () => {
    const then = { gen: 3, proc: ownerOf(6), attempt: attempt('a0', 6), attempts: 2, seen: { host: 'h' } }
    const restored = laid(indexOf({ surfaceId: 's2', sessionId: 'session-c' }), indexOf(then))
    expect(at(restored)).toEqual(entryOf({ gen: 4, seen: { host: 'h' } }))
    expect(at(restored, 's2').sessionId).toBe('session-c')
  })

  it('takes the place of what cannot be read', () => {
    const current = deepFreeze({ ...indexOf(), unreadable: { s1: { raw: 7, reason: 'is a number' } } })
    const restored = laid(current, indexOf({}))
    expect(restored.unreadable).toBeUndefined()
    expect(at(restored).sessionId).toBe('session-a')
  })
})

describe('what the earlier index lacks or could not read', () => {
  it('stays', () => {
    const current = indexOf({}, { surfaceId: 's2', sessionId: 'session-c' })
    expect(laid(current, indexOf())).toBe(current)
  })

  it('comes back verbatim where the surface has nothing now', () => {
    const source = {
      ...indexOf(),
      unreadable: { bad: { raw: [1], reason: 'is an array' }, s1: { raw: 2, reason: '' } }
    }
    const restored = laid(indexOf({}), source)
    expect(restored.unreadable).toEqual({ bad: { raw: [1], reason: 'is an array' } })
    expect(at(restored).sessionId).toBe('session-a')
  })
})

describe('a session that is on another surface now', () => {
  const moved = indexOf(
    { state: 'ended', reason: 'moved', moved_to: 's2' },
    { surfaceId: 's2', gen: 2, last_active: 8000, proc: ownerOf(8), attempt: attempt('a1', 8), attempts: 1 }
  )

  it('comes back with what is known of its life, and its holder has ended', () => {
    const restored = laid(moved, indexOf({ proc: ownerOf(6) }))
    expect(at(restored)).toMatchObject({ state: 'ready', proc: ownerOf(8), last_active: 8000, attempts: 1, gen: 3 })
    expect(at(restored).attempt?.id).toBe('a1')
    expect(at(restored, 's2')).toMatchObject({ state: 'ended', reason: 'moved', moved_to: 's1' })
    for (const field of ['attempt', 'proc']) expect(at(restored, 's2')).not.toHaveProperty(field)
  })

  it('is on one surface, in whichever order the entries come', () => {
    const first = { surfaceId: 'a', sessionId: 'x' }
    const second = { surfaceId: 'b', sessionId: 'y' }
    const swapped = indexOf({ ...first, sessionId: 'y' }, { ...second, sessionId: 'x' })
    const restored = laid(swapped, indexOf(first, second))
    expect(at(restored, 'a')).toMatchObject({ sessionId: 'x', state: 'ready' })
    expect(at(restored, 'b')).toMatchObject({ sessionId: 'y', state: 'ready' })
  })

  it('keeps the process that an ended entry knows', () => {
    const ended = indexOf({ surfaceId: 's2', state: 'ended', proc: ownerOf(8), last_active: 8000 })
    expect(at(laid(ended, indexOf({ proc: ownerOf(6) }))).proc).toEqual(ownerOf(8))
  })
})

it('lays an index that it was made of over itself without a change, and twice is as good as once', () => {
  const current = indexOf({ sessionId: 'session-b' }, { surfaceId: 's2', sessionId: 'session-c', policy: 'off' })
  const source = indexOf({}, { surfaceId: 's2', sessionId: 'session-c' })
  expect(laid(current, current)).toBe(current)
  const once = laid(current, source)
  expect(laid(once, source)).toBe(once)
})
