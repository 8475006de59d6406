import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { claim } from '../../src/core/attempts.js'
import { mergePrevious } from '../../src/core/entry.js'
import { byStrength, type JoinOptions, join } from '../../src/core/join.js'
import { observe } from '../../src/core/observe.js'
import type { Entry } from '../../src/core/schema.js'
import { settle } from '../../src/core/settle.js'
import { checkEntry } from '../../src/core/validate.js'
import { entryFor } from './arbitraries.js'
import { entryOf, indexOf, ownerOf } from './samples.js'

/** Two entries that may agree on their surface, their session and their agent, and may not. */
const pair: fc.Arbitrary<readonly [Entry, Entry]> = fc
  .tuple(
    entryFor('s1'),
    entryFor('s2'),
    fc.constantFrom(true, true, false),
    fc.constantFrom(true, false),
    fc.dictionary(fc.constantFrom('later', 'and more', '__proto__'), fc.nat()),
    fc.dictionary(fc.constantFrom('later', 'and more', '__proto__'), fc.nat())
  )
  .map(([a, b, oneSession, oneSurface, unknownA, unknownB]) => [
    withFields(a, unknownA),
    withFields(
      { ...b, ...(oneSession && { sessionId: a.sessionId }), ...(oneSurface && { surfaceId: 's1' }) },
      unknownB
    )
  ])
const options: fc.Arbitrary<JoinOptions> = fc.record(
  { at: fc.constantFrom('s1', 's2', 's3'), now: fc.nat(), changed: fc.boolean() },
  { requiredKeys: [] }
)

/** As our verbs leave it: a history of other sessions, newest first. */
function withFields(entry: Entry, fields: Readonly<Record<string, unknown>>): Entry {
  const previous = mergePrevious(
    entry.sessionId,
    [...entry.previous].sort((a, b) => b.until - a.until)
  )
  return Object.fromEntries([...Object.entries({ ...entry, previous }), ...Object.entries(fields)]) as unknown as Entry
}

const RUNS = { numRuns: 1000 }
const all = (rule: (a: Entry, b: Entry, options: JoinOptions) => void): void =>
  fc.assert(
    fc.property(pair, options, ([a, b], chosen) => {
      rule(a, b, chosen)
    }),
    RUNS
  )
const sessionsOf = ({ sessionId, previous }: Entry): string[] => [sessionId, ...previous.map((left) => left.sessionId)]
/** The fields that belong to a session and its agent, but for the process, which goes stale. */
const REPORTED = ['agent', 'cwd', 'transcript', 'flags'] as const

