import { describe, expect, it } from 'vitest'
import { decideAt } from '../../src/core/decide-at.js'
import type { Evidence } from '../../src/core/evidence.js'
import type { Entry, Index } from '../../src/core/schema.js'
import { emptyIndex } from '../../src/core/verbs.js'
import { earlier, indexOf, ownerOf } from './samples.js'

const NOW = 10_000_000
const owner = ownerOf(10)
const claimed = { attempt: { id: 'a0', kind: 'resume', owner, at: 1 } } as const
const free: Evidence = { running: 'no', verdicts: [{ owner, verdict: 'alive' }] }
const say = (index: Index, evidence: Evidence = free) => decideAt(index, 's1', evidence, { now: NOW })

describe('the decision on one of several surfaces', () => {
  it.each<[string, Partial<Entry>]>([
    ['that holds the same session', {}],
    ['from which the session moved to where it is claimed', { state: 'ended', reason: 'moved', moved_to: 's2' }]
  ])('%s names the owner of the claim', (_, here) => {
    const index = indexOf(here, { surfaceId: 's2', ...claimed })
    expect(say(index)).toMatchObject({ action: 'refuse', reason: 'claimed', owner, at: 's2' })
    expect(say(index, { running: 'no' })).toMatchObject({ action: 'refuse', reason: 'owner_unverified', owner })
  })

  it('waits for what is not known of the other one', () => {
    const index = indexOf({ seen: { host: 'm', bootId: '1' } }, { surfaceId: 's2' })
    expect(say(index, { machine: { host: 'm', bootId: '2' } })).toMatchObject({ reason: 'liveness_unknown', at: 's2' })
  })

  it('is fresh, and its own refusal, whatever is claimed elsewhere', () => {
    const there = { surfaceId: 's2', ...claimed }
    expect(say(indexOf({ state: 'ended' }, there)).reason).toBe('ended')
    expect(say(indexOf({ policy: 'off' }, there)).reason).toBe('policy_off')
    expect(say(indexOf({ state: 'ended', reason: 'moved' }, { surfaceId: 's2' })).reason).toBe('moved')
  })

  it('looks at who has the session that it would fall back to, or take up', () => {
    const there = { surfaceId: 's2', sessionId: 'b', ...claimed }
    const transcript = { 'session-a': 'missing', b: 'found' } as const
    expect(say(indexOf({ previous: earlier('b') }, there), { ...free, transcript }).reason).toBe('claimed')
    const { s2 } = indexOf(there).entries
    const onlyThere = { ...emptyIndex(), entries: { s2 } } as Index
    expect(say(onlyThere, { ...free, candidates: ['b'] }).reason).toBe('claimed')
  })

  it('names the interrupted step all the same', () => {
    const dead = ownerOf(11)
    const dispatch = { id: 'd', step: 'deploy', owner: dead, at: 1, result: 'open' } as const
    const verdicts = [...(free.verdicts ?? []), { owner: dead, verdict: 'dead' as const }]
    const decision = say(indexOf({ dispatch }, { surfaceId: 's2', ...claimed }), { ...free, verdicts })
    expect(decision).toMatchObject({ reason: 'claimed', interrupted: 'deploy' })
  })
})

describe('the decision on a session that the caller names', () => {
  const absent: Evidence = { running: 'no', transcript: { named: 'found', 'session-a': 'found' } }
  const named = (index: Index, evidence: Evidence = absent, orNew = false) =>
    decideAt(index, 's1', evidence, { now: NOW, sessionId: 'named', orNew })
  const there = (more: Partial<Entry> = {}): Partial<Entry> => ({ surfaceId: 's2', sessionId: 'named', ...more })

  it('is to resume it from wherever it is on file, or from nowhere, with the proof that any resume needs', () => {
    const resume = { action: 'resume', sessionId: 'named' }
    expect(named(emptyIndex())).toMatchObject({ ...resume, expect: 'none' })
    expect(named(indexOf({}))).toMatchObject(resume)
    expect(named(indexOf({}, there()))).toMatchObject(resume)
    expect(named(indexOf({}, there({ state: 'ended', reason: 'left' })))).toMatchObject(resume)
    expect(named(indexOf({ sessionId: 'named', state: 'ended', reason: 'left' }))).toMatchObject(resume)
    expect(named(indexOf({ sessionId: 'named', state: 'ended', reason: 'done' }))).toMatchObject(resume)
    const moved = { sessionId: 'named', state: 'ended', reason: 'moved', moved_to: 's2' } as const
    expect(named(indexOf(moved, there()))).toMatchObject(resume)
    const { running: _, ...unasked } = absent
    expect(named(emptyIndex(), unasked)).toMatchObject({ action: 'wait', reason: 'liveness_unknown' })
    expect(named(indexOf({}, there()), unasked)).toMatchObject({ action: 'wait', reason: 'liveness_unknown' })
  })

  it('is refused where it runs or is claimed, or where its own limits say so', () => {
    const runs: Evidence = { ...absent, running: { named: { at: 's2' }, 'session-a': 'no' } }
    expect(named(indexOf({}, there()), runs)).toMatchObject({ reason: 'already_running', at: 's2' })
    expect(named(emptyIndex(), runs)).toMatchObject({ reason: 'running_elsewhere', at: 's2' })
    expect(named(indexOf({}, there(claimed)), { ...absent, verdicts: [{ owner, verdict: 'alive' }] })).toMatchObject({
      reason: 'claimed'
    })
    expect(named(indexOf({}, there({ policy: 'off' })))).toMatchObject({ reason: 'policy_off' })
  })

  it('leaves alone what runs, or may run, on the surface itself', () => {
    const running = { named: 'no', 'session-a': { at: 's1' } } as const
    expect(named(indexOf({}), { ...absent, running })).toMatchObject({
      reason: 'already_running',
      sessionId: 'session-a'
    })
    expect(named(indexOf({}), { ...absent, running: { named: 'no' } })).toMatchObject({
      reason: 'liveness_unknown',
      sessionId: 'session-a'
    })
  })

  it('is fresh where there is no such session, and where one is to begin that nothing is known of', () => {
    const gone = { action: 'fresh', reason: 'session_gone', sessionId: 'named' }
    const transcript = { named: 'missing', 'session-a': 'found' } as const
    expect(named(indexOf({}), { running: 'no', transcript })).toMatchObject(gone)
    expect(named(indexOf({}), { running: 'no' })).toMatchObject({ action: 'resume' })
    expect(named(indexOf({}), { running: 'no' }, true)).toMatchObject(gone)
    expect(named(indexOf({}), absent, true)).toMatchObject({ action: 'resume' })
    expect(
      named(indexOf({ sessionId: 'named', previous: earlier('session-a') }), { running: 'no', transcript })
    ).toMatchObject(gone)
  })
})
