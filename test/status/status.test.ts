import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { claudeProjectSlug } from '../../src/agents/claude-slug.js'
import type { Entry, Index, Owner } from '../../src/core/schema.js'
import { record } from '../../src/core/verbs.js'
import type { StatusOptions, StatusReport, StatusRow } from '../../src/index.js'
import { openStore, statusOf, updateIndex } from '../../src/index.js'
import { known, unknown } from '../../src/probes/known.js'
import { ownerOf, thisMachine } from '../../src/probes/process.js'
import type { RunningAgent } from '../../src/probes/processes.js'
import type { Listing, LivePane, TerminalDriver } from '../../src/tmux.js'
import { IndexFolder } from '../support/index-folder.js'

let folder: IndexFolder
beforeEach(() => {
  folder = new IndexFolder()
})
afterEach(() => folder.remove())

const NOW = 10_000_000
const S = '84cd5d3f-1a62-45fe-8e8f-5450fd198549'
const T = 'c0d5289f-8522-46bc-934c-a793949ca375'
const here = (pid: number): Owner => ({ ...thisMachine(), pid, start: `${pid}` })
const DEAD: Owner = { ...thisMachine(), pid: 2 ** 22 - 1, start: 'long ago' }
/** The one process that a verdict of this machine can call alive here. */
const alive = (): Owner => ownerOf(process.pid) ?? here(process.pid)

const agent = (owner: Owner, more: Partial<RunningAgent> = {}): RunningAgent => ({
  owner,
  ancestors: [],
  argv: ['claude'],
  env: null,
  surfaceId: null,
  otherUser: false,
  ...more
})

/** An entry of a Claude Code session whose transcript is there. */
async function entry(surfaceId: string, sessionId: string, more: Partial<Entry> = {}): Promise<void> {
  const path = join(folder.root, '.claude/projects', claudeProjectSlug('/p'), `${sessionId}.jsonl`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '{"type":"user"}\n')
  await updateIndex(folder.path, (index) => {
    const next = record(index, { surfaceId, sessionId, repo: 'billing', agent: 'claude', cwd: '/' }, NOW - 5000)
    const made = { ...next.entries[surfaceId], ...more } as Entry
    return { ...next, entries: { ...next.entries, [surfaceId]: made } } as Index
  })
}

const SOCKET = '/run/tmux/default'
const SCOPE = `tmux:${SOCKET}:70.7000`
const BOOT_SCOPE = `${SCOPE}@${thisMachine().bootId}`
const pane = (number: number, more: Partial<LivePane> = {}): LivePane => ({
  surfaceId: `${SCOPE}:%${number}`,
  scope: SCOPE,
  position: { session: 'work', window: number, pane: 0 },
  windowName: '',
  command: 'bash',
  cwd: '/',
  pid: 1000 + number,
  dead: false,
  ...more
})
const server = (list: () => Promise<Listing>): NonNullable<StatusOptions['servers']>[number] => ({
  name: SOCKET,
  driver: { name: 'tmux', list } as TerminalDriver
})
const live = (...panes: LivePane[]): StatusOptions => ({ servers: [server(async () => ({ state: 'live', panes }))] })

function status(processes: RunningAgent[] | null, options: StatusOptions = {}): Promise<StatusReport> {
  return statusOf(openStore(folder.path), {
    env: { HOME: folder.root },
    processes: () => (processes === null ? unknown('no list') : known(processes)),
    servers: [],
    now: () => NOW,
    ...options
  })
}
async function row(processes: RunningAgent[] | null, options: StatusOptions = {}): Promise<StatusRow | undefined> {
  return (await status(processes, options)).rows[0]
}

