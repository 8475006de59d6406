/** Hooks of Claude Code's background sessions: those that go on with a conversation of a surface move its entry. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { HookReport } from '../../src/hooks/run-hook.js'
import { claudeEvent, type Tmux, World } from '../support/world.js'

const A = '84cd5d3f-1a62-45fe-8e8f-5450fd198549'
const B = '9a131511-8676-461a-94d0-49450b1d49b7'
const C = 'fea6d846-18d3-424d-8b2f-2139fd7338d4'

let world: World
let tmux: Tmux
let pane: number
let worker: number
beforeEach(async () => {
  world = new World()
  tmux = world.tmux()
  pane = world.start(world.start(tmux.server, 'bash'), 'claude --model opus --dangerously-skip-permissions')
  await world.hook('claude', pane, { ...tmux.env('%0'), HOME: world.folder }, eventOf(A))
  // The server of background sessions was started by the claude of another pane.
  const other = await world.pane(tmux, '%1', '0abe7f72-446e-4199-a593-7d35a2d25554')
  const server = world.start(other, 'claude.exe daemon run')
  worker = world.start(world.start(server, 'claude bg-pty-host'), 'claude bg-spare --bg-spare x.sock')
})
afterEach(() => world.remove())

const pathOf = (id: string): string => join(world.folder, `.claude/projects/-home-dev-p1/${id}.jsonl`)
const eventOf = (id: string, event = 'UserPromptSubmit'): object =>
  claudeEvent(event, id, { transcript_path: pathOf(id) })
const put = (path: string, value: object): void => {
  mkdirSync(dirname(join(world.folder, path)), { recursive: true })
  writeFileSync(join(world.folder, path), JSON.stringify(value))
}
const handOver = (): void => {
  const { pid, start } = world.owner(pane)
  put(`.claude/sessions/${pid}.json`, { sessionId: A, procStart: start, parkedJobId: B.slice(0, 8) })
  put(`.claude/jobs/${B.slice(0, 8)}/state.json`, { sessionId: B, resumeSessionId: B })
}
const told = (id: string, event?: string): Promise<HookReport> => {
  const env = { HOME: world.folder, CLAUDE_JOB_DIR: join(world.folder, '.claude/jobs', B.slice(0, 8)) }
  return world.hook('claude', worker, { ...env, CLAUDE_PID: String(worker) }, eventOf(id, event))
}

test('the conversation is on its surface under the new id, in the process of the background', async () => {
  handOver()
  expect(await told(B, 'SessionStart')).toMatchObject({ outcome: 'rotated', surfaceId: world.entry(':%0').surfaceId })
  expect(world.entry(':%0')).toMatchObject({
    sessionId: B,
    proc: { pid: worker },
    transcript: pathOf(B),
    flags: ['--model', 'opus'],
    withheld: ['--dangerously-skip-permissions'],
    previous: [{ sessionId: A, why: 'rotated' }]
  })
  // The terminal server dies, and the background session goes on.
  world.kill(pane)
  expect(world.decide(':%0')).toMatchObject({ action: 'refuse', reason: 'already_running', sessionId: B })
  world.kill(worker)
  expect(world.decide(':%0', { [B]: 'found' })).toMatchObject({ reason: 'ok', sessionId: B })
})

test('it is followed there', async () => {
  handOver()
  await told(B)
  expect(await told(C, 'SessionStart')).toMatchObject({ outcome: 'rotated' })
  expect(world.entry(':%0').sessionId).toBe(C)
  // What ends is the session before, as a /clear ends it.
  expect(await told(B, 'SessionEnd')).toMatchObject({ outcome: 'ignored' })
})

test('by the end of the transcript, where the pane is gone or the note with it', async () => {
  mkdirSync(dirname(pathOf(A)), { recursive: true })
  appendFileSync(pathOf(A), `{"type":"user"}\n${JSON.stringify({ type: 'continued-in', continuedInSessionId: B })}\n`)
  world.kill(pane)
  expect(await told(B, 'SessionStart')).toMatchObject({ outcome: 'rotated' })
})

test('one that goes on with no conversation of a surface changes nothing', async () => {
  const before = world.index().entries
  expect(await told(B, 'SessionStart')).toMatchObject({ outcome: 'unbound', why: 'background' })
  handOver()
  expect(await told(C)).toMatchObject({ outcome: 'unbound', why: 'background' })
  expect(world.index().entries).toEqual(before)
})
