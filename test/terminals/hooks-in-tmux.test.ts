/*
 * Hooks as they are installed, run by a stand-in agent in panes of a real tmux: from the settings file to the index.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verdictOf } from '../../src/core.js'
import { applyHooks, hooksStatus } from '../../src/hooks.js'
import { type Entry, loadIndex, ownerOf } from '../../src/index.js'
import { cli, program } from '../support/programs.js'

let home = ''
let socket = ''
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'cri-hooks-'))
  socket = join(home, 'socket')
  mkdirSync(join(home, 'project', '.git'), { recursive: true })
  writeFileSync(join(home, 'project', '.git', 'HEAD'), 'ref: refs/heads/main\n')
  copyFileSync(program('hooked-agent'), join(home, 'claude.mjs'))
  await applyHooks('claude', 'install', { node: process.execPath, bin: cli(), env: { HOME: home } })
})
afterEach(async () => {
  // Another pane keeps the server from ending by itself.
  const server = Number(tmux('new-session', '-d', '-P', '-F', '#{pid}', 'exec sleep 1000'))
  tmux('kill-server')
  while (ownerOf(server) !== null) await new Promise((resolve) => setTimeout(resolve, 5))
  rmSync(home, { recursive: true })
})

// No PATH but the system's, no variable of this test's own surroundings.
const env = (): Record<string, string> => ({
  HOME: home,
  PATH: '/usr/bin:/bin',
  CRASH_RESUME_INDEX_PATH: join(home, 'index.json'),
  TERM: 'screen'
})

function tmux(...args: string[]): string {
  return execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], { encoding: 'utf8', env: env() }).trim()
}

/** A pane in which the stand-in tells these events; resolved when the last hook has ended. */
async function pane(...events: string[]): Promise<{ pane: string; pid: number; codes: number[] }> {
  const done = join(home, `done-${Math.random()}`)
  const words = [process.execPath, join(home, 'claude.mjs'), join(home, '.claude/settings.json'), ...events]
  const started = existsSync(socket) ? 'new-window' : 'new-session'
  const line = `cd ${join(home, 'project')} && PATH= DONE=${done} ${words.join(' ')}; true`
  const id = tmux(started, '-d', '-P', '-F', '#{pane_id}', line)
  while (!existsSync(done)) await new Promise((resolve) => setTimeout(resolve, 10))
  return { pane: id, ...JSON.parse(readFileSync(done, 'utf8')) }
}

function entry(ending: string): Entry | undefined {
  return Object.values(loadIndex(join(home, 'index.json')).entries).find(({ surfaceId }) => surfaceId.endsWith(ending))
}

const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

test('a pane and its session are on file when the hook has ended, with no PATH to find anything by', async () => {
  const { pid, codes, pane: name } = await pane(`SessionStart:${id(1)}`, `UserPromptSubmit:${id(1)}`)
  expect(codes).toEqual([0, 0, 0, 0, 0, 0])
  expect(entry(`:${name}`)).toMatchObject({
    sessionId: id(1),
    agent: 'claude',
    repo: 'project',
    cwd: join(home, 'project'),
    proc: ownerOf(pid)
  })
  expect(readFileSync(join(home, 'index.json'), 'utf8')).not.toContain('CANARY')
})

test('a clear is followed, an end noted, and a kill leaves the entry with a process that is dead', async () => {
  await pane()
  const { pid, pane: name } = await pane(`SessionStart:${id(1)}`, `SessionEnd:${id(1)}`, `SessionStart:${id(2)}`)
  expect(entry(`:${name}`)).toMatchObject({ sessionId: id(2), previous: [{ sessionId: id(1), why: 'rotated' }] })
  const { proc } = entry(`:${name}`) ?? {}
  process.kill(pid, 'SIGKILL')
  while (ownerOf(pid) !== null) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(proc && verdictOf(proc)).toBe('dead')
  expect(entry(`:${name}`)?.sessionId).toBe(id(2))
})

test('two panes are two surfaces', async () => {
  const [first, second] = [await pane(`SessionStart:${id(1)}`), await pane(`SessionStart:${id(2)}`)]
  expect(entry(`:${first.pane}`)?.sessionId).toBe(id(1))
  expect(entry(`:${second.pane}`)?.sessionId).toBe(id(2))
})

test('a hook whose bin is gone disturbs nobody, and is found', async () => {
  await applyHooks('claude', 'install', { node: process.execPath, bin: join(home, 'gone.cjs'), env: { HOME: home } })
  const { codes } = await pane(`SessionStart:${id(1)}`)
  expect(codes).toEqual([0, 0, 0])
  expect(existsSync(join(home, 'index.json'))).toBe(false)
  const claude = hooksStatus({ env: { HOME: home } }).find(({ agent }) => agent === 'claude')
  expect(claude).toMatchObject({ state: 'broken', missing: [join(home, 'gone.cjs')] })
})
