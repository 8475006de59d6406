import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mint } from '../../src/core/attempts.js'
import { parseIndex, serializeIndex } from '../../src/core/codec.js'
import { CrashResumeError } from '../../src/core/errors.js'
import { observe } from '../../src/core/observe.js'
import { forget, pruneStale } from '../../src/core/remove.js'
import { rename } from '../../src/core/rename.js'
import type { Index, ObserveOutcome, Owner, Verdict } from '../../src/core/schema.js'
import { settle } from '../../src/core/settle.js'
import { emptyIndex, end, lookup, noteExit, record, setPolicy, touch } from '../../src/core/verbs.js'
import { deepFreeze, ownerOf } from './samples.js'

/** Few of each, so that they meet. */
const surface = fc.constantFrom('s1', 's2', 's3', '__proto__')
const session = fc.constantFrom('a', 'b', 'c', 'd')
const pid = fc.constantFrom(1, 2, 3)
const verdict = fc.constantFrom<Verdict>('alive', 'dead', 'unknown')
const verdicts = fc
  .tuple(verdict, verdict, verdict)
  .map((all) => all.map((each, i) => ({ owner: ownerOf(i + 1), verdict: each })))

type Step = (index: Index, now: number) => Index
interface Verb {
  readonly name: string
  /** The surfaces that it may take off the index. */
  readonly removes: readonly string[] | 'any'
  readonly step: Step
}

const seen: Record<ObserveOutcome, number> = {
  captured: 0,
  refreshed: 0,
  rotated: 0,
  moved: 0,
  nested: 0,
  duplicate: 0
}
const base = { repo: 'golems' }
let mints = 0

const verb: fc.Arbitrary<Verb> = fc.oneof(
  {
    weight: 14,
    arbitrary: fc
      .record({
        surfaceId: surface,
        sessionId: session,
        proc: fc.option(pid, { freq: 4 }),
        ancestor: fc.option(pid),
        verdicts,
        nested: fc.constantFrom(false, false, false, true)
      })
      .map(({ surfaceId, sessionId, proc, ancestor, nested, verdicts: known }): Verb => {
        const owners = (id: number | null): readonly Owner[] => (id === null ? [] : [ownerOf(id)])
        const [own] = owners(proc)
        return {
          name: `observe ${surfaceId} ${sessionId} ${proc} ${ancestor} ${nested}`,
          removes: [],
          step: (index, now) => {
            const sighting = {
              ...base,
              surfaceId,
              sessionId,
              nested,
              ancestors: owners(ancestor),
              ...(own && { proc: own })
            }
            const after = observe(index, deepFreeze(sighting), known, now)
            seen[after.outcome] += 1
            return after.index
          }
        }
      })
  },
  fc.tuple(surface, session).map(
    ([surfaceId, sessionId]): Verb => ({
      name: `record ${surfaceId} ${sessionId}`,
      removes: [],
      step: (index, now) => record(index, { ...base, surfaceId, sessionId }, now)
    })
  ),
  surface.map(
    (surfaceId): Verb => ({
      name: `touch ${surfaceId}`,
      removes: [],
      step: (index, now) => touch(index, surfaceId, now)
    })
  ),
  surface.map(
    (surfaceId): Verb => ({
      name: `end ${surfaceId}`,
      removes: [],
      step: (index, now) => end(index, { surfaceId }, now)
    })
  ),
  fc.tuple(surface, session).map(
    ([surfaceId, sessionId]): Verb => ({
      name: `exit ${surfaceId} ${sessionId}`,
      removes: [],
      step: (index, now) => noteExit(index, { surfaceId, sessionId, reason: 'other' }, now)
    })
  ),
  surface.map(
    (surfaceId): Verb => ({
      name: `policy ${surfaceId}`,
      removes: [],
      step: (index) => setPolicy(index, surfaceId, 'manual')
    })
  ),
  fc.tuple(surface, surface).map(
    ([from, to]): Verb => ({
      name: `rename ${from} ${to}`,
      removes: [],
      step: (index) => rename(index, from, to)
    })
  ),
  fc.tuple(surface, verdicts).map(
    ([surfaceId, known]): Verb => ({
      name: `forget ${surfaceId}`,
      removes: [surfaceId],
      step: (index) => forget(index, surfaceId, known)
    })
  ),
  verdicts.map(
    (known): Verb => ({ name: 'prune', removes: 'any', step: (index, now) => pruneStale(index, 3000, now, known) })
  ),
  fc.tuple(surface, pid, fc.nat({ max: 3 })).map(
    ([surfaceId, owner, n]): Verb => ({
      name: `mint ${surfaceId} ${owner} ${n}`,
      removes: [],
      step: (index, now) => {
        const input = {
          ...base,
          surfaceId,
          capture: true,
          attemptId: `att-${now}`,
          owner: ownerOf(owner),
          evidence: { running: 'no' as const, candidates: [] }
        }
        const after = mint(index, input, { now, cooldownMs: 0, maxAttempts: 99 })
        if (after.index !== index) mints += 1
        return after.index
      }
    })
  ),
  fc.tuple(surface, fc.boolean(), fc.option(pid)).map(
    ([surfaceId, ok, proc]): Verb => ({
      name: `settle ${surfaceId} ${ok}`,
      removes: [],
      step: (index, now) => {
        const attemptId = lookup(index, surfaceId)?.attempt?.id
        if (attemptId === undefined) return index
        return settle(
          index,
          { attemptId, result: ok ? 'ok' : { failed: 'exited' }, ...(proc !== null && { proc: ownerOf(proc) }) },
          now
        )
      }
    })
  )
)

