import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { COMMON_DIALECT } from '../../src/agents/hook-facts.js'
import { rowFor } from '../../src/agents/table.js'
import { type HookPayload, parsePayload } from '../../src/hooks/payload.js'
import { fixture, fixtureNames } from '../support/fixtures.js'
import { World } from '../support/world.js'

let world: World
beforeEach(() => {
  world = new World()
})
afterEach(() => world.remove())

const folders = ['claude-1.0.128', 'claude-2.1.332', 'codex-0.171.0', 'gemini-0.61.0']
const files = folders.flatMap((folder) => fixtureNames(folder, 'hooks').map((name): [string, string] => [folder, name]))

describe('every captured payload is read', () => {
  test.each(files)('%s %s', (folder, name) => {
    const raw = JSON.parse(fixture(folder, 'hooks', name))
    const dialect = rowFor(folder.split('-')[0])?.payload ?? COMMON_DIALECT
    const payload = parsePayload(fixture(folder, 'hooks', name), dialect)
    const turn = raw.type === 'agent-turn-complete'
    const kind: HookPayload['kind'] = turn ? 'turn' : raw.hook_event_name === 'SessionEnd' ? 'end' : 'sighting'
    expect(payload).toMatchObject({ kind, sessionId: turn ? raw['thread-id'] : raw.session_id })
    if (!turn)
      expect(payload).toMatchObject({ transcript: raw.transcript_path, cwd: raw.cwd, event: raw.hook_event_name })
    // Nothing of what was said.
    expect(
      Object.keys(payload ?? {})
        .sort()
        .join()
    ).toMatch(/^(cwd,)?event,kind,(prompted,)?(reason,)?sessionId(,transcript)?$/)
  })
})

test.each([[''], ['null'], ['[]'], ['{'], ['"text"'], ['{}'], ['{"session_id":"a"}'], ['{"hook_event_name":"x"}']])(
  'no payload: %j',
  (text) => {
    expect(parsePayload(text, COMMON_DIALECT)).toBeNull()
  }
)

const inPane = { CLAUDE_CODE_ENTRYPOINT: 'cli', CLAUDE_CODE_SESSION_ATTENDED: '1' }

test('Claude 2.1.332, one process: start, prompts, clear, compact', async () => {
  const tmux = world.tmux()
  const claude = world.start(world.start(tmux.server, 'bash'), 'claude')
  const outcomes: string[] = []
  for (const name of fixtureNames('claude-2.1.332', 'hooks').filter((one) => /^\d/.test(one))) {
    const env = { ...tmux.env('%1'), ...inPane }
    const report = await world.hook('claude', claude, env, fixture('claude-2.1.332', 'hooks', name))
    outcomes.push(`${name.slice(0, -5)} ${report.outcome}`)
  }
  expect(outcomes).toEqual([
    '01-SessionStart-startup captured',
    '02-UserPromptSubmit refreshed',
    '03-Stop refreshed',
    '04-SessionEnd-clear noted',
    '05-SessionStart-clear rotated',
    '06-UserPromptSubmit refreshed',
    '07-Stop refreshed',
    '08-PreCompact-manual refreshed',
    '09-SubagentStop refreshed',
    '10-SubagentStop refreshed',
    '11-SessionStart-compact refreshed',
    '12-PostCompact-manual refreshed',
    '13-UserPromptSubmit refreshed',
    '14-Stop refreshed'
  ])
  expect(world.entry()).toMatchObject({
    sessionId: 'c0d5289f-8522-46bc-934c-a793949ca375',
    repo: 'p1',
    agent: 'claude',
    cwd: '/home/dev/p1',
    state: 'ready',
    gen: 2,
    transcript: '/home/dev/.claude/projects/-home-dev-p1/c0d5289f-8522-46bc-934c-a793949ca375.jsonl',
    proc: world.owner(claude),
    previous: [{ sessionId: '84cd5d3f-1a62-45fe-8e8f-5450fd198549', why: 'rotated' }]
  })
})

test('Claude 2.1.332, one process: a fork, an end by in-session resume, the resumed session, the person leaves', async () => {
  const tmux = world.tmux()
  const claude = world.start(tmux.server, 'claude')
  const env = { ...tmux.env('%1'), ...inPane }
  const play = async (name: string): Promise<string> =>
    (await world.hook('claude', claude, env, fixture('claude-2.1.332', 'hooks', `${name}.json`))).outcome
  expect(await play('SessionStart-fork')).toBe('captured')
  expect(await play('SessionEnd-resume-in-session')).toBe('noted')
  expect(await play('SessionStart-resume')).toBe('rotated')
  expect(await play('PreToolUse')).toBe('rotated')
  expect(await play('SessionStart-resume')).toBe('rotated')
  expect(await play('SessionEnd-prompt_input_exit')).toBe('left')
  expect(world.entry()).toMatchObject({
    sessionId: '1660f53c-2243-4388-be4d-0933c1f69d2d',
    state: 'ended',
    reason: 'left',
    last_exit: { reason: 'prompt_input_exit' }
  })
})

