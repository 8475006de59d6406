import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { claudeProjectSlug } from '../../src/agents/claude-slug.js'
import { decide } from '../../src/core/decide.js'
import type { Evidence } from '../../src/core/evidence.js'
import type { Entry, Index } from '../../src/core/schema.js'
import { settle } from '../../src/core/settle.js'
import { emptyIndex, record } from '../../src/core/verbs.js'
import { known, unknown } from '../../src/probes/known.js'
import { probeAgents } from '../../src/probes/probe.js'
import { ownerOf, thisMachine } from '../../src/probes/process.js'
import type { RunningAgent } from '../../src/probes/processes.js'
import { markOf } from '../../src/probes/transcript-mark.js'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cri-look-'))
})
afterEach(() => rmSync(home, { recursive: true }))

const S = '84cd5d3f-1a62-45fe-8e8f-5450fd198549'
const P = 'c0d5289f-8522-46bc-934c-a793949ca375'
const put = (path: string, text: string): void => {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), text)
}
const transcript = (id: string): void =>
  put(`.claude/projects/${claudeProjectSlug('/p1')}/${id}.jsonl`, '{"type":"user"}\n')

const base = record(emptyIndex(), { surfaceId: 's', sessionId: S, repo: 'r', agent: 'claude', cwd: '/p1' }, 1000)
const withEntry = (more: Partial<Entry>): Index => {
  const entry = base.entries['s']
  if (entry === undefined) throw new Error('no entry')
  return { ...base, entries: { s: { ...entry, ...more } } }
}
const process1 = (more: Partial<RunningAgent> = {}): RunningAgent => ({
  owner: { ...thisMachine(), pid: 1, start: '1' },
  ancestors: [],
  argv: ['claude'],
  env: {},
  surfaceId: null,
  otherUser: false,
  ...more
})

async function look(
  index: Index,
  running: RunningAgent[] | null,
  agent = 'claude',
  more: { sessions?: readonly string[] } = {}
): Promise<Evidence> {
  const entry = index.entries['s'] ?? null
  const env = { HOME: home }
  const processes = running === null ? unknown('no list') : known(running)
  return probeAgents({ env, processes: () => processes })({ surfaceId: 's', entry, index, agent, ...more })
}

test('an entry that nobody has seen a process of: absent when no process of its agent runs', async () => {
  transcript(S)
  expect(await look(base, [])).toMatchObject({ running: { [S]: 'no' }, transcript: { [S]: 'found' } })
  expect(await look(base, [process1()])).toMatchObject({ running: { [S]: 'unknown' } })
  expect(await look(base, null)).toMatchObject({ running: { [S]: 'unknown' } })
})

test('an agent with an account of its own is looked for where that one keeps its sessions', async () => {
  put(`work/projects/${claudeProjectSlug('/p1')}/${S}.jsonl`, '{"type":"user"}\n')
  put(`.claude/projects/${claudeProjectSlug('/p1')}/${P}.jsonl`, '{"type":"user"}\n')
  expect(await look(base, [])).toMatchObject({ transcript: { [S]: 'missing' } })
  const work = withEntry({ env: { CLAUDE_CONFIG_DIR: join(home, 'work') } })
  expect(await look(work, [])).toMatchObject({ transcript: { [S]: 'found' } })
  // Recorded without the variable: the caller's own does not count.
  const target = { surfaceId: 's', entry: withEntry({ env: {} }).entries['s'] ?? null, index: base, sessions: [P] }
  const probe = probeAgents({ env: { HOME: home, CLAUDE_CONFIG_DIR: join(home, 'work') }, processes: () => known([]) })
  expect(await probe(target)).toMatchObject({ transcript: { [P]: 'found' } })
})

test('what a hook captured without telling its process is not absent because none is recognised', async () => {
  const captured = withEntry({ proc_unknown: true, seen: thisMachine() })
  expect((await look(captured, [])).running).toEqual({ [S]: 'unknown' })
  const now = 10_000_000
  expect(decide(captured.entries['s'] ?? null, await look(captured, []), { now }).reason).toBe('liveness_unknown')
  const earlier = withEntry({ proc_unknown: true, seen: { ...thisMachine(), bootId: 'an earlier one' } })
  transcript(S)
  const rebooted = { ...(await look(earlier, [])), cwd: 'found' } as const
  expect(decide(earlier.entries['s'] ?? null, rebooted, { now }).reason).toBe('ok')
  const said = { ...(await look(captured, [])), running: 'no', cwd: 'found' } as const
  expect(decide(captured.entries['s'] ?? null, said, { now }).reason).toBe('ok')
})

