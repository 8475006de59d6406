import { describe, expect, it } from 'vitest'
import { claim, mint } from '../../src/core/attempts.js'
import { parseIndex } from '../../src/core/codec.js'
import { decide } from '../../src/core/decide.js'
import { beginDispatch } from '../../src/core/dispatch.js'
import { entryAt, entryState } from '../../src/core/entry.js'
import type { Evidence } from '../../src/core/evidence.js'
import { adoptForeign } from '../../src/core/merge.js'
import { observe } from '../../src/core/observe.js'
import type { Entry, Index, Verdict } from '../../src/core/schema.js'
import { settle } from '../../src/core/settle.js'
import { emptyIndex, resumableFor } from '../../src/core/verbs.js'
import { earlier, entryOf, indexOf, ownerOf, SIX, thrownBy } from './samples.js'

const NOW = 10_000_000
const HOUR = 3_600_000
const S = 'session-a'
const machine = { host: 'machine-1', bootId: 'boot-1' }
const owner = ownerOf(10)
const agent = ownerOf(20)
const free: Evidence = { running: 'no', transcript: { [S]: 'found' } }
const at = (index: Index, surfaceId = 's1'): Entry => index.entries[surfaceId] as Entry
const say = (known: Partial<Entry> | null | 'unreadable', evidence: Evidence): string => {
  const entry = known === null || known === 'unreadable' ? known : entryOf(known)
  const { action, reason } = decide(entry, evidence, { now: NOW })
  return `${action} ${reason}`
}
const tryAll = (index: Index, evidence: Evidence, surfaceId = 's1') => {
  const base = { surfaceId, repo: 'golems', owner, evidence }
  return [
    claim(index, { ...base, attemptId: 'a1' }, { now: NOW }),
    mint(index, { ...base, attemptId: 'a2', sessionId: 'session-new' }, { now: NOW })
  ]
}

describe('a failed probe never counts as absent', () => {
  const known: readonly [string, Partial<Entry>][] = [
    ['that has a process', { proc: agent }],
    ['that was seen in this boot', { seen: machine }],
    ['that nothing more is known of', {}],
    ['whose start nobody saw', { state: 'minted' }]
  ]
  const looks: readonly [string, Evidence][] = [
    ['nothing was asked', {}],
    ['a worker without a pane, of which only the machine is known', { machine }],
    ['the pane is there', { machine, surface: 'same' }],
    ['the pane id belongs to another pane now', { machine, surface: 'recycled' }],
    ['the terminal server could not be reached', { machine, surface: 'unknown', running: 'unknown' }],
    ['other sessions were found running', { machine, running: { 'session-z': { at: 's1' } } }],
    ['other sessions were found not to run', { machine, running: { 'session-z': 'no' } }],
    ['the process could not be looked at', { machine, verdicts: [{ owner: agent, verdict: 'unknown' }] }],
    [
      'another process of that number is dead',
      { machine, verdicts: [{ owner: { ...agent, start: '1' }, verdict: 'dead' }] }
    ],
    ['the disk failed below the transcripts', { machine, transcript: { [S]: 'unknown' } }],
    ['the transcript is missing', { machine, transcript: { [S]: 'missing' } }]
  ]
  for (const [which, entry] of known) {
    it.each(looks)(`for a session ${which}: %s`, (_, evidence) => {
      expect(say(entry, evidence)).toBe('wait liveness_unknown')
      const index = indexOf(entry)
      for (const decided of tryAll(index, evidence)) expect(decided.index).toBe(index)
    })
  }

  it('a disk error below the transcripts is no missing transcript', () => {
    for (const transcript of [undefined, { [S]: 'unknown' as const }]) {
      const evidence: Evidence = { running: 'no', ...(transcript && { transcript }) }
      expect(say({ state: 'minted' }, evidence)).toBe('wait start_unproven')
      expect(say({}, evidence)).toBe('resume ok')
    }
    expect(say({ state: 'minted', sessionId: 'pending.a' }, { running: 'no' })).toBe('wait start_unproven')
    expect(say({ state: 'minted', sessionId: 'pending.a' }, { running: 'no', candidates: 'unknown' })).toBe(
      'wait probe_failed'
    )
    expect(say(null, { candidates: 'unknown' })).toBe('wait probe_failed')
  })

  it('and a thousand of them spend no attempt', () => {
    let index = indexOf({ proc: agent })
    const broken: readonly Evidence[] = [
      {},
      { running: 'unknown' },
      { task: 'unknown', running: 'no' },
      { surface: 'unknown', transcript: { [S]: 'unknown' } }
    ]
    for (let round = 0; round < 250; round++) {
      for (const evidence of broken) for (const decided of tryAll(index, evidence)) index = decided.index
    }
    expect(at(index)).toEqual(entryOf({ proc: agent }))
    expect(say(at(index), free)).toBe('resume ok')
  })
})