describe('the state of an entry', () => {
  it('is alive while its recorded process runs', async () => {
    await entry('a', S, { proc: alive() })
    expect(await row([agent(alive())])).toMatchObject({
      surfaceId: 'a',
      sessionId: S,
      agent: 'claude',
      repo: 'billing',
      lastActive: NOW - 5000,
      state: 'alive',
      reason: 'already_running',
      pid: process.pid,
      believe: null,
      advice: null
    })
    // Also where no list of processes could be had.
    expect(await row(null)).toMatchObject({ state: 'alive', pid: process.pid })
  })

  it('is alive where a process names its session, elsewhere where that is on another surface', async () => {
    await entry('a', S)
    const argv = ['claude', '--resume', S]
    expect(await row([agent(here(7), { argv, surfaceId: 'a' })])).toMatchObject({
      state: 'alive',
      pid: 7,
      believe: null
    })
    const elsewhere = await row([agent(here(7), { argv, surfaceId: 'b' })])
    expect(elsewhere).toMatchObject({ state: 'alive', reason: 'running_elsewhere', pid: 7, believe: 'machine' })
    expect(elsewhere?.seen).toBe('process 7 runs, on b')
    expect(elsewhere?.advice).toBe('go to b; if it stays there, run `crash-resume-index rename a b`')
    expect((await row([agent(here(7), { argv })]))?.advice).toContain('go to process 7; `crash-resume-index why a`')
  })

  it('is alive twice where two processes run one session', async () => {
    await entry('a', S, { proc: alive() })
    const twin = agent(here(7), { argv: ['claude', '--resume', S] })
    const { rows } = await status([twin, agent(alive())])
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ state: 'alive', pid: process.pid, believe: 'machine' })
    expect(rows[0]?.seen).toBe(`process ${process.pid} runs, and so does 7, in the same session`)
    expect(rows[0]?.advice).toMatch(/^end all of these processes but one/)
  })

  it('is crashed only where the decision is to resume', async () => {
    await entry('a b', S, { proc: DEAD })
    expect(await row([])).toMatchObject({
      state: 'crashed',
      reason: 'ok',
      pid: null,
      believed: 'it runs',
      seen: 'it does not run',
      believe: 'machine',
      advice: "`crash-resume-index recover --only 'a b'` resumes it"
    })
    await entry('a b', S, { policy: 'manual' })
    expect((await row([]))?.advice).toContain("`crash-resume-index why 'a b'`")
  })

  it('is left where its person said so, and closed where its pane is gone from a server that lives on', async () => {
    await entry('a', S, { proc: DEAD, state: 'ended', reason: 'left' })
    expect(await row([])).toMatchObject({
      state: 'left',
      believed: 'its person left it',
      seen: 'it does not run',
      believe: null,
      advice: null
    })
    const surfaceId = `${SCOPE}:%7`
    await entry(surfaceId, T, { proc: DEAD, address: 'work:7.0' })
    const closed = (options: StatusOptions): Promise<StatusRow | undefined> =>
      status([], options).then(({ rows }) => rows.find((one) => one.surfaceId === surfaceId))
    // Only while the very server that it was on lists all its panes.
    const another = pane(1, { surfaceId: `tmux:${SOCKET}:71.7100:%1`, scope: `tmux:${SOCKET}:71.7100` })
    expect(await closed(live(another))).toMatchObject({ state: 'crashed' })
    expect(await closed(live(pane(7)))).toMatchObject({ state: 'crashed' })
    const own = ownerOf(process.pid)
    const here = `tmux:${SOCKET}:${own?.pid}.${own?.start}`
    const mine = `${here}:%7`
    await entry(mine, T, { proc: DEAD, address: 'work:7.0' })
    const of = (options: StatusOptions): Promise<StatusRow | undefined> =>
      status([], options).then(({ rows }) => rows.find((one) => one.surfaceId === mine))
    const left = pane(1, { surfaceId: `${here}:%1`, scope: here })
    expect(await of(live(left))).toMatchObject({
      state: 'closed',
      seen: 'it does not run, and its pane was closed',
      believe: 'machine',
      advice: `\`crash-resume-index recover --only work:7.0\` brings it back; \`crash-resume-index end ${mine}\` gives it up`
    })
    const partly = server(async () => ({ state: 'live', panes: [left], incomplete: true }))
    expect(await of({ servers: [partly] })).toMatchObject({ state: 'crashed' })
  })

  it('is unknown where nothing is proven', async () => {
    await entry('a', S)
    const report = await status(null)
    expect(report.rows[0]).toMatchObject({ state: 'unknown', reason: 'liveness_unknown', believe: 'neither' })
    expect(report.warnings).toEqual(['the running agents are unknown: no list'])
    expect(await row([agent(here(7))])).toMatchObject({ state: 'unknown' })
    await entry('a', S, { seen: { host: 'another' } })
    expect(await row([])).toMatchObject({ state: 'unknown', reason: 'foreign_host', believe: 'index' })
  })

  it('holds back what is not to be resumed, with the reason', async () => {
    await entry('a', S, { proc: DEAD, policy: 'off' })
    expect(await row([])).toMatchObject({ state: 'held', reason: 'policy_off', believe: 'machine' })
    const last = { id: 'x', kind: 'resume', result: 'exited', at: NOW - 1000 } as const
    await entry('a', S, { proc: DEAD, policy: 'auto', attempts: 2, last_attempt: last, last_active: NOW - 9000 })
    expect(await row([])).toMatchObject({ reason: 'attempts_exhausted', state: 'held' })
    await entry('a', S, { proc: DEAD, attempts: 1, last_attempt: last, last_active: NOW - 9000 })
    expect(await row([])).toMatchObject({ reason: 'cooldown', state: 'held' })
    await entry('b', T, { proc: DEAD, cwd: join(folder.root, 'missing') })
    const { rows } = await status([])
    expect(rows[1]).toMatchObject({ reason: 'cwd_missing', state: 'held' })
    expect(rows[1]?.advice).toMatch(/^bring .*missing back; then `crash-resume-index recover --only b` resumes it$/)
  })

  it('is starting while an attempt is under way', async () => {
    await entry('a', S, { proc: DEAD, attempt: { id: 'x', kind: 'resume', owner: alive(), at: NOW } })
    expect(await row([])).toMatchObject({ state: 'starting', reason: 'claimed', believed: 'its resume is under way' })
  })

  it('is gone where nothing to resume is left', async () => {
    await entry('a', 'never-written', { proc: DEAD })
    rmSync(join(folder.root, '.claude/projects', claudeProjectSlug('/p'), 'never-written.jsonl'))
    await entry('b', T, { state: 'spawn_failed' })
    await entry('c', S, { state: 'ended', reason: 'done' })
    await entry('d', S, { state: 'ended', reason: 'moved', moved_to: 'a' })
    const { rows, counts } = await status([])
    expect(rows.map(({ state, reason }) => [state, reason])).toEqual([
      ['gone', 'session_gone'],
      ['gone', 'spawn_failed'],
      ['ended', 'ended'],
      ['ended', 'moved']
    ])
    expect(rows[1]?.advice).toBe('start a new session: `crash-resume-index run --surface b -- claude`')
    expect(counts).toMatchObject({ crashed: 0, gone: 2, ended: 2, alive: 0 })
  })

  it('is crashed where an earlier session of its can be resumed', async () => {
    await entry('a', T)
    await entry('a', S, { proc: DEAD })
    rmSync(join(folder.root, '.claude/projects', claudeProjectSlug('/p'), `${S}.jsonl`))
    expect(await row([])).toMatchObject({ state: 'crashed', reason: 'ok_from_previous' })
    expect((await row([]))?.seen).toBe(`its transcript is gone, but the one of the earlier session ${T} exists`)
  })

  it('ended, and its session runs all the same', async () => {
    await entry('a', S, { state: 'ended', reason: 'done' })
    expect(await row([agent(here(7), { argv: ['claude', '--resume', S], surfaceId: 'a' })])).toMatchObject({
      state: 'alive',
      believed: 'it ended (done)',
      believe: 'machine',
      advice: `\`crash-resume-index record a ${S} billing --agent claude\` takes it back, or end the process`
    })
  })

  it('is unknown where the entry cannot be read', async () => {
    writeFileSync(folder.path, JSON.stringify({ version: 1, entries: { a: { surfaceId: 'a' } } }))
    expect(await row([])).toMatchObject({ surfaceId: 'a', state: 'unknown', reason: 'entry_unreadable' })
  })
})

