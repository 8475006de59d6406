import { describe, expect, it } from 'vitest'
import { type ClaimInput, claim, type Decided, type MintInput, mint } from '../../src/core/attempts.js'
import type { DecideOptions } from '../../src/core/decide.js'
import type { Evidence } from '../../src/core/evidence.js'
import { fingerprint } from '../../src/core/fingerprint.js'
import type { Entry, Index } from '../../src/core/schema.js'
import { emptyIndex } from '../../src/core/verbs.js'
import { earlier, entryOf, indexOf, ownerOf, thrownBy } from './samples.js'

const NOW = 10_000_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const me = ownerOf(10)
const other = ownerOf(11)
const agent = ownerOf(20)
const free: Evidence = { running: 'no', transcript: { 'session-a': 'found' } }
const missing: Evidence = { running: 'no', transcript: { 'session-a': 'missing' } }
function mintAt(index: Index, more: Partial<MintInput> = {}, options: Partial<DecideOptions> = {}): Decided {
  const input: MintInput = {
    surfaceId: 's1',
    sessionId: 'session-new',
    repo: 'golems',
    attemptId: 'a1',
    owner: me,
    evidence: free,
    ...more
  }
  return mint(index, input, { now: NOW, ...options })
}

function claimAt(index: Index, more: Partial<ClaimInput> = {}, options: Partial<DecideOptions> = {}): Decided {
  const input: ClaimInput = { surfaceId: 's1', attemptId: 'a1', owner: me, evidence: free, ...more }
  return claim(index, input, { now: NOW, ...options })
}

const at = (index: Index, surfaceId = 's1'): Entry | undefined => index.entries[surfaceId]
const said = ({ decision }: Decided): string => `${decision.action} ${decision.reason}`

