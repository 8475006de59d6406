import { describe, expect, it } from 'vitest'
import { decide } from '../../src/core/decide.js'
import { beginDispatch, settleDispatch } from '../../src/core/dispatch.js'
import { observe } from '../../src/core/observe.js'
import type { Attempt, Entry, FailureKind, Index, LastAttempt, Sighting } from '../../src/core/schema.js'
import { type SettleInput, settle } from '../../src/core/settle.js'
import { emptyIndex, record, touch } from '../../src/core/verbs.js'
import { earlier, entryOf, indexOf, ownerOf, thrownBy } from './samples.js'

const NOW = 10_000_000
const me = ownerOf(10)
const other = ownerOf(11)
const agent = ownerOf(20)
const here = { host: 'machine-1', bootId: 'boot-1', ns: '4026531836' }
const spawn: Attempt = { id: 'a1', kind: 'spawn', owner: me, at: NOW - 1000 }
const resume: Attempt = { ...spawn, kind: 'resume' }
const minted: Partial<Entry> = { state: 'minted', attempt: spawn }
const failed = (kind: FailureKind, why?: string): SettleInput['result'] => ({
  failed: kind,
  ...(why === undefined ? {} : { why })
})
const KINDS: readonly FailureKind[] = ['not_started', 'exited', 'session_gone', 'timeout', 'refused', 'other']

const at = (index: Index, surfaceId = 's1'): Entry => index.entries[surfaceId] as Entry
const settled = (index: Index, result: SettleInput['result'], more: Partial<SettleInput> = {}): Index =>
  settle(index, { attemptId: 'a1', result, ...more }, NOW)
const seen = (index: Index, now: number, more: Partial<Sighting> = {}): Index =>
  observe(index, { surfaceId: 's1', sessionId: 'session-a', repo: 'golems', ...more }, [], now).index

describe('settle ok', () => {
  it.each([
    ['a start', minted, 'spawn'],
    ['a resume', { attempt: resume, attempts: 1 }, 'resume'],
    ['the resume of a start that nobody had confirmed', { state: 'minted', attempt: resume }, 'resume']
  ] as const)('makes %s ready, with the process and the machine that runs it', (_, known, kind) => {
    const entry = at(settled(indexOf({ ...known, proc: other }), 'ok', { proc: agent }))
    expect(entry).toMatchObject({
      sessionId: 'session-a',
      state: 'ready',
      gen: 1,
      last_active: NOW,
      seen: here,
      proc: agent,
      last_attempt: { id: 'a1', kind, at: NOW, result: 'ok' },
      attempts: known === minted ? 0 : ((known as Partial<Entry>).attempts ?? 0)
    })
    expect(entry).not.toHaveProperty('attempt')
  })

  it('no longer takes the death of an older process for a proof where it is not told the new one, and takes the machine of the owner', () => {
    const entry = at(settled(indexOf({ attempt: resume, proc: other, seen: { host: 'machine-9' } }), 'ok'))
    expect(entry.proc).toEqual({ ...other, seen_since: true })
    expect(entry.seen).toEqual(here)
  })

  it('puts the session that came up in the place of the one that was asked for', () => {
    const forked = at(settled(indexOf({ attempt: resume, transcript: '/t' }), 'ok', { sessionId: 'b', proc: agent }))
    expect(forked).toMatchObject({
      sessionId: 'b',
      gen: 2,
      state: 'ready',
      proc: agent,
      previous: [{ sessionId: 'session-a', until: NOW, why: 'rotated' }]
    })
    expect(forked).not.toHaveProperty('transcript')
  })

  it('puts the session that came up in the place of a placeholder, which leaves no trace', () => {
    const entry = at(settled(indexOf({ ...minted, sessionId: 'pending.a1' }), 'ok', { sessionId: 'b' }))
    expect(entry).toMatchObject({ sessionId: 'b', gen: 2, state: 'ready', previous: [] })
  })

  it('keeps a placeholder minted where nobody knows the session yet, and stores its process', () => {
    const index = settled(indexOf({ ...minted, sessionId: 'pending.a1' }), 'ok', { proc: agent })
    expect(at(index)).toMatchObject({
      sessionId: 'pending.a1',
      state: 'minted',
      proc: agent,
      last_attempt: { result: 'ok' }
    })
    const captured = seen(index, NOW + 1, { sessionId: 'b', proc: agent })
    expect(at(captured)).toMatchObject({ sessionId: 'b', state: 'ready', proc: agent, previous: [] })
  })

  it('leaves ended what a person ended meanwhile', () => {
    const entry = at(settled(indexOf({ attempt: resume, state: 'ended', reason: 'done' }), 'ok', { proc: agent }))
    expect(entry).toMatchObject({ state: 'ended', reason: 'done', last_attempt: { result: 'ok' } })
  })

  it('leaves a session on one surface only: the one where it came up', () => {
    const index = settled(indexOf({ ...minted, sessionId: 'pending.a1' }, { surfaceId: 's2', sessionId: 'b' }), 'ok', {
      sessionId: 'b'
    })
    expect(at(index)).toMatchObject({ sessionId: 'b', state: 'ready' })
    expect(at(index, 's2')).toMatchObject({ state: 'ended', reason: 'moved', moved_to: 's1' })
  })

  it('is nothing new after a sighting closed the attempt', () => {
    const index = seen(indexOf({ attempt: resume, attempts: 1 }), NOW - 500, { proc: agent })
    expect(at(index)).toMatchObject({ state: 'ready', last_attempt: { id: 'a1', result: 'seen' }, attempts: 1 })
    expect(at(index)).not.toHaveProperty('attempt')
    expect(settled(index, 'ok', { proc: other })).toBe(index)
  })
})

