import { describe, expect, it } from 'vitest'
import { decide } from '../../src/core/decide.js'
import { type Decision, FRESH_REASONS, REFUSE_REASONS, RESUME_REASONS, WAIT_REASONS } from '../../src/core/decision.js'
import type { Evidence, TranscriptState } from '../../src/core/evidence.js'
import { EXPLAINED, explain, explanation } from '../../src/core/explain.js'
import { fingerprint } from '../../src/core/fingerprint.js'
import type { Entry, LastAttempt, Machine } from '../../src/core/schema.js'
import { earlier, entryOf, ownerOf, SIX } from './samples.js'

const NOW = 10_000_000
const S = 'session-a'
const BEFORE = 'session-before'
const HERE: Machine = { host: 'machine-1', bootId: 'boot-2' }
const EARLIER: Machine = { host: 'machine-1', bootId: 'boot-1' }
const ELSEWHERE: Machine = { host: 'machine-2', bootId: 'boot-9' }
const owner = ownerOf(10, { bootId: 'boot-2' })
const agent = ownerOf(20, { bootId: 'boot-2' })
const absent: Evidence = { running: 'no' }
const found: Evidence = { ...absent, transcript: { [S]: 'found' } }
const missing: Evidence = { ...absent, transcript: { [S]: 'missing' } }
const attempt = { id: 'a1', kind: 'resume', owner, at: NOW - 5_000_000 } as const
const last = (result: LastAttempt['result'], at = NOW - 100_000, more: Partial<LastAttempt> = {}): LastAttempt => ({
  id: 'a0',
  kind: 'resume',
  at,
  result,
  ...more
})
const previous = [{ sessionId: BEFORE, until: 1, why: 'rotated' }] as const

const NEXT = 'session-next'
const movedOn = (more: Evidence = {}): Evidence => ({
  verdicts: [{ owner: agent, verdict: 'dead' }],
  continued: { [S]: { as: NEXT }, [NEXT]: 'no' },
  running: { [S]: 'no', [NEXT]: 'no' },
  transcript: { [S]: 'found', [NEXT]: 'found' },
  ...more
})