describe('mint', () => {
  it('writes the session ahead of its start on a surface that nothing is known of', () => {
    const minted = mintAt(emptyIndex(), { role: 'lead', agent: 'claude', cwd: '/repo', flags: ['--verbose'] })
    expect(minted.decision).toMatchObject({ action: 'fresh', reason: 'unknown_surface', sessionId: 'session-new' })
    expect(at(minted.index)).toEqual({
      surfaceId: 's1',
      sessionId: 'session-new',
      repo: 'golems',
      role: 'lead',
      agent: 'claude',
      cwd: '/repo',
      flags: ['--verbose'],
      captured_at: NOW,
      last_active: NOW,
      state: 'minted',
      gen: 1,
      seen: { host: 'machine-1', bootId: 'boot-1', ns: '4026531836' },
      attempt: { id: 'a1', kind: 'spawn', owner: me, at: NOW },
      attempts: 0,
      policy: 'auto',
      previous: []
    })
  })

  const over: readonly [string, Partial<Entry>, Evidence, string, Partial<Entry>][] = [
    ['a session that ended', { state: 'ended', reason: 'done' }, free, 'fresh ended', { attempts: 0 }],
    ['a transcript that is gone', {}, missing, 'fresh session_gone', { attempts: 0 }],
    [
      'a failed start, and counts it',
      {
        state: 'spawn_failed',
        attempts: 1,
        last_attempt: { id: 'a0', kind: 'spawn', at: NOW - HOUR, result: 'exited' }
      },
      {},
      'fresh spawn_failed',
      { attempts: 2 }
    ],
    [
      'a failed start of before the window, whose count is gone',
      {
        state: 'spawn_failed',
        attempts: 2,
        last_attempt: { id: 'a0', kind: 'spawn', at: NOW - HOUR - 1, result: 'exited' }
      },
      {},
      'fresh spawn_failed',
      { attempts: 1 }
    ],
    ['a start that never was, and counts it', { state: 'minted' }, missing, 'fresh never_started', { attempts: 1 }]
  ]
  it.each(over)('replaces %s', (_, known, evidence, answer, more) => {
    const minted = mintAt(indexOf({ gen: 3, previous: earlier('session-0'), ...known }), { evidence })
    expect(said(minted)).toBe(answer)
    const why = known.state === 'ended' ? 'ended' : known.state === undefined ? 'replaced' : 'never_started'
    expect(at(minted.index)).toMatchObject({
      sessionId: 'session-new',
      state: 'minted',
      gen: 4,
      captured_at: 1000,
      attempt: { id: 'a1', kind: 'spawn' },
      previous: [
        { sessionId: 'session-a', until: NOW, why },
        { sessionId: 'session-0', until: 1 }
      ],
      ...more
    })
  })

  it('leaves what belonged to the old session behind, and keeps what belongs to the surface', () => {
    const dispatch = { id: 'd1', step: 'deploy', owner: other, at: 1, result: 'open' } as const
    const ended = {
      state: 'ended',
      reason: 'done',
      transcript: '/t.jsonl',
      last_exit: { at: 1, reason: 'logout' }
    } as const
    const entry = at(
      mintAt(indexOf({ ...ended, proc: agent, dispatch, role: 'lead', meta: { a: 'b' }, policy: 'manual' }), {
        evidence: { ...free, verdicts: [{ owner: agent, verdict: 'dead' }] }
      }).index
    )
    for (const field of ['reason', 'transcript', 'last_exit', 'proc'] as const) expect(entry).not.toHaveProperty(field)
    expect(entry).toMatchObject({ dispatch, role: 'lead', meta: { a: 'b' }, policy: 'manual' })
  })

  const refused: readonly [string, Partial<Entry>, Evidence, string][] = [
    ['something resumable', {}, free, 'resume ok'],
    ['a minted session whose transcript is there', { state: 'minted' }, free, 'resume ok_unconfirmed'],
    [
      'an earlier session that is free',
      { previous: earlier('b') },
      {
        running: 'no',
        transcript: { 'session-a': 'missing', b: 'found' }
      },
      'resume ok_from_previous'
    ],
    ['what nobody looked at', {}, {}, 'wait liveness_unknown'],
    ['a session that runs', {}, { running: { 'session-a': { at: 's1' } } }, 'refuse already_running'],
    [
      'a session that is live on another surface',
      {},
      { running: { 'session-a': { at: 's2' } } },
      'refuse running_elsewhere'
    ],
    [
      'a start under way',
      { state: 'minted', attempt: { id: 'a0', kind: 'spawn', owner: other, at: 1 } },
      { ...missing, verdicts: [{ owner: other, verdict: 'alive' }] },
      'refuse claimed'
    ],
    [
      'a start whose owner nobody looked at',
      { state: 'minted', attempt: { id: 'a0', kind: 'spawn', owner: other, at: 1 } },
      missing,
      'refuse owner_unverified'
    ],
    ['a closed task', { state: 'ended' }, { task: 'closed' }, 'refuse task_closed'],
    [
      'two failed starts',
      {
        state: 'spawn_failed',
        attempts: 2,
        last_attempt: { id: 'a0', kind: 'spawn', at: NOW - HOUR, result: 'exited' }
      },
      {},
      'refuse attempts_exhausted'
    ],
    [
      'a start that failed just now',
      { state: 'spawn_failed', attempts: 1, last_attempt: { id: 'a0', kind: 'spawn', at: NOW - 1, result: 'exited' } },
      {},
      'wait cooldown'
    ]
  ]
  it.each(refused)('changes nothing over %s', (_, known, evidence, answer) => {
    const index = indexOf(known)
    const minted = mintAt(index, { evidence })
    expect(said(minted)).toBe(answer)
    expect(minted.index).toBe(index)
  })

  it('answers wait in a damaged index, and refuses over an entry that cannot be read', () => {
    const damaged: Index = { ...emptyIndex(), status: { damaged: true, warnings: [] } }
    expect(said(mintAt(damaged))).toBe('wait index_damaged')
    const unreadable: Index = { ...emptyIndex(), unreadable: { s1: { raw: 7, reason: 'is no object' } } }
    expect(said(mintAt(unreadable))).toBe('refuse entry_unreadable')
  })

  it('leaves a worktree behind with its folder', () => {
    const ended = indexOf({ state: 'ended', cwd: '/trees/x', worktree: { path: '/trees/x', origin: '/billing' } })
    const base = {
      surfaceId: 's1',
      sessionId: 'new',
      repo: 'billing',
      attemptId: 'a1',
      owner: ownerOf(10),
      evidence: {}
    }
    const minted = (more: { cwd?: string }): Entry['worktree'] =>
      mint(ended, { ...base, ...more }, { now: 5000 }).index.entries['s1']?.worktree
    expect(minted({ cwd: '/billing' })).toBeUndefined()
    expect([minted({}), minted({ cwd: '/trees/x' })]).toEqual(Array(2).fill(ended.entries['s1']?.worktree))
  })

  it('takes a placeholder for an agent that cannot be given an id, and never keeps one as previous', () => {
    const { index } = mintAt(emptyIndex(), { capture: true })
    expect(at(index)).toMatchObject({ sessionId: 'pending.a1', state: 'minted' })
    const dead: Evidence = { running: 'no', candidates: [], verdicts: [{ owner: me, verdict: 'dead' }] }
    const again = mintAt(index, { capture: true, attemptId: 'a2', evidence: dead })
    expect(said(again)).toBe('fresh never_started')
    expect(at(again.index)).toMatchObject({ sessionId: 'pending.a2', gen: 2, attempts: 1, previous: [] })
  })

  it('refuses a decision that has aged, and shows what is there', () => {
    const seen = entryOf({ state: 'ended' })
    const index = indexOf({ state: 'ended', last_active: 2001 })
    const error = thrownBy(() => mintAt(index, { expect: fingerprint(seen) }))
    expect(error).toMatchObject({ code: 'ERR_CONFLICT', found: at(index) })
    expect(said(mintAt(index, { expect: fingerprint(at(index) ?? null) }))).toBe('fresh ended')
    expect(thrownBy(() => mintAt(emptyIndex(), { expect: fingerprint(seen) }))).toMatchObject({ found: null })
  })

  it.each<[string, Partial<Entry>]>([
    ['another surface', { surfaceId: 's2', sessionId: 'session-new' }],
    ['this surface', { sessionId: 'session-new', state: 'ended' }],
    ['another surface, earlier', { surfaceId: 's2', previous: earlier('session-new') }]
  ])('refuses a session id that is known on %s', (_, known) => {
    const index = indexOf({ state: 'ended' }, known)
    const found = Object.values(index.entries).find(({ surfaceId }) => surfaceId === (known.surfaceId ?? 's1'))
    expect(thrownBy(() => mintAt(index))).toMatchObject({ code: 'ERR_CONFLICT', found })
  })

  it.each([
    ['attempt', { attempt: { id: 'a1', kind: 'spawn', owner: other, at: 1 } }],
    ['last_attempt', { last_attempt: { id: 'a1', kind: 'spawn', at: 1, result: 'ok' } }]
  ] as const)('refuses an attempt id that is the %s of an entry already', (_, known) => {
    const index = indexOf({ surfaceId: 's2', sessionId: 'b', ...known })
    expect(thrownBy(() => mintAt(index))).toMatchObject({ code: 'ERR_INVALID_INPUT' })
    expect(thrownBy(() => claimAt(index, { surfaceId: 's2' }))).toMatchObject({ code: 'ERR_INVALID_INPUT' })
  })

  it.each<[string, Partial<MintInput>]>([
    ['a blank surface', { surfaceId: ' ' }],
    ['a blank repo', { repo: '' }],
    ['an option as a session id', { sessionId: '--print' }],
    ['a placeholder as a session id', { sessionId: 'pending.a1' }],
    ['an attempt id with a space', { attemptId: 'a 1' }]
  ])('refuses %s', (_, input) => {
    expect(thrownBy(() => mintAt(emptyIndex(), input))).toMatchObject({ code: 'ERR_INVALID_INPUT' })
  })

  it('refuses to mint neither an id nor a capture', () => {
    const input: MintInput = { surfaceId: 's1', repo: 'golems', attemptId: 'a1', owner: me, evidence: {} }
    expect(thrownBy(() => mint(emptyIndex(), input, { now: NOW }))).toMatchObject({ code: 'ERR_INVALID_INPUT' })
  })
})

