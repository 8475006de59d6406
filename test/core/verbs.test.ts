import { describe, expect, test } from 'vitest'
import { fingerprint } from '../../src/core/fingerprint.js'
import type { Entry, Index, Policy, RecordInput } from '../../src/core/schema.js'
import {
  emptyIndex,
  end,
  lookup,
  noteAddress,
  noteExit,
  ownersOf,
  record,
  resumableFor,
  setPolicy,
  touch
} from '../../src/core/verbs.js'
import { deepFreeze, entryOf, indexOf, ownerOf, thrownBy } from './samples.js'

const NOW = 1_000_000
const machine = { host: 'machine-1', bootId: 'boot-1' }
const broken: Index = deepFreeze({
  ...indexOf({ surfaceId: 's2' }),
  unreadable: { s1: { raw: 7, reason: 'sessionId is wrong' } }
})

test('an empty index is version 1 and holds nothing', () => {
  expect(emptyIndex()).toEqual({ version: 1, entries: {} })
})

describe('record', () => {
  const input = { surfaceId: 's1', sessionId: 'session-b', repo: 'golems' }

  test('stamps the first sight', () => {
    expect(lookup(record(emptyIndex(), input, NOW), 's1')).toEqual(
      entryOf({ sessionId: 'session-b', captured_at: NOW, last_active: NOW })
    )
  })

  test('bumps last_active only, when it is the same session', () => {
    const again = record(record(emptyIndex(), input, NOW), input, NOW + 5)
    expect(lookup(again, 's1')).toEqual(entryOf({ sessionId: 'session-b', captured_at: NOW, last_active: NOW + 5 }))
  })

  test('replaces another session whatever process is recorded, and keeps it as replaced', () => {
    const index = indexOf({
      proc: ownerOf(10),
      seen: machine,
      attempt: { id: 'a', kind: 'resume', owner: ownerOf(9), at: 1 }
    })
    const entry = lookup(record(index, input, NOW), 's1')
    expect(entry).toMatchObject({
      sessionId: 'session-b',
      state: 'ready',
      gen: 2,
      captured_at: 1000,
      previous: [{ sessionId: 'session-a', until: NOW, why: 'replaced' }]
    })
    expect(entry).not.toHaveProperty('proc')
    expect(entry).not.toHaveProperty('seen')
    expect(entry).not.toHaveProperty('attempt')
  })

  test('replaces a minted session too', () => {
    const index = indexOf({ state: 'minted', attempt: { id: 'a', kind: 'spawn', owner: ownerOf(9), at: 1 } })
    expect(lookup(record(index, input, NOW), 's1')).toMatchObject({
      sessionId: 'session-b',
      state: 'ready',
      previous: [{ sessionId: 'session-a', until: NOW, why: 'never_started' }]
    })
  })

  test('takes the session from the surface that held it', () => {
    const index = record(indexOf({}), { ...input, surfaceId: 's2', sessionId: 'session-a' }, NOW)
    expect(lookup(index, 's1')).toMatchObject({ state: 'ended', reason: 'moved', moved_to: 's2' })
    expect(lookup(index, 's2')).toMatchObject({ state: 'ready', sessionId: 'session-a' })
  })

  test.each([
    [undefined, 'lead'],
    [null, null],
    ['other', 'other']
  ])('a role of %s over "lead" gives %s', (role, kept) => {
    const words = { ...input, sessionId: 'session-a', ...(role === undefined ? {} : { role }) }
    expect(lookup(record(indexOf({ role: 'lead' }), words, NOW), 's1')?.role).toBe(kept)
  })

  test('is no sighting: a process that is passed along is not recorded', () => {
    const words: RecordInput & object = { ...input, proc: ownerOf(10), nested: true } as RecordInput
    expect(lookup(record(emptyIndex(), words, NOW), 's1')).not.toHaveProperty('proc')
  })

  test('replaces an entry that cannot be read', () => {
    const index = record(broken, input, NOW)
    expect(index.unreadable).toBeUndefined()
    expect(lookup(index, 's1')?.sessionId).toBe('session-b')
    expect(lookup(index, 's2')?.sessionId).toBe('session-a')
  })

  test.each(['pending.a', '', ' ', '-r', '../x', 'a b', 'a\u0000b', 'é', 'x'.repeat(129)])(
    'refuses the session id %j',
    (sessionId) => {
      expect(thrownBy(() => record(emptyIndex(), { ...input, sessionId }, NOW)).code).toBe('ERR_INVALID_INPUT')
    }
  )

  test('keeps what an index carries besides its entries', () => {
    const carried = deepFreeze({ ...indexOf(), revision: 4, origin: { path: '/x', token: 't' }, extra: { note: 1 } })
    expect(record(carried, input, NOW)).toMatchObject({
      revision: 4,
      origin: { path: '/x', token: 't' },
      extra: { note: 1 }
    })
  })
})