test('Claude 1.0.128: the wrong id at a resume gives way to that of the next prompt', async () => {
  const right = '0688c846-0000-4000-8000-000000000000'
  const tmux = world.tmux()
  const first = world.start(tmux.server, 'claude')
  const env = { ...tmux.env('%1'), CLAUDE_CODE_ENTRYPOINT: 'cli' }
  const prompt = { session_id: right, hook_event_name: 'UserPromptSubmit', cwd: '/home/dev/p1' }
  await world.hook('claude', first, env, prompt)
  world.kill(first)
  const second = world.start(tmux.server, 'claude')
  const wrong = fixture('claude-1.0.128', 'hooks', 'SessionStart-resume-wrong-id.json')
  expect((await world.hook('claude', second, env, wrong)).outcome).toBe('rotated')
  expect((await world.hook('claude', second, env, prompt)).outcome).toBe('rotated')
  expect(world.entry()).toMatchObject({
    sessionId: right,
    previous: [{ sessionId: '205dc0f5-16e2-4309-bf53-e72a026b51d2' }]
  })
})

const codexHook = (name: string): string => fixture('codex-0.171.0', 'hooks', `${name}.json`)

test('Codex 0.171.0: start, prompt, compact, clear, fork, and the ends of each thread at quit', async () => {
  const tmux = world.tmux()
  const codex = world.start(world.start(tmux.server, 'node /usr/bin/codex'), '/vendor/codex')
  const play = async (name: string): Promise<string> =>
    (await world.hook('codex', codex, tmux.env('%1'), codexHook(name))).outcome
  expect(await play('SessionStart-startup')).toBe('captured')
  expect(await play('UserPromptSubmit')).toBe('refreshed')
  expect(await play('Stop')).toBe('refreshed')
  expect(await play('SessionStart-resume')).toBe('rotated')
  expect(await play('PreCompact-manual')).toBe('refreshed')
  expect(await play('PostCompact-manual')).toBe('refreshed')
  expect(await play('SessionStart-clear')).toBe('rotated')
  expect(await play('SessionStart-fork')).toBe('rotated')
  // The end of an earlier thread of the same process.
  expect(await play('SessionEnd-other')).toBe('ignored')
  expect(world.entry()).toMatchObject({ sessionId: '01a2270b-5013-7942-ae21-7c0871aac0f3', agent: 'codex', gen: 4 })
})

test('Codex notify never makes a mapping, and proves life of the one that there is', async () => {
  const tmux = world.tmux()
  const codex = world.start(tmux.server, 'codex')
  const play = (name: string): ReturnType<World['hook']> => world.hook('codex', codex, tmux.env('%1'), codexHook(name))
  for (const name of ['notify-codex-tui', 'notify-codex_exec', 'notify-title-generation-thread']) {
    expect(await play(name)).toMatchObject({ outcome: 'ignored', why: 'turn_of_another_session' })
  }
  expect(world.surfaces()).toEqual([])
  expect((await play('SessionStart-resume')).outcome).toBe('captured')
  expect((await play('notify-codex-tui')).outcome).toBe('refreshed')
  expect((await play('notify-title-generation-thread')).outcome).toBe('ignored')
  expect(world.entry().sessionId).toBe('01a22709-3309-7d00-9d7e-ff57391f5817')
})

test('Gemini 0.61.0: start, prompt, resume, clear, exit', async () => {
  const tmux = world.tmux()
  const gemini = world.start(world.start(tmux.server, 'node /usr/bin/gemini'), 'node /usr/bin/gemini')
  const play = async (name: string): Promise<string> => {
    const payload = fixture('gemini-0.61.0', 'hooks', `${name}.json`)
    return (await world.hook('gemini', gemini, tmux.env('%1'), payload)).outcome
  }
  expect(await play('SessionStart-startup')).toBe('captured')
  for (const name of ['BeforeAgent', 'PreCompress-auto', 'BeforeModel', 'AfterAgent', 'SessionStart-resume']) {
    expect(await play(name)).toBe('refreshed')
  }
  expect(await play('SessionEnd-clear')).toBe('ignored')
  expect(await play('SessionStart-clear')).toBe('rotated')
  expect(await play('SessionEnd-exit')).toBe('ignored')
  expect(world.entry()).toMatchObject({ sessionId: '5397983f-8cb4-4ee3-a8b7-b4e677a028cc', proc: world.owner(gemini) })
})
