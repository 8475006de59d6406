import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ownerOf, thisMachine } from '../../src/probes/process.js'
import type { Binding } from '../../src/terminals/surface-from-env.js'
import { program } from '../support/programs.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cri-tmux-'))
})
afterEach(async () => {
  await stop()
  rmSync(folder, { recursive: true })
})

/** tmux with a server of the test's own. */
function tmux(...args: string[]): string {
  const { TMUX: _, TMUX_PANE: __, ...env } = process.env
  return execFileSync('tmux', ['-S', join(folder, 'socket'), '-f', '/dev/null', ...args], {
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'pipe', 'ignore']
  }).trim()
}

/** Stops the server, where one runs, and waits for its end: one that is going down takes no new session. */
async function stop(): Promise<void> {
  let server: number
  try {
    server = Number(tmux('display-message', '-p', '#{pid}'))
    tmux('kill-server')
  } catch {
    return
  }
  while (ownerOf(server) !== null) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** What a process in a new pane finds out about its surface; `before` is put in front of its command. */
async function look(command: 'new-session' | 'new-window', before = ''): Promise<{ pane: string; found: Binding }> {
  const path = join(folder, `${Math.random()}.json`)
  const args = [
    '-d',
    '-P',
    '-F',
    '#{pane_id}',
    `${before} ${process.execPath} ${program('surface')} ${path}; sleep 1000`
  ]
  const pane = tmux(command, ...args)
  while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 10))
  return { pane, found: JSON.parse(readFileSync(path, 'utf8')) }
}

test('a pane has its own surface, with the server in it, also in a window that is not the active one', async () => {
  await look('new-session')
  const { pane, found } = await look('new-window')
  const server = Number(tmux('display-message', '-p', '#{pid}'))
  const scope = `tmux:${join(folder, 'socket')}:${server}.${ownerOf(server)?.start}`
  expect(pane).toBe('%1')
  expect(found).toEqual({ surface: { surfaceId: `${scope}:%1`, scope: `${scope}@${thisMachine().bootId}` } })
})

test('the first pane of the next server is another surface', async () => {
  const first = await look('new-session')
  await stop()
  const second = await look('new-session')
  expect([first.pane, second.pane]).toEqual(['%0', '%0'])
  expect(second.found).not.toEqual(first.found)
  expect(second.found).toHaveProperty('surface.surfaceId', expect.stringMatching(/:%0$/))
})

test('a daemon that was started in a pane is on no surface', async () => {
  // The shell between ends at once, so that the process below it is nobody's child in the pane.
  const { found } = await look('new-session', 'setsid -f')
  expect(found).toEqual({ unbound: 'server_not_above' })
})