/** One case, one line: what is known, what was seen, the answer. */
const TABLE: readonly [string, Partial<Entry> | null | 'unreadable', Evidence, string, object?][] = [
  [
    'a conversation that went on under another id',
    { proc: agent },
    movedOn(),
    'resume ok_continued',
    { sessionId: NEXT }
  ],
  [
    'one that moved without a turn',
    { proc: agent },
    movedOn({ transcript: { [S]: 'found', [NEXT]: 'missing' } }),
    'resume ok',
    { sessionId: S }
  ],
  [
    'one that went on to a third, through a session without a turn',
    { proc: agent },
    movedOn({
      continued: { [S]: { as: NEXT }, [NEXT]: { as: 'third' } },
      running: 'no',
      transcript: { [S]: 'found', [NEXT]: 'missing', third: 'found' }
    }),
    'resume ok_continued',
    { sessionId: 'third' }
  ],
  [
    'one whose later session may have a transcript',
    { proc: agent },
    movedOn({ transcript: { [S]: 'found' } }),
    'wait session_unclear',
    { candidates: [S, NEXT] }
  ],
  [
    'one of which it is not known whether it went on',
    { proc: agent },
    movedOn({ continued: { [S]: 'unknown' } }),
    'wait session_unclear',
    { candidates: [S] }
  ],
  [
    'a background session that lives',
    { proc: agent },
    movedOn({ running: { [S]: 'no', [NEXT]: { at: 'process 7' } } }),
    'refuse running_elsewhere',
    { sessionId: NEXT, at: 'process 7' }
  ],
  [
    'one that lives and has no turn yet',
    { proc: agent },
    movedOn({ running: { [S]: 'no', [NEXT]: { at: 'process 7' } }, transcript: { [S]: 'found', [NEXT]: 'missing' } }),
    'refuse running_elsewhere',
    { sessionId: NEXT }
  ],
  [
    'a background session that may live: the death of the process before it proves nothing',
    { proc: agent },
    movedOn({ running: { [S]: 'no', [NEXT]: 'unknown' } }),
    'wait liveness_unknown',
    { sessionId: NEXT }
  ],
  [
    'the same, where the attempt of the session before is proven gone',
    { last_attempt: last('exited') },
    movedOn({ running: { [S]: 'no', [NEXT]: 'unknown' } }),
    'wait liveness_unknown',
    { sessionId: NEXT }
  ],
  [
    'the same after a reboot',
    { proc: agent, seen: EARLIER },
    movedOn({ machine: HERE, running: { [S]: 'no', [NEXT]: 'unknown' } }),
    'resume ok_continued'
  ],
  [
    'a living process of the session before',
    { proc: agent },
    movedOn({ verdicts: [{ owner: agent, verdict: 'alive' }] }),
    'refuse already_running'
  ],
  ['a policy that is off, for the later session too', { policy: 'off' }, movedOn(), 'refuse policy_off'],
  ['a circle of ids', {}, movedOn({ continued: { [S]: { as: NEXT }, [NEXT]: { as: S } } }), 'resume ok_continued'],
  ['an entry that cannot be read', 'unreadable', found, 'refuse entry_unreadable'],
  ['no entry in a damaged index', null, { index: 'damaged' }, 'wait index_damaged'],
  ['running on this surface', {}, { running: { [S]: { at: 's1' } } }, 'refuse already_running'],
  ['running on another surface', {}, { running: { [S]: { at: 's2' } } }, 'refuse running_elsewhere', { at: 's2' }],
  [
    'its process alive, and the caller mistaken',
    { proc: agent },
    { ...absent, verdicts: [{ owner: agent, verdict: 'alive' }] },
    'refuse already_running'
  ],
  [
    'a living owner of an attempt',
    { attempt },
    { ...found, verdicts: [{ owner, verdict: 'alive' }] },
    'refuse claimed',
    { owner }
  ],
  ['an owner nobody looked at', { attempt }, found, 'refuse owner_unverified', { owner }],
  [
    'a verdict on another process of that number',
    { attempt },
    { ...found, verdicts: [{ owner: { ...owner, start: 'other' }, verdict: 'dead' }] },
    'refuse owner_unverified'
  ],
  ['a dead owner', { attempt }, { ...found, verdicts: [{ owner, verdict: 'dead' }] }, 'resume ok'],
  [
    'a dead owner, and no word on the session',
    { attempt, proc: agent },
    {
      verdicts: [
        { owner, verdict: 'dead' },
        { owner: agent, verdict: 'dead' }
      ]
    },
    'wait liveness_unknown'
  ],
  [
    'an owner of an earlier boot',
    { attempt: { ...attempt, owner: ownerOf(10) }, seen: EARLIER },
    { machine: HERE },
    'resume ok'
  ],
  ['a closed task', {}, { ...found, task: 'closed' }, 'refuse task_closed'],
  ['a task nobody could ask for', {}, { ...found, task: 'unknown' }, 'wait probe_failed'],
  ['no entry, nothing asked', null, {}, 'fresh unknown_surface'],
  ['no entry, no transcript', null, { candidates: [] }, 'fresh unknown_surface'],
  [
    'no entry, one transcript, absent',
    null,
    { running: 'no', candidates: ['c1'] },
    'resume ok_from_transcript',
    { sessionId: 'c1' }
  ],
  ['no entry, one transcript, perhaps running', null, { candidates: ['c1'] }, 'wait liveness_unknown'],
  [
    'no entry, one transcript, running',
    null,
    { candidates: ['c1'], running: { c1: { at: 's9' } } },
    'refuse running_elsewhere'
  ],
  [
    'no entry, several transcripts',
    null,
    { running: 'no', candidates: ['c1', 'c2'] },
    'refuse ambiguous',
    { candidates: ['c1', 'c2'] }
  ],
  ['no entry, transcripts not to be had', null, { candidates: 'unknown' }, 'wait probe_failed'],
  ['no entry, closed task', null, { task: 'closed' }, 'refuse task_closed'],
  ['moved', { state: 'ended', reason: 'moved', moved_to: 's7' }, found, 'refuse moved', { at: 's7' }],
  ['left by its person', { state: 'ended', reason: 'left' }, found, 'fresh left'],
  [
    'left by its person, and running',
    { state: 'ended', reason: 'left' },
    { running: { [S]: { at: 's1' } } },
    'refuse already_running'
  ],
  ['ended on purpose', { state: 'ended', reason: 'done' }, found, 'fresh ended'],
  ['ended without a reason', { state: 'ended' }, found, 'fresh ended'],
  ['seen on another machine', { seen: ELSEWHERE }, { machine: HERE }, 'refuse foreign_host'],
  [
    'seen on another machine, free, transcript unknown',
    { seen: ELSEWHERE },
    { machine: HERE, running: 'no' },
    'refuse foreign_host'
  ],
  ['seen on another machine, free, transcript here', { seen: ELSEWHERE }, { ...found, machine: HERE }, 'resume ok'],
  ['nothing known of its life', {}, { transcript: { [S]: 'found' } }, 'wait liveness_unknown'],
  ['its life asked for in vain', {}, { running: 'unknown' }, 'wait liveness_unknown'],
  ['the pane is alive, which says nothing', {}, { surface: 'same' }, 'wait liveness_unknown'],
  ['seen in this boot', { seen: HERE }, { machine: HERE }, 'wait liveness_unknown'],
  ['seen in an earlier boot', { seen: EARLIER }, { machine: HERE }, 'resume ok'],
  ['its process dead', { proc: agent }, { verdicts: [{ owner: agent, verdict: 'dead' }] }, 'resume ok'],
  ['its process of an earlier boot', { proc: ownerOf(20) }, { machine: HERE }, 'resume ok'],
  ['its process alive', { proc: agent }, { verdicts: [{ owner: agent, verdict: 'alive' }] }, 'refuse already_running'],
  [
    'its process perhaps alive',
    { proc: agent },
    { verdicts: [{ owner: agent, verdict: 'unknown' }] },
    'wait liveness_unknown'
  ],
  ['the last attempt exited', { last_attempt: last('exited') }, {}, 'resume ok'],
  [
    'the last attempt exited, and it was seen since',
    { last_attempt: last('exited'), last_active: NOW - 1 },
    {},
    'wait liveness_unknown'
  ],
  [
    'the last attempt timed out',
    { last_attempt: last('timeout'), proc: agent },
    { verdicts: [{ owner: agent, verdict: 'dead' }] },
    'wait liveness_unknown'
  ],
  [
    'the last attempt timed out in an earlier boot',
    { last_attempt: last('timeout', NOW - 100_000, { owner: ownerOf(10) }), seen: EARLIER },
    { machine: HERE },
    'resume ok'
  ],
  ['policy off', { policy: 'off' }, found, 'refuse policy_off'],
  ['attempts used up', { attempts: 2, last_attempt: last('exited') }, found, 'refuse attempts_exhausted'],
  ['attempts used up long ago', { attempts: 2, last_attempt: last('exited', NOW - 4_000_000) }, found, 'resume ok'],
  [
    'a failure just now',
    { attempts: 1, last_attempt: last('exited', NOW - 1000) },
    found,
    'wait cooldown',
    { retryAt: NOW + 59_000 }
  ],
  [
    'a failure just now that the session was seen after',
    { attempts: 1, last_attempt: last('timeout', NOW - 1000, { seen_since: true }) },
    found,
    'resume ok'
  ],
  ['a success just now', { attempts: 1, last_attempt: last('ok', NOW - 1000) }, found, 'resume ok'],
  ['a failed start', { state: 'spawn_failed', last_attempt: last('not_started') }, {}, 'fresh spawn_failed'],
  [
    'a failed start that may have started after all',
    { state: 'spawn_failed', last_attempt: last('timeout') },
    {},
    'wait liveness_unknown'
  ],
  ['minted, transcript there', { state: 'minted' }, found, 'resume ok_unconfirmed'],
  ['minted, no transcript', { state: 'minted' }, missing, 'fresh never_started'],
  ['minted, transcript unknown', { state: 'minted' }, absent, 'wait start_unproven'],
  [
    'a placeholder, no transcript',
    { state: 'minted', sessionId: 'pending.a1' },
    { ...absent, candidates: [] },
    'fresh never_started'
  ],
  [
    'a placeholder, one transcript',
    { state: 'minted', sessionId: 'pending.a1' },
    { ...absent, candidates: ['c1'] },
    'resume ok_from_transcript',
    { sessionId: 'c1' }
  ],
  [
    'a placeholder, several transcripts',
    { state: 'minted', sessionId: 'pending.a1' },
    { ...absent, candidates: ['c1', 'c2'] },
    'refuse ambiguous'
  ],
  [
    'a placeholder, transcripts not asked for',
    { state: 'minted', sessionId: 'pending.a1' },
    absent,
    'wait start_unproven'
  ],
  [
    'a placeholder, transcripts not to be had',
    { state: 'minted', sessionId: 'pending.a1' },
    { ...absent, candidates: 'unknown' },
    'wait probe_failed'
  ],
  ['transcript gone', {}, missing, 'fresh session_gone'],
  ['never prompted', { prompted: false }, missing, 'fresh never_used'],
  ['said to be gone by the agent', { state: 'ended', reason: 'session_gone' }, { running: 'no' }, 'fresh session_gone'],
  ['the same, and its transcript is found again', { state: 'ended', reason: 'session_gone' }, found, 'resume ok'],
  [
    'transcript gone, an earlier one there and free',
    { previous },
    { ...absent, transcript: { [S]: 'missing', [BEFORE]: 'found' } },
    'resume ok_from_previous',
    { sessionId: BEFORE }
  ],
  [
    'transcript gone, an earlier one running elsewhere',
    { previous },
    { running: { [S]: 'no', [BEFORE]: { at: 's2' } }, transcript: { [S]: 'missing', [BEFORE]: 'found' } },
    'fresh session_gone'
  ],
  [
    'transcript gone, an earlier one perhaps running',
    { previous },
    { running: { [S]: 'no' }, transcript: { [S]: 'missing', [BEFORE]: 'found' } },
    'fresh session_gone'
  ],
  [
    'transcript gone, an earlier one that had ended',
    { previous: [{ sessionId: BEFORE, until: 1, why: 'ended' }] },
    { ...absent, transcript: { [S]: 'missing', [BEFORE]: 'found' } },
    'fresh session_gone'
  ],
  ['launch folder gone', {}, { ...found, cwd: 'missing' }, 'refuse cwd_missing', {}],
  ['a recycled surface', {}, { ...found, surface: 'recycled' }, 'resume ok', { warnings: ['surface_recycled'] }],
  ['policy manual', { policy: 'manual' }, found, 'resume ok', { policy: 'manual' }],
  ['all well', {}, found, 'resume ok', { warnings: [] }]
]

