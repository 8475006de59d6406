import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { gateFor, setPolicyInFile } from '../../src/admin.js'
import { noteMark } from '../../src/core/verbs.js'
import {
  type Entry,
  type Evidence,
  endInFile,
  gate,
  loadIndex,
  lookup,
  openStore,
  ownerOf,
  preview,
  type RecoverOptions,
  type RecoveryReport,
  recordToFile,
  recoverAll,
  type Store,
  updateIndex
} from '../../src/index.js'

let folder: string
let path: string
let store: Store

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'recovery-'))
  path = join(folder, 'index.json')
  store = openStore(path)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const free = (entry: Entry | null): Evidence =>
  entry === null ? {} : { running: 'no', transcript: { [entry.sessionId]: 'found' } }
const probe: NonNullable<RecoverOptions['probe']> = ({ entry }) => free(entry)

const B = { surfaceId: 'b', sessionId: 'session-b' }

async function surfaces(...names: readonly string[]): Promise<void> {
  for (const name of names) await recordToFile(path, { surfaceId: name, sessionId: `session-${name}`, repo: 'golems' })
}

function sums({ rows, resumed, pending, failed, skipped, total }: RecoveryReport): void {
  expect(resumed + pending + failed + skipped).toBe(total)
  expect(rows.length).toBe(total)
}

const outcomes = (report: RecoveryReport): Record<string, string> =>
  Object.fromEntries(report.rows.map(({ surfaceId, outcome, reason }) => [surfaceId, `${outcome} ${reason}`]))

