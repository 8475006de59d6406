import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { claim, mint } from '../../src/core/attempts.js'
import { decideAt } from '../../src/core/decide-at.js'
import { CrashResumeError } from '../../src/core/errors.js'
import { adoptForeign } from '../../src/core/merge.js'
import { observe } from '../../src/core/observe.js'
import { sameOwner } from '../../src/core/owner.js'
import { forget, pruneStale } from '../../src/core/remove.js'
import { rename } from '../../src/core/rename.js'
import type { Index, Verdicts } from '../../src/core/schema.js'
import { settle } from '../../src/core/settle.js'
import { emptyIndex, noteExit, record, setPolicy, touch } from '../../src/core/verbs.js'
import { deepFreeze, indexOf, ownerOf } from './samples.js'

const SURFACES = ['s1', 's2', 's3'] as const
const S = 'session-a'
const living = ownerOf(7)
const machine = { host: 'machine-1', bootId: 'boot-1' }
const known = { agent: 'claude', cwd: '/w', transcript: '/t/a.jsonl' } as const
const alive: Verdicts = [{ owner: living, verdict: 'alive' }]

type Step = (index: Index, now: number) => Index
const surface = fc.constantFrom(...SURFACES)
const verdicts = fc.constantFrom<Verdicts>([], alive)
const steps = {
  record: fc.tuple(surface, verdicts).map(
    ([surfaceId, verdicts]): Step =>
      (index, now) =>
        record(index, { surfaceId, sessionId: S, repo: 'r' }, now, verdicts)
  ),
  observe: fc.tuple(surface, verdicts).map(
    ([surfaceId, verdicts]): Step =>
      (index, now) =>
        observe(index, { surfaceId, sessionId: S, repo: 'r' }, verdicts, now).index
  ),
  'observe another': surface.map(
    (surfaceId): Step =>
      (index, now) =>
        observe(index, { surfaceId, sessionId: 'session-b', repo: 'r', proc: ownerOf(8) }, alive, now).index
  ),
  touch: fc.tuple(surface, verdicts).map(
    ([surfaceId, verdicts]): Step =>
      (index, now) =>
        touch(index, surfaceId, now, machine, verdicts)
  ),
  'note an exit': surface.map(
    (surfaceId): Step =>
      (index, now) =>
        noteExit(index, { surfaceId, sessionId: S, reason: 'other' }, now)
  ),
  policy: surface.map(
    (surfaceId): Step =>
      (index) =>
        setPolicy(index, surfaceId, 'manual')
  ),
  rename: fc.tuple(surface, surface, verdicts).map(
    ([from, to, verdicts]): Step =>
      (index) =>
        rename(index, from, to, verdicts)
  ),
  forget: surface.map(
    (surfaceId): Step =>
      (index) =>
        forget(index, surfaceId, alive)
  ),
  prune: fc.constant<Step>((index, now) => pruneStale(index, 1000, now, alive)),
  'an older tool': surface.map(
    (surfaceId): Step =>
      (index, now) => {
        const theirs = record(emptyIndex(), { surfaceId, sessionId: S, repo: 'r' }, now)
        return adoptForeign(index, theirs, 'older-tool', machine, now)
      }
  ),
  'mint, by the caller’s word': surface.map(
    (surfaceId): Step =>
      (index, now) =>
        mint(index, { surfaceId, repo: 'r', capture: true, ...attemptAt(now), evidence }, limits(now)).index
  ),
  'claim, by the caller’s word': surface.map(
    (surfaceId): Step =>
      (index, now) =>
        claim(index, { surfaceId, repo: 'r', ...attemptAt(now), evidence }, limits(now)).index
  ),
  'settle the open attempt': fc.constantFrom('ok', { failed: 'exited' }, { failed: 'timeout' } as const).map(
    (result): Step =>
      (index, now) => {
        const open = Object.values(index.entries).find(({ attempt }) => attempt !== undefined)
        return open?.attempt === undefined
          ? index
          : settle(index, { attemptId: open.attempt.id, result: result as 'ok' }, now)
      }
  )
}
const evidence = { running: 'no', verdicts: alive, transcript: { [S]: 'found' }, candidates: [] } as const

function attemptAt(now: number): { readonly attemptId: string; readonly owner: typeof living } {
  return { attemptId: `attempt-${now}`, owner: ownerOf(9) }
}

function limits(now: number): Parameters<typeof decideAt>[3] {
  return { now, cooldownMs: 0, maxAttempts: 99 }
}

describe('what a living process has proved', () => {
  it('is still known after any verb that says nothing stronger', () => {
    const verb = fc.oneof(...Object.values(steps))
    fc.assert(
      fc.property(fc.array(verb, { minLength: 1, maxLength: 12 }), (verbs) => {
        let index = indexOf({ sessionId: S, proc: living, ...known })
        for (const [i, step] of verbs.entries()) {
          try {
            index = deepFreeze(step(index, 10_000 + i * 2000))
          } catch (error) {
            if (!(error instanceof CrashResumeError)) throw error
          }
          const holder = Object.values(index.entries).find((entry) => entry.sessionId === S && entry.state !== 'ended')
          expect(holder?.proc !== undefined && sameOwner(holder.proc, living)).toBe(true)
          expect(holder).toMatchObject(known)
          for (const surfaceId of SURFACES) {
            const { action, sessionId } = decideAt(index, surfaceId, evidence, limits(1e6))
            expect(action === 'resume' && sessionId === S).toBe(false)
          }
        }
      }),
      { numRuns: 300 }
    )
  })
})