describe('decide', () => {
  it.each(TABLE)('%s', (_, known, evidence, answer, more = {}) => {
    const entry = known === null || known === 'unreadable' ? known : entryOf(known)
    const decision = decide(entry, evidence, { now: NOW })
    expect(`${decision.action} ${decision.reason}`).toBe(answer)
    expect(decision).toMatchObject(more)
    expect(decision.expect).toBe(fingerprint(entry === 'unreadable' ? null : entry))
    expect(explain(decision)).toMatch(/^(Resume|Start fresh|Wait|Refused)\b.*[^.]\.$/)
    const { what, next } = explanation(decision)
    expect(what).toMatch(/^(Resume|Start fresh|Wait|Refused)\b[^;]*[^.;]$/)
    expect(next).toMatch(/^[a-z].*[^.]$/)
    expect([`${what}.`, `${what}; ${next}.`]).toContain(explain(decision))
  })

  it('refuses where the agent resumes only from a launch folder that is gone', () => {
    const options = { now: NOW, resumeBoundToCwd: true, elsewhere: true }
    expect(decide(entryOf(), { ...found, cwd: 'missing' }, options).reason).toBe('cwd_missing')
  })

  it('resumes in another folder than one that is gone only where the caller names it', () => {
    const gone: Evidence = { ...found, cwd: 'missing' }
    expect(decide(entryOf(), gone, { now: NOW }).reason).toBe('cwd_missing')
    const named = decide(entryOf(), gone, { now: NOW, elsewhere: true })
    expect(named).toMatchObject({ action: 'resume', reason: 'ok', warnings: ['cwd_missing'] })
  })

  it('answers fresh for an age limit only where one was asked for', () => {
    const old = entryOf({ last_active: NOW - 2000 })
    expect(decide(old, found, { now: NOW }).reason).toBe('ok')
    expect(decide(old, found, { now: NOW, maxAgeMs: 1999 }).reason).toBe('too_stale')
    expect(decide(old, found, { now: NOW, maxAgeMs: 2000 }).reason).toBe('ok')
  })

  it('carries the hazards of the agent as warnings', () => {
    const decision = decide(entryOf(), found, { now: NOW, hazards: ['it eats its transcripts'] })
    expect(decision).toMatchObject({ action: 'resume', warnings: ['agent_hazard'], notes: ['it eats its transcripts'] })
  })

  it('names the step that was interrupted, in whatever answer', () => {
    const dispatch = { id: 'd1', step: 'deploy', owner, at: 1, result: 'open' } as const
    const dead: Evidence = { ...found, verdicts: [{ owner, verdict: 'dead' }] }
    for (const more of [{}, { policy: 'off' as const }, { state: 'ended' as const }]) {
      const decision = decide(entryOf({ dispatch, ...more }), dead, { now: NOW })
      expect(decision.interrupted).toBe('deploy')
      expect(explain(decision)).toContain('"deploy" was interrupted')
    }
    expect(decide(entryOf({ dispatch }), found, { now: NOW }).interrupted).toBeUndefined()
    expect(decide(entryOf({ dispatch: { ...dispatch, result: 'ok' } }), dead, { now: NOW }).interrupted).toBeUndefined()
  })

  it('has every reason in the table above, and a sentence for each', () => {
    const all = [...RESUME_REASONS, ...FRESH_REASONS, ...WAIT_REASONS, ...REFUSE_REASONS]
    const reached = new Set(TABLE.map(([, , , answer]) => answer.split(' ')[1]))
    expect(all.filter((reason) => !reached.has(reason))).toEqual(['too_stale'])
    expect([...EXPLAINED].sort()).toEqual([...all].sort())
  })
})

