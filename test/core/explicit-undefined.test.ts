/** An option that is given as undefined is one that is not given: it wipes nothing that is known. */
import { describe, expect, it } from 'vitest'
import { type ClaimInput, claim, type MintInput, mint } from '../../src/core/attempts.js'
import { type DecideOptions, decide } from '../../src/core/decide.js'
import type { Evidence } from '../../src/core/evidence.js'
import { observe } from '../../src/core/observe.js'
import type { Entry, RecordInput, Sighting } from '../../src/core/schema.js'
import { type SettleInput, settle } from '../../src/core/settle.js'
import { end, record, resumableFor } from '../../src/core/verbs.js'
import { deepFreeze, entryOf, indexOf, ownerOf } from './samples.js'

const NOW = 1_000_000
const owner = ownerOf(10)
const proc = ownerOf(20)
const known: Partial<Entry> = {
  role: 'lead',
  agent: 'claude',
  cwd: '/w',
  worktree: { path: '/w', origin: '/r' },
  transcript: '/t.jsonl',
  flags: ['--model', 'm'],
  scope: 'server 1',
  address: 'work:2.1',
  meta: { k: 'v' },
  proc,
  seen: { host: 'machine-1', bootId: 'boot-1' }
}
const { proc: _proc, seen: _seen, ...told } = known
const index = deepFreeze(indexOf(known))
const { surfaceId, sessionId, repo } = entryOf()

/** Each optional field, as undefined. */
type Blank<T> = { readonly [K in keyof T as object extends Pick<T, K> ? K : never]-?: undefined }

const words: Blank<RecordInput> = {
  role: undefined,
  agent: undefined,
  cwd: undefined,
  worktree: undefined,
  transcript: undefined,
  mark: undefined,
  prompted: undefined,
  flags: undefined,
  withheld: undefined,
  env: undefined,
  scope: undefined,
  address: undefined,
  meta: undefined,
  seen: undefined
}
const sighting: Blank<Sighting> = {
  ...words,
  proc: undefined,
  proc_unknown: undefined,
  ancestors: undefined,
  continues: undefined,
  nested: undefined
}
const evidence: Blank<Evidence> = {
  running: undefined,
  verdicts: undefined,
  machine: undefined,
  transcript: undefined,
  retention: undefined,
  continued: undefined,
  possible: undefined,
  candidates: undefined,
  surface: undefined,
  server: undefined,
  cwd: undefined,
  task: undefined,
  index: undefined
}
const options: Blank<DecideOptions> = {
  maxAgeMs: undefined,
  maxAttempts: undefined,
  attemptWindowMs: undefined,
  cooldownMs: undefined,
  resumeBoundToCwd: undefined,
  elsewhere: undefined,
  left: undefined,
  hazards: undefined
}
const attempt = {
  agent: undefined,
  role: undefined,
  cwd: undefined,
  flags: undefined,
  withheld: undefined,
  env: undefined,
  expect: undefined
} as const
const minting: Omit<Blank<MintInput>, 'sessionId'> = {
  ...attempt,
  capture: undefined
}
const claiming: Blank<ClaimInput> = { ...attempt, repo: undefined, since: undefined }
const settling: Blank<SettleInput> = { sessionId: undefined, proc: undefined }

describe('an explicit undefined', () => {
  it('in a record wipes nothing', () => {
    const base = { surfaceId, sessionId, repo }
    expect(record(index, { ...base, ...words }, NOW)).toEqual(record(index, base, NOW))
    expect(record(index, { ...base, ...words }, NOW).entries[surfaceId]).toMatchObject({
      ...told
    })
  })

  it('in a sighting wipes nothing', () => {
    const base = { surfaceId, sessionId, repo }
    for (const session of [sessionId, 'session-z']) {
      const said = { ...base, sessionId: session }
      expect(observe(index, { ...said, ...sighting }, [], NOW, { healthyAfterMs: undefined })).toEqual(
        observe(index, said, [], NOW)
      )
    }
  })

  it('in a mint and a claim, their evidence and options wipes nothing', () => {
    const ended = deepFreeze(indexOf({ ...known, state: 'ended' }))
    const free: Evidence = { running: 'no' }
    const start = { surfaceId, repo, attemptId: 'a1', owner, sessionId: 'session-new' }
    const minted = mint(ended, { ...start, evidence: free }, { now: NOW })
    expect(minted.decision.action).toBe('fresh')
    expect(mint(ended, { ...start, ...minting, evidence: { ...evidence, ...free } }, { ...options, now: NOW })).toEqual(
      minted
    )

    const taken = { surfaceId, attemptId: 'a1', owner }
    const claimed = claim(index, { ...taken, evidence: free }, { now: NOW })
    expect(claimed.decision.action).toBe('resume')
    expect(
      claim(index, { ...taken, ...claiming, evidence: { ...evidence, ...free } }, { ...options, now: NOW })
    ).toEqual(claimed)

    for (const result of ['ok', { failed: 'exited', why: undefined }] as const) {
      const settled = settle(
        claimed.index,
        { attemptId: 'a1', result: result === 'ok' ? result : { failed: 'exited' } },
        NOW
      )
      expect(settle(claimed.index, { attemptId: 'a1', result, ...settling }, NOW)).toEqual(settled)
    }
  })

  it('in evidence was not asked: unknown, never absent', () => {
    for (const entry of [null, entryOf(known), entryOf({ ...known, state: 'minted' })]) {
      expect(decide(entry, evidence, { ...options, now: NOW })).toEqual(decide(entry, {}, { now: NOW }))
    }
    expect(decide(entryOf(known), evidence, { now: NOW }).reason).toBe('liveness_unknown')
  })

  it('in the lookups and the other verbs is left out', () => {
    expect(resumableFor(index, surfaceId, { now: NOW, maxAgeMs: undefined })).toBe(sessionId)
    expect(end(index, { surfaceId, reason: undefined, expect: undefined }, NOW)).toEqual(end(index, { surfaceId }, NOW))
  })
})
