/*
 * Failures of other tools' recoveries, from their public bug reports: what is resumed after a crash, how often, where
 * and by which line. Each title names the report. Those of hooks are in hooks/field-cases.test.ts.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type Entry,
  type Evidence,
  gate,
  loadIndex,
  lookup,
  openStore,
  type RecoverOptions,
  type RecoveryReport,
  recordToFile,
  recoverAll,
  resumeCommand,
  type Store
} from '../../src/index.js'
import { probeMachine } from '../../src/probes/probe.js'
import { entryOf } from '../core/samples.js'
import { Story } from '../core/story.js'

let folder: string
let path: string
let store: Store
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reported-'))
  path = join(folder, 'index.json')
  store = openStore(path)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const ID = '0d4ff5f1-6a5b-4f0e-9d55-3a9d7f6c1b2e'
const OTHER = '1e5aa6a2-7b6c-4a1f-8e66-4b0e8a7d2c3f'

/** The word of a caller that looked: nothing runs, and the transcript is there. The rest is looked at here. */
const probe: NonNullable<RecoverOptions['probe']> = async (question) => ({
  ...(await probeMachine(question)),
  running: 'no',
  transcript: question.entry === null ? {} : { [question.entry.sessionId]: 'found' }
})

/** An index as other tools write it, by hand or by copying files together. */
function write(...entries: readonly Partial<Entry>[]): void {
  const all = entries.map((fields) => entryOf(fields))
  const text = JSON.stringify({ version: 1, entries: Object.fromEntries(all.map((one) => [one.surfaceId, one])) })
  writeFileSync(path, text)
}

const at = (surfaceId: string): Entry => lookup(loadIndex(path), surfaceId) as Entry
const said = ({ rows }: RecoveryReport): Record<string, string> =>
  Object.fromEntries(rows.map(({ surfaceId, outcome, reason }) => [surfaceId, `${outcome} ${reason}`]))

describe('a session is started once', () => {
  it('though two of ten surfaces hold it; the session that one of them had before is kept (cmux#7934)', async () => {
    const own = { sessionId: 'session-of-9', until: 5, why: 'replaced' } as const
    const ten = Array.from({ length: 10 }, (_, n) => ({ surfaceId: `s${n}`, sessionId: `session-${Math.min(n, 8)}` }))
    write(...ten.map((entry) => (entry.surfaceId === 's9' ? { ...entry, previous: [own] } : entry)))
    const started: string[] = []
    const pass = (): Promise<RecoveryReport> =>
      recoverAll(store, {
        probe,
        resume: async ({ entry }) => {
          started.push(entry.sessionId)
          return 'ok'
        }
      })
    // One session, one surface: made so when the file is read.
    const report = await pass()
    expect(report).toMatchObject({ resumed: 9, skipped: 1, total: 10 })
    expect(started.sort()).toEqual([...new Set(ten.map(({ sessionId }) => sessionId))])
    const [holder = '', mover = ''] = said(report)['s8'] === 'resumed ok' ? ['s8', 's9'] : ['s9', 's8']
    expect(said(report)).toMatchObject({ [holder]: 'resumed ok', [mover]: 'skipped moved' })
    expect(at(mover)).toMatchObject({ state: 'ended', reason: 'moved', moved_to: holder })
    expect([...at('s8').previous, ...at('s9').previous]).toContainEqual(own)
    expect(said(await pass())).toMatchObject({ [mover]: 'skipped moved' })
  })

  it('by one of several watchers that all saw the pane exit (agent-deck#1040)', async () => {
    await recordToFile(path, { surfaceId: 's', sessionId: ID, repo: 'golems', agent: 'claude' })
    const watchers = Array.from({ length: 5 }, () => openStore(path))
    const request = { surfaceId: 's', repo: 'golems', agent: 'claude' }
    const answers = await Promise.all(watchers.map((one) => gate(one, request, {}, { probe: probe })))
    expect(answers.map(({ action, reason }) => `${action} ${reason}`).sort()).toEqual([
      ...Array(4).fill('refuse claimed'),
      'resume ok'
    ])
  })

  it('and is there for the next crash, and the next (cmux#4782)', async () => {
    await recordToFile(path, { surfaceId: 's', sessionId: ID, repo: 'golems' })
    let now = Date.now()
    for (let crash = 0; crash < 5; crash++) {
      const report = await recoverAll(store, { probe, now: () => now, resume: async () => 'ok' })
      expect(said(report)).toEqual({ s: 'resumed ok' })
      // It lives for long enough to have come through.
      now += 10 * 60_000
      await recordToFile(path, { surfaceId: 's', sessionId: ID, repo: 'golems' }, { now })
    }
  })

  it('and an idle agent at shutdown is one to be resumed (cmux#5802)', () => {
    const story = new Story()
    const claude = story.start()
    story.hook('session-a', claude)
    story.pass(600)
    story.exit('session-a', 'other')
    story.reboot()
    expect(story.say({ transcript: { 'session-a': 'found' } })).toBe('resume ok')
  })
})

