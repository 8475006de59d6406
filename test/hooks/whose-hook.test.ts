/** Whose session it is, is told by the process above the hook and not by the file that named the hook. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { resumeSpec } from '../../src/agents/command.js'
import { claudeEvent, type Tmux, World } from '../support/world.js'

let world: World
let tmux: Tmux
beforeEach(() => {
  world = new World()
  tmux = world.tmux()
})
afterEach(() => world.remove())

const A = '84cd5d3f-1a62-45fe-8e8f-5450fd198549'
const B = 'c0d5289f-8522-46bc-934c-a793949ca375'
const marked = { CLAUDE_CODE_ENTRYPOINT: 'cli', CLAUDECODE: '1', CLAUDE_CODE_SESSION_ATTENDED: '1' }

/** A program in a pane of its own. */
const inPane = (line: string): number => world.start(world.start(tmux.server, 'bash'), line)
/** It runs the hook of Claude's settings. */
const fires = (from: number, env: Record<string, string>, id = A, source = 'startup'): ReturnType<World['hook']> =>
  world.hook('claude', from, { ...tmux.env('%1'), ...env }, claudeEvent('SessionStart', id, { source }))

test.each<[string, string, Record<string, string>, string]>([
  ['Copilot', 'node /usr/lib/node_modules/@github/copilot/index.js', { COPILOT_CLI: '1' }, 'copilot'],
  ['Copilot by its mark alone', 'MainThread /opt/x/index.js', { COPILOT_CLI: '1' }, 'copilot'],
  ['Copilot in a server that a Claude left behind', 'copilot', { ...marked, COPILOT_CLI: '1' }, 'copilot'],
  ['Cursor', '/opt/cursor/cursor-agent', { CURSOR_VERSION: '2.0' }, 'cursor-agent'],
  ['Cursor by its mark alone', 'node /opt/agent/index.js', { CURSOR_VERSION: '2.0' }, 'cursor-agent'],
  ['Grok, which no row knows', '/opt/bin/grok --yes', { GROK_HOOK_EVENT: 'SessionStart' }, 'grok'],
  ['a program that says nothing of itself', 'python3 /opt/some-agent.py', {}, 'some-agent.py'],
  ['a module of Python', 'python3.12 -X utf8 -m some_agent', {}, 'some_agent'],
  ['one in a server that a Claude left behind', 'some-agent', { ...marked, CLAUDE_CODE_SESSION_ID: B }, 'some-agent']
])("%s runs Claude's hook, and is captured as what it is", async (_, line, env, agent) => {
  const pid = inPane(line)
  expect((await fires(pid, { CLAUDE_PROJECT_DIR: '/p', ...env }, A, 'new')).outcome).toBe('captured')
  expect(world.entry()).toMatchObject({ agent, proc: world.owner(pid), sessionId: A })
})

test('what no row knows is shown and decided on, and is not resumed by a form that is guessed', async () => {
  const pid = inPane('grok')
  await fires(pid, { GROK_HOOK_EVENT: 'SessionStart' })
  expect(world.decide().reason).toBe('already_running')
  world.kill(pid)
  expect(world.decide().action).toBe('resume')
  expect(() => resumeSpec(world.entry())).toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_INPUT', next: expect.stringContaining('give its row') })
  )
})

test.each([
  ['the file of a version', '/home/dev/.local/share/claude/versions/2.1.34', {}],
  ['a version', '2.1.197', {}],
  ['another name', 'my-own-build', marked],
  ['a name after a process number', 'my-own-build', { CLAUDE_PID: 'own' }]
])('Claude started as %s is recorded with its process', async (_, line, env) => {
  const pid = inPane(line)
  const told = 'CLAUDE_PID' in env ? { CLAUDE_PID: String(pid) } : env
  expect((await fires(pid, told)).outcome).toBe('captured')
  expect(world.entry()).toMatchObject({ agent: 'claude', proc: world.owner(pid) })
  expect(world.entry().proc_unknown).toBeUndefined()
  expect(world.decide('', { [A]: 'found' }).reason).toBe('already_running')
})

test('Codex started as the file of a release is recorded with its process', async () => {
  const pid = inPane('/opt/codex-x86_64-unknown-linux-musl')
  await world.hook('codex', pid, tmux.env('%1'), claudeEvent('SessionStart', A))
  expect(world.entry()).toMatchObject({ agent: 'codex', proc: world.owner(pid) })
})

test('where program and marks contradict each other nothing is recorded', async () => {
  const report = await fires(inPane('claude'), { COPILOT_CLI: '1' })
  expect(report).toMatchObject({ outcome: 'ignored', why: 'another_agents_marks' })
  expect(await fires(inPane('some-agent'), { ...marked, COPILOT_CLI: '1' })).toMatchObject({ why: 'agent_unclear' })
  expect(await fires(inPane('some-agent'), { COPILOT_CLI: '1', CURSOR_VERSION: '1' })).toMatchObject({
    why: 'agent_unclear'
  })
  expect(world.surfaces()).toEqual([])
})

test('the marks that an agent inherited do not make it another one', async () => {
  const pid = inPane('claude')
  expect((await fires(pid, { ...marked, COPILOT_CLI: '1', GROK_HOOK_EVENT: 'x' })).outcome).toBe('captured')
  expect(world.entry()).toMatchObject({ agent: 'claude', proc: world.owner(pid) })
})

test("another agent inside a Claude changes nothing of that Claude's", async () => {
  const claude = inPane('claude')
  const env = { ...marked, CLAUDE_PID: String(claude), CLAUDE_CODE_SESSION_ID: A }
  await fires(claude, env)
  const shell = world.start(claude, 'bash -c x')
  for (const line of ['copilot', 'some-agent', 'python3 agent.py']) {
    expect(await fires(world.start(shell, line), env, B)).toMatchObject({ outcome: 'nested' })
  }
  expect(world.entry()).toMatchObject({ sessionId: A, proc: world.owner(claude), previous: [] })
})

test.each(['timeout 60 sh -c x', 'env A=b sh -c x', '/opt/wrap node /opt/dist/cli.cjs hook claude', 'bash run.sh'])(
  'what is there for the hook alone is not recorded: %s',
  async (wrapper) => {
    const pid = inPane('my-own-build')
    await fires(world.start(world.start(pid, 'sh -c hook'), wrapper), marked)
    expect(world.entry()).toMatchObject({ agent: 'claude', proc: world.owner(pid) })
  }
)

test('a program that manages hooks is not taken for an agent inside', async () => {
  const claude = inPane('claude')
  const manager = world.start(world.start(claude, 'sh -c hooks'), 'python3 hooks.py')
  await fires(manager, { ...marked, CLAUDE_CODE_SESSION_ID: A })
  expect(world.entry()).toMatchObject({ agent: 'claude', proc: world.owner(claude) })
})

test('where the process cannot be told none is recorded, until one is', async () => {
  const own = inPane('my-own-build')
  const manager = world.start(world.start(own, 'sh -c hooks'), 'python3 hooks.py')
  expect((await fires(manager, marked)).outcome).toBe('captured')
  expect(world.entry()).toMatchObject({ agent: 'claude', proc_unknown: true })
  expect(world.entry().proc).toBeUndefined()
  expect(world.decide('', { [A]: 'found' }).reason).toBe('liveness_unknown')
  await fires(own, marked)
  expect(world.entry()).toMatchObject({ proc: world.owner(own) })
  expect(world.entry().proc_unknown).toBeUndefined()
})
