/*
 * `status` on what really runs: stand-ins for agents in panes of real tmux servers, one of them stopped.
 */
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Entry, observe, ownerOf, type StatusReport, type StatusRow, updateIndex } from '../../src/index.js'
import { eventually } from '../support/eventually.js'
import { program } from '../support/programs.js'
import { type Life, TmuxLab } from '../support/tmux-lab.js'

let lab: TmuxLab
let started = 0
beforeEach(() => {
  lab = new TmuxLab()
  started = 0
})
afterEach(() => lab.close())

/** A line typed into a new window of a server; its number there. */
function typed(line: string, server = 'sock'): string {
  const there = (() => {
    try {
      return lab.tmux(server, 'list-windows', '-t', 'work').length > 0
    } catch {
      return false
    }
  })()
  const command = there
    ? ['new-window', '-d', '-t', 'work:']
    : ['new-session', '-d', '-s', 'work', '-x', '180', '-y', '40']
  const window = lab.tmux(server, ...command, '-P', '-F', '#{window_index}', '-c', join(lab.home, 'project'))
  lab.type(`work:${window}`, line, server)
  return window
}

/** The next start of a stand-in, once it is up. */
async function nextLife(): Promise<Life> {
  const n = started++
  return eventually(`start ${n}`, () => {
    const one = lab.lives()[n]
    return one !== undefined && lab.isUp(one.pid) ? one : null
  })
}

/** An agent in a pane of its own, with its hook or without. */
async function agent(hooked: boolean, server?: string): Promise<Life & { readonly at: string }> {
  lab.behave(hooked ? { hook: lab.hookOf('claude') } : {})
  const window = typed('claude', server)
  return { ...(await nextLife()), at: `work:${window}.0` }
}

const entryOf = ({ sessionId }: Life): Entry => {
  const entry = lab.entries().find((one) => one.sessionId === sessionId)
  if (entry === undefined) throw new Error(`no entry of ${sessionId}`)
  return entry
}