describe('recoverAll', () => {
  it('resumes each entry in its own session, with the attempt open on disk while it does', async () => {
    await surfaces('a', 'b', 'c')
    const seen: string[] = []
    const report = await recoverAll(store, {
      probe,
      resume: async ({ entry, attempt, spec }) => {
        const onDisk = lookup(loadIndex(path), entry.surfaceId)
        expect(onDisk?.attempt?.id).toBe(attempt)
        expect(onDisk?.attempt?.owner.pid).toBe(process.pid)
        seen.push([spec.file, ...spec.args].join(' '))
        return 'ok'
      }
    })
    sums(report)
    expect(outcomes(report)).toEqual({ a: 'resumed ok', b: 'resumed ok', c: 'resumed ok' })
    expect(seen.sort()).toEqual(['a', 'b', 'c'].map((name) => `golemsClaude --resume session-${name}`))
    for (const name of ['a', 'b', 'c']) {
      expect(lookup(loadIndex(path), name)).toMatchObject({ state: 'ready', last_attempt: { result: 'ok' } })
      expect(lookup(loadIndex(path), name)?.attempt).toBeUndefined()
    }
  })

  it('accounts for every entry, one reason each', async () => {
    await surfaces('ended', 'manual', 'off', 'waits', 'gone', 'fails', 'throws', 'resumes', 'probe', 'fresh')
    await endInFile(path, { surfaceId: 'ended', reason: 'done' })
    await setPolicyInFile(path, { surfaceId: 'manual', policy: 'manual' })
    await setPolicyInFile(path, { surfaceId: 'off', policy: 'off' })
    const raw = JSON.parse(JSON.stringify({ ...loadIndex(path) }))
    raw.entries.broken = { surfaceId: 'broken', sessionId: '-no id' }
    writeFileSync(path, JSON.stringify({ version: 1, revision: raw.revision, entries: raw.entries }))
    const report = await recoverAll(store, {
      probe: ({ entry }) => {
        if (entry?.surfaceId === 'probe') throw new Error('the resolver is down')
        if (entry?.surfaceId === 'waits') return {}
        if (entry?.surfaceId === 'fresh') return { running: 'no', transcript: { [entry.sessionId]: 'missing' } }
        return free(entry)
      },
      resume: async ({ entry }) => {
        if (entry.surfaceId === 'gone') return { failed: 'session_gone', why: 'No conversation found' }
        if (entry.surfaceId === 'fails') return { failed: 'exited', why: 'no such option' }
        if (entry.surfaceId === 'throws') throw new Error('spawn EAGAIN')
        return 'ok'
      }
    })
    sums(report)
    expect(outcomes(report)).toEqual({
      broken: 'skipped entry_unreadable',
      ended: 'skipped ended',
      fails: 'failed exited',
      fresh: 'pending session_gone',
      gone: 'pending session_gone',
      manual: 'pending manual',
      off: 'skipped policy_off',
      probe: 'failed error',
      resumes: 'resumed ok',
      throws: 'failed error',
      waits: 'pending liveness_unknown'
    })
    const errors = Object.fromEntries(report.rows.map(({ surfaceId, error }) => [surfaceId, error]))
    expect(errors['probe']).toMatchObject({ message: 'the resolver is down' })
    expect(errors['throws']).toMatchObject({ message: 'spawn EAGAIN' })
    expect(report.rows.find(({ surfaceId }) => surfaceId === 'fails')?.why).toBe('no such option')
    const index = loadIndex(path)
    expect(lookup(index, 'gone')).toMatchObject({ state: 'ended', reason: 'session_gone' })
    expect(lookup(index, 'throws')?.last_attempt).toMatchObject({ result: 'other', why: 'spawn EAGAIN' })
    // A probe that failed spends no attempt, and neither does an entry that was not tried.
    expect(lookup(index, 'probe')?.attempts).toBe(0)
    expect(lookup(index, 'waits')?.attempts).toBe(0)
    expect(lookup(index, 'fails')?.attempts).toBe(1)
  })

  it('answers a session that turned out to be gone with fresh at the next gate, without a cooldown', async () => {
    await surfaces('a')
    await recoverAll(store, { probe, resume: async () => ({ failed: 'session_gone' }) })
    const answer = await gate(store, { surfaceId: 'a', repo: 'golems' }, { running: 'no' }, { probe: () => ({}) })
    expect(answer).toMatchObject({ action: 'fresh', reason: 'session_gone' })
    await answer.settle('ok')
    expect(lookup(loadIndex(path), 'a')).toMatchObject({ state: 'ready', gen: 2 })
  })

  it('claims nothing and resumes nothing in a dry run', async () => {
    await surfaces('a', 'b')
    const before = loadIndex(path).revision
    const report = await recoverAll(store, {
      probe,
      dryRun: true,
      resume: () => {
        throw new Error('resumed in a dry run')
      }
    })
    sums(report)
    expect(outcomes(report)).toEqual({ a: 'pending planned', b: 'pending planned' })
    expect(loadIndex(path).revision).toBe(before)
  })

  it('begins nothing more once it is aborted, and still accounts for everyone', async () => {
    await surfaces('a', 'b', 'c', 'd')
    const abort = new AbortController()
    const report = await recoverAll(store, {
      probe,
      concurrency: 1,
      signal: abort.signal,
      resume: async ({ signal }) => {
        abort.abort()
        expect(signal.aborted).toBe(true)
        return 'ok'
      }
    })
    sums(report)
    expect(report).toMatchObject({ resumed: 1, pending: 3, total: 4 })
    expect(report.rows.filter(({ reason }) => reason === 'aborted').length).toBe(3)
  })

  it('runs no more resumes at once than is allowed, and keeps their starts apart', async () => {
    await surfaces('a', 'b', 'c', 'd', 'e', 'f')
    let under = 0
    let most = 0
    const starts: number[] = []
    await recoverAll(store, {
      probe,
      concurrency: 2,
      staggerMs: 20,
      resume: async () => {
        starts.push(performance.now())
        under += 1
        most = Math.max(most, under)
        // Until two have met; then long enough for a third that should not be there.
        while (most < 2) await new Promise((wake) => setTimeout(wake, 1))
        await new Promise((wake) => setTimeout(wake, 50))
        under -= 1
        return 'ok'
      }
    })
    expect(most).toBe(2)
    const gaps = starts.slice(1).map((start, at) => start - (starts[at] ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThan(18)
  })

  it('tells its progress, and survives a listener that throws', async () => {
    await surfaces('a', 'b')
    const steps: string[] = []
    const report = await recoverAll(store, {
      probe,
      concurrency: 1,
      resume: async () => 'ok',
      onProgress: ({ step, surfaceId, done, total }) => {
        steps.push(`${surfaceId} ${step} ${done}/${total}`)
        throw new Error('a listener')
      }
    })
    expect(report.resumed).toBe(2)
    expect(steps).toEqual([
      'a probing 0/2',
      'a resuming 0/2',
      'a done 1/2',
      'b probing 1/2',
      'b resuming 1/2',
      'b done 2/2'
    ])
  })

  it('resumes each session once when two passes run at the same time', async () => {
    await surfaces('a', 'b', 'c', 'd', 'e')
    const resumed: string[] = []
    const pass = (): Promise<RecoveryReport> =>
      recoverAll(openStore(path), {
        probe: (question) => ({ ...free(question.entry), verdicts: verdictsOn(question.entry) }),
        resume: async ({ entry }) => {
          resumed.push(entry.sessionId)
          await new Promise((wake) => setTimeout(wake, 30))
          return 'ok'
        }
      })
    const reports = await Promise.all([pass(), pass()])
    for (const report of reports) sums(report)
    expect(reports.reduce((sum, { resumed: count }) => sum + count, 0)).toBe(resumed.length)
    expect(new Set(resumed).size).toBe(5)
    // The loser of a claim is refused while the winner is at it; one that comes later finds what it is told: free.
    const refused = reports.flatMap(({ rows }) => rows).filter(({ reason }) => reason === 'claimed')
    expect(refused.length + resumed.length).toBe(10)
  })

  it('takes a person’s word for what nothing can tell, and for nothing that is found running', async () => {
    await surfaces('a', 'b')
    const unclear: typeof probe = ({ entry, surfaceId }) => ({
      running: { [entry?.sessionId ?? '']: surfaceId === 'a' ? 'unknown' : { at: 'b' } },
      transcript: { [entry?.sessionId ?? '']: 'found' }
    })
    const pass = { probe: unclear, resume: async () => 'ok' as const }
    expect(outcomes(await recoverAll(store, pass))['a']).toBe('pending liveness_unknown')
    expect(outcomes(await recoverAll(store, { ...pass, notRunning: true }))).toMatchObject({
      a: 'resumed ok',
      b: expect.stringContaining('already_running')
    })
  })

  it('counts what is started, ends in attempts_exhausted instead of looping, and goes on when a person says so', async () => {
    await surfaces('a')
    let now = Date.now()
    const pass = (): Promise<RecoveryReport> =>
      recoverAll(store, { probe, now: () => now, resume: async () => ({ failed: 'exited', why: 'dies at once' }) })
    const reasons: string[] = []
    for (let round = 0; round < 4; round++) {
      reasons.push((await pass()).rows[0]?.reason ?? '')
      now += 61_000
    }
    expect(reasons).toEqual(['exited', 'exited', 'attempts_exhausted', 'attempts_exhausted'])
    expect(lookup(loadIndex(path), 'a')?.last_attempt?.why).toBe('dies at once')
    await setPolicyInFile(path, { surfaceId: 'a', policy: 'auto' })
    expect((await pass()).rows[0]?.reason).toBe('exited')
  })
})

function verdictsOn(entry: Entry | null): NonNullable<Evidence['verdicts']> {
  const owner = entry?.attempt?.owner
  return owner === undefined ? [] : [{ owner, verdict: 'alive' }]
}

describe('gate', () => {
  const request = { surfaceId: 'a', repo: 'golems', agent: 'claude', cwd: '/somewhere' }
  const options = { probe: () => ({ running: 'no' as const }) }

  it('mints where nothing is known, with the id in the command and the marker on disk', async () => {
    const answer = await gate(store, request, {}, options)
    expect(answer).toMatchObject({ action: 'fresh', reason: 'unknown_surface' })
    expect(answer.spec?.args).toEqual(['--session-id', answer.sessionId])
    expect(answer.spec?.env).toEqual({ CRASH_RESUME_SURFACE: 'a', CRASH_RESUME_ATTEMPT: answer.attempt })
    const entry = lookup(loadIndex(path), 'a')
    expect(entry).toMatchObject({ state: 'minted', sessionId: answer.sessionId, attempt: { id: answer.attempt } })
    expect((await answer.settle('ok'))?.state).toBe('ready')
    expect(lookup(loadIndex(path), 'a')?.attempt).toBeUndefined()
  })

  it('mints a placeholder for an agent that cannot be given an id', async () => {
    const answer = await gate(store, { ...request, agent: 'codex' }, {}, options)
    expect(answer.action).toBe('fresh')
    expect(answer.sessionId).toBeUndefined()
    expect(answer.spec?.args).toEqual([])
    const settled = await answer.settle('ok', { sessionId: '01a22707-ee6e-7eb3-b1a4-87d2fb49c605' })
    expect(settled).toMatchObject({ state: 'ready', sessionId: '01a22707-ee6e-7eb3-b1a4-87d2fb49c605', previous: [] })
  })

  it('claims what may be resumed, and refuses a second caller by the name of the first', async () => {
    await recordToFile(path, { ...request, sessionId: '0d4ff5f1-6a5b-4f0e-9d55-3a9d7f6c1b2e' })
    const evidence: Evidence = {
      running: 'no',
      cwd: 'found',
      transcript: { '0d4ff5f1-6a5b-4f0e-9d55-3a9d7f6c1b2e': 'found' }
    }
    const first = await gate(store, request, evidence)
    expect(first).toMatchObject({ action: 'resume', reason: 'ok' })
    const second = await gate(store, request, evidence)
    expect(second).toMatchObject({ action: 'refuse', reason: 'claimed', decision: { owner: ownerOf(process.pid) } })
    expect(second.sentence).toContain(`process ${process.pid}`)
    expect(second.attempt).toBeUndefined()
    expect(await second.settle('ok')).not.toBeNull()
    expect(lookup(loadIndex(path), 'a')?.attempt?.id).toBe(first.attempt)
  })

  it('waits where the index is damaged, and says so', async () => {
    writeFileSync(path, 'no index')
    const answer = await gate(store, request, {}, options)
    expect(answer).toMatchObject({ action: 'wait', reason: 'index_damaged' })
    expect(answer.spec).toBeUndefined()
  })

  it('takes an entry that cannot be read for anything but fresh', async () => {
    writeFileSync(path, JSON.stringify({ version: 1, entries: { a: { surfaceId: 'a' } } }))
    const answer = await gate(store, request, {}, options)
    expect(answer).toMatchObject({ action: 'refuse', reason: 'entry_unreadable' })
  })

  it('answers with what is true once another writer has come between', async () => {
    await recordToFile(path, { ...request, sessionId: 'one' })
    let looks = 0
    const probe = async (): Promise<Evidence> => {
      looks += 1
      if (looks === 1) await recordToFile(path, { ...request, sessionId: 'two' }, { now: Date.now() + 5 })
      return { running: 'no' }
    }
    const answer = await gate(store, request, {}, { probe })
    expect(looks).toBe(2)
    expect(answer).toMatchObject({ action: 'resume', sessionId: 'two' })
  })

  it('reserves only what is asked for', async () => {
    const answer = await gateFor('resume', store, request, {}, options)
    expect(answer).toMatchObject({ action: 'fresh' })
    expect(answer.attempt).toBeUndefined()
    expect(lookup(loadIndex(path), 'a')).toBeNull()
  })

  it('leaves a transcript that has lost something to a person', async () => {
    await surfaces('a', 'b')
    await updateIndex(path, (index) => noteMark(index, { ...B, mark: { size: 9, head: 'f'.repeat(16) } }))
    const shrunk: typeof probe = ({ entry }) => ({
      running: 'no',
      transcript: { [entry?.sessionId ?? '']: entry?.surfaceId === 'b' ? 'shrunk' : 'found' }
    })
    const resume: RecoverOptions['resume'] = async () => 'ok'
    expect(outcomes(await recoverAll(store, { probe: shrunk, resume }))).toEqual({
      a: 'resumed ok',
      b: 'pending transcript_shrunk'
    })
    expect(lookup(loadIndex(path), 'b')?.mark).toBeDefined()
    // It lost something between the plan and its turn.
    let looks = 0
    const late: typeof probe = (target) => (looks++ === 0 ? free(target.entry) : shrunk(target))
    const only = ({ surfaceId }: Entry): boolean => surfaceId === 'b'
    expect(outcomes(await recoverAll(store, { probe: late, resume, only }))).toEqual({ b: 'pending transcript_shrunk' })
    // The gate leaves it to its caller, who is told.
    expect(await preview(store, { surfaceId: 'b', repo: 'golems' }, {}, { probe: shrunk })).toMatchObject({
      decision: { action: 'resume', warnings: ['transcript_shrunk'], notes: [expect.stringContaining('smaller')] }
    })
    const word = { probe: shrunk, resume, only, shrunk: true }
    expect(outcomes(await recoverAll(store, word))).toEqual({ b: 'resumed ok' })
    expect(lookup(loadIndex(path), 'b')?.mark).toBeUndefined()
  })
})