test('sessions before it are looked for when they are asked about, but for those that never started', async () => {
  transcript(P)
  const previous: Entry['previous'] = [
    { sessionId: P, until: 1, why: 'rotated' },
    { sessionId: 'x', until: 1, why: 'never_started' }
  ]
  const found = await look(withEntry({ previous }), [])
  expect(found.running).toEqual({ [S]: 'no', [P]: 'no' })
  expect(found.transcript).toEqual({ [S]: 'missing' })
  const before = await look(withEntry({ previous }), [], 'claude', { sessions: [P] })
  expect(before.transcript).toEqual({ [P]: 'found' })
})

test('a recorded process speaks for its session by its verdict, not by the list of processes', async () => {
  const proc = ownerOf(process.pid) ?? undefined
  expect(proc).toBeDefined()
  const found = await look(withEntry(proc === undefined ? {} : { proc }), [])
  expect(found.running).toEqual({ [S]: 'unknown' })
  expect(found.verdicts).toEqual([{ owner: proc, verdict: 'alive' }])
})

test('a process recorded before an open attempt does not speak for what the attempt may have started', async () => {
  const owner = ownerOf(process.pid) ?? process1().owner
  const attempt = { id: 'a1', kind: 'resume', owner, at: 1 } as const
  const proc = { ...owner, pid: 2 ** 22 - 1, start: 'long ago' }
  expect((await look(withEntry({ proc, attempt }), [])).running).toEqual({ [S]: 'no' })
  expect((await look(withEntry({ proc, attempt }), [process1()])).running).toEqual({ [S]: 'unknown' })
  expect((await look(withEntry({ proc }), [])).running).toEqual({ [S]: 'unknown' })
})

test('what an attempt of another namespace started is not absent because it is not here', async () => {
  const owner = { ...thisMachine(), ns: 'pid:[1]', pid: 5, start: '5' }
  const seen = thisMachine()
  const open = { id: 'a1', kind: 'resume', owner, at: 1 } as const
  const last = { id: 'a1', kind: 'resume', owner, at: 1, result: 'timeout' } as const
  expect((await look(withEntry({ seen, attempt: open }), [])).running).toEqual({ [S]: 'unknown' })
  expect((await look(withEntry({ seen, last_attempt: last }), [])).running).toEqual({ [S]: 'unknown' })
})

test('what was seen on another machine, or in another namespace, is not absent because it is not here', async () => {
  expect((await look(withEntry({ seen: { host: 'other' } }), [])).running).toEqual({ [S]: 'unknown' })
  expect((await look(withEntry({ seen: { ...thisMachine(), ns: 'pid:[1]' } }), [])).running).toEqual({ [S]: 'unknown' })
  expect((await look(withEntry({ seen: thisMachine() }), [])).running).toEqual({ [S]: 'no' })
})

test('the session found running by its arguments', async () => {
  const found = await look(base, [process1({ argv: ['claude', '--resume', S], surfaceId: 'other' })])
  expect(found.running).toEqual({ [S]: { at: 'other' } })
})

test('a surface without an entry on which an agent runs', async () => {
  expect(await look(emptyIndex(), [process1({ surfaceId: 's' })])).toMatchObject({ candidates: 'unknown' })
  expect((await look(emptyIndex(), [process1({ surfaceId: 'x' })])).candidates).toBeUndefined()
  // One whose environment cannot be read may be on it, and so may one where no process could be looked at.
  expect(await look(emptyIndex(), [process1({ env: null })])).toMatchObject({ candidates: 'unknown' })
  expect(await look(emptyIndex(), null)).toMatchObject({ candidates: 'unknown' })
})

test('an agent that is not in the table: what needs no row', async () => {
  const found = await look(withEntry({ agent: 'nobody' }), [])
  expect(found.running).toBeUndefined()
  expect(found.machine).toEqual(thisMachine())
})