describe('settle failed', () => {
  it.each(KINDS)('%s: a start becomes spawn_failed, its cause stays readable', (kind) => {
    const entry = at(settled(indexOf(minted), failed(kind, 'no such program')))
    const gone = kind === 'session_gone'
    expect(entry).toMatchObject({
      state: gone ? 'ended' : 'spawn_failed',
      last_active: 2000,
      last_attempt: { id: 'a1', kind: 'spawn', at: NOW, result: kind, why: 'no such program' }
    })
    expect(entry).not.toHaveProperty('attempt')
    expect(entry).not.toHaveProperty('seen')
  })

  it.each(KINDS.filter((kind) => kind !== 'session_gone'))('%s: what was ready stays ready', (kind) => {
    const entry = at(settled(indexOf({ attempt: resume, attempts: 1 }), failed(kind)))
    expect(entry).toMatchObject({ state: 'ready', attempts: 1, last_attempt: { kind: 'resume', result: kind } })
  })

  it('keeps a start unconfirmed when its resume fails: its transcript was there', () => {
    const entry = at(settled(indexOf({ state: 'minted', attempt: resume }), failed('exited')))
    expect(entry).toMatchObject({ state: 'minted', last_attempt: { kind: 'resume', result: 'exited' } })
  })

  it('session_gone: ends the session, which is remembered as gone', () => {
    const entry = at(settled(indexOf({ attempt: resume, previous: earlier('b') }), failed('session_gone')))
    expect(entry).toMatchObject({
      state: 'ended',
      reason: 'session_gone',
      previous: [{ sessionId: 'session-a', until: NOW, why: 'session_gone' }, ...earlier('b')]
    })
  })

  it('session_gone: a session that is seen after all is back, and no predecessor of its own', () => {
    const index = seen(settled(indexOf({ attempt: resume, previous: earlier('b') }), failed('session_gone')), NOW + 1)
    expect(at(index)).toMatchObject({ state: 'ready', previous: earlier('b') })
    expect(at(index)).not.toHaveProperty('reason')
  })

  it('session_gone of a placeholder is a failed start', () => {
    const entry = at(settled(indexOf({ ...minted, sessionId: 'pending.a1' }), failed('session_gone')))
    expect(entry).toMatchObject({ state: 'spawn_failed', previous: [] })
  })

  it('is stored after a sighting closed the attempt', () => {
    const index = seen(indexOf({ attempt: resume }), NOW - 500, { proc: agent })
    const entry = at(settled(index, failed('exited', 'killed by signal 9')))
    expect(entry).toMatchObject({
      state: 'ready',
      last_attempt: { id: 'a1', at: NOW, result: 'exited', why: 'killed by signal 9' }
    })
    expect(decide(entry, {}, { now: NOW + 60_000 })).toMatchObject({ action: 'resume', reason: 'ok' })
  })

  it('proves the first session of a capture gone as well', () => {
    const index = seen(indexOf({ ...minted, sessionId: 'pending.a1' }), NOW - 500, { sessionId: 'b', proc: agent })
    const entry = at(settled(index, failed('exited')))
    expect(entry).toMatchObject({ sessionId: 'b', state: 'ready' })
    expect(decide(entry, {}, { now: NOW + 60_000 })).toMatchObject({ action: 'resume', sessionId: 'b' })
  })

  it('leaves a timeout after a sighting to the process that was seen', () => {
    const index = settled(seen(indexOf({ attempt: resume }), NOW - 500, { proc: agent }), failed('timeout'))
    const say = (verdict: 'dead' | 'unknown') =>
      decide(at(index), { verdicts: [{ owner: agent, verdict }] }, { now: NOW + 60_000 }).reason
    expect(say('unknown')).toBe('liveness_unknown')
    expect(say('dead')).toBe('ok')
  })

  it('is found by its id wherever the entry moved meanwhile', () => {
    const moved = seen(indexOf({ attempt: resume }), NOW - 500, { surfaceId: 's2' })
    const index = settled(moved, failed('exited'))
    expect(at(index, 's2').last_attempt).toMatchObject({ id: 'a1', result: 'exited' })
    expect(at(index, 's1')).toBe(at(moved, 's1'))
  })
})