describe('agents that are no entry', () => {
  it('are nested inside another one, or unrecorded', async () => {
    await entry('a', S, { proc: alive() })
    const inner = agent(here(8), { ancestors: [here(5), alive()], surfaceId: 'a' })
    const { rows, counts } = await status([agent(alive()), inner, agent(here(9), { surfaceId: 'b' })])
    expect(rows.map(({ surfaceId, state, pid, inside }) => [surfaceId, state, pid, inside])).toEqual([
      ['a', 'alive', process.pid, null],
      ['a', 'nested', 8, 'a'],
      ['b', 'unrecorded', 9, null]
    ])
    expect(rows[2]).toMatchObject({ believed: 'nothing', believe: 'machine', seen: 'process 9 of claude runs' })
    expect(counts).toMatchObject({ alive: 1, nested: 1, unrecorded: 1 })
  })

  it('are the entry itself where nothing says in which session they are', async () => {
    await entry('a', S)
    const { rows } = await status([agent(here(9), { surfaceId: 'a' })])
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ state: 'unknown', pid: 9 })
    expect(rows[0]?.seen).toContain('process 9 runs there')
  })

  it('stand beside an entry whose own process is dead', async () => {
    await entry('a', S, { proc: DEAD })
    const { rows } = await status([agent(here(9), { surfaceId: 'a' })])
    expect(rows.map(({ state }) => state)).toEqual(['crashed', 'unrecorded'])
    expect(rows[1]?.believed).toBe(`session ${S} is on this surface`)
  })

  it('are foreign where their environment names another index', async () => {
    const of = (path: string): RunningAgent =>
      agent(here(9), { surfaceId: 'b', env: { CRASH_RESUME_INDEX_PATH: path } })
    expect((await status([of(folder.path)])).rows[0]).toMatchObject({ state: 'unrecorded' })
    expect((await status([of('not/absolute')])).rows[0]).toMatchObject({ state: 'unrecorded' })
    expect((await status([of('/another/index.json')])).rows[0]).toMatchObject({
      state: 'foreign',
      seen: 'process 9 of claude runs and belongs to the index /another/index.json',
      believe: null,
      advice: null
    })
    const home = agent(here(9), { env: { HOME: '/another' } })
    expect((await status([home])).rows[0]).toMatchObject({ state: 'foreign' })
    await entry('b', S, { proc: DEAD })
    expect((await status([of('/another/index.json')])).rows[1]).toMatchObject({ state: 'unrecorded' })
  })

  it('of other users are left out', async () => {
    expect((await status([agent(here(9), { otherUser: true })])).rows).toEqual([])
  })
})