describe('claim', () => {
  it('opens an attempt ahead of the resume, counts it, and leaves what was seen as it was', () => {
    const seen = { host: 'machine-1', bootId: 'boot-0' }
    const index = indexOf({ gen: 3, seen, agent: 'claude', attempts: 1 })
    const claimed = claimAt(index, { cwd: '/repo' })
    expect(said(claimed)).toBe('resume ok')
    expect(at(claimed.index)).toEqual({
      ...at(index),
      // The last attempt is not known to be within the window.
      attempts: 1,
      cwd: '/repo',
      attempt: { id: 'a1', kind: 'resume', owner: me, at: NOW }
    })
  })

  const last = (result: 'exited' | 'ok', ms: number) => ({ id: 'a0', kind: 'resume', at: NOW - ms, result }) as const
  it.each([
    ['the first', {}, 1],
    ['one after a failure within the window', { attempts: 1, last_attempt: last('exited', HOUR) }, 2],
    ['one after a success within the window', { attempts: 1, last_attempt: last('ok', 1) }, 2],
    ['one after the window', { attempts: 2, last_attempt: last('exited', HOUR + 1) }, 1]
  ])('counts %s', (_, known, attempts) => {
    expect(at(claimAt(indexOf(known)).index)?.attempts).toBe(attempts)
  })

  it('takes the window and the limit that the caller gives', () => {
    const index = indexOf({ attempts: 2, last_attempt: last('exited', 5 * MINUTE) })
    expect(said(claimAt(index))).toBe('refuse attempts_exhausted')
    expect(at(claimAt(index, {}, { maxAttempts: 3 }).index)?.attempts).toBe(3)
    expect(at(claimAt(index, {}, { attemptWindowMs: MINUTE }).index)?.attempts).toBe(1)
  })

  const from: readonly [string, Partial<Entry>, Evidence, string, Partial<Entry>][] = [
    [
      'an earlier session in place of the one that is gone',
      { previous: earlier('b', 'c') },
      { running: 'no', transcript: { 'session-a': 'missing', b: 'found' } },
      'resume ok_from_previous',
      {
        sessionId: 'b',
        gen: 2,
        state: 'ready',
        previous: [
          { sessionId: 'session-a', until: NOW, why: 'replaced' },
          { sessionId: 'c', until: 1, why: 'rotated' }
        ]
      }
    ],
    [
      'the one transcript that a capture left behind',
      { state: 'minted', sessionId: 'pending.a0' },
      { running: 'no', candidates: ['b'] },
      'resume ok_from_transcript',
      { sessionId: 'b', gen: 2, state: 'ready', previous: [] }
    ],
    [
      'a start that nobody confirmed, which stays unconfirmed',
      { state: 'minted' },
      free,
      'resume ok_unconfirmed',
      {
        sessionId: 'session-a',
        gen: 1,
        state: 'minted'
      }
    ],
    [
      'a session that the agent calls gone, for an earlier one',
      { state: 'ended', reason: 'session_gone', previous: earlier('b') },
      { running: 'no', transcript: { b: 'found' } },
      'resume ok_from_previous',
      {
        sessionId: 'b',
        state: 'ready',
        previous: [{ sessionId: 'session-a', until: NOW, why: 'session_gone' }]
      }
    ]
  ]
  it.each(from)('takes %s', (_, known, evidence, answer, more) => {
    const claimed = claimAt(indexOf(known), { evidence })
    expect(said(claimed)).toBe(answer)
    expect(at(claimed.index)).toMatchObject({ attempt: { id: 'a1', kind: 'resume' }, attempts: 1, ...more })
    expect(at(claimed.index)).not.toHaveProperty('reason')
  })

  it('makes an entry for the one transcript of a surface that nothing was known of', () => {
    const evidence: Evidence = { running: 'no', candidates: ['b'] }
    const claimed = claimAt(emptyIndex(), { repo: 'golems', agent: 'codex', evidence })
    expect(said(claimed)).toBe('resume ok_from_transcript')
    expect(at(claimed.index)).toMatchObject({
      sessionId: 'b',
      repo: 'golems',
      agent: 'codex',
      state: 'ready',
      attempts: 1
    })
    expect(thrownBy(() => claimAt(emptyIndex(), { evidence }))).toMatchObject({ code: 'ERR_INVALID_INPUT' })
  })

  const refused: readonly [string, Partial<Entry>, Evidence, string][] = [
    ['what nobody looked at', {}, {}, 'wait liveness_unknown'],
    ['a session that runs', {}, { running: { 'session-a': { at: 's1' } } }, 'refuse already_running'],
    ['a session that runs elsewhere', {}, { running: { 'session-a': { at: 's2' } } }, 'refuse running_elsewhere'],
    [
      'a claim whose owner lives',
      { attempt: { id: 'a0', kind: 'resume', owner: other, at: 1 } },
      { ...free, verdicts: [{ owner: other, verdict: 'alive' }] },
      'refuse claimed'
    ],
    [
      'a claim when only another process of that number is dead',
      { attempt: { id: 'a0', kind: 'resume', owner: other, at: 1 } },
      { ...free, verdicts: [{ owner: ownerOf(11, { start: 'later' }), verdict: 'dead' }] },
      'refuse owner_unverified'
    ],
    ['something that ended', { state: 'ended', reason: 'done' }, free, 'fresh ended'],
    ['something that is gone', {}, missing, 'fresh session_gone'],
    ['a policy of off', { policy: 'off' }, free, 'refuse policy_off'],
    [
      'a session of another machine',
      { seen: { host: 'machine-2' } },
      { machine: { host: 'machine-1' } },
      'refuse foreign_host'
    ]
  ]
  it.each(refused)('changes nothing over %s', (_, known, evidence, answer) => {
    const index = indexOf(known)
    const claimed = claimAt(index, { evidence })
    expect(said(claimed)).toBe(answer)
    expect(claimed.index).toBe(index)
  })

  it('takes over from an owner that is dead, whose attempt is no one else to settle', () => {
    const index = indexOf({ attempt: { id: 'a0', kind: 'resume', owner: other, at: NOW - 1 }, attempts: 1 })
    const claimed = claimAt(index, { evidence: { ...free, verdicts: [{ owner: other, verdict: 'dead' }] } })
    expect(said(claimed)).toBe('resume ok')
    expect(at(claimed.index)).toMatchObject({ attempt: { id: 'a1', owner: me }, attempts: 2 })
  })

  it('refuses a decision that has aged, and shows what is there', () => {
    const index = indexOf({ last_attempt: last('exited', HOUR) })
    const error = thrownBy(() => claimAt(index, { expect: fingerprint(entryOf()) }))
    expect(error).toMatchObject({ code: 'ERR_CONFLICT', found: at(index) })
  })
})

