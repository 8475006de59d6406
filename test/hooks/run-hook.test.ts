import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { claudeProjectSlug } from '../../src/agents/claude-slug.js'
import { AGENTS } from '../../src/agents/table.js'
import { claim } from '../../src/core/attempts.js'
import { launchFolder } from '../../src/hooks/launch-folder.js'
import { describe, hookLogPath, logFailure } from '../../src/hooks/log.js'
import { readPayload } from '../../src/hooks/read-payload.js'
import { repoOf } from '../../src/probes/repo.js'
import { updateIndex } from '../../src/store/store.js'
import { claudeEvent, type Tmux, World } from '../support/world.js'

let world: World
let tmux: Tmux
let env: Record<string, string>
let claude: number
beforeEach(() => {
  world = new World()
  tmux = world.tmux()
  claude = world.start(world.start(tmux.server, 'bash'), 'claude')
  env = { ...tmux.env('%1'), CLAUDE_CODE_ENTRYPOINT: 'cli', CLAUDE_CODE_SESSION_ATTENDED: '1' }
})
afterEach(() => world.remove())

const A = '84cd5d3f-1a62-45fe-8e8f-5450fd198549'
const B = 'c0d5289f-8522-46bc-934c-a793949ca375'
const C = '3b9c1d7e-0f5a-4a2b-8c6d-5e4f3a2b1c0d'
const D = '4b9c1d7e-0f5a-4a2b-8c6d-5e4f3a2b1c0d'
const say = (payload: object, from = claude, environment = env): ReturnType<World['hook']> =>
  world.hook('claude', from, environment, payload)
const log = (): string => readFileSync(hookLogPath(world.path), 'utf8')

test('a sighting carries the surface, the process, the machine and where it was launched', async () => {
  expect(await say(claudeEvent('SessionStart', A))).toMatchObject({ outcome: 'captured', sessionId: A })
  const scope = `tmux:/tmp/tmux-0/default:${tmux.server}.${tmux.server}0`
  expect(world.entry()).toEqual({
    surfaceId: `${scope}:%1`,
    scope: `${scope}@boot-1`,
    sessionId: A,
    repo: 'p1',
    role: null,
    agent: 'claude',
    cwd: '/home/dev/p1',
    transcript: `/home/dev/.claude/projects/-home-dev-p1/${A}.jsonl`,
    env: {},
    captured_at: world.now,
    last_active: world.now,
    state: 'ready',
    gen: 1,
    seen: world.machine,
    proc: world.owner(claude),
    attempts: 0,
    policy: 'auto',
    previous: []
  })
})

test('the account that it was launched with is kept, and no secret', async () => {
  const work = { ...env, CLAUDE_CONFIG_DIR: '/home/dev/work', ANTHROPIC_API_KEY: 'sk-1', CODEX_HOME: '/elsewhere' }
  await say(claudeEvent('SessionStart', A), claude, work)
  expect(world.entry().env).toEqual({ CLAUDE_CONFIG_DIR: '/home/dev/work' })
  await say(claudeEvent('UserPromptSubmit', A), claude, { ...work, CLAUDE_CONFIG_DIR: 'a\nb' })
  expect(world.entry().env).toEqual({})
})

test('a sighting marks the transcript; a loss while it runs stays to be seen, and a resume takes it as it is', async () => {
  const transcript_path = join(world.folder, `${A}.jsonl`)
  const said = (event: string, from = claude): ReturnType<typeof say> =>
    say({ ...claudeEvent(event, A), transcript_path }, from)
  await said('SessionStart')
  // It is there from the first prompt on.
  expect(world.entry().mark).toBeUndefined()
  writeFileSync(transcript_path, '{"type":"user"}\n')
  await said('UserPromptSubmit')
  const first = world.entry().mark
  expect(first).toMatchObject({ size: 16 })
  // It goes with the time, and is no news by itself.
  writeFileSync(transcript_path, '{"type":"user"}\n'.repeat(2))
  await said('UserPromptSubmit')
  expect(world.entry().mark).toEqual(first)
  world.now += 30_000
  await said('UserPromptSubmit')
  const second = world.entry().mark
  expect(second).toMatchObject({ size: 32 })
  writeFileSync(transcript_path, '{"type":"user"}\n')
  world.now += 30_000
  await said('UserPromptSubmit')
  expect(world.entry().mark).toEqual(second)
  world.kill(claude)
  await said('SessionStart', world.start(tmux.server, 'claude'))
  expect(world.entry().mark).toEqual(first)
})

