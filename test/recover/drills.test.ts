/*
 * Fifty panes and one instant: what a person with a full terminal goes through, and what the report must say of it.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Entry, endInFile, observe, ownerOf, thisMachine, updateIndex } from '../../src/index.js'
import { eventually } from '../support/eventually.js'
import { cli } from '../support/programs.js'
import { isBelow, type Life, TmuxLab } from '../support/tmux-lab.js'

const SOCKETS = ['one', 'two']
const AGENTS = ['claude', 'codex', 'gemini']
const PANES = 50

let lab: TmuxLab
const others: ChildProcess[] = []
beforeEach(() => {
  lab = new TmuxLab()
})
afterEach(async () => {
  for (const child of others.splice(0)) child.kill('SIGKILL')
  await lab.close()
})

/** Where the n-th pane is: five sessions on two servers, windows of two panes. */
function place(n: number): { socket: string; session: string; window: number; agent: string; folder: string } {
  const session = n % 5
  // The first two share a folder, and so do most of the rest.
  return {
    socket: SOCKETS[session % 2] ?? '',
    session: `s${session}`,
    window: Math.floor(n / 10),
    agent: AGENTS[n % 3] ?? '',
    folder: `project-${Math.floor(n / 8)}`
  }
}

/** All of them up, recorded by their hooks, and their places noted. */
async function fill(): Promise<readonly Entry[]> {
  lab.behave({ hook: lab.hookOf('AGENT') })
  for (let n = 0; n < PANES; n++) {
    const { socket, session, window, agent, folder } = place(n)
    const cwd = lab.folder(folder)
    const start = { argv: [agent], cwd, env: lab.env }
    const driver = lab.driver(socket)
    const there = (await lab.panes(socket)).filter(
      (pane) => pane.position.session === session && pane.position.window === window
    )
    const last = there.at(-1)
    if (last === undefined) await driver.open({ session, window }, start)
    else await driver.split(last, start)
  }
  await eventually('fifty agents', () =>
    lab.lives().length === PANES && lab.lives().every(({ pid }) => lab.isUp(pid)) ? true : null
  )
  for (const socket of SOCKETS) await lab.noteAddresses(socket)
  const entries = lab.entries()
  expect(entries).toHaveLength(PANES)
  expect(new Set(entries.map(({ address }) => address)).size).toBe(PANES)
  return entries
}

function recover(...args: string[]): { status: number | null; rows: readonly Row[]; sums: readonly number[] } {
  const { status, stdout, stderr } = lab.cli(['recover', '--json', '--yes', '--stagger', '0ms', ...args])
  if (stdout === '') throw new Error(stderr)
  const { rows, resumed, pending, failed, skipped, total } = JSON.parse(stdout)
  return { status, rows, sums: [resumed, pending, failed, skipped, total] }
}

interface Row {
  readonly sessionId: string
  readonly outcome: string
  readonly reason: string
  readonly action: string | null
}

/** Session by socket and position, of what runs in panes. */
async function living(): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  const alive = lab.alive()
  for (const socket of SOCKETS) {
    for (const pane of await lab.panes(socket)) {
      const life = alive.find(({ pid }) => isBelow(pid, pane.pid))
      const { session, window, pane: number } = pane.position
      if (life !== undefined) found[`${socket} ${session}:${window}.${number}`] = life.sessionId
    }
  }
  return found
}

const ids = (lives: readonly Life[]): string[] => lives.map(({ sessionId }) => sessionId).sort()