describe('claim of a session that another surface holds', () => {
  const two = (there: Partial<Entry>, here: Partial<Entry> = {}): Index =>
    indexOf({ ...here }, { surfaceId: 's2', ...there })
  const claimOf = (owner: typeof other) => ({ attempt: { id: 'a0', kind: 'resume', owner, at: 1 } }) as const
  const alive = { owner: other, verdict: 'alive' } as const

  const refused: readonly [string, Partial<Entry>, Evidence, string][] = [
    ['is being resumed there', claimOf(other), { ...free, verdicts: [alive] }, 'refuse claimed'],
    ['may be being resumed there', claimOf(other), free, 'refuse owner_unverified'],
    [
      'is being resumed there, though that entry has ended',
      { ...claimOf(other), state: 'ended' },
      { ...free, verdicts: [alive] },
      'refuse claimed'
    ],
    ['lives there', { proc: other }, { ...free, verdicts: [alive] }, 'refuse running_elsewhere'],
    ['may not be resumed there', { policy: 'off' }, free, 'refuse policy_off'],
    [
      'was resumed there as often as is allowed',
      { attempts: 2, last_attempt: { id: 'a0', kind: 'resume', at: NOW - HOUR, result: 'exited' } },
      free,
      'refuse attempts_exhausted'
    ],
    [
      'is proven absent only by what this surface knows',
      {},
      { machine: { host: 'machine-1', bootId: 'boot-9' } },
      'wait liveness_unknown'
    ]
  ]
  it.each(refused)('changes nothing where it %s', (_, there, evidence, answer) => {
    const index = two(there, { seen: { host: 'machine-1', bootId: 'boot-1' } })
    const claimed = claimAt(index, { evidence })
    expect(said(claimed)).toBe(answer)
    expect(claimed.decision).toMatchObject({ sessionId: 'session-a', at: 's2', expect: fingerprint(at(index) ?? null) })
    expect(claimed.index).toBe(index)
  })

  it('names the owner of the claim that stands against it', () => {
    const { decision } = claimAt(two(claimOf(other)), { evidence: { ...free, verdicts: [alive] } })
    expect(decision.owner).toEqual(other)
  })

  it('ends the other entry as moved, and leaves no attempt behind there', () => {
    const claimed = claimAt(two({ ...claimOf(other), proc: agent }), {
      evidence: {
        ...free,
        verdicts: [
          { owner: other, verdict: 'dead' },
          { owner: agent, verdict: 'dead' }
        ]
      }
    })
    expect(said(claimed)).toBe('resume ok')
    expect(at(claimed.index, 's2')).toMatchObject({ state: 'ended', reason: 'moved', moved_to: 's1' })
    expect(at(claimed.index, 's2')).not.toHaveProperty('attempt')
    expect(at(claimed.index, 's2')).not.toHaveProperty('proc')
  })

  it('waits where nobody has looked at the process that the other entry has recorded', () => {
    const claimed = claimAt(two({ proc: agent }), { evidence: free })
    expect(said(claimed)).toBe('wait liveness_unknown')
  })

  it('brings its history along to a surface that nothing was known of', () => {
    const dispatch = { id: 'd1', step: 'deploy', owner: other, at: 1, result: 'open' } as const
    const index = indexOf({
      surfaceId: 's2',
      role: 'lead',
      agent: 'claude',
      cwd: '/repo',
      attempts: 1,
      last_attempt: { id: 'a0', kind: 'resume', at: NOW - HOUR, result: 'exited' },
      gen: 3,
      previous: earlier('b'),
      policy: 'manual',
      address: 'work:2.1',
      dispatch
    })
    const claimed = claimAt(index, { evidence: { running: 'no', candidates: ['session-a'] } })
    expect(said(claimed)).toBe('resume ok_from_transcript')
    expect(at(claimed.index)).toMatchObject({
      sessionId: 'session-a',
      repo: 'golems',
      role: 'lead',
      agent: 'claude',
      cwd: '/repo',
      captured_at: NOW,
      attempts: 2,
      gen: 3,
      previous: earlier('b'),
      policy: 'manual',
      dispatch
    })
    expect(at(claimed.index)).not.toHaveProperty('address')
    expect(at(claimed.index, 's2')).toMatchObject({ state: 'ended', reason: 'moved', moved_to: 's1' })
  })

  it.each<[string, Partial<Entry> | null, Partial<Entry>]>([
    ['was resumed there since', {}, { last_attempt: { id: 'a0', kind: 'resume', at: NOW - 1, result: 'ok' } }],
    ['was seen there since', {}, { last_active: 2001 }],
    ['came there since', null, {}],
    ['was ended there since', {}, { state: 'ended', reason: 'done' }]
  ])('refuses what was found out before it %s', (_, then, now) => {
    const index = indexOf({ ...now, surfaceId: 's2' })
    const since = then === null ? emptyIndex() : indexOf({ ...then, surfaceId: 's2' })
    const evidence: Evidence = { running: 'no', candidates: ['session-a'] }
    const claimFrom = (old: Index): Decided => claimAt(index, { repo: 'golems', evidence, since: old })
    expect(thrownBy(() => claimFrom(since))).toMatchObject({ code: 'ERR_CONFLICT', found: at(index, 's2') })
    expect(said(claimFrom(index))).toBe('resume ok_from_transcript')
  })

  it('refuses a session whose process lives although its entry has ended', () => {
    const index = two({ state: 'ended', reason: 'done', proc: other })
    expect(said(claimAt(index, { evidence: { ...free, verdicts: [alive] } }))).toBe('refuse running_elsewhere')
  })

  it('refuses an earlier session that lives in another pane, whatever the caller believes', () => {
    const index = two({ sessionId: 'b', proc: other }, { previous: earlier('b') })
    const evidence: Evidence = {
      running: 'no',
      transcript: { 'session-a': 'missing', b: 'found' },
      verdicts: [alive]
    }
    const claimed = claimAt(index, { evidence })
    expect(claimed.decision).toMatchObject({ action: 'refuse', reason: 'running_elsewhere', sessionId: 'b', at: 's2' })
    expect(claimed.index).toBe(index)
  })
})
