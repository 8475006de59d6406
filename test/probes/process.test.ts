import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import type { Machine, Owner, Verdict } from '../../src/core/schema.js'
import { ownerOf, thisMachine, verdictOf, verdictsFor } from '../../src/probes/process.js'
import { program } from '../support/programs.js'

const started: ChildProcess[] = []

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

/** A process of ours that runs until it is killed; resolved once it runs. */
async function child(script: string): Promise<{ child: ChildProcess; said: string; pid: number }> {
  const shell = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  started.push(shell)
  const [said] = await once(shell.stdout.setEncoding('utf8'), 'data')
  return { child: shell, said: String(said).trim(), pid: shell.pid ?? 0 }
}

/** Waits for the kernel to have done with a SIGKILL: the state in /proc/<pid>/stat. */
async function untilZombie(pid: number): Promise<void> {
  while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) await new Promise(setImmediate)
}

interface Report {
  machine: Machine
  self: Owner
  verdict: Verdict
  signal: string
}

/** What another process, started by `file` and `args`, thinks of the owner. The program comes by stdin: any user may. */
function lookFrom(file: string, args: readonly string[], owner: Owner): Report {
  const node = [process.execPath, '--input-type=module', '-', JSON.stringify(owner)]
  const input = readFileSync(program('look-at-owner'))
  return JSON.parse(execFileSync(file, [...args, ...node], { input, encoding: 'utf8', cwd: '/' }))
}

const root = process.getuid?.() === 0
const unshare = root ? [] : ['--user', '--map-root-user']
const asNobody = ['--reuid', '65534', '--regid', '65534', '--clear-groups']

function owned(pid: number): Owner {
  const owner = ownerOf(pid)
  if (owner === null) throw new Error(`no process ${pid}`)
  return owner
}

test('this machine is found out once and is the same in every process', () => {
  const machine = thisMachine()
  expect(thisMachine()).toBe(machine)
  expect(machine.host).toMatch(/^[0-9a-f]{16}$/)
  expect(machine.bootId).toBe(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
  expect(machine.ns).toMatch(/^pid:\[\d+\]$/)
  expect(lookFrom('env', [], owned(process.pid)).machine).toEqual(machine)
})

test('a child of ours is alive, and dead once it was killed', async () => {
  const { child: shell, pid } = await child('echo up; exec sleep 1000')
  const owner = owned(pid)
  expect(owner).toEqual({ ...thisMachine(), pid, start: expect.stringMatching(/^\d+$/) })
  expect(verdictOf(owner)).toBe('alive')
  shell.kill('SIGKILL')
  await once(shell, 'exit')
  expect(verdictOf(owner)).toBe('dead')
  expect(ownerOf(pid)).toBeNull()
})

test('a killed process that nobody has waited for is dead, though a signal still reaches it', async () => {
  // Its parent tells its number and then does nothing any more, so that it does not wait for it either.
  const script = `
    const { pid } = require('node:child_process').spawn('sleep', ['1000'])
    require('node:fs').writeSync(1, String(pid))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`
  const { said } = await child(`exec "${process.execPath}" -e "${script}"`)
  const owner = owned(Number(said))
  expect(verdictOf(owner)).toBe('alive')
  process.kill(owner.pid, 'SIGKILL')
  await untilZombie(owner.pid)
  expect(process.kill(owner.pid, 0)).toBe(true)
  expect(verdictOf(owner)).toBe('dead')
  expect(ownerOf(owner.pid)).toBeNull()
})

test('a number that now belongs to another process is dead', () => {
  const owner = owned(process.pid)
  expect(verdictOf({ ...owner, start: String(Number(owner.start) - 1) })).toBe('dead')
})

test('an owner of another boot is dead, of another machine or namespace unknown', () => {
  const owner = owned(process.pid)
  expect(verdictOf({ ...owner, bootId: 'another' })).toBe('dead')
  expect(verdictOf({ ...owner, host: 'another' })).toBe('unknown')
  expect(verdictOf({ ...owner, ns: 'pid:[1]' })).toBe('unknown')
})

test('numbers that stand for groups of processes are never looked at', () => {
  for (const pid of [0, -1, -process.pid, 2 ** 31, 0.5]) {
    expect(ownerOf(pid)).toBeNull()
    expect(verdictOf({ ...thisMachine(), pid, start: '1' })).toBe('unknown')
  }
})

test('a process in another namespace cannot tell about one of ours, though it has our number free', () => {
  const owner = owned(process.pid)
  const seen = lookFrom('unshare', [...unshare, '--pid', '--fork', '--mount-proc'], owner)
  expect(seen.machine.bootId).toBe(owner.bootId)
  expect(seen.machine.ns).not.toBe(owner.ns)
  expect(seen.signal).toBe('ESRCH')
  expect(seen.verdict).toBe('unknown')
  expect(verdictOf(seen.self)).toBe('unknown')
})

test('where /proc was left from outside the namespace, no start time is taken from it', () => {
  const seen = lookFrom('unshare', [...unshare, '--pid', '--fork'], owned(process.pid))
  expect(seen.self.pid).toBe(1)
  expect(seen.self.start).toBeUndefined()
})

test('a process of another user is alive although it may not be signalled', () => {
  const owner = owned(root ? process.pid : 1)
  const seen = root ? lookFrom('setpriv', asNobody, owner) : lookFrom('env', [], owner)
  expect(seen.signal).toBe('EPERM')
  expect(seen.verdict).toBe('alive')
})

test('a process that /proc hides from other users is unknown, not gone', () => {
  // Only root may mount here and look as somebody else; another user's run gets as far as its own namespace.
  const owner = owned(process.pid)
  const look = root ? `setpriv ${asNobody.join(' ')} "$@"` : '"$@"'
  const hide = `mount -t proc -o hidepid=2 proc /proc && exec ${look}`
  const seen = lookFrom(
    'unshare',
    [...unshare, '--mount', ...(root ? [] : ['--pid', '--fork']), 'sh', '-c', hide, 'sh'],
    owner
  )
  expect(seen.signal).toBe(root ? 'EPERM' : 'ESRCH')
  expect(seen.verdict).toBe('unknown')
})

test('verdicts on several owners carry each whole owner', async () => {
  const { pid } = await child('echo up; exec sleep 1000')
  const alive = owned(pid)
  const recycled = { ...alive, start: '1' }
  expect(verdictsFor([recycled, alive])).toEqual([
    { owner: recycled, verdict: 'dead' },
    { owner: alive, verdict: 'alive' }
  ])
})
