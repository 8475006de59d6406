import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withAgents } from '../../src/agents/table.js'
import { linuxEnvironment } from '../../src/probes/proc-linux.js'
import { ownerOf } from '../../src/probes/process.js'
import { lookAtProcesses, type RunningAgent } from '../../src/probes/processes.js'
import { program } from '../support/programs.js'

// A name that no other process of this machine has.
const name = `agent-${process.pid}`
const agent = withAgents([{ name }])[name] ?? raise()
const other = withAgents([{ name: `${name}-other` }])[`${name}-other`] ?? raise()

function raise(): never {
  throw new Error('no row')
}

function look(...args: Parameters<typeof lookAtProcesses>): readonly RunningAgent[] {
  const found = lookAtProcesses(...args)
  if (!found.known) throw new Error(found.why)
  return found.value
}

let folder = ''
let child: ChildProcess
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cri-running-'))
  const script = join(folder, `${name}.mjs`)
  copyFileSync(program('run-below'), script)
  child = spawn(process.execPath, [script, 'echo up; exec sleep 1000'], {
    env: { PATH: process.env['PATH'], CRASH_RESUME_SURFACE: 'worker-1', TOKEN: 'canary' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true
  })
  if (child.stdout) await once(child.stdout, 'data')
})
afterAll(() => {
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  rmSync(folder, { recursive: true })
})

test('every process of the agent, with what tells whose it is', () => {
  const found = look([agent])
  expect(found).toHaveLength(1)
  const [one] = found
  expect(one?.owner).toEqual(ownerOf(child.pid ?? 0))
  expect(one?.surfaceId).toBe('worker-1')
  expect(one?.otherUser).toBe(false)
  expect(one?.argv[1]).toBe(join(folder, `${name}.mjs`))
  expect(one?.ancestors[0]).toEqual(ownerOf(process.pid))
})

test('a chore runs no session, unless it names one or may open one', () => {
  const chore = withAgents([{ name, chores: ['echo up; exec sleep 1000'] }])[name] ?? raise()
  expect(look([chore])).toEqual([])
  expect(look([chore], new Set(['echo up; exec sleep 1000']))).toMatchObject([{ namesSession: true }])
  expect(look([{ ...chore, openers: chore.chores }])).toMatchObject([{ owner: { pid: child.pid } }])
})

test('no process of an agent that does not run', () => {
  expect(look([other])).toEqual([])
})

test('the processes of two agents come from one look', () => {
  expect(look([other, agent]).map(({ owner }) => owner.pid)).toContain(child.pid)
})

test('an environment that cannot be read', () => {
  expect(linuxEnvironment(child.pid ?? 0)?.['CRASH_RESUME_SURFACE']).toBe('worker-1')
  expect(linuxEnvironment(2 ** 22)).toBeNull()
})

test('a process by another name that has the session among its arguments', async () => {
  const id = `session-${process.pid}`
  const wrapper = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1000)', '--', '--resume', id], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  try {
    if (wrapper.stdout) await once(wrapper.stdout, 'data')
    expect(look([other])).toEqual([])
    expect(look([other], new Set(['another']))).toEqual([])
    const found = look([other], new Set([id]))
    expect(found).toMatchObject([{ owner: { pid: wrapper.pid }, namesSession: true }])
  } finally {
    wrapper.kill('SIGKILL')
  }
})