/** Every combination of these, in one walk. */
const STATES: readonly Partial<Entry>[] = [
  {},
  { state: 'minted' },
  { state: 'minted', sessionId: 'pending.a1' },
  { state: 'spawn_failed' },
  { state: 'ended', reason: 'done' },
  { state: 'ended', reason: 'moved', moved_to: 's7' },
  { state: 'ended', reason: 'session_gone' }
]
const SEEN = [undefined, HERE, EARLIER, ELSEWHERE]
const PROCS = [undefined, agent, ownerOf(20)]
const ATTEMPTS = [undefined, attempt, { ...attempt, owner: ownerOf(10) }]
const LASTS = [undefined, last('ok'), last('exited'), last('timeout'), last('exited', NOW - 1000)]
const COUNTS = [0, 2]
const POLICIES = ['auto', 'manual', 'off'] as const
const PREVIOUS = [previous]
const RUNNING: readonly Evidence['running'][] = [
  undefined,
  'no',
  'unknown',
  { [S]: 'no' },
  { [S]: { at: 's1' } },
  { [S]: { at: 's2' }, [BEFORE]: 'no' }
]
const VERDICTS = ['alive', 'dead', 'unknown'] as const
const SILENT = ['unknown'] as const
const TRANSCRIPTS: readonly Evidence['transcript'][] = [
  undefined,
  { [S]: 'found' },
  { [S]: 'missing', [BEFORE]: 'found' },
  { [S]: 'unknown' }
]
const CANDIDATES: readonly Evidence['candidates'][] = [undefined, [], ['c1'], 'unknown']
const TASKS = [undefined, 'closed', 'unknown'] as const
const MACHINES = [undefined, HERE]