describe('touch', () => {
  test('an unknown surface changes nothing', () => {
    const index = indexOf({})
    expect(touch(index, 's9', NOW)).toBe(index)
  })

  test('bumps last_active and nothing of the session', () => {
    expect(lookup(touch(indexOf({ proc: ownerOf(10) }), 's1', NOW), 's1')).toEqual(
      entryOf({ last_active: NOW, proc: ownerOf(10) })
    )
  })

  test('takes the machine that saw it', () => {
    expect(lookup(touch(indexOf({ seen: { host: 'old' } }), 's1', NOW, machine), 's1')?.seen).toEqual(machine)
  })

  test('without a machine, an earlier boot no longer proves anything', () => {
    expect(lookup(touch(indexOf({ seen: { host: 'old' } }), 's1', NOW), 's1')).not.toHaveProperty('seen')
  })

  test.each([
    [299_999, 2],
    [300_000, 0]
  ])('%d ms after the last attempt its count is %d', (later, attempts) => {
    const index = indexOf({ attempts: 2, last_attempt: { id: 'a', kind: 'resume', at: NOW, result: 'ok' } })
    expect(lookup(touch(index, 's1', NOW + later), 's1')?.attempts).toBe(attempts)
  })

  test.each([Number.NaN, -1, Number.POSITIVE_INFINITY])('refuses a time of %s', (now) => {
    expect(thrownBy(() => touch(indexOf({}), 's1', now)).code).toBe('ERR_INVALID_INPUT')
  })
})

describe('end', () => {
  test('is kept on file, with the reason and the time', () => {
    const index = end(indexOf({ proc: ownerOf(10) }), { surfaceId: 's1', reason: 'merged' }, NOW)
    expect(lookup(index, 's1')).toEqual(
      entryOf({ state: 'ended', reason: 'merged', proc: ownerOf(10), last_active: NOW })
    )
  })

  test('without a reason, an old one does not stay', () => {
    const index = end(indexOf({ state: 'ended', reason: 'moved', moved_to: 's2' }), { surfaceId: 's1' }, NOW)
    expect(lookup(index, 's1')).toEqual(entryOf({ state: 'ended', last_active: NOW }))
  })

  test.each(['moved', 'superseded', 'session_gone', 'left'])('refuses the reserved reason %s', (reason) => {
    const error = thrownBy(() => end(indexOf({}), { surfaceId: 's1', reason }, NOW))
    expect([error.code, error.message]).toEqual([
      'ERR_INVALID_INPUT',
      `reason "${reason}" is reserved; use other words`
    ])
  })

  test('acts only on the entry that was looked at', () => {
    const index = indexOf({})
    const expected = fingerprint(lookup(index, 's1'))
    expect(lookup(end(index, { surfaceId: 's1', expect: expected }, NOW), 's1')?.state).toBe('ended')
    const error = thrownBy(() => end(touch(index, 's1', NOW), { surfaceId: 's1', expect: expected }, NOW))
    expect([error.code, error.found]).toEqual(['ERR_CONFLICT', entryOf({ last_active: NOW })])
  })
})