describe('a recycled pane', () => {
  it('is a warning for the session that was there, and its new tenant is not that session', () => {
    const evidence: Evidence = { ...free, surface: 'recycled', running: { [S]: 'no', 'session-z': { at: 's1' } } }
    expect(decide(entryOf(), evidence, { now: NOW })).toMatchObject({
      action: 'resume',
      sessionId: S,
      warnings: ['surface_recycled']
    })
  })

  it('whose new agent reports does not overwrite a session that lives', () => {
    const index = indexOf({ proc: agent })
    const stranger = { surfaceId: 's1', sessionId: 'session-z', repo: 'x', proc: ownerOf(21) }
    expect(observe(index, stranger, [{ owner: agent, verdict: 'alive' }], NOW)).toEqual({ index, outcome: 'nested' })
  })
})

describe('what is closed stays closed', () => {
  it.each<[string, Partial<Entry>, Evidence]>([
    ['a closed task', {}, { ...free, task: 'closed' }],
    ['an entry that ended', { state: 'ended', reason: 'done' }, free],
    ['an entry that was archived', { state: 'ended', reason: 'archived' }, free],
    ['an entry that moved', { state: 'ended', reason: 'moved', moved_to: 's2' }, free],
    ['a policy of off', { policy: 'off' }, free],
    ['a session that is gone', { state: 'ended', reason: 'session_gone' }, { running: 'no' }]
  ])('%s is not resumed although it still has an id', (_, known, evidence) => {
    expect(say(known, evidence)).not.toMatch(/^resume/)
    const index = indexOf(known)
    expect(tryAll(index, evidence)[0]?.index).toBe(index)
    expect(at(index).sessionId).toBe(S)
  })

  it('the evidence-free lookup answers for none of them', () => {
    for (const state of ['ended', 'minted', 'spawn_failed'] as const) {
      expect(resumableFor(indexOf({ state }), 's1', { now: NOW })).toBeNull()
    }
    expect(resumableFor(indexOf({ policy: 'off' }), 's1', { now: NOW })).toBeNull()
  })
})

describe('a damaged index', () => {
  const file = (entries: object): Index => parseIndex(JSON.stringify({ version: 1, revision: 1, entries }))

  it('answers nobody with fresh: an entry that cannot be read is no missing one', () => {
    const index = file({ s1: { ...SIX, sessionId: 7 }, s2: { ...SIX, surfaceId: 's2', sessionId: 'b' } })
    expect(entryState(index, 's1')).toBe('unreadable')
    expect(say('unreadable', { ...free, candidates: [] })).toBe('refuse entry_unreadable')
    for (const decided of tryAll(index, { ...free, candidates: [] })) {
      expect(decided.decision).toMatchObject({ action: 'refuse', reason: 'entry_unreadable' })
      expect(decided.index).toBe(index)
    }
    expect(tryAll(index, free, 's2')[0]?.decision.reason).toBe('ok')
  })

  it('answers no unknown surface with fresh where nothing could be read', () => {
    const index: Index = { ...emptyIndex(), status: { damaged: true, warnings: [] } }
    for (const decided of tryAll(index, { running: 'no', candidates: [] })) {
      expect(decided.decision).toMatchObject({ action: 'wait', reason: 'index_damaged' })
      expect(decided.index).toBe(index)
    }
  })

  it('drops no entry because a field is missing', () => {
    const index = file({
      s1: SIX,
      s2: { surfaceId: 's2', sessionId: 'b', repo: 'golems', captured_at: 1, last_active: 2 },
      s3: { ...SIX, surfaceId: 's3', sessionId: 'c', attempt: { id: 'a1' } }
    })
    expect(Object.keys(index.entries)).toEqual(['s1', 's2'])
    expect(Object.keys(index.unreadable ?? {})).toEqual(['s3'])
  })
})