it.each(['timeout', 'refused', 'other'] as const)(
  '%s is no sight of the session where the clock was set back',
  (kind) => {
    const earlier = { ...here, bootId: 'an earlier one' }
    const index = settled(indexOf({ attempt: resume, seen: earlier, last_active: NOW + 5000 }), failed(kind))
    const { reason } = decide(at(index), { machine: here }, { now: NOW + 300_000 })
    expect(reason).toBe('liveness_unknown')
  }
)

describe('a process that is older than the attempt', () => {
  const dead = [{ owner: other, verdict: 'dead' }] as const

  it.each(KINDS)('stays known when the attempt fails as %s, and its death proves nothing after a touch', (kind) => {
    const index = settled(indexOf({ attempt: resume, proc: other }), failed(kind))
    expect(at(index).proc).toEqual({ ...other, seen_since: true })
    if (kind === 'session_gone') return
    const touched = touch(index, 's1', NOW + 1, here)
    expect(decide(at(touched), { verdicts: dead }, { now: NOW + 60_001 }).reason).toBe('liveness_unknown')
  })

  it.each([
    ['that is the recorded one', { proc: other }, []],
    ['that is known to be dead', {}, dead]
  ] as const)('closes no attempt by a late word: one %s', (_, known, verdicts) => {
    const index = indexOf({ attempt: resume, ...known })
    const late = { surfaceId: 's1', sessionId: 'session-a', repo: 'golems', proc: other }
    const entry = at(observe(index, late, verdicts, NOW).index)
    expect(entry.attempt).toEqual(resume)
    expect(decide(entry, { running: 'no' }, { now: NOW }).reason).toBe('owner_unverified')
  })

  it('is no sign of life when its word comes late, and takes no living one from its place', () => {
    const index = indexOf({ state: 'minted', last_active: 5, proc: agent })
    const late = { surfaceId: 's1', sessionId: 'session-a', repo: 'golems', proc: other, transcript: '/t' }
    const { outcome, index: told } = observe(index, late, dead, NOW)
    expect(outcome).toBe('refreshed')
    expect(at(told)).toEqual({ ...at(index), state: 'ready', transcript: '/t' })
    const ended = indexOf({ state: 'ended' })
    expect(at(observe(ended, late, dead, NOW).index).state).toBe('ended')
  })

  it.each<[string, readonly Partial<Entry>[]]>([
    ['of a session that has moved on to another surface', [{ sessionId: 'b' }, { surfaceId: 's2' }]],
    ['of a session that gave way already', [{ sessionId: 'b', proc: other, previous: earlier('session-a') }]],
    ['of another session than the one that is being resumed', [{ sessionId: 'b', proc: other, attempt: resume }]]
  ])('is not heard late %s', (_, held) => {
    const index = indexOf(...held)
    const late = { surfaceId: 's1', sessionId: 'session-a', repo: 'golems', proc: other }
    expect(observe(index, late, dead, NOW)).toEqual({ index, outcome: 'nested' })
  })

  it('is heard late of a session that nobody knew of', () => {
    const { outcome, index } = observe(
      indexOf({ proc: other }),
      { surfaceId: 's1', sessionId: 'b', repo: 'x', proc: other },
      dead,
      NOW
    )
    expect(outcome).toBe('rotated')
    expect(decide(at(index), { verdicts: dead }, { now: NOW })).toMatchObject({ reason: 'ok', sessionId: 'b' })
  })

  it('is not the one that a touch says is alive', () => {
    const index = indexOf({ proc: other })
    expect(at(touch(index, 's1', NOW, here, dead))).not.toHaveProperty('proc')
    expect(at(touch(index, 's1', NOW, here, [{ owner: other, verdict: 'unknown' }])).proc).toEqual(other)
  })
})