describe('decide over everything', () => {
  it('is total, and never resumes or starts fresh without the proof it takes', { timeout: 120_000 }, () => {
    const wrong: string[] = []
    let count = 0
    const check = (holds: boolean, rule: string, entry: Entry, evidence: Evidence, decision: Decision): void => {
      if (!holds && wrong.length < 5) wrong.push(`${rule}: ${JSON.stringify({ entry, evidence, decision })}`)
    }
    for (const state of STATES)
      for (const seen of SEEN)
        for (const proc of PROCS)
          for (const open of ATTEMPTS)
            for (const lastAttempt of LASTS)
              for (const attempts of COUNTS)
                for (const policy of POLICIES)
                  for (const before of PREVIOUS) {
                    const entry = entryOf({
                      ...state,
                      attempts,
                      policy,
                      previous: before,
                      ...(seen && { seen }),
                      ...(proc && { proc }),
                      ...(open && { attempt: open }),
                      ...(lastAttempt && { last_attempt: lastAttempt })
                    })
                    for (const running of RUNNING)
                      for (const ownerSays of open === attempt ? VERDICTS : SILENT)
                        for (const agentSays of proc === agent ? VERDICTS : SILENT)
                          for (const transcript of TRANSCRIPTS)
                            for (const candidates of state.sessionId ? CANDIDATES : [undefined])
                              for (const task of TASKS)
                                for (const machine of MACHINES) {
                                  const evidence: Evidence = {
                                    verdicts: [
                                      { owner, verdict: ownerSays },
                                      { owner: agent, verdict: agentSays }
                                    ],
                                    ...(running && { running }),
                                    ...(transcript && { transcript }),
                                    ...(candidates && { candidates }),
                                    ...(task && { task }),
                                    ...(machine && { machine })
                                  }
                                  const decision = decide(entry, evidence, { now: NOW })
                                  count += 1
                                  judge(entry, evidence, decision, { ownerSays, agentSays, check })
                                }
                  }
    expect(wrong).toEqual([])
    expect(count).toBeGreaterThan(1_000_000)
  })
})