describe('an old file', () => {
  const index = parseIndex(JSON.stringify({ version: 1, entries: { s1: SIX } }))

  it('has no proof of absence in it, and is resumed on the word of a caller', () => {
    const say = (evidence: Evidence): string => decide(entryAt(index, 's1'), evidence, { now: NOW }).reason
    expect(say({ machine })).toBe('liveness_unknown')
    expect(say({ machine, running: 'no' })).toBe('ok')
  })

  it.each(['edit', 'older-tool'] as const)(
    'written back over a claim, even as newer, takes nothing from it (%s)',
    (kind) => {
      const claimed = claim(index, { surfaceId: 's1', attemptId: 'a1', owner, evidence: free }, { now: NOW }).index
      for (const last_active of [SIX.last_active, NOW + 1]) {
        const theirs = parseIndex(JSON.stringify({ version: 1, entries: { s1: { ...SIX, last_active } } }))
        const merged = adoptForeign(claimed, theirs, kind, machine, NOW + 1)
        expect(at(merged)).toMatchObject({ attempt: { id: 'a1', owner }, attempts: 1, gen: 1 })
        expect(decide(at(merged), { ...free, verdicts: [{ owner, verdict: 'alive' }] }, { now: NOW }).reason).toBe(
          'claimed'
        )
      }
    }
  )

  it.each(['edit', 'older-tool'] as const)('with one entry left in it ends none of the others (%s)', (kind) => {
    const ours = indexOf({ attempts: 1 }, { surfaceId: 's2', sessionId: 'b', policy: 'off' })
    const merged = adoptForeign(
      ours,
      parseIndex(JSON.stringify({ version: 1, entries: { s1: SIX } })),
      kind,
      machine,
      NOW
    )
    expect(at(merged, 's2')).toEqual(at(ours, 's2'))
    expect(at(merged).attempts).toBe(1)
  })
})

describe('a claim', () => {
  const claimed = (id: string, known: Partial<Entry> = {}): Partial<Entry> => ({
    attempt: { id, kind: 'resume', owner, at: NOW - HOUR },
    attempts: 1,
    ...known
  })

  it('whose resume was seen alive by a hook does not stay open for ever', () => {
    const seen = observe(
      indexOf(claimed('a0')),
      { surfaceId: 's1', sessionId: S, repo: 'golems', proc: agent },
      [],
      NOW
    )
    expect(at(seen.index)).not.toHaveProperty('attempt')
    const dead = [{ owner: agent, verdict: 'dead' as const }]
    expect(say(at(seen.index), { verdicts: dead })).toBe('resume ok')
  })

  it('is not taken over from an owner that is alive or unknown, on its surface or through another', () => {
    for (const verdict of ['alive', 'unknown'] as const) {
      const evidence: Evidence = { ...free, verdicts: [{ owner, verdict }] }
      const index = indexOf(claimed('a0'), { surfaceId: 's2' })
      for (const surfaceId of ['s1', 's2']) {
        const decided = claim(index, { surfaceId, attemptId: 'a1', owner: ownerOf(11), evidence }, { now: NOW })
        expect(decided.index).toBe(index)
        expect(decided.decision).toMatchObject({ action: 'refuse', owner })
      }
    }
  })

  it('of two surfaces that hold one session is had by one', () => {
    const evidence: Evidence = { ...free, verdicts: [{ owner, verdict: 'alive' }] }
    const index = indexOf({}, { surfaceId: 's2' })
    const first = claim(index, { surfaceId: 's1', attemptId: 'a1', owner, evidence }, { now: NOW })
    const second = claim(first.index, { surfaceId: 's2', attemptId: 'a2', owner: ownerOf(11), evidence }, { now: NOW })
    expect([first, second].map(({ decision }) => decision.reason)).toEqual(['ok', 'claimed'])
    expect(second.index).toBe(first.index)
  })

  it('of an earlier session is refused while that one lives in another pane', () => {
    const index = indexOf({ previous: earlier('b') }, { surfaceId: 's2', sessionId: 'b', proc: agent })
    const verdicts = (verdict: Verdict) => [{ owner: agent, verdict }]
    const evidence: Evidence = { running: 'no', transcript: { [S]: 'missing', b: 'found' } }
    expect(tryAll(index, { ...evidence, verdicts: verdicts('alive') })[0]?.decision.reason).toBe('running_elsewhere')
    expect(tryAll(index, { ...evidence, verdicts: verdicts('dead') })[0]?.decision.reason).toBe('ok_from_previous')
  })
})