test('a session is unprompted from its start until a prompt, and only if it is new', async () => {
  await say(claudeEvent('SessionStart', A, { source: 'startup' }))
  expect(world.entry().prompted).toBe(false)
  await say(claudeEvent('UserPromptSubmit', A))
  expect(world.entry().prompted).toBe(true)
  await say(claudeEvent('SessionStart', A, { source: 'startup' }))
  expect(world.entry().prompted).toBe(true)
  await say(claudeEvent('SessionStart', B, { source: 'clear' }))
  expect(world.entry()).toMatchObject({ sessionId: B, prompted: false })
  const other = world.start(world.start(tmux.server, 'bash'), 'claude')
  await say(claudeEvent('SessionStart', C, { source: 'resume' }), other, { ...env, TMUX_PANE: '%2' })
  expect(world.entry('%2').prompted).toBe(true)
  const unsaid = world.start(world.start(tmux.server, 'bash'), 'claude')
  await say(claudeEvent('SessionStart', D, { source: undefined }), unsaid, { ...env, TMUX_PANE: '%3' })
  expect(world.entry('%3').prompted).toBeUndefined()
})

test('launch flags are those of the process that runs; one that does not show its arguments takes none away', async () => {
  const started = (line: string): number => world.start(world.start(tmux.server, 'bash'), line)
  const first = started('claude --model opus --dangerously-skip-permissions')
  await say(claudeEvent('SessionStart', A), first)
  expect(world.entry()).toMatchObject({ flags: ['--model', 'opus'], withheld: ['--dangerously-skip-permissions'] })
  world.kill(first)
  const titled = world.start(world.start(tmux.server, 'bash'), 'claude', 'claude')
  world.rewrite(titled, ['claude   '])
  await say(claudeEvent('SessionStart', A), titled)
  expect(world.entry()).toMatchObject({
    proc: { pid: titled },
    flags: ['--model', 'opus'],
    withheld: [expect.any(String)]
  })
  world.kill(titled)
  await say(claudeEvent('SessionStart', A), started('claude'))
  expect(world.entry()).toMatchObject({ flags: [], withheld: [] })
})

test('an agent whose transcripts are written again has no mark', async () => {
  const transcript_path = join(world.folder, `session-2026-12-01T10-00-${A}.jsonl`)
  writeFileSync(transcript_path, '{"type":"user"}\n')
  const gemini = world.start(world.start(tmux.server, 'bash'), 'gemini')
  await world.hook('gemini', gemini, tmux.env('%2'), { ...claudeEvent('SessionStart', A), transcript_path })
  expect(world.entry('%2')).toMatchObject({ agent: 'gemini', transcript: transcript_path })
  expect(world.entry('%2').mark).toBeUndefined()
})

test('what only refreshes is written once in a while', async () => {
  await say(claudeEvent('SessionStart', A))
  // The first prompt is news.
  await say(claudeEvent('UserPromptSubmit', A))
  const at = world.now
  const revision = world.index().revision
  expect((await say(claudeEvent('UserPromptSubmit', A))).outcome).toBe('refreshed')
  expect(world.index().revision).toBe(revision)
  world.now += 30_000
  expect((await say(claudeEvent('UserPromptSubmit', A))).outcome).toBe('refreshed')
  expect(world.entry().last_active).toBe(at + 32_000)
  // Another process is news at any time.
  world.kill(claude)
  const next = world.start(tmux.server, 'claude')
  await say(claudeEvent('SessionStart', A, { source: 'resume' }), next)
  expect(world.entry().proc).toEqual(world.owner(next))
})

test('the end is noted and nothing else; that of a session that never started changes nothing', async () => {
  expect(await say(claudeEvent('SessionEnd', B, { reason: 'other' }))).toMatchObject({ outcome: 'ignored' })
  expect(world.surfaces()).toEqual([])
  await say(claudeEvent('SessionStart', A))
  expect((await say(claudeEvent('SessionEnd', B, { reason: 'other' }))).outcome).toBe('ignored')
  expect(world.entry().last_exit).toBeUndefined()
  expect((await say(claudeEvent('SessionEnd', A, { reason: 'other' }))).outcome).toBe('noted')
  expect(world.entry()).toMatchObject({ state: 'ready', last_exit: { at: world.now, reason: 'other' } })
})