interface Judge {
  readonly ownerSays: (typeof VERDICTS)[number]
  readonly agentSays: (typeof VERDICTS)[number]
  readonly check: (holds: boolean, rule: string, entry: Entry, evidence: Evidence, decision: Decision) => void
}

/** What no decision may do, said without the code under test. */
function judge(entry: Entry, evidence: Evidence, decision: Decision, { ownerSays, agentSays, check }: Judge): void {
  const { action, reason } = decision
  const holds = (ok: boolean, rule: string): void => check(ok, rule, entry, evidence, decision)
  const reasons: Record<string, readonly string[]> = {
    resume: RESUME_REASONS,
    fresh: FRESH_REASONS,
    wait: WAIT_REASONS,
    refuse: REFUSE_REASONS
  }
  holds(reasons[action]?.includes(reason) ?? false, 'a reason of its action')
  const running = typeof evidence.running === 'object' ? evidence.running[S] : evidence.running
  const runs = typeof running === 'object'
  const openAlive = entry.attempt?.owner === owner && ownerSays !== 'dead'
  const acts = action === 'resume' || action === 'fresh'
  const mine = entry.sessionId === S
  if (mine && runs) holds(action === 'refuse', 'a running session is refused')
  if (entry.proc === agent && agentSays === 'alive') holds(action === 'refuse', 'a living process is refused')
  if (openAlive) holds(!acts, 'nobody acts over a claim that may live')
  if (evidence.task !== undefined) holds(!acts, 'nothing starts for a closed task')
  if (entry.state === 'ended' && entry.reason !== 'session_gone')
    holds(action !== 'resume', 'what ended is not resumed')
  if (entry.policy === 'off') holds(action !== 'resume', 'policy off is not resumed')
  const isGood = entry.last_attempt?.result === 'ok' && evidence.machine === HERE && entry.seen === EARLIER
  if (entry.attempts >= 2 && entry.last_attempt && !isGood) holds(action !== 'resume', 'used up is not resumed')
  if (action === 'resume' && decision.sessionId === S) {
    const saidNo = running === 'no'
    const earlier = entry.seen === EARLIER && evidence.machine === HERE
    const procDead =
      entry.proc !== undefined && (entry.proc === agent ? agentSays === 'dead' : evidence.machine === HERE)
    const gone = entry.last_attempt?.result === 'exited'
    holds(saidNo || earlier || procDead || gone, 'a resume rests on a proof of absence')
    const unsettled = entry.attempt?.owner === owner || entry.last_attempt?.result === 'timeout'
    if (unsettled) holds(saidNo, 'what an attempt may have started is not overlooked')
  }
  const kept = evidence.transcript?.[S] === 'found'
  if (action === 'fresh' && entry.state === 'ready') holds(!kept, 'no fresh over a session whose transcript is there')
  if (action === 'fresh' && entry.state === 'minted' && mine)
    holds(!kept, 'no fresh over a start that left a transcript')
}