describe('noteExit', () => {
  test('notes the exit and changes nothing else', () => {
    const index = noteExit(indexOf({}), { surfaceId: 's1', sessionId: 'session-a', reason: 'clear' }, NOW)
    expect(lookup(index, 's1')).toEqual(entryOf({ last_exit: { at: NOW, reason: 'clear' } }))
    expect(resumableFor(index, 's1', { now: NOW })).toBe('session-a')
  })

  test.each([
    ['another session', { surfaceId: 's1', sessionId: 'session-b', reason: 'other' }],
    ['an unknown surface', { surfaceId: 's9', sessionId: 'session-a', reason: 'other' }]
  ])('of %s is not noted', (_name, exit) => {
    const index = indexOf({})
    expect(noteExit(index, exit, NOW)).toBe(index)
  })
})

describe('setPolicy', () => {
  test.each<Policy>(['auto', 'manual', 'off'])('%s is kept, and clears the count of attempts', (policy) => {
    expect(lookup(setPolicy(indexOf({ attempts: 2, policy: 'manual' }), 's1', policy), 's1')).toEqual(
      entryOf({ policy })
    )
  })

  test('refuses another word', () => {
    const error = thrownBy(() => setPolicy(indexOf({}), 's1', 'never' as Policy))
    expect([error.code, error.message]).toEqual(['ERR_INVALID_INPUT', 'policy must be one of auto, manual, off'])
  })
})

describe('resumableFor', () => {
  const cases: [name: string, fields: Partial<Entry>, options: { maxAgeMs?: number }, answer: string | null][] = [
    ['a ready session', {}, {}, 'session-a'],
    ['one of policy manual', { policy: 'manual' }, {}, 'session-a'],
    ['one of policy off', { policy: 'off' }, {}, null],
    ['a minted one', { state: 'minted' }, {}, null],
    ['one whose start failed', { state: 'spawn_failed' }, {}, null],
    ['an ended one', { state: 'ended' }, {}, null],
    ['a placeholder, even a ready one', { sessionId: 'pending.a' }, {}, null],
    ['an old one without a limit', { last_active: 0 }, {}, 'session-a'],
    ['one as old as the limit', { last_active: NOW - 10 }, { maxAgeMs: 10 }, 'session-a'],
    ['one past the limit', { last_active: NOW - 11 }, { maxAgeMs: 10 }, null],
    ['one from the future', { last_active: NOW + 99 }, { maxAgeMs: 0 }, 'session-a'],
    ['any, without end', { last_active: 0 }, { maxAgeMs: Number.POSITIVE_INFINITY }, 'session-a']
  ]
  test.each(cases)('%s', (_name, fields, options, answer) => {
    expect(resumableFor(indexOf(fields), 's1', { ...options, now: NOW })).toBe(answer)
  })

  test('none where nothing is known', () => {
    expect(resumableFor(indexOf({}), 's9', { now: NOW })).toBeNull()
  })

  test.each([Number.NaN, -1])('refuses a limit of %s', (maxAgeMs) => {
    expect(thrownBy(() => resumableFor(indexOf({}), 's1', { maxAgeMs, now: NOW })).code).toBe('ERR_INVALID_INPUT')
  })
})