function status(...args: string[]): StatusReport {
  const { status: code, stdout, stderr } = lab.cli(['status', '--json', ...args])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

const rowOf = ({ rows }: StatusReport, { pid, sessionId }: Life): StatusRow | undefined =>
  rows.find((row) => row.sessionId === sessionId) ?? rows.find((row) => row.pid === pid)

async function killed(pid: number): Promise<void> {
  const owner = ownerOf(pid)
  process.kill(pid, 'SIGKILL')
  await eventually('the death', () => (ownerOf(pid)?.start === owner?.start ? null : true))
}

describe('status', () => {
  it('tells what lives, crashed, ended, is nested, and is not recorded', async () => {
    const alive = await agent(true)
    const crashed = await agent(true)
    const ended = await agent(true)
    const stray = await agent(false)
    await killed(crashed.pid)
    await killed(ended.pid)
    expect(lab.cli(['end', entryOf(ended).surfaceId])).toMatchObject({ status: 0 })

    const report = status()
    expect(rowOf(report, alive)).toMatchObject({ state: 'alive', pid: alive.pid, address: alive.at, believe: null })
    expect(rowOf(report, crashed)).toMatchObject({
      state: 'crashed',
      pid: null,
      address: crashed.at,
      believed: 'it runs',
      seen: 'it does not run; its pane runs sh',
      believe: 'machine',
      advice: `\`crash-resume-index recover --only ${crashed.at}\` resumes it`
    })
    expect(rowOf(report, ended)).toMatchObject({ state: 'ended', believe: null, advice: null })
    expect(rowOf(report, stray)).toMatchObject({
      state: 'unrecorded',
      surfaceId: expect.stringContaining(lab.socket()),
      address: stray.at,
      believe: 'machine'
    })

    const { stdout } = lab.cli(['status'])
    expect(stdout).toMatch(new RegExp(`^${alive.at} .*alive +claude +${alive.sessionId} `, 'm'))
    expect(stdout).toMatch(/^1 alive, 1 crashed,.* 1 ended/m)
    expect(stdout).toContain(`${crashed.at}: index: it runs; seen: it does not run; its pane runs sh. Trust what is`)
    expect(lab.cli(['status', '--line']).stdout).toMatch(/^1 alive 1 crashed /)
    expect(lab.cli(['status'], { CRASH_RESUME_INDEX_PATH: join(lab.home, 'other.json') }).stdout).toMatch(
      / foreign +claude /
    )
    // What it says to do does it.
    const plan = JSON.parse(lab.cli(['recover', '--only', crashed.at, '--dry-run', '--json']).stdout)
    expect(plan.rows).toMatchObject([{ sessionId: crashed.sessionId, reason: 'planned' }])
  })

  it('lists each server once, also one that only --socket names', async () => {
    await agent(true)
    lab.tmux('third', 'new-session', '-d', '-s', 'x', 'sleep 600')
    const [first, third] = [lab.socket(), lab.socket('third')]
    const states = (...args: string[]): unknown =>
      status(...args).servers.flatMap(({ name, state }) => (name.startsWith(lab.home) ? [[name, state]] : []))
    const usual = expect.stringMatching(/\/default$/)
    expect(states()).toEqual([
      [usual, 'absent'],
      [first, 'live']
    ])
    expect(states('--socket', third, first)).toEqual([
      [usual, 'absent'],
      [first, 'live'],
      [third, 'live']
    ])
  })

  it('notes the places for a recovery, unless it may not write', async () => {
    const alive = await agent(true)
    expect(entryOf(alive).address).toBeUndefined()
    expect(rowOf(status('--no-write'), alive)).toMatchObject({ address: alive.at })
    expect(entryOf(alive).address).toBeUndefined()
    status()
    const noted = entryOf(alive)
    expect(noted).toMatchObject({ address: alive.at })
    // The hook's word on where it is, and ours, are the same.
    lab.tmux('sock', 'rename-session', '-t', 'work', 'other')
    status()
    expect(entryOf(alive)).toEqual({ ...noted, address: alive.at.replace('work', 'other') })
  })

  it('names whose a nested agent is', async () => {
    copyFileSync(program('run-below'), join(lab.home, 'claude.mjs'))
    lab.behave({ hook: lab.hookOf('claude') })
    typed(`${process.execPath} ${join(lab.home, 'claude.mjs')} claude`)
    const inner = await nextLife()
    const outer = await eventually('the outer agent', () => {
      const row = status().rows.find(({ pid, state }) => pid === inner.pid && state === 'nested')
      return row?.inside?.replace('process ', '') ?? null
    })
    const proc = ownerOf(Number(outer))
    if (proc === null) throw new Error('the outer agent has ended')
    const sighting = { surfaceId: 'lead', sessionId: 'session-of-lead', repo: 'project', agent: 'claude', proc }
    await updateIndex(lab.index, (index) => observe(index, sighting, [], Date.now()).index)
    const report = status()
    expect(rowOf(report, inner)).toMatchObject({ state: 'nested', inside: 'lead', believe: null })
    // A surface of its own name is found by the pane that its process runs below.
    expect(report.rows.find(({ surfaceId }) => surfaceId === 'lead')).toMatchObject({
      state: 'alive',
      pid: proc.pid,
      address: 'work:0.0'
    })
    expect(lab.entries()).toMatchObject([{ surfaceId: 'lead', address: 'work:0.0' }])
  })

  it('takes a server that does not answer for unknown, and what runs on it for what it is', async () => {
    const here = await agent(true)
    const there = await agent(true, 'second')
    const dead = await agent(true, 'second')
    status()
    const server = Number(lab.tmux('second', 'display-message', '-p', '#{pid}'))
    await killed(dead.pid)
    process.kill(server, 'SIGSTOP')
    try {
      lab.cli(['record', 'by-hand', 'session-by-hand', 'project', '--agent', 'claude'])
      const report = status()
      expect(report.servers).toContainEqual({
        name: lab.socket('second'),
        state: 'unknown',
        panes: null,
        reason: 'no answer in time'
      })
      expect(rowOf(report, here)).toMatchObject({ state: 'alive', address: here.at })
      expect(rowOf(report, there)).toMatchObject({ state: 'alive', address: there.at })
      const lost = rowOf(report, dead)
      expect(lost).toMatchObject({ state: 'crashed', address: dead.at })
      expect(lost?.advice).toMatch(/^check its terminal server first/)
      expect(lab.cli(['status']).stdout).toContain(`the terminal server ${lab.socket('second')} does not answer`)
    } finally {
      process.kill(server, 'SIGCONT')
    }
  })

  it('--watch draws it again until Ctrl-C', async () => {
    const agents = [await agent(true), await agent(true)]
    const watching = typed('crash-resume-index status --watch 0.2; echo "code=$?"')
    const shows = (text: string | RegExp): Promise<string> =>
      eventually(`the text ${text}`, () => {
        const screen = lab.screen(`work:${watching}`)
        return screen.match(text) === null ? null : screen
      })
    await shows(/^2 alive/m)
    await killed(agents[1]?.pid ?? 0)
    const screen = await shows(/^1 alive, 1 crashed/m)
    expect(screen.match(/SURFACE/g)).toHaveLength(1)
    lab.tmux('sock', 'send-keys', '-t', `work:${watching}`, 'C-c')
    await shows('code=0')
  })

  it('--watch ends when nobody reads it any more', async () => {
    await agent(true)
    const window = typed('crash-resume-index status --watch 0.1 --json | head -n 2 >~/watched; echo "over"')
    await eventually('the end', () => (/^over$/m.test(lab.screen(`work:${window}`)) ? true : null))
    const lines = readFileSync(join(lab.home, 'watched'), 'utf8').trim().split('\n')
    expect(lines.map((line) => typeof JSON.parse(line).at)).toEqual(['number', 'number'])
  })
})