test("a person's own exit says that the session was left, and no other end does", async () => {
  const end = (reason: string): ReturnType<World['hook']> => say(claudeEvent('SessionEnd', A, { reason }))
  await say(claudeEvent('SessionStart', A))
  for (const reason of ['other', 'clear', 'resume', 'logout']) expect((await end(reason)).outcome).toBe('noted')
  expect(world.entry().state).toBe('ready')
  expect((await end('prompt_input_exit')).outcome).toBe('left')
  expect(world.entry()).toMatchObject({
    state: 'ended',
    reason: 'left',
    sessionId: A,
    last_exit: { reason: 'prompt_input_exit' }
  })
  // Its process is still there, and a session that is seen again was not left.
  expect(world.decide('', { [A]: 'found' })).toMatchObject({ reason: 'already_running' })
  world.kill(claude)
  expect(world.decide('', { [A]: 'found' })).toMatchObject({ action: 'fresh', reason: 'left' })
  const again = world.start(tmux.server, 'claude --resume x')
  expect((await say(claudeEvent('SessionStart', A, { source: 'resume' }), again)).outcome).toBe('refreshed')
  expect(world.entry()).toMatchObject({ state: 'ready', proc: world.owner(again) })
  expect(world.entry().reason).toBeUndefined()
})

test('the own exit of another process, of a nested agent, or without a known process is no leaving', async () => {
  const leave = (from: number, more: Record<string, string> = {}): ReturnType<World['hook']> =>
    say(claudeEvent('SessionEnd', A, { reason: 'prompt_input_exit' }), from, { ...env, ...more })
  await say(claudeEvent('SessionStart', A))
  expect((await leave(world.start(tmux.server, 'claude --resume x'))).outcome).toBe('ignored')
  expect((await leave(claude, { CLAUDE_CODE_SESSION_ATTENDED: '0' })).outcome).toBe('ignored')
  expect((await leave(tmux.server)).outcome).toBe('noted')
  expect(world.entry().state).toBe('ready')
})

test('a session that was left and runs on another surface moves there', async () => {
  await say(claudeEvent('SessionStart', A))
  const [left = ''] = world.surfaces()
  await say(claudeEvent('SessionEnd', A, { reason: 'prompt_input_exit' }))
  world.kill(claude)
  const there = world.start(tmux.server, 'claude --resume x')
  const report = await say(claudeEvent('SessionStart', A, { source: 'resume' }), there, { ...env, TMUX_PANE: '%2' })
  expect(report.outcome).toBe('moved')
  expect(world.index().entries[left]).toMatchObject({ state: 'ended', reason: 'moved', moved_to: report.surfaceId })
})

test('the end of the same session in another process is none of this one', async () => {
  await say(claudeEvent('SessionStart', A))
  const second = world.start(tmux.server, 'claude --resume x')
  const report = await say(claudeEvent('SessionEnd', A, { reason: 'other' }), second)
  expect(report).toMatchObject({ outcome: 'ignored', why: 'end_of_another_process' })
})

test('an agent whose process is not found is captured without one', async () => {
  expect((await say(claudeEvent('SessionStart', A), tmux.server)).outcome).toBe('captured')
  expect(world.entry().proc).toBeUndefined()
  expect(world.entry().proc_unknown).toBe(true)
})

test('launch flags on the allow-list are kept; prompts, permissions and settings are not', async () => {
  const line = 'claude --model opus --dangerously-skip-permissions --settings /x.json --verbose prompt'
  await say(claudeEvent('SessionStart', A), world.start(tmux.server, line))
  expect(world.entry().flags).toEqual(['--model', 'opus', '--verbose'])
  expect(world.entry().withheld).toEqual(['--dangerously-skip-permissions', '--settings'])
})

test('what our own resume withheld stays known by name; a start by hand without it forgets it', async () => {
  const first = world.start(tmux.server, 'claude --dangerously-skip-permissions')
  await say(claudeEvent('SessionStart', A), first)
  world.kill(first)
  const { surfaceId } = world.entry()
  await updateIndex(world.path, (index) => {
    const evidence = { running: 'no', transcript: { [A]: 'found' } } as const
    return claim(index, { surfaceId, attemptId: 'a1', owner: world.owner(1), evidence }, { now: world.now }).index
  })
  const ours = { ...tmux.env('%1'), CRASH_RESUME_ATTEMPT: 'a1' }
  const second = world.start(tmux.server, `claude --resume ${A}`)
  for (const event of ['SessionStart', 'UserPromptSubmit']) await say(claudeEvent(event, A), second, ours)
  expect(world.entry()).toMatchObject({ withheld: ['--dangerously-skip-permissions'], proc: world.owner(second) })
  world.kill(second)
  await say(claudeEvent('SessionStart', A), world.start(tmux.server, `claude --resume ${A}`))
  expect(world.entry().withheld).toEqual([])
})

