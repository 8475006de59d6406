import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseIndex, serializeIndex } from '../../src/core/codec.js'
import { decide } from '../../src/core/decide.js'
import { adoptForeign, type ForeignKind } from '../../src/core/merge.js'
import type { Entry, Index, Machine } from '../../src/core/schema.js'
import { deepFreeze, earlier, entryOf, indexOf, ownerOf, SIX } from './samples.js'

const NOW = 10_000
const here: Machine = { host: 'machine-1', bootId: 'boot-2' }
const before: Machine = { host: 'machine-1', bootId: 'boot-1' }
const owner = ownerOf(10)
const attempt = { id: 'a1', kind: 'resume', owner, at: 1500 } as const
const last_attempt = { id: 'a0', kind: 'resume', at: 1500, result: 'exited' } as const

function adopt(ours: Index, theirs: Index, kind: ForeignKind): Index {
  return adoptForeign(ours, theirs, kind, here, NOW)
}
const at = (index: Index, surfaceId = 's1'): Entry => index.entries[surfaceId] as Entry
/** What a tool that knows six fields writes. */
function sixFields(...entries: readonly Partial<Entry>[]): Index {
  const all = entries.map((fields) => ({ ...SIX, ...fields }))
  return parseIndex(JSON.stringify({ version: 1, entries: Object.fromEntries(all.map((e) => [e.surfaceId, e])) }))
}