describe('a recovery destroys nothing', () => {
  it('when a resume that fails reports a session of its own (cmux#6014)', () => {
    const story = new Story()
    const first = story.start()
    story.hook('good', first)
    story.kill(first)
    const { attemptId } = story.gate(story.start(), { transcript: { good: 'found' } })
    const failing = story.start()
    story.hook('hollow', failing)
    story.kill(failing)
    story.settle(attemptId, { failed: 'exited', why: 'No conversation found' })
    story.pass(2)
    const evidence: Evidence = {
      running: { good: 'no', hollow: 'no' },
      transcript: { good: 'found', hollow: 'missing' }
    }
    expect(story.decide(evidence)).toMatchObject({ action: 'resume', reason: 'ok_from_previous', sessionId: 'good' })
  })

  it('when one of ten exits early and one cannot be looked at (agent-of-empires#2153)', async () => {
    const names = Array.from({ length: 10 }, (_, n) => `s${n}`)
    write(...names.map((surfaceId) => ({ surfaceId, sessionId: `session-${surfaceId}` })))
    const report = await recoverAll(store, {
      probe: (question) => {
        if (question.surfaceId === 's3') throw new Error('EIO')
        return probe(question)
      },
      resume: async ({ entry }) => (entry.surfaceId === 's7' ? { failed: 'exited', why: 'rate limited' } : 'ok')
    })
    expect(report).toMatchObject({ resumed: 8, failed: 2, total: 10 })
    expect(names.map((name) => at(name).sessionId)).toEqual(names.map((name) => `session-${name}`))
    expect(names.map((name) => at(name).state)).toEqual(names.map(() => 'ready'))
    expect([at('s3').attempts, at('s7').attempts]).toEqual([0, 1])
  })
})

describe('a plan', () => {
  it('has an order, and a default that starts few at once (herdr#4102, herdr#126, claude-squad#212)', async () => {
    const names = Array.from({ length: 25 }, (_, n) => `pane-${n}`)
    write(...names.map((surfaceId) => ({ surfaceId, sessionId: `session-${surfaceId}` })))
    const resume = async (): Promise<'ok'> => {
      under += 1
      most = Math.max(most, under)
      await new Promise((wake) => setTimeout(wake, 2))
      under -= 1
      return 'ok'
    }
    let under = 0
    let most = 0
    const plan = await recoverAll(store, { probe, resume, dryRun: true })
    expect(plan.rows.map(({ surfaceId, reason }) => [surfaceId, reason])).toEqual(
      names.map((name) => [name, 'planned'])
    )
    expect(most).toBe(0)
    const done = await recoverAll(store, { probe, resume })
    expect(done.rows.map(({ surfaceId }) => surfaceId)).toEqual(names)
    expect(done.resumed).toBe(25)
    expect(most).toBeLessThanOrEqual(4)
  })
})

describe('a folder that is gone', () => {
  it('is never started in, tried again or paid for, and is gone no longer once it is back (autonomous-harness#72, orca#17745)', async () => {
    const cwd = join(folder, 'worktree')
    mkdirSync(cwd)
    await recordToFile(path, { surfaceId: 's', sessionId: ID, repo: 'golems', agent: 'claude', cwd })
    rmdirSync(cwd)
    const started: (string | undefined)[] = []
    const pass = (): Promise<RecoveryReport> =>
      recoverAll(store, {
        probe,
        resume: async ({ spec }) => {
          started.push(spec.cwd)
          return 'ok'
        }
      })
    for (let time = 0; time < 3; time++) {
      expect(said(await pass())).toEqual({ s: 'skipped cwd_missing' })
      expect(at('s')).toMatchObject({ sessionId: ID, cwd, attempts: 0 })
    }
    mkdirSync(cwd)
    expect(said(await pass())).toEqual({ s: 'resumed ok' })
    expect(started).toEqual([cwd])
  })
})

describe('an agent on another machine', () => {
  it('is given no conversation of this one, whatever lies in the same folder (agent-of-empires#3546)', async () => {
    const seen = { host: 'the-other-machine', bootId: 'b' }
    const remote = { repo: 'golems', agent: 'claude', cwd: folder, seen }
    await recordToFile(path, { surfaceId: 'ssh', sessionId: ID, ...remote })
    await recordToFile(path, { surfaceId: 'here', sessionId: OTHER, repo: 'golems', agent: 'claude', cwd: folder })
    const local: Evidence = { transcript: { [OTHER]: 'found', [ID]: 'missing' } }
    const answer = await gate(store, { surfaceId: 'ssh', repo: 'golems', agent: 'claude' }, local)
    expect(answer).toMatchObject({ action: 'refuse', reason: 'foreign_host' })
    expect(answer.spec).toBeUndefined()
    expect(at('ssh')).toMatchObject({ sessionId: ID, previous: [] })
  })
})

describe('the line', () => {
  it('reaches the program as the flags were, past files that a pattern would match (tmux-assistant-resurrect#10)', async () => {
    const flags = ['--model', 'claude-opus-4-6[1m]']
    await recordToFile(path, { surfaceId: 's', sessionId: ID, repo: 'golems', agent: 'claude', cwd: folder, flags })
    for (const name of ['claude-opus-4-61', 'claude-opus-4-6m']) writeFileSync(join(folder, name), '')
    const program = join(folder, 'claude')
    writeFileSync(program, '#!/bin/sh\nprintf "%s\\n" "$@"\n')
    chmodSync(program, 0o755)
    const line = resumeCommand(loadIndex(path), 's') ?? ''
    const env = { PATH: `${folder}:${process.env['PATH']}` }
    const { stdout } = spawnSync('sh', ['-c', line], { env, encoding: 'utf8' })
    expect(stdout.trimEnd().split('\n')).toEqual(['--resume', ID, ...flags])
  })
})