test.each<[string, Record<string, string>, string]>([
  ['by its environment', { CLAUDE_CODE_SESSION_ATTENDED: '0', CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' }, 'claude'],
  ['by its entry point alone', { CLAUDE_CODE_ENTRYPOINT: 'sdk-ts' }, 'claude'],
  ['by its arguments', {}, 'claude -p hi']
])('a Claude without a person, %s, changes nothing', async (_, marks, line) => {
  const report = await say(claudeEvent('SessionStart', A), world.start(tmux.server, line), {
    ...tmux.env('%1'),
    ...marks
  })
  expect(report.outcome).toBe('nested')
  expect(world.surfaces()).toEqual([])
})

test('an agent inside another one changes nothing, though the outer one is not on file', async () => {
  const codex = world.start(world.start(claude, 'bash'), 'codex')
  const report = await world.hook('codex', codex, tmux.env('%1'), claudeEvent('SessionStart', A))
  expect(report.outcome).toBe('nested')
  expect(world.surfaces()).toEqual([])
})

test('a surface that the server of a pane was started with is not that of its panes', async () => {
  const lead = { ...env, CRASH_RESUME_SURFACE: 'lead' }
  await say(claudeEvent('SessionStart', A), claude, lead)
  const team = world.tmux('/tmp/team')
  world.startedWith(team.server, lead)
  const member = world.start(world.start(team.server, 'bash'), 'claude')
  const inside = { ...lead, ...team.env('%0') }
  expect((await say(claudeEvent('SessionStart', B), member, inside)).outcome).toBe('captured')
  // Nor once the lead has ended.
  world.kill(claude)
  expect((await say(claudeEvent('UserPromptSubmit', B), member, inside)).outcome).toBe('refreshed')
  expect(world.entry('lead').sessionId).toBe(A)
  expect(world.entry(':%0')).toMatchObject({ sessionId: B, proc: world.owner(member) })
})

test('without a surface nothing is recorded', async () => {
  expect(await say(claudeEvent('SessionStart', A), claude, {})).toMatchObject({
    outcome: 'unbound',
    why: 'pane_unnamed'
  })
  const away = world.start(1, 'claude')
  expect(await say(claudeEvent('SessionStart', A), away, {})).toMatchObject({ outcome: 'unbound', why: 'no_surface' })
  expect(await say(claudeEvent('SessionStart', A), away)).toMatchObject({ outcome: 'unbound', why: 'server_not_above' })
  expect(world.surfaces()).toEqual([])
})

test.each([
  ['no agent of the table', 'nobody', '{}', 'no such agent'],
  ['no payload', 'claude', 'garbage with CANARY', 'names no session']
])('what went wrong is one line of a log: %s', async (_, agent, text, line) => {
  const report = await world.hook(agent, claude, env, text)
  expect(report.outcome).toBe('failed')
  expect(log()).toMatch(new RegExp(`^1970-\\S+ ${agent} .*${line}.*\\n$`))
  expect(log()).not.toContain('CANARY')
})

test('an index that cannot be written is a line of the log, not an error', async () => {
  mkdirSync(world.path)
  expect(await say(claudeEvent('SessionStart', A))).toMatchObject({ outcome: 'failed' })
  expect(log()).toContain('ERR_NOT_A_FILE')
})

test('an odd session id is left alone, and text that may not be stored is left out', async () => {
  expect((await say(claudeEvent('SessionStart', '../x'))).outcome).toBe('ignored')
  expect((await say(claudeEvent('SessionStart', 'pending.x'))).outcome).toBe('ignored')
  const cwd = '/home/dev/new\nline'
  expect((await say(claudeEvent('SessionStart', A, { cwd }))).outcome).toBe('captured')
  expect(world.entry()).toMatchObject({ sessionId: A, repo: 'new_line' })
  expect(world.entry().cwd).toBeUndefined()
})

test('nothing that was said, and no environment, is kept anywhere', async () => {
  const canary = 'CANARY-4711'
  const marked = { ...env, ANTHROPIC_API_KEY: canary, CLAUDE_CODE_MESSAGING_TOKEN: canary }
  const said = {
    prompt: canary,
    last_assistant_message: canary,
    custom_instructions: canary,
    tool_input: { x: canary }
  }
  await say(claudeEvent('SessionStart', A, said), world.start(tmux.server, `claude ${canary}`), marked)
  await say(claudeEvent('UserPromptSubmit', B, said), claude, marked)
  await say(claudeEvent('SessionEnd', B, { ...said, reason: 'other' }), claude, marked)
  await world.hook('claude', claude, marked, `{"prompt":"${canary}`)
  await world.hook('claude', claude, marked, { prompt: canary })
  const files = [world.path, hookLogPath(world.path)].map((path) => readFileSync(path, 'utf8'))
  expect(files.join()).toContain(A)
  expect(files.join()).not.toContain(canary)
})

test('of an error that is not ours only the code is said', () => {
  expect(describe(new Error('CANARY'))).toBe('Error')
  expect(describe(Object.assign(new Error('CANARY'), { code: 'EIO' }))).toBe('EIO')
  expect(describe('CANARY')).toBe('an error')
})

test('the log is private, stays small, and never fails', () => {
  for (let line = 0; line < 3000; line++) logFailure(world.path, 'claude', 'x'.repeat(1000), 0)
  const path = hookLogPath(world.path)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(path).size).toBeLessThan(66 * 1024)
  expect(statSync(`${path}.1`).size).toBeLessThan(66 * 1024)
  expect(() => logFailure('/no/such/folder/index.json', 'claude', 'x', 0)).not.toThrow()
})

test('a payload is read within limits', async () => {
  const stream = (...parts: string[]): Readable => Readable.from(parts.map((part) => Buffer.from(part)))
  expect(await readPayload(stream('{"a":', '"ä"}'))).toBe('{"a":"ä"}')
  expect(await readPayload(stream('12345', '6'), { bytes: 5 })).toBeNull()
  const open = new Readable({ read: () => {} })
  open.push('{')
  expect(await readPayload(open, { ms: 1 })).toBeNull()
  expect(open.destroyed).toBe(true)
  const broken = new Readable({ read: () => broken.destroy(new Error('EIO')) })
  expect(await readPayload(broken)).toBeNull()
})

test('the repository is the folder with .git in it, else the folder', () => {
  const top = join(world.folder, 'my repo')
  mkdirSync(join(top, 'packages', 'api'), { recursive: true })
  expect(repoOf(join(top, 'packages', 'api'))).toBe('api')
  writeFileSync(join(top, '.git'), 'gitdir: elsewhere')
  expect(repoOf(join(top, 'packages', 'api'))).toBe('my repo')
  expect(repoOf('/')).toBe('root')
  expect(repoOf(undefined)).toBe('unknown')
})

test('the launch folder is the one that the transcript is kept for', () => {
  const at = (path: string): string => `/c/projects/${claudeProjectSlug(path)}/${A}.jsonl`
  const facts = { row: AGENTS.claude, env: { CLAUDE_PROJECT_DIR: '/r' } }
  expect(launchFolder({ ...facts, cwd: '/r', transcript: at('/r') })).toBe('/r')
  expect(launchFolder({ ...facts, cwd: '/r/sub', transcript: at('/r') })).toBe('/r')
  expect(launchFolder({ ...facts, cwd: '/other', known: '/r', transcript: at('/r') })).toBe('/r')
  expect(launchFolder({ ...facts, cwd: '/moved', known: '/r', transcript: at('/moved') })).toBe('/moved')
  expect(launchFolder({ ...facts, cwd: '/x', known: '/y', transcript: at('/z') })).toBe('/y')
  expect(launchFolder({ row: AGENTS.codex, env: {}, cwd: '/new', known: '/old' })).toBe('/old')
  expect(launchFolder({ row: AGENTS.codex, env: {} })).toBeUndefined()
  const link = join(world.folder, 'link')
  symlinkSync(world.folder, link)
  expect(launchFolder({ ...facts, cwd: link, transcript: at(world.folder) })).toBe(link)
})

test('what a caller recorded as the repository stands for the same agent', async () => {
  await say(claudeEvent('SessionStart', A))
  const entry = world.entry()
  const { record } = await import('../../src/core/verbs.js')
  const { updateIndex } = await import('../../src/store/store.js')
  await updateIndex(world.path, (index) => record(index, { ...entry, repo: 'orchestrator', role: 'lead' }, world.now))
  await say(claudeEvent('UserPromptSubmit', A))
  expect(world.entry()).toMatchObject({ repo: 'orchestrator', role: 'lead', proc: world.owner(claude) })
  await say(claudeEvent('SessionStart', B, { source: 'clear' }))
  expect(world.entry()).toMatchObject({ repo: 'orchestrator', role: 'lead', sessionId: B })
})