describe.each(['edit', 'older-tool'] as const)('%s', (kind) => {
  it('adds its entries, and keeps those that it lacks', () => {
    const ours = indexOf({})
    const merged = adopt(ours, indexOf({ surfaceId: 's2', sessionId: 'b', address: 'work:1' }), kind)
    expect(at(merged)).toBe(at(ours))
    expect(at(merged, 's2')).toMatchObject({ sessionId: 'b', address: 'work:1' })
  })

  it('of the same content is nothing new', () => {
    const entries = indexOf({ attempt, proc: owner, seen: before }, { surfaceId: 's2', sessionId: 'b', state: 'ended' })
    const ours = deepFreeze({ ...entries, extra: { note: 1 } })
    expect(adopt(ours, parseIndex(serializeIndex(ours)), kind)).toBe(ours)
    expect(adopt(ours, indexOf(), kind)).toBe(ours)
  })

  it('older than ours is nothing new', () => {
    const ours = indexOf({ last_active: 3000 })
    expect(adopt(ours, indexOf({ sessionId: 'b', role: 'lead', last_active: 2999 }), kind)).toBe(ours)
  })

  it('with another session replaces ours, which is remembered, and closes the attempt', () => {
    const ours = indexOf({
      attempt,
      proc: owner,
      gen: 4,
      transcript: '/old',
      attempts: 1,
      captured_at: 7,
      seen: before
    })
    const merged = at(adopt(ours, sixFields({ sessionId: 'b', last_active: 3000 }), kind))
    expect(merged).toMatchObject({
      sessionId: 'b',
      state: 'ready',
      gen: 5,
      captured_at: 7,
      attempts: 1,
      last_active: 3000,
      previous: [{ sessionId: 'session-a', until: NOW, why: 'replaced' }],
      last_attempt: { id: 'a1', result: 'seen' }
    })
    for (const field of ['attempt', 'proc', 'transcript']) expect(merged).not.toHaveProperty(field)
  })

  it('with another session does not pass what proved the old one absent off on it', () => {
    for (const proof of [{ seen: before }, { last_attempt: { ...last_attempt, at: 2500 } }, { proc: owner }]) {
      const ours = indexOf(proof)
      const theirs = sixFields({ sessionId: 'b', last_active: SIX.last_active + 1 })
      const merged = at(adopt(ours, theirs, kind))
      const evidence = { machine: here, verdicts: [{ owner, verdict: 'dead' as const }] }
      expect(decide(at(ours), evidence, { now: NOW }).reason).not.toBe('liveness_unknown')
      expect(decide(merged, evidence, { now: NOW }).reason).toBe('liveness_unknown')
    }
  })

  it('takes a placeholder for no session', () => {
    const merged = at(adopt(indexOf({}), indexOf({ sessionId: 'pending.a9', role: 'lead', last_active: 3000 }), kind))
    expect(merged).toMatchObject({ sessionId: 'session-a', role: 'lead', previous: [], gen: 1 })
  })

  it('keeps an open attempt on the same session, however new', () => {
    const ours = indexOf({ attempt, attempts: 1 })
    expect(at(adopt(ours, sixFields({ last_active: 9999 }), kind))).toMatchObject({ attempt, attempts: 1 })
  })

  it('of an entry that ended takes the session from nobody', () => {
    const ours = indexOf({})
    const merged = adopt(ours, indexOf({ surfaceId: 's2', state: 'ended', last_active: 9000 }), kind)
    expect(at(merged)).toBe(at(ours))
    expect(at(merged, 's2').state).toBe('ended')
  })

  it('keeps what it holds and cannot be read, under a key that ours does not have', () => {
    const theirs = parseIndex('{"version":1,"entries":{"s1":{"bad":1},"s2":{"bad":2}}}')
    const merged = adopt(indexOf({}), theirs, kind)
    expect(at(merged).sessionId).toBe('session-a')
    expect(merged.unreadable).toEqual({ s2: { raw: { bad: 2 }, reason: expect.any(String) } })
    expect(adopt(merged, theirs, kind)).toBe(merged)
    const mended = adopt(merged, indexOf({ surfaceId: 's2', sessionId: 'b' }), kind)
    expect(at(mended, 's2').sessionId).toBe('b')
    expect(mended.unreadable).toBeUndefined()
  })

  it('keeps ours of two entries that cannot be read', () => {
    const ours = parseIndex('{"version":1,"entries":{"s1":{"bad":1}}}')
    expect(adopt(ours, parseIndex('{"version":1,"entries":{"s1":{"bad":2}}}'), kind)).toBe(ours)
  })

  it('brings its unknown fields of the file', () => {
    const ours = parseIndex('{"version":1,"entries":{},"mine":1,"both":1}')
    const merged = adopt(ours, parseIndex('{"version":1,"entries":{},"both":2,"theirs":3,"__proto__":4}'), kind)
    expect(JSON.parse(serializeIndex(merged))).toEqual(
      JSON.parse('{"version":1,"mine":1,"both":2,"theirs":3,"__proto__":4,"entries":{}}')
    )
  })

  it('finds an entry under a key like __proto__', () => {
    const merged = adopt(indexOf({}), indexOf({ surfaceId: '__proto__', sessionId: 'b' }), kind)
    expect(Object.hasOwn(merged.entries, '__proto__')).toBe(true)
    expect(Object.keys(merged.entries)).toEqual(['s1', '__proto__'])
  })
})