describe('a session without its transcript', () => {
  const mark = { size: 9, head: '0123456789abcdef' }
  it.each<[string, Partial<Entry>, TranscriptState, string]>([
    ['whose hooks saw it begin and no prompt', { prompted: false }, 'missing', 'fresh never_used'],
    ['whose file is there, and holds no message', {}, 'unused', 'fresh never_used'],
    [
      'that its agent did not know',
      { state: 'ended', reason: 'session_gone', prompted: false },
      'missing',
      'fresh never_used'
    ],
    ['of which nothing else is known', {}, 'missing', 'fresh session_gone'],
    ['with a prompt', { prompted: true }, 'missing', 'fresh session_gone'],
    ['with a prompt, whose file holds no message', { prompted: true }, 'unused', 'fresh session_gone'],
    ['whose transcript was seen once', { prompted: false, mark }, 'missing', 'fresh session_gone'],
    ['that cannot be looked for', { prompted: false }, 'unknown', 'resume ok']
  ])('%s', (_, fields, state, answer) => {
    const evidence: Evidence = { running: 'no', transcript: { [SIX.sessionId]: state } }
    const { action, reason } = decide(entryOf(fields), evidence, { now: 3000 })
    expect(`${action} ${reason}`).toBe(answer)
  })

  it('gives way to an earlier one that can be resumed', () => {
    const evidence: Evidence = { running: 'no', transcript: { [SIX.sessionId]: 'unused', before: 'found' } }
    const entry = entryOf({ previous: earlier('before') })
    expect(decide(entry, evidence, { now: 3000 })).toMatchObject({ reason: 'ok_from_previous', sessionId: 'before' })
  })
})

describe('an agent that removes conversations by their age', () => {
  const DAY = 24 * 60 * 60 * 1000
  const now = 100 * DAY
  const asked = (ageDays: number, state: TranscriptState, fields: Partial<Entry> = {}): Decision => {
    const retention = { [SIX.sessionId]: { days: 30, since: now - ageDays * DAY } }
    const evidence: Evidence = { running: 'no', transcript: { [SIX.sessionId]: state }, retention }
    return decide(entryOf(fields), evidence, { now })
  }
  it.each<[string, Decision, string | null]>([
    ['is said nothing of early', asked(22, 'found'), null],
    ['is said of a week ahead', asked(23.5, 'found'), 'in 7 days'],
    ['is said of on the last day', asked(29.5, 'found'), 'within a day'],
    ['is said of when it is due', asked(31, 'found'), 'at any time'],
    ['is said of where something else stands against a resume', asked(29, 'found', { policy: 'off' }), 'within a day'],
    ['explains one that is gone', asked(45, 'missing'), '45 days old'],
    ['explains no younger one', asked(12, 'missing'), null],
    ['is said nothing of one that was ended', asked(29, 'found', { state: 'ended' }), null]
  ])('%s', (_, { warnings, notes }, words) => {
    expect(warnings.includes('transcript_expires')).toBe(words !== null)
    expect(notes.join()).toContain(words ?? '')
  })

  it('is in the sentence of one that is gone', () => {
    expect(explain(asked(45, 'missing'))).toContain('removes a conversation 30 days after its last use')
  })
})