describe('fifty panes over five sessions and two servers', () => {
  it('come back, each in its session and its place, none twice and none fresh', async () => {
    const before = await fill()
    const places = await living()
    expect(Object.keys(places)).toHaveLength(PANES)
    await lab.crash()
    const { status, sums, rows } = recover()
    expect(rows.filter(({ outcome }) => outcome !== 'resumed')).toEqual([])
    expect([status, sums]).toEqual([0, [PANES, 0, 0, 0, PANES]])
    expect(await living()).toEqual(places)
    const since = lab.lives().slice(PANES)
    expect(since.every(({ form, nesting }) => form === 'resumed' && nesting.length === 0)).toBe(true)
    expect(ids(since)).toEqual(before.map(({ sessionId }) => sessionId).sort())
    expect(ids(lab.alive())).toEqual(ids(since))
  })

  it('are all in the report with the right reason, whatever became of them', async () => {
    const before = await fill()
    const [gone, ended, moved, elsewhere] = [
      before.slice(0, 5),
      before.slice(5, 10),
      before.slice(10, 13),
      before.slice(13, 15)
    ]
    const reasons = new Map<string, string>()
    // In the middle of a turn: the last line of the transcript is torn.
    for (const entry of before.slice(15, 25)) appendFileSync(lab.transcriptOf(entry), '{"type":"assistant","mess')
    await lab.crash()
    for (const entry of gone) {
      rmSync(lab.transcriptOf(entry))
      reasons.set(entry.sessionId, 'pending session_gone')
    }
    for (const { surfaceId, sessionId } of ended) {
      await endInFile(lab.index, { surfaceId, reason: 'done with it' })
      reasons.set(sessionId, 'skipped ended')
    }
    for (const { sessionId, surfaceId } of moved) {
      // A folder of its own, since it is to be deleted.
      const cwd = lab.folder(`gone-${sessionId}`)
      await lab.moveTo(surfaceId, cwd)
      rmSync(cwd, { recursive: true })
      // Codex could go on anywhere, and nobody has said where.
      reasons.set(sessionId, 'skipped cwd_missing')
    }
    for (const { sessionId, agent = '', cwd = '' } of elsewhere) {
      const resume = agent === 'codex' ? ['resume', sessionId] : ['--resume', sessionId]
      others.push(spawn(join(lab.home, 'bin', agent), resume, { cwd, env: { ...lab.env, TMUX: '' }, stdio: 'ignore' }))
      reasons.set(sessionId, 'skipped running_elsewhere')
    }
    await eventually('those elsewhere', () =>
      lab.alive().length === 2 && lab.alive().every(({ pid }) => lab.isUp(pid)) ? true : null
    )
    expect([...reasons.values()]).toContain('skipped cwd_missing')
    const { rows, sums } = recover()
    const found = Object.fromEntries(rows.map(({ sessionId, outcome, reason }) => [sessionId, `${outcome} ${reason}`]))
    expect(found).toEqual(
      Object.fromEntries(before.map(({ sessionId }) => [sessionId, reasons.get(sessionId) ?? 'resumed ok']))
    )
    expect(sums[4]).toBe(PANES)
    expect(sums.slice(0, 4).reduce((a, b) => a + b)).toBe(PANES)
    // Offered, and not taken.
    expect(
      lab
        .lives()
        .slice(PANES)
        .filter(({ form }) => form === 'fresh')
    ).toEqual([])
    const alive = ids(lab.alive())
    expect(alive).toEqual([...new Set(alive)])
  })
})

describe('a reboot', () => {
  it('takes nothing for alive by a number that belongs to another process now', async () => {
    const bystanders = [0, 1, 2].map(() => spawn('sleep', ['600'], { stdio: 'ignore' }))
    others.push(...bystanders)
    const cwd = lab.folder('project')
    const transcripts = join(lab.home, '.claude/projects', cwd.replaceAll(/[^A-Za-z0-9]/g, '-'))
    mkdirSync(transcripts, { recursive: true })
    for (const [n, { pid = 0 }] of bystanders.entries()) {
      const sessionId = `0d4ff5f1-6a5b-4f0e-9d55-3a9d7f6c1b0${n}`
      appendFileSync(join(transcripts, `${sessionId}.jsonl`), '{"type":"user"}\n')
      const proc = ownerOf(pid)
      if (proc === null) throw new Error('it has ended')
      // Recorded with the very process that runs under that number, to the tick of its start.
      const sighting = {
        surfaceId: `tmux:${lab.socket('one')}:9.9:%${n}`,
        sessionId,
        repo: 'project',
        agent: 'claude',
        cwd
      }
      const place = { address: `work:${n}.0`, scope: `tmux:${lab.socket('one')}:9.9` }
      await updateIndex(
        lab.index,
        (index) => observe(index, { ...sighting, ...place, proc, seen: thisMachine() }, [], Date.now()).index
      )
    }
    const here = lab.cli(['recover', '--dry-run', '--json'])
    expect(JSON.parse(here.stdout).rows.map((row: Row) => row.reason)).toEqual(Array(3).fill('already_running'))

    const boot = join(lab.home, 'boot_id')
    appendFileSync(boot, '00000000-1111-4222-8333-444444444444\n')
    const script = `mount --bind '${boot}' /proc/sys/kernel/random/boot_id && exec "$@"`
    const user = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
    const command = [process.execPath, cli(), 'recover', '--dry-run', '--json']
    const args = [...user, '--mount', 'sh', '-c', script, 'sh', ...command]
    const after = execFileSync('unshare', args, { env: lab.env, encoding: 'utf8' })
    expect(JSON.parse(after).rows.map((row: Row) => row.reason)).toEqual(Array(3).fill('planned'))
    expect(bystanders.every(({ exitCode, signalCode }) => exitCode === null && signalCode === null)).toBe(true)
  })
})