/** The verb's result, or the index as it was where the verb refuses with one of our codes. */
function apply({ step }: Verb, index: Index, now: number): Index {
  try {
    return step(index, now)
  } catch (error) {
    if (error instanceof CrashResumeError) return index
    throw error
  }
}

function checkIndex(index: Index): void {
  const held = Object.values(index.entries).filter(({ state }) => state !== 'ended')
  const sessions = held.map(({ sessionId }) => sessionId)
  expect(new Set(sessions).size, 'one session, one surface').toBe(sessions.length)
  for (const [key, entry] of Object.entries(index.entries)) {
    expect(entry.surfaceId).toBe(key)
    const earlier = entry.previous.map(({ sessionId }) => sessionId)
    expect(earlier.length).toBeLessThanOrEqual(8)
    expect(earlier.filter((id) => id.startsWith('pending.'))).toEqual([])
    expect(new Set(earlier).size, 'no earlier session twice').toBe(earlier.length)
    if (entry.state !== 'ended') expect(earlier).not.toContain(entry.sessionId)
    if (entry.moved_to !== undefined) expect([entry.state, entry.reason]).toEqual(['ended', 'moved'])
    if (entry.state === 'ready') expect(entry.sessionId).not.toMatch(/^pending\./)
  }
  // What a verb makes can be read back, all of it.
  const again = parseIndex(serializeIndex(index))
  expect(again.unreadable).toBeUndefined()
  expect(again.entries).toEqual(index.entries)
}

function checkStep({ name, removes }: Verb, before: Index, after: Index): void {
  for (const [key, was] of Object.entries(before.entries)) {
    const now = lookup(after, key)
    if (now === null) {
      // A forwarding address goes with the entry that it leads to.
      const isAddress = name.startsWith('forget') && was.state === 'ended' && was.moved_to !== undefined
      expect(removes === 'any' || removes.includes(key) || isAddress, `${name} took ${key} off`).toBe(true)
      continue
    }
    expect(now.gen, 'gen never decreases').toBeGreaterThanOrEqual(was.gen)
    if (now.sessionId !== was.sessionId) expect(now.gen, 'gen grows with the session').toBeGreaterThan(was.gen)
    if (!name.startsWith('rename')) expect(now.captured_at, 'the first sight stays').toBe(was.captured_at)
    const known = [now.sessionId, ...now.previous.map(({ sessionId }) => sessionId)]
    const isPlaceholder = was.sessionId.startsWith('pending.')
    if (was.state !== 'ended' && !isPlaceholder)
      expect(known, 'what gave way is in the history').toContain(was.sessionId)
  }
}

describe('any sequence of verbs', () => {
  test('keeps the promises of the index, and never changes its input', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(verb, fc.constantFrom(1, 1000, 400_000)), { minLength: 1, maxLength: 40 }),
        (steps) => {
          let index = deepFreeze(emptyIndex())
          let now = 1
          for (const [each, later] of steps) {
            now += later
            const after = deepFreeze(apply(each, index, now))
            checkIndex(after)
            checkStep(each, index, after)
            index = after
          }
        }
      ),
      { numRuns: 600 }
    )
    // Every outcome was met, and minting as well.
    for (const [outcome, times] of Object.entries(seen)) expect([outcome, times > 10]).toEqual([outcome, true])
    expect(mints).toBeGreaterThan(20)
  })
})
