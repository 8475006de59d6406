/** A conversation that goes on under another id, by what Claude Code 2.1.332 leaves on disk. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AGENTS } from '../../src/agents/table.js'
import { conversationOf } from '../../src/core/evidence.js'
import { conversationsOf, nextSession } from '../../src/probes/continued.js'

const A = '84cd5d3f-1a62-45fe-8e8f-5450fd198549'
const B = '9a131511-8676-461a-94d0-49450b1d49b7'
const C = 'fea6d846-18d3-424d-8b2f-2139fd7338d4'
const proc = { host: 'h', pid: 4711, start: '123' }
const row = AGENTS.claude

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cri-continued-'))
})
afterEach(() => rmSync(home, { recursive: true }))

const put = (path: string, ...lines: readonly object[]): void => {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  appendFileSync(join(home, path), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}
const pathOf = (id: string): string => `.claude/projects/-work/${id}.jsonl`
const transcript = (id: string, ...more: readonly object[]): void => put(pathOf(id), { type: 'user' }, ...more)
const note = (fields: object): void =>
  put('.claude/sessions/4711.json', { pid: 4711, sessionId: A, procStart: '123', ...fields })
const job = (first: string, now?: string): void =>
  put(`.claude/jobs/${first.slice(0, 8)}/state.json`, { sessionId: first, resumeSessionId: now })
const wentOn = (as: string): object => ({ type: 'continued-in', sessionId: A, continuedInSessionId: as })

const next = async (id = A): Promise<string | null> => {
  const answer = await nextSession(row, { sessionId: id, proc, transcript: join(home, pathOf(id)) }, { HOME: home })
  return answer.known ? answer.value : 'unknown'
}

describe('the next session', () => {
  beforeEach(() => transcript(A))

  test('there is none without a trace', async () => {
    expect(await next()).toBeNull()
    note({})
    expect(await next()).toBeNull()
  })

  test('by the job in the note of the process', async () => {
    note({ parkedJobId: B.slice(0, 8) })
    expect(await next()).toBe('unknown')
    job(B, B)
    expect(await next()).toBe(B)
  })

  test('not by the note of an earlier process of that number', async () => {
    note({ parkedJobId: B.slice(0, 8), procStart: '99' })
    expect(await next()).toBeNull()
  })

  test('it is not known where the process handed over another session', async () => {
    note({ parkedJobId: B.slice(0, 8), sessionId: C })
    job(B, B)
    expect(await next()).toBe('unknown')
  })

  test('by the end of the transcript, behind which only notes may stand', async () => {
    transcript(A, wentOn(B), { type: 'last-prompt' }, { type: 'cost-state' })
    expect(await next()).toBe(B)
    appendFileSync(join(home, pathOf(A)), '{"type":"torn')
    expect(await next()).toBe(B)
  })

  test('not where the conversation went on in the old session after that', async () => {
    transcript(A, wentOn(B), { type: 'assistant' }, { type: 'last-prompt' })
    expect(await next()).toBeNull()
  })

  test('by the end of a transcript that is longer than what is read of it', async () => {
    transcript(A, { type: 'assistant', text: 'x'.repeat(200_000) }, wentOn(B))
    expect(await next()).toBe(B)
  })

  test('by the job that it began as, which a /clear takes to another one', async () => {
    transcript(B)
    job(B, B)
    expect(await next(B)).toBeNull()
    rmSync(join(home, '.claude/jobs'), { recursive: true })
    job(B, C)
    expect(await next(B)).toBe(C)
  })

  test('not by the job of another session that begins alike', async () => {
    transcript(B)
    job(`${B.slice(0, 8)}-0000-4000-8000-000000000000`, C)
    expect(await next(B)).toBeNull()
  })

  test('it is not known by a file that cannot be read', async () => {
    mkdirSync(join(home, '.claude/jobs', A.slice(0, 8)), { recursive: true })
    writeFileSync(join(home, '.claude/jobs', A.slice(0, 8), 'state.json'), '{"sess')
    expect(await next()).toBe('unknown')
  })
})

test('a conversation is followed to the last session that has a transcript', async () => {
  transcript(A, wentOn(B))
  job(B, C)
  const entry = { sessionId: A, agent: 'claude', cwd: '/work' }
  const found = (): ReturnType<typeof conversationsOf> => conversationsOf(row, entry, { HOME: home })
  expect(await found()).toMatchObject({
    transcript: { [A]: 'found', [B]: 'missing', [C]: 'missing' },
    continued: { [A]: { as: B }, [B]: { as: C }, [C]: 'no' }
  })
  expect(conversationOf(await found(), A)).toEqual({ sessions: [A, B, C], sessionId: A })
  transcript(C)
  expect(conversationOf(await found(), A)).toEqual({ sessions: [A, B, C], sessionId: C })
})

test('an agent that leaves no such traces is not asked', async () => {
  const { continued } = await conversationsOf(AGENTS.codex, { sessionId: A, agent: 'codex' }, { HOME: home })
  expect(continued).toEqual({})
})