const begun = Date.parse('2026-11-29T11:20:44.041Z')
const rollout = 'rollout-2026-11-29T11-20-44-01a22709-3309-7d00-9d7e-ff57391f5817.jsonl'
const placeholder = (at: number, cwd = '/p3'): Index =>
  withEntry({
    sessionId: 'pending.a1',
    state: 'minted',
    agent: 'codex',
    cwd,
    attempt: { id: 'a1', kind: 'spawn', owner: { ...thisMachine(), pid: 1, start: '0' }, at }
  })
const head = (cwd: string): string => `{"type":"session_meta","payload":{"cwd":${JSON.stringify(cwd)}}}\n`

test('a start whose session nobody was told: none has begun since in that folder', async () => {
  put(`.codex/sessions/2026/11/29/${rollout}`, head('/p3'))
  expect(await look(placeholder(begun + 60_000), [])).toMatchObject({ candidates: [], running: { 'pending.a1': 'no' } })
  const [here, there] = [mkdtempSync(join(home, 'here-')), mkdtempSync(join(home, 'there-'))]
  put(`.codex/sessions/2026/11/29/${rollout}`, head(there))
  expect((await look(placeholder(begun - 60_000, here), [])).candidates).toEqual([])
})

test('a start whose session nobody was told: one has begun since, and nothing identifies it', async () => {
  put(`.codex/sessions/2026/11/29/${rollout}`, head('/p3'))
  const index = placeholder(begun - 60_000)
  expect((await look(index, [])).candidates).toBe('unknown')
  const held = record(index, { surfaceId: 't', sessionId: rollout.slice(28, -6), repo: 'r' }, 5)
  expect((await look(held, [])).candidates).toEqual([])
})

test('a start whose session nobody was told is looked for since it began, also after it was settled', async () => {
  put(`.codex/sessions/2026/11/29/${rollout}`, head('/p3'))
  const settled = settle(placeholder(begun - 60_000), { attemptId: 'a1', result: 'ok' }, begun + 60_000)
  expect((await look(settled, [])).candidates).toBe('unknown')
})

const ID = rollout.slice(28, -6)
const said = '{"payload":{"role":"user","content":[{"type":"input_text","text":"fix the \\"bug\\""}]}}\n'

test('a start whose session nobody was told: each that it may be is named with its time and first words', async () => {
  put(`.codex/sessions/2026/11/29/${rollout}`, head('/p3') + said)
  const evidence = await look(placeholder(begun - 60_000), [])
  const note = `${ID}, begun 2026-11-29T11:20:44.041Z, "fix the "bug""`
  expect(evidence).toMatchObject({ candidates: 'unknown', possible: [{ sessionId: ID, note }] })
  const entry = placeholder(begun - 60_000).entries['s'] ?? null
  const dead = {
    ...evidence,
    verdicts: [{ owner: { ...thisMachine(), pid: 1, start: '0' }, verdict: 'dead' as const }]
  }
  const decision = decide(entry, { ...dead, running: 'no' }, { now: begun })
  expect(decision).toMatchObject({ action: 'wait', reason: 'session_unclear', candidates: [ID], notes: [note] })
})

test('a start whose session nobody was told: the only one that began with its process is taken', async () => {
  put(`.codex/sessions/2026/11/29/${rollout}`, head('/p3'))
  const proc = { ...thisMachine(), pid: 1, start: '0' }
  const settled = (at: number): Index =>
    settle(placeholder(at), { attemptId: 'a1', result: 'ok', proc }, begun + 60_000)
  expect((await look(settled(begun - 3000), [])).candidates).toEqual([ID])
  const entry = settled(begun - 3000).entries['s'] ?? null
  const evidence = { ...(await look(settled(begun - 3000), [])), verdicts: [{ owner: proc, verdict: 'dead' as const }] }
  const decision = decide(entry, { ...evidence, cwd: 'found' }, { now: begun })
  expect(decision).toMatchObject({ reason: 'ok_from_transcript', sessionId: ID })
  // Begun much later, it may be that of anybody.
  expect((await look(settled(begun - 60_000), [])).candidates).toBe('unknown')
  // Another start was under way, whose id was not told either.
  const rival = settled(begun - 3000)
  const own = rival.entries['s']
  if (own === undefined) throw new Error('no entry')
  const two = { ...rival, entries: { ...rival.entries, t: { ...own, surfaceId: 't', sessionId: 'pending.b' } } }
  expect((await look(two, [])).candidates).toBe('unknown')
})