describe('settle of an attempt that is not the newest word', () => {
  const closed: LastAttempt = { id: 'a1', kind: 'resume', at: NOW - 900, result: 'seen' }

  it.each<SettleInput['result']>(['ok', ...KINDS.map((kind) => ({ failed: kind }))])(
    'of an unknown attempt changes nothing (%j)',
    (result) => {
      const index = indexOf({ attempt: { ...resume, id: 'a2' }, last_attempt: { ...closed, id: 'a0' } })
      expect(settled(index, result)).toBe(index)
    }
  )

  it('never touches the generation that a later start made', () => {
    const index = indexOf({
      sessionId: 'session-later',
      gen: 2,
      state: 'minted',
      attempt: { ...spawn, id: 'a2', owner: other },
      last_attempt: { ...closed, kind: 'spawn', result: 'timeout' }
    })
    for (const kind of KINDS) {
      const entry = at(settled(index, failed(kind)))
      expect(entry).toMatchObject({ sessionId: 'session-later', state: 'minted', attempt: { id: 'a2' }, previous: [] })
    }
    expect(settled(index, 'ok')).toBe(index)
  })

  const news: readonly [string, (index: Index) => Index, string][] = [
    ['another session took the surface', (index) => seen(index, NOW - 900, { sessionId: 'b', proc: other }), 'b'],
    ['a record put another session here', (index) => record(index, { ...entryOf(), sessionId: 'b' }, NOW - 900), 'b'],
    ['the session was seen again in another process', (index) => seen(index, NOW - 900, { proc: other }), 'session-a'],
    ['the session was touched', (index) => touch(index, 's1', NOW - 900), 'session-a'],
    ['the clock was set back and it was seen', (index) => seen(index, 3000, { proc: other }), 'session-a']
  ]
  it.each(news)('proves nothing and ends nothing after %s', (_, happens, sessionId) => {
    const index = happens(indexOf({ last_attempt: closed, last_active: NOW - 900 }))
    for (const kind of KINDS) {
      const entry = at(settled(index, failed(kind)))
      expect(entry).toMatchObject({ sessionId, state: 'ready' })
      const verdicts = [{ owner: other, verdict: 'unknown' }] as const
      expect(decide(entry, { verdicts }, { now: NOW + 60_000 }).reason).toBe('liveness_unknown')
    }
  })

  it.each(news)('no longer proves anything once %s', (_, happens, sessionId) => {
    const index = happens(indexOf({ last_attempt: { ...closed, result: 'exited' }, last_active: 2000 }))
    expect(at(index).sessionId).toBe(sessionId)
    expect(decide(at(index), {}, { now: NOW + 60_000 }).reason).toBe('liveness_unknown')
  })
})