describe('a person\u2019s edit', () => {
  const bookkeeping = {
    gen: 3,
    captured_at: 7,
    attempt,
    attempts: 1,
    dispatch: { id: 'd1', step: 'x', owner, at: 1, result: 'open' },
    previous: earlier('z'),
    last_attempt,
    last_exit: { at: 1, reason: 'other' },
    proc: owner,
    seen: before
  } as const satisfies Partial<Entry>

  it('is taken at its word where that is a person\u2019s, and only there', () => {
    const words = {
      repo: 'other',
      role: 'lead',
      agent: 'codex',
      cwd: '/x',
      transcript: '/t',
      flags: ['-m', 'o3'],
      scope: 's',
      address: 'work:2',
      policy: 'off',
      meta: { a: 'b' },
      last_active: 3000,
      unheard: { of: 1 }
    } as const
    const theirs = { ...words, gen: 9, captured_at: 1, attempts: 9, seen: here, proc: ownerOf(99), previous: [] }
    const merged = at(
      adopt(indexOf({ ...bookkeeping, agent: 'claude', note: 1 } as Partial<Entry>), indexOf(theirs), 'edit')
    )
    expect(merged).toEqual(entryOf({ ...bookkeeping, ...words } as Partial<Entry>))
  })

  it('of the same time counts, and may take a field away', () => {
    const merged = at(adopt(indexOf({ agent: 'claude', flags: ['--verbose'] }), indexOf({}), 'edit'))
    expect(merged).toEqual(entryOf())
  })

  it('may end an entry, for any reason but the reserved ones', () => {
    const ends = (reason?: string): Entry =>
      at(adopt(indexOf({}), indexOf({ state: 'ended', ...(reason === undefined ? {} : { reason }) }), 'edit'))
    expect(ends('done')).toEqual(entryOf({ state: 'ended', reason: 'done' }))
    expect(ends()).toEqual(entryOf({ state: 'ended' }))
    for (const reserved of ['moved', 'superseded', 'session_gone', 'left'])
      expect(ends(reserved)).toEqual(entryOf({ state: 'ended' }))
  })

  it.each(['ended', 'minted', 'spawn_failed'] as const)(
    'of the role does not make an entry ready that is %s',
    (state) => {
      const ours = indexOf({ state })
      for (const said of [state, 'ready'] as const) {
        expect(at(adopt(ours, indexOf({ state: said, role: 'lead' }), 'edit'))).toMatchObject({ state, role: 'lead' })
      }
    }
  )

  it('brings the transcript of its session along', () => {
    const ours = indexOf({ transcript: '/old' })
    expect(at(adopt(ours, indexOf({ sessionId: 'b', transcript: '/new' }), 'edit')).transcript).toBe('/new')
    expect(at(adopt(ours, indexOf({ sessionId: 'b', transcript: '/old' }), 'edit'))).not.toHaveProperty('transcript')
  })

  it('that swaps two sessions swaps them', () => {
    const ours = indexOf({}, { surfaceId: 's2', sessionId: 'b' })
    const merged = adopt(ours, indexOf({ sessionId: 'b' }, { surfaceId: 's2' }), 'edit')
    expect(at(merged)).toMatchObject({ sessionId: 'b', state: 'ready' })
    expect(at(merged, 's2')).toMatchObject({ sessionId: 'session-a', state: 'ready' })
  })

  it('that gives an entry another key moves it, with its history and its process', () => {
    const ours = indexOf({ ...bookkeeping, agent: 'claude', policy: 'manual' })
    const words = { agent: 'claude', policy: 'manual', surfaceId: 's2' } as const
    const merged = adopt(ours, indexOf(words), 'edit')
    expect(at(merged, 's2')).toMatchObject({
      ...bookkeeping,
      captured_at: SIX.captured_at,
      state: 'ready',
      agent: 'claude',
      policy: 'manual'
    })
    expect(at(merged)).toMatchObject({
      state: 'ended',
      reason: 'moved',
      moved_to: 's2',
      last_active: NOW,
      previous: []
    })
    expect(at(merged)).not.toHaveProperty('attempt')
    expect(adopt(merged, indexOf(words, {}), 'edit')).toBe(merged)
  })

  it('that gives a session to a surface where it was last seen earlier than elsewhere does not take it from there', () => {
    const ours = indexOf({ last_active: 5000 })
    const merged = adopt(ours, indexOf({ surfaceId: 's2', last_active: 4000 }), 'edit')
    expect(at(merged)).toEqual(at(ours))
    expect(at(merged, 's2')).toMatchObject({ state: 'ended', reason: 'moved', moved_to: 's1' })
  })

  it('of one entry settles nothing between two others', () => {
    const ours = indexOf({}, { surfaceId: 's2' }, { surfaceId: 's3', sessionId: 'c' })
    const theirs = indexOf({}, { surfaceId: 's2' }, { surfaceId: 's3', sessionId: 'c', role: 'lead' })
    const merged = adopt(ours, theirs, 'edit')
    expect(at(merged)).toBe(at(ours))
    expect(at(merged, 's2')).toBe(at(ours, 's2'))
  })
})

