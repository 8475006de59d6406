/**
 * What is seen of a started agent and what follows from it: only a process that is proven dead, or a shell that waits in
 * its place, is an end. The processes are real; what a look below the pane shows is each test's own.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { AGENTS } from '../../src/agents/table.js'
import type { Owner } from '../../src/core/schema.js'
import { emptyIndex } from '../../src/core/verbs.js'
import { type Known, known, unknown } from '../../src/probes/known.js'
import { ownerOf } from '../../src/probes/process.js'
import { type StartedAgent, waitForAgent } from '../../src/recover/wait-for-agent.js'
import type { LivePane, TerminalDriver } from '../../src/terminals/driver.js'
import { entryOf } from '../core/samples.js'

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

async function running(...argv: [string, ...string[]]): Promise<Owner> {
  const child = spawn(argv[0], argv.slice(1), { stdio: ['pipe', 'ignore', 'ignore'] })
  children.push(child)
  await once(child, 'spawn')
  return ownerOf(child.pid ?? 0) as Owner
}

async function end(owner: Owner): Promise<void> {
  const child = children.find(({ pid }) => pid === owner.pid) as ChildProcess
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** @param looks what the looks below the pane show, one after the other; the last one stays */
function task(
  top: Owner,
  looks: readonly (() => Known<Owner | null>)[],
  more: Partial<StartedAgent> = {}
): StartedAgent {
  let at = 0
  return {
    store: { path: '/none', load: async () => emptyIndex(), update: () => Promise.reject(new Error('no update')) },
    driver: { screen: async () => null } as unknown as TerminalDriver,
    pane: { pid: top.pid, position: { session: 'work', window: 0, pane: 0 } } as LivePane,
    row: AGENTS.claude,
    entry: entryOf({ sessionId: '0d4ff5f1-6a5b-4f0e-9d55-3a9d7f6c1b2e', agent: 'claude' }),
    attempt: 'a1',
    env: {},
    proofMs: 50,
    limitMs: 200,
    onBusy: () => undefined,
    below: () => (looks[Math.min(at++, looks.length - 1)] as () => Known<Owner | null>)(),
    ...more
  }
}

const blind = () => unknown('the process list was not read')
const none = () => known(null)

it('is not ended where nothing below the pane could be looked at', async () => {
  const pane = await running('sleep', '60')
  expect(await waitForAgent(task(pane, [blind]))).toMatchObject({ failed: 'timeout' })
})

it('is not ended where it was seen once and could not be looked at since, while its process lives', async () => {
  const [pane, agent] = [await running('sleep', '60'), await running('sleep', '60')]
  expect(await waitForAgent(task(pane, [() => known(agent), blind]))).toMatchObject({ result: 'ok', proc: agent })
  // It may have gone elsewhere: what lives has not ended.
  expect(await waitForAgent(task(pane, [() => known(agent), none]))).toMatchObject({ result: 'ok', proc: agent })
})

it('is not ended where its process is dead and what runs in its place could not be looked at', async () => {
  const [pane, agent] = [await running('sleep', '60'), await running('sleep', '60')]
  const looks = [() => known(agent), blind]
  await end(agent)
  expect(await waitForAgent(task(pane, looks))).toMatchObject({ failed: 'timeout' })
})

it('is ended where its process is dead and no other one is there', async () => {
  const [pane, agent] = [await running('sleep', '60'), await running('sleep', '60')]
  await end(agent)
  expect(await waitForAgent(task(pane, [() => known(agent), none]))).toMatchObject({ failed: 'exited' })
})

it('is ended where the pane died, or a shell waits in it, and no agent was ever seen', async () => {
  const pane = await running('sleep', '60')
  const started = waitForAgent(task(pane, [none], { limitMs: 5000 }))
  await end(pane)
  expect(await started).toMatchObject({ failed: 'exited' })
  const shell = await running('/bin/sh', '-i')
  expect(await waitForAgent(task(shell, [none], { limitMs: 5000 }))).toMatchObject({ failed: 'exited' })
})

it('is not confirmed by time: what can show itself is waited for, and what stays silent is said', async () => {
  const [pane, agent] = [await running('sleep', '60'), await running('sleep', '60')]
  const looks = [() => known(agent)]
  const screen = { screen: async () => 'Welcome\n  1. Log in with the browser  \n\n' } as unknown as TerminalDriver
  const silent = await waitForAgent(task(pane, looks, { driver: screen }))
  expect(silent).toEqual({
    result: 'ok',
    proc: agent,
    unconfirmed: 'look at work:0.0; the last line there is: 1. Log in with the browser'
  })
  // One that shows nothing of itself is said to be started, and no more.
  const blank = await waitForAgent(task(pane, looks, { row: AGENTS.copilot, limitMs: 60_000 }))
  expect(blank).toMatchObject({ result: 'ok', unconfirmed: 'look at work:0.0; its screen is blank' })
})

it('waits for a note to its limit only where this agent writes notes', async () => {
  const [pane, agent] = [await running('sleep', '60'), await running('sleep', '60')]
  const env = { HOME: await mkdtemp(join(tmpdir(), 'cri-notes-')) }
  const waited = async (limitMs: number): Promise<number> => {
    let looks = 0
    const below = () => {
      looks += 1
      return known(agent)
    }
    const outcome = await waitForAgent(task(pane, [], { env, limitMs, below }))
    expect(outcome).toMatchObject({ result: 'ok', unconfirmed: expect.anything() })
    return looks
  }
  // A pause of 100 ms counts at most as that: the limit is at least this many looks away.
  expect(await waited(60_000)).toBeLessThan(600)
  await mkdir(join(env.HOME, '.claude', 'sessions'), { recursive: true })
  expect(await waited(1000)).toBeGreaterThan(10)
})

it('is up once its hook has reported the session for this attempt', async () => {
  const [pane, agent] = [await running('sleep', '60'), await running('sleep', '60')]
  const entry = entryOf({
    sessionId: '0d4ff5f1-6a5b-4f0e-9d55-3a9d7f6c1b2e',
    last_attempt: { id: 'a1', kind: 'resume', at: 1, result: 'seen' }
  })
  const store = { path: '/none', load: async () => ({ ...emptyIndex(), entries: { s1: entry } }) }
  const more = { store: store as unknown as StartedAgent['store'], limitMs: 60_000 }
  expect(await waitForAgent(task(pane, [() => known(agent)], more))).toBe('ok')
})