test('a start whose session nobody was told, without a folder of the agent', async () => {
  expect((await look(placeholder(1), [])).candidates).toBe('unknown')
})

test('where no agent is recorded, a transcript that is not found may be elsewhere', async () => {
  transcript(P)
  expect((await look(base, [])).transcript).toEqual({ [S]: 'missing' })
  const { agent: _, ...unnamed } = base.entries['s'] as Entry
  expect((await look({ ...base, entries: { s: unnamed } }, [])).transcript).toEqual({ [S]: 'unknown' })
})

test('a transcript that is smaller than its mark, or begins otherwise, has shrunk; where it may not, it is only found', async () => {
  const path = join(home, `.claude/projects/${claudeProjectSlug('/p1')}/${S}.jsonl`)
  transcript(S)
  appendFileSync(path, '{"type":"assistant"}\n')
  const mark = markOf(path, S)
  if (mark === undefined) throw new Error('no mark')
  const state = async (more: Partial<Entry> = {}): Promise<unknown> =>
    (await look(withEntry({ mark, ...more }), [])).transcript?.[S]
  expect(await state()).toBe('found')
  appendFileSync(path, '{"type":"user"}\n')
  expect(await state()).toBe('found')
  transcript(S)
  expect(await state()).toBe('shrunk')
  writeFileSync(path, '{"type":"us')
  expect(await state()).toBe('shrunk')
  // Without a message nothing can be resumed, whatever was there.
  writeFileSync(path, '{"type":"mode"}\n')
  expect(await state()).toBe('missing')
  writeFileSync(path, '')
  expect(await state()).toBe('missing')
  // No message was ever in it, as far as its mark and its end tell.
  const notes = '{"type":"mode"}\n{"type":"ai-title"}\n'
  writeFileSync(path, notes)
  const early = markOf(path, S)
  if (early === undefined) throw new Error('no mark')
  expect(await state({ mark: early })).toBe('unused')
  expect((await look(withEntry({}), [])).transcript?.[S]).toBe('unused')
  writeFileSync(path, '{"type":"mode"}\n')
  expect(await state({ mark: early })).toBe('missing')
  writeFileSync(path, `${notes}{"type":"us`)
  expect(await state({ mark: early })).toBe('unknown')
  rmSync(path)
  expect(await state({ mark: early })).toBe('missing')
  // The files of this agent are written again in normal use.
  const other = `.gemini/tmp/p/chats/session-1-${S.slice(0, 8)}.jsonl`
  put(other, `{"sessionId":"${S}"}\n{"type":"user"}\n`)
  expect(await state({ agent: 'gemini' })).toBe('found')
  // What is left after a resume holds no message, and proves nothing.
  put(other, `{"sessionId":"${S}"}\n`)
  expect(await state({ agent: 'gemini' })).toBe('missing')
})

test('how long its agent keeps a conversation is read in its settings, and unknown where they cannot be read', async () => {
  const path = join(home, `.claude/projects/${claudeProjectSlug(home)}/${S}.jsonl`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '{"type":"user"}\n')
  utimesSync(path, 5000, 5000)
  const kept = async (more: Partial<Entry> = {}): Promise<unknown> =>
    (await look(withEntry({ cwd: home, ...more }), [])).retention?.[S]
  expect(await kept()).toEqual({ days: 30, since: 5_000_000 })
  put('.claude/settings.json', '{"cleanupPeriodDays":99}')
  expect(await kept()).toMatchObject({ days: 99 })
  put('.claude/settings.local.json', '{"cleanupPeriodDays":7}')
  expect(await kept()).toMatchObject({ days: 7 })
  put('.claude/settings.local.json', '{"cleanup')
  expect(await kept()).toBeUndefined()
  put('.claude/settings.local.json', '{"cleanupPeriodDays":"long"}')
  expect(await kept()).toBeUndefined()
  rmSync(join(home, '.claude/settings.local.json'))
  // Of one that is gone the last sign is known.
  rmSync(path)
  expect(await kept({ last_active: 7000 })).toEqual({ days: 99, since: 7000 })
  expect(await kept({ agent: 'codex' })).toBeUndefined()
})