describe('an older tool', () => {
  it('counts as having seen what it records, and nothing else of ours changes', () => {
    const ours = indexOf({
      proc: owner,
      seen: before,
      last_attempt,
      cwd: '/x',
      policy: 'off',
      state: 'ended',
      reason: 'r'
    })
    expect(at(adopt(ours, sixFields({ last_active: 3000, role: 'lead' }), 'older-tool'))).toEqual(
      entryOf({
        last_active: 3000,
        role: 'lead',
        seen: here,
        proc: { ...owner, seen_since: true },
        cwd: '/x',
        policy: 'off',
        last_attempt: { ...last_attempt, seen_since: true }
      })
    )
    expect(at(adopt(indexOf(), sixFields({}), 'older-tool')).seen).toEqual(here)
  })

  it('at the same time as ours says nothing new', () => {
    const ours = indexOf({})
    expect(adopt(ours, sixFields({ role: 'lead', sessionId: 'b' }), 'older-tool')).toBe(ours)
  })

  it('that writes more fields has them recorded', () => {
    const told = { agent: 'codex', cwd: '/y', flags: [], transcript: '/t', address: 'a', scope: 's', meta: {} }
    const merged = at(
      adopt(indexOf({ agent: 'claude', cwd: '/x' }), indexOf({ ...told, last_active: 3000 }), 'older-tool')
    )
    expect(merged).toMatchObject(told)
  })

  it('that knows that an entry ended revives none', () => {
    const ended = { state: 'ended', reason: 'done', last_active: 3000 } as const
    expect(at(adopt(indexOf({}), indexOf(ended), 'older-tool'))).toMatchObject(ended)
    const other = { ...ended, sessionId: 'b' }
    expect(at(adopt(indexOf({}), indexOf(other), 'older-tool'))).toMatchObject({
      ...other,
      previous: [{ sessionId: 'session-a' }]
    })
  })

  it('that saw a session on another surface moves it there, with its history', () => {
    const ours = indexOf({ agent: 'codex', proc: owner, previous: earlier('z'), gen: 3, attempt, policy: 'off' })
    const merged = adopt(ours, sixFields({ surfaceId: 's2', last_active: 3000 }), 'older-tool')
    expect(at(merged, 's2')).toMatchObject({
      agent: 'codex',
      previous: earlier('z'),
      gen: 3,
      attempt,
      policy: 'off',
      seen: here
    })
    expect(at(merged, 's2').proc).toEqual({ ...owner, seen_since: true })
    expect(at(merged)).toMatchObject({ state: 'ended', reason: 'moved', moved_to: 's2' })
  })
})

it('leaves each of two open attempts on one session where its owner finds it', () => {
  const ours = indexOf({ attempt }, { surfaceId: 's2', sessionId: 'b', attempt: { ...attempt, id: 'a2' } })
  const merged = adopt(
    ours,
    indexOf({ surfaceId: 's3', last_active: 5000 }, { surfaceId: 's2', last_active: 4000 }),
    'edit'
  )
  const open = Object.values(merged.entries).flatMap((entry) =>
    [entry.attempt?.id ?? [], entry.last_attempt?.id ?? []].flat()
  )
  expect(open.sort()).toEqual(['a1', 'a2'])
})