describe('an entry that cannot be read', () => {
  const verbs: [name: string, act: () => unknown][] = [
    ['lookup', () => lookup(broken, 's1')],
    ['resumableFor', () => resumableFor(broken, 's1', { now: NOW })],
    ['touch', () => touch(broken, 's1', NOW)],
    ['end', () => end(broken, { surfaceId: 's1' }, NOW)],
    ['noteExit', () => noteExit(broken, { surfaceId: 's1', sessionId: 'session-a', reason: 'x' }, NOW)],
    ['setPolicy', () => setPolicy(broken, 's1', 'off')]
  ]
  test.each(verbs)('%s says so, and why', (_name, act) => {
    const error = thrownBy(act)
    expect(error.code).toBe('ERR_ENTRY_UNREADABLE')
    expect(error.message).toContain('sessionId is wrong')
  })

  test('leaves the others usable', () => {
    expect(lookup(broken, 's2')?.sessionId).toBe('session-a')
  })
})

describe('a surface that nobody recorded', () => {
  const names = ['s9', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '']
  test.each(names)('lookup of %j is null', (surfaceId) => {
    expect(lookup(indexOf({}), surfaceId)).toBeNull()
    // An index that a caller has built from a plain object inherits, its entries do not.
    expect(lookup({ version: 1, entries: {} }, surfaceId)).toBeNull()
  })
  test.each(names)('end and setPolicy of %j say so', (surfaceId) => {
    expect(thrownBy(() => end(indexOf({}), { surfaceId }, NOW)).code).toBe('ERR_ENTRY_UNKNOWN')
    expect(thrownBy(() => setPolicy(indexOf({}), surfaceId, 'off')).code).toBe('ERR_ENTRY_UNKNOWN')
  })
})

test('the processes of an entry are its own, its attempt’s and its dispatch’s', () => {
  const [proc, boss, worker] = [ownerOf(1), ownerOf(2), ownerOf(3)]
  expect(ownersOf(entryOf())).toEqual([])
  expect(
    ownersOf(
      entryOf({
        proc,
        attempt: { id: 'a', kind: 'spawn', owner: boss, at: 1 },
        dispatch: { id: 'd', step: 'x', owner: worker, at: 1, result: 'open' }
      })
    )
  ).toEqual([proc, boss, worker])
})

describe('a fingerprint', () => {
  const base = entryOf({ attempt: { id: 'a', kind: 'spawn', owner: ownerOf(1), at: 1 } })
  const differing: [what: string, entry: Entry | null | 'unreadable'][] = [
    ['no entry', null],
    ['an unreadable one', 'unreadable'],
    ['another generation', { ...base, gen: 2 }],
    ['another activity', { ...base, last_active: 2001 }],
    ['another state', { ...base, state: 'ended' }],
    ['another attempt', { ...base, attempt: { id: 'b', kind: 'spawn', owner: ownerOf(1), at: 1 } }],
    ['a last attempt', { ...base, last_attempt: { id: 'a', kind: 'spawn', at: 1, result: 'ok' } }]
  ]
  test.each(differing)('tells %s', (_what, entry) => {
    expect(fingerprint(entry)).not.toBe(fingerprint(base))
  })
  test('does not change by what no decision rests on', () => {
    expect(fingerprint({ ...base, address: 'x', meta: { a: 'b' } })).toBe(fingerprint(base))
  })
})

describe('noteAddress', () => {
  const place = { surfaceId: 's1', address: 'work:2.1', scope: 'tmux:/s:7.90' }

  test('notes the place and nothing else', () => {
    const index = deepFreeze(indexOf({ seen: machine }))
    expect(lookup(noteAddress(index, place), 's1')).toEqual({ ...lookup(index, 's1'), ...place })
  })

  test('changes nothing where it is known, and for a surface that is not', () => {
    const noted = noteAddress(indexOf({}), place)
    expect(noteAddress(noted, place)).toBe(noted)
    expect(noteAddress(noted, { ...place, surfaceId: 'other' })).toBe(noted)
  })

  test('refuses what cannot be stored', () => {
    expect(() => noteAddress(indexOf({}), { ...place, address: 'a\nb' })).toThrow(/address/)
    expect(thrownBy(() => noteAddress(broken, place))).toMatchObject({ code: 'ERR_ENTRY_UNREADABLE' })
  })
})