describe('where things are', () => {
  it('is the position of the pane, which is noted for a later recovery', async () => {
    await entry(`${SCOPE}:%3`, S, { proc: DEAD, scope: BOOT_SCOPE })
    const report = await status([], live(pane(3)))
    expect(report.rows[0]).toMatchObject({ address: 'work:3.0', seen: 'it does not run; its pane runs bash' })
    expect(report.rows[0]?.advice).toBe('`crash-resume-index recover --only work:3.0` resumes it')
    expect(report.servers).toEqual([{ name: SOCKET, state: 'live', panes: 1, reason: null }])
    expect((await openStore(folder.path).load()).entries[`${SCOPE}:%3`]).toMatchObject({
      address: 'work:3.0',
      scope: BOOT_SCOPE
    })
    const bytes = readFileSync(folder.path)
    await status([], live(pane(3)))
    expect(readFileSync(folder.path)).toEqual(bytes)
  })

  it('is, for an id of the caller, the pane above its recorded process', async () => {
    await entry('lead', S, { proc: alive() })
    const processes = [agent(alive(), { ancestors: [here(2001), here(1004)] })]
    const report = await status(processes, live(pane(3), pane(4)))
    expect(report.rows[0]).toMatchObject({ surfaceId: 'lead', address: 'work:4.0', state: 'alive' })
    expect((await openStore(folder.path).load()).entries['lead']).toMatchObject({ address: 'work:4.0' })
  })

  it('is not written down where that is not wanted, and a failure to is a warning', async () => {
    await entry(`${SCOPE}:%3`, S, { proc: DEAD })
    const bytes = readFileSync(folder.path)
    expect(await status([], { ...live(pane(3)), write: false })).toMatchObject({ warnings: [] })
    const odd = pane(3, { position: { session: 'a\u202eb', window: 1, pane: 1 } })
    expect((await status([], live(odd))).warnings[0]).toMatch(/could not be written to the index/)
    expect(readFileSync(folder.path)).toEqual(bytes)
    const store = openStore(folder.path)
    const broken = { ...store, load: () => store.load(), update: () => Promise.reject(new Error('full')) }
    const report = await statusOf(broken, { ...live(pane(3)), processes: () => known([]), env: { HOME: folder.root } })
    expect(report.warnings).toEqual([`the place of ${SCOPE}:%3 could not be written to the index: full`])
    expect(report.rows).toHaveLength(1)
  })

  it('a server that does not answer has killed nobody', async () => {
    await entry(`${SCOPE}:%3`, S, { address: 'work:3.0' })
    const unknown: Listing = { state: 'unknown', reason: 'no answer within 5 ms' }
    for (const list of [async () => unknown, () => Promise.reject(new Error(unknown.reason))]) {
      const report = await status(null, { servers: [server(list)] })
      expect(report.servers).toEqual([{ name: SOCKET, panes: null, ...unknown }])
      expect(report.rows[0]).toMatchObject({ state: 'unknown', address: 'work:3.0' })
      expect(report.rows[0]?.seen).toContain('its terminal server does not answer (no answer within 5 ms)')
    }
  })

  it('a server that is gone is no proof that the session is', async () => {
    await entry(`${SCOPE}:%3`, S)
    const report = await status(null, { servers: [server(async () => ({ state: 'absent' }))] })
    expect(report.rows[0]).toMatchObject({ state: 'unknown' })
    expect(report.rows[0]?.seen).toContain('its terminal server is gone')
  })
})