describe('whatever is on either side', () => {
  const entry = fc.record({
    surfaceId: fc.constantFrom('s1', 's2', 's3'),
    sessionId: fc.constantFrom('a', 'b', 'c', 'd'),
    last_active: fc.integer({ min: 0, max: 4 }).map((time) => time * 5000),
    captured_at: fc.integer({ min: 0, max: 9 }),
    role: fc.constantFrom(null, 'lead'),
    gen: fc.integer({ min: 1, max: 3 }),
    state: fc.constantFrom('ready', 'ready', 'ready', 'ended', 'minted', 'spawn_failed'),
    policy: fc.constantFrom('auto', 'off'),
    previous: fc.subarray(['x', 'y']).map((ids) => earlier(...ids)),
    extras: fc.record(
      {
        attempt: fc.constantFrom('a1', 'a2', 'a3').map((id) => ({ ...attempt, id })),
        last_attempt: fc.constant(last_attempt),
        proc: fc.constant(owner),
        seen: fc.constantFrom(here, before),
        agent: fc.constantFrom('claude', 'codex'),
        meta: fc.constant({ k: 'v' })
      },
      { requiredKeys: [] }
    )
  })
  const sides = fc
    .uniqueArray(entry, { selector: ({ surfaceId }) => surfaceId, maxLength: 3 })
    .map((entries) => indexOf(...entries.map(({ extras, ...fields }) => ({ ...fields, ...extras }) as Partial<Entry>)))
  /** Ours have one attempt of an id, and one surface of a session, as our verbs leave them. */
  const own = sides.map((index) => {
    const met = new Set<string>()
    const kept = Object.values(index.entries).map((found, at) => {
      const taken = met.has(found.sessionId) && found.state !== 'ended'
      met.add(found.sessionId)
      const fields = found.attempt ? { ...found, attempt: { ...found.attempt, id: `own-${at}` } } : found
      return taken ? { ...fields, state: 'ended' as const } : fields
    })
    return indexOf(...kept)
  })
  const kinds = fc.constantFrom<ForeignKind>('edit', 'older-tool')
  const sessions = (index: Index): string[] =>
    Object.values(index.entries).flatMap(({ sessionId, previous }) => [
      sessionId,
      ...previous.map((left) => left.sessionId)
    ])
  const holds = (rule: (ours: Index, theirs: Index, kind: ForeignKind, merged: Index) => void): void =>
    fc.assert(
      fc.property(own, sides, kinds, (ours, theirs, kind) =>
        rule(ours, theirs, kind, deepFreeze(adopt(ours, theirs, kind)))
      ),
      { numRuns: 3000 }
    )

  it('is taken in once: the same text again changes nothing, also later and by others', () => {
    holds((_, theirs, kind, merged) => {
      expect(adopt(merged, theirs, kind)).toBe(merged)
      expect(adoptForeign(merged, theirs, kind, before, NOW + 1)).toBe(merged)
    })
  })

  it('can be written and read back', () => {
    holds((_, __, ___, merged) => {
      expect(parseIndex(serializeIndex(merged)).unreadable).toBeUndefined()
    })
  })

  it('loses no surface, no first sight, no session and no open attempt of ours', () => {
    holds((ours, _, __, merged) => {
      for (const mine of Object.values(ours.entries)) {
        const now = at(merged, mine.surfaceId)
        expect(now.captured_at).toBe(mine.captured_at)
        expect(now.gen).toBeGreaterThanOrEqual(mine.gen)
      }
      const left = new Set(sessions(merged))
      for (const session of sessions(ours)) expect(left).toContain(session)
      const attempts = Object.values(merged.entries).flatMap((now) => [now.attempt?.id, now.last_attempt?.id])
      for (const mine of Object.values(ours.entries)) {
        const isOvertaken = at(merged, mine.surfaceId).sessionId !== mine.sessionId
        if (mine.attempt && !isOvertaken) expect(attempts).toContain(mine.attempt.id)
      }
    })
  })

  it('puts nothing older over what is newer', () => {
    holds((ours, theirs, kind, merged) => {
      for (const mine of Object.values(ours.entries)) {
        const said = theirs.entries[mine.surfaceId]
        const now = at(merged, mine.surfaceId)
        expect(now.last_active).toBeGreaterThanOrEqual(mine.last_active)
        const isOlder =
          said === undefined ||
          said.last_active < mine.last_active ||
          (kind === 'older-tool' && said.last_active === mine.last_active)
        if (!isOlder) continue
        // Only a session that is seen elsewhere since goes, and the surface says where; or more of its history came here.
        expect(now.sessionId).toBe(mine.sessionId)
        if (now.state === mine.state) continue
        expect(now).toMatchObject({ state: 'ended', reason: 'moved' })
        const there = at(merged, now.moved_to)
        expect(there.sessionId === mine.sessionId || there.moved_to !== undefined).toBe(true)
      }
    })
  })

  it('leaves a session on one surface', () => {
    holds((_, __, ___, merged) => {
      const live = Object.values(merged.entries).filter(({ state }) => state !== 'ended')
      expect(new Set(live.map(({ sessionId }) => sessionId)).size).toBe(live.length)
    })
  })
})