describe('beginDispatch', () => {
  const begin = (index: Index, more: object = {}, verdicts = [{ owner: other, verdict: 'dead' as const }]): Index =>
    beginDispatch(index, { surfaceId: 's1', id: 'd1', step: 'deploy', owner: me, ...more }, verdicts, NOW)
  const open = { id: 'd0', step: 'migrate', owner: other, at: 1, result: 'open' } as const

  it('writes the step ahead, and spends no attempt', () => {
    const index = indexOf({ attempts: 1, attempt: resume })
    expect(at(begin(index))).toEqual({
      ...at(index),
      dispatch: { id: 'd1', step: 'deploy', owner: me, at: NOW, result: 'open' }
    })
  })

  it.each([
    ['alive', 'ERR_IN_USE'],
    ['unknown', 'ERR_IN_USE']
  ] as const)('refuses over one whose owner is %s, and names the process and its start', (verdict, code) => {
    const index = indexOf({ dispatch: open })
    const error = thrownBy(() =>
      beginDispatch(index, { surfaceId: 's1', id: 'd1', step: 'x', owner: me }, [{ owner: other, verdict }], NOW)
    )
    expect(error).toMatchObject({ code, found: at(index) })
    expect(error.message).toContain('process 11 (started at 1100)')
    expect(error.message).toContain('"migrate"')
  })

  it('refuses over one whose process number is another dead process', () => {
    const recycled = [{ owner: ownerOf(11, { start: 'later' }), verdict: 'dead' as const }]
    expect(thrownBy(() => begin(indexOf({ dispatch: open }), {}, recycled))).toMatchObject({ code: 'ERR_IN_USE' })
  })

  it('goes on over one whose owner is dead, and over one that is settled', () => {
    expect(at(begin(indexOf({ dispatch: open }))).dispatch).toMatchObject({ id: 'd1', result: 'open' })
    const done = { ...open, result: 'ok' } as const
    expect(at(begin(indexOf({ dispatch: done }), {}, [])).dispatch).toMatchObject({ id: 'd1', result: 'open' })
  })

  it('refuses an id that a dispatch has already', () => {
    const index = indexOf({ dispatch: { ...open, result: 'ok' } }, { surfaceId: 's2', sessionId: 'b' })
    expect(thrownBy(() => begin(index, { surfaceId: 's2', id: 'd0' }))).toMatchObject({ code: 'ERR_INVALID_INPUT' })
  })

  it('refuses an unknown surface and a blank step', () => {
    expect(thrownBy(() => begin(emptyIndex()))).toMatchObject({ code: 'ERR_ENTRY_UNKNOWN' })
    expect(thrownBy(() => begin(indexOf({}), { step: ' ' }))).toMatchObject({ code: 'ERR_INVALID_INPUT' })
  })

  it('outlives a rotation and an attempt', () => {
    const index = begin(indexOf({ proc: agent }))
    const rotated = seen(index, NOW + 1, { sessionId: 'b', proc: agent })
    expect(at(rotated)).toMatchObject({ sessionId: 'b', dispatch: { id: 'd1', result: 'open' } })
    expect(at(settle(rotated, { attemptId: 'a1', result: 'ok' }, NOW)).dispatch).toMatchObject({ id: 'd1' })
  })
})

describe('settleDispatch', () => {
  const open = { id: 'd1', step: 'migrate', owner: other, at: 1, result: 'open' } as const

  it.each([
    ['ok', {}],
    ['failed', { why: 'the tests were red' }]
  ] as const)('closes the open one as %s, on whatever entry it is', (result, more) => {
    const index = indexOf({}, { surfaceId: 's2', sessionId: 'b', dispatch: open })
    const done = settleDispatch(index, { id: 'd1', result, ...more }, NOW)
    expect(at(done, 's2').dispatch).toEqual({ ...open, result, ...more })
    expect(at(done, 's1')).toBe(at(index, 's1'))
  })

  it('changes nothing where none of that id is open', () => {
    for (const index of [indexOf({}), indexOf({ dispatch: { ...open, result: 'ok' } })]) {
      expect(settleDispatch(index, { id: 'd1', result: 'failed' }, NOW)).toBe(index)
    }
  })
})