describe('a decision that has aged', () => {
  it('neither mints nor claims after any change that it did not see', () => {
    const before = indexOf({ state: 'ended' })
    const { expect: seen } = decide(entryAt(before, 's1'), {}, { now: NOW })
    const base = { surfaceId: 's1', repo: 'golems', owner, evidence: free, expect: seen }
    for (const changed of [
      { last_active: 2001 },
      { gen: 2 },
      { state: 'ready' as const },
      { attempt: { id: 'x', kind: 'spawn' as const, owner, at: 1 } }
    ]) {
      const index = indexOf({ state: 'ended', ...changed })
      const found = at(index)
      const minting = () => mint(index, { ...base, attemptId: 'a1', sessionId: 'new' }, { now: NOW })
      expect(thrownBy(minting)).toMatchObject({ code: 'ERR_CONFLICT', found })
      expect(thrownBy(() => claim(index, { ...base, attemptId: 'a1' }, { now: NOW }))).toMatchObject({
        code: 'ERR_CONFLICT',
        found
      })
    }
  })
})

describe('a session that dies at once after each resume', () => {
  it.each(['settled ok', 'settled exited', 'seen by a hook'])(
    'is refused in the end, and not resumed in a loop (%s)',
    (how) => {
      let index = indexOf({})
      let now = NOW
      const said: string[] = []
      for (let round = 0; round < 5; round++) {
        const decided = claim(index, { surfaceId: 's1', attemptId: `a${round}`, owner, evidence: free }, { now })
        said.push(decided.decision.reason)
        index = decided.index
        if (decided.decision.action !== 'resume') continue
        if (how === 'seen by a hook') {
          index = observe(
            index,
            { surfaceId: 's1', sessionId: S, repo: 'golems', proc: ownerOf(round + 50) },
            [],
            now
          ).index
        }
        const result = how === 'settled exited' ? ({ failed: 'exited' } as const) : 'ok'
        index = settle(index, { attemptId: `a${round}`, result }, now)
        now += 61_000
      }
      expect(said).toEqual(['ok', 'ok', 'attempts_exhausted', 'attempts_exhausted', 'attempts_exhausted'])
    }
  )

  it('keeps its count through a rotation', () => {
    const proc = agent
    let index = indexOf({ attempts: 2, proc, last_attempt: { id: 'a0', kind: 'resume', at: NOW - 1000, result: 'ok' } })
    index = observe(index, { surfaceId: 's1', sessionId: 'b', repo: 'golems', proc }, [], NOW).index
    expect(decide(at(index), { running: 'no' }, { now: NOW + 1000 }).reason).toBe('attempts_exhausted')
  })
})

describe('a dispatch in flight', () => {
  const dispatch = { id: 'd0', step: 'deploy', owner, at: 1, result: 'open' } as const

  it('is refused over by name of its owner, and over only when that very process is dead', () => {
    const index = indexOf({ dispatch })
    const begin = (verdicts: { owner: typeof owner; verdict: Verdict }[]) => () =>
      beginDispatch(index, { surfaceId: 's1', id: 'd1', step: 'x', owner: agent }, verdicts, NOW)
    for (const verdicts of [
      [],
      [{ owner, verdict: 'alive' as const }],
      [{ owner: { ...owner, start: '1' }, verdict: 'dead' as const }]
    ]) {
      const error = thrownBy(begin(verdicts))
      expect(error.code).toBe('ERR_IN_USE')
      expect(error.message).toMatch(/process 10 \(started at 1000\)/)
    }
    expect(at(begin([{ owner, verdict: 'dead' }])()).dispatch?.id).toBe('d1')
  })

  it('is named once its owner is dead, and only then', () => {
    const interrupted = (verdict: Verdict) =>
      decide(entryOf({ dispatch }), { verdicts: [{ owner, verdict }] }, { now: NOW }).interrupted
    expect([interrupted('dead'), interrupted('alive'), interrupted('unknown')]).toEqual([
      'deploy',
      undefined,
      undefined
    ])
  })
})

describe('names that every object has', () => {
  it.each(['toString', '__proto__', 'constructor', 'hasOwnProperty'])(
    '%s is an ordinary surface and session',
    (name) => {
      expect(entryState(emptyIndex(), name)).toBeNull()
      const [, minted] = tryAll(emptyIndex(), {}, name)
      expect(minted?.decision).toMatchObject({ action: 'fresh', reason: 'unknown_surface' })
      expect(Object.keys(minted?.index.entries ?? {})).toEqual([name])
      if (name !== '__proto__') {
        expect(say({ sessionId: name }, { running: {}, transcript: {} })).toBe('wait liveness_unknown')
        expect(say({ sessionId: name }, { running: 'no', transcript: {} })).toBe('resume ok')
      }
    }
  )
})