describe('two entries become one', () => {
  it('that a file may hold', () => {
    all((a, b, chosen) => expect(checkEntry(join(a, b === a ? [] : [b], chosen))).toBeDefined())
  })

  it('once: joining again, or with itself, changes nothing', () => {
    all((a, b, { at, now }) => {
      const chosen = { ...(at !== undefined && { at }), ...(now !== undefined && { now }) }
      const joined = join(a, [b], chosen)
      expect(join(joined, [b], chosen)).toEqual(joined)
      expect(join(a, [a])).toEqual(a)
      expect(join(a, [])).toEqual(a)
    })
  })

  it('and nothing that either knew is lost', () => {
    all((a, b, chosen) => {
      const joined = join(a, [b], chosen)
      for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
        if (/^(later|and more|__proto__)$/.test(key)) expect(Object.hasOwn(joined, key)).toBe(true)
      }
      for (const key of Object.keys({ ...a.meta, ...b.meta })) expect(Object.hasOwn(joined.meta ?? {}, key)).toBe(true)
      const left = new Set(sessionsOf(joined))
      const known = new Set([...sessionsOf(a), ...sessionsOf(b)])
      if (known.size <= 8) for (const session of known) expect(left).toContain(session)
      expect(joined.gen).toBeGreaterThanOrEqual(Math.max(a.gen, b.gen))
      expect(joined.dispatch === undefined).toBe(a.dispatch === undefined && b.dispatch === undefined)
      if (a.sessionId !== b.sessionId) return
      expect(joined.role ?? a.role ?? b.role).toBe(joined.role)
      expect(joined.attempts).toBe(Math.max(a.attempts, b.attempts))
      for (const field of ['attempt', 'last_attempt', 'last_exit'] as const) {
        expect([field, joined[field] === undefined]).toEqual([field, a[field] === undefined && b[field] === undefined])
      }
      const sameAgent = a.agent === undefined || b.agent === undefined || a.agent === b.agent
      if (!sameAgent) return
      for (const field of REPORTED) expect([field, joined[field]]).toEqual([field, a[field] ?? b[field]])
      if (a.cwd === undefined || a.cwd === b.cwd) expect(joined.worktree).toEqual(a.worktree ?? worktreeIn(joined, b))
    })
  })

  it('without taking anything of another session or another agent', () => {
    all((a, b, chosen) => {
      const joined = join(a, [b], chosen)
      const isOther = a.sessionId !== b.sessionId
      const isOtherAgent = a.agent !== undefined && b.agent !== undefined && a.agent !== b.agent
      if (!isOther && !isOtherAgent) return
      for (const field of [...REPORTED, 'proc'] as const) expect([field, joined[field]]).toEqual([field, a[field]])
      if (isOther) {
        for (const field of [
          'attempt',
          'last_attempt',
          'last_exit',
          'seen',
          'last_active',
          'attempts',
          'role'
        ] as const)
          expect([field, joined[field]]).toEqual([field, a[field]])
      }
    })
  })

  it('with the lead’s word where both have one, the stricter policy, and the surface’s own first sight', () => {
    const policies = ['auto', 'manual', 'off']
    all((a, b, chosen) => {
      const joined = join(a, [b], chosen)
      const lead = ['sessionId', 'repo', 'state', 'reason', 'moved_to', 'proc', 'seen', 'attempt', ...REPORTED] as const
      for (const field of lead) if (a[field] !== undefined) expect([field, joined[field]]).toEqual([field, a[field]])
      expect(joined.policy).toBe(policies[Math.max(policies.indexOf(a.policy), policies.indexOf(b.policy))])
      const at = chosen.at ?? a.surfaceId
      const here = [a, b].filter(({ surfaceId }) => surfaceId === at)
      expect(joined.surfaceId).toBe(at)
      if (here.length > 0) expect(joined.captured_at).toBe(Math.min(...here.map(({ captured_at }) => captured_at)))
      for (const field of ['scope', 'address'] as const) {
        expect([undefined, ...here.map((entry) => entry[field])]).toContain(joined[field])
      }
    })
  })

  it('led by the stronger evidence, whichever comes first', () => {
    all((a, b) => {
      const [lead, other] = [a, b].sort(byStrength)
      const [same] = [b, a].sort(byStrength)
      if (byStrength(a, b) !== 0) expect(same).toBe(lead)
      if (lead === undefined || other === undefined) return
      const [ended, living] = [lead, other].map(({ state }) => state === 'ended')
      if (ended !== living) expect(ended).toBe(false)
      else if (!ended) expect(lead.last_active).toBeGreaterThanOrEqual(other.last_active)
    })
  })

  it('takes a process that an older entry names for what it is: while it lives, or with its death proving nothing', () => {
    const lead = entryOf({ last_active: 9 })
    const other = entryOf({ last_active: 5, proc: ownerOf(7), seen: { host: 'machine-1', bootId: 'boot-1' } })
    const { proc, seen } = other
    if (proc === undefined) throw new Error('no process')
    expect(join(lead, [other], { verdicts: [{ owner: proc, verdict: 'dead' }] })).toEqual(lead)
    const kept = { ...proc, seen_since: true }
    expect(join(lead, [other], { verdicts: [{ owner: proc, verdict: 'unknown' }] })).toEqual({ ...lead, proc: kept })
    expect(join(lead, [other], { verdicts: [{ owner: proc, verdict: 'alive' }] })).toEqual({ ...lead, proc, seen })
  })

  it('knows of two processes the one that lives', () => {
    const [lead, other] = [entryOf({ proc: ownerOf(8) }), entryOf({ proc: ownerOf(7) })]
    expect(join(lead, [other], { verdicts: [{ owner: ownerOf(7), verdict: 'alive' }] }).proc).toEqual(ownerOf(7))
    expect(join(lead, [other]).proc).toEqual(ownerOf(8))
  })

  it('leaves a person’s words as they are written', () => {
    all((a, b, { now }) => {
      const mine = { ...b, sessionId: a.sessionId }
      const joined = join(a, [b], { words: mine, at: mine.surfaceId, ...(now !== undefined && { now }) })
      const words = ['repo', 'role', 'agent', 'cwd', 'worktree', 'flags', 'scope', 'address', 'policy', 'meta'] as const
      for (const field of words) expect([field, joined[field]]).toEqual([field, mine[field]])
      expect(joined.proc).toEqual(a.proc ?? joined.proc)
    })
  })
})

/** What is known of the folder that the joined entry has. */
function worktreeIn(joined: Entry, entry: Entry): Entry['worktree'] {
  return entry.cwd === undefined || entry.cwd === joined.cwd ? entry.worktree : undefined
}

describe('a session that two surfaces hold, and that starts on one of them', () => {
  const report: Partial<Entry> = {
    agent: 'claude',
    cwd: '/w',
    transcript: '/t.jsonl',
    flags: ['--model', 'm'],
    role: 'lead',
    policy: 'manual',
    previous: [{ sessionId: 'before', until: 5, why: 'rotated' }]
  }
  const index = indexOf({ last_active: 9000 }, { ...report, surfaceId: 's2' })
  const evidence = { running: 'no' } as const
  const claimed = claim(index, { surfaceId: 's1', attemptId: 'a1', owner: ownerOf(10), evidence }, { now: 10_000 })

  it('keeps there what the other knew, from the claim on', () => {
    expect(claimed.decision.action).toBe('resume')
    expect(claimed.index.entries['s1']).toMatchObject({ ...report, surfaceId: 's1', attempt: { id: 'a1' } })
    expect(claimed.index.entries['s2']).toMatchObject({ state: 'ended', reason: 'moved', moved_to: 's1', previous: [] })
  })

  it('keeps it too where the other took the session in while it started', () => {
    const between = {
      ...claimed.index,
      entries: { ...claimed.index.entries, s2: entryOf({ surfaceId: 's2', meta: { k: 'v' } }) }
    }
    const settled = settle(between, { attemptId: 'a1', result: 'ok' }, 11_000)
    expect(settled.entries['s1']).toMatchObject({
      ...report,
      meta: { k: 'v' },
      last_attempt: { id: 'a1', result: 'ok' }
    })
    expect(settled.entries['s2']).toMatchObject({ state: 'ended', reason: 'moved', moved_to: 's1' })
  })

  it('takes it along where a report moves it', () => {
    const sighting = { surfaceId: 's3', sessionId: 'session-a', repo: 'golems', proc: ownerOf(20) }
    const moved = observe(index, sighting, [], 10_000)
    expect(moved.outcome).toBe('moved')
    expect(moved.index.entries['s3']).toMatchObject({ ...report, surfaceId: 's3', proc: ownerOf(20) })
  })
})
