/**
 * A pass looks at the machine once: however many entries there are, the processes are listed once and each folder once,
 * and earlier sessions are asked about only where the decision needs them.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { claudeProjectSlug } from '../../src/agents/claude-slug.js'
import type { Entry } from '../../src/core/schema.js'
import { Folders } from '../../src/probes/folders.js'
import { known } from '../../src/probes/known.js'
import { type ProbeTarget, probeAgents } from '../../src/probes/probe.js'
import { thisMachine } from '../../src/probes/process.js'
import { planRecovery } from '../../src/recover/plan.js'
import { previewAll, recoverAll } from '../../src/resume/recover-all.js'
import { statusOf } from '../../src/status/status.js'
import { loadIndex, openStore } from '../../src/store/store.js'
import { entryOf } from '../core/samples.js'

const PROJECTS = 30
let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cri-pass-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const id = (n: number, generation = 0): string =>
  `00000000-0000-4000-8000-${String(n * 100 + generation).padStart(12, '0')}`

const cwd = (n: number): string => join(home, 'projects', `p${n % PROJECTS}`)

/** Every third has its transcript, every third only that of its fifth session before, and every third none. */
function write(entries: number): string {
  const projects = join(home, '.claude', 'projects')
  const kept = (n: number): string => join(projects, claudeProjectSlug(cwd(n)))
  for (let n = 0; n < PROJECTS; n++) {
    mkdirSync(kept(n), { recursive: true })
    mkdirSync(cwd(n), { recursive: true })
  }
  const all = Array.from({ length: entries }, (_, n): Entry => {
    if (n % 3 < 2) writeFileSync(join(kept(n), `${id(n, n % 3 === 0 ? 0 : 5)}.jsonl`), '{"type":"user"}\n')
    return entryOf({
      surfaceId: `s${n}`,
      sessionId: id(n),
      agent: 'claude',
      cwd: cwd(n),
      seen: thisMachine(),
      proc: { ...thisMachine(), pid: 2 ** 22 - 1, start: '1' },
      previous: Array.from({ length: 8 }, (_each, before) => ({
        sessionId: id(n, before + 1),
        until: 1,
        why: 'rotated'
      }))
    })
  })
  const path = join(home, 'index.json')
  writeFileSync(
    path,
    JSON.stringify({ version: 1, entries: Object.fromEntries(all.map((one) => [one.surfaceId, one])) })
  )
  return path
}

/** What a pass looks at, counted. */
function counted(): { options: Parameters<typeof planRecovery>[1] & object; counts: () => readonly number[] } {
  const folders = new Folders()
  let looks = 0
  const processes = () => {
    looks += 1
    return known([])
  }
  return { options: { env: { HOME: home, PATH: '' }, folders, processes }, counts: () => [looks, folders.listed] }
}

const absent = () => ({ list: async () => ({ state: 'absent' as const }) }) as never

it.each(['planRecovery', 'recoverAll', 'statusOf'] as const)(
  '%s lists processes and folders once, for 9 and for 150 entries',
  async (door) => {
    const all: (readonly number[])[] = []
    for (const entries of [9, 150]) {
      const store = openStore(write(entries))
      const { options, counts } = counted()
      const reasons =
        door === 'statusOf'
          ? (await statusOf(store, { ...options, servers: [], write: false })).rows.map(({ reason }) => reason)
          : door === 'planRecovery'
            ? (await planRecovery(store, { ...options, driverFor: absent })).map(({ decision }) => decision?.reason)
            : (await recoverAll(store, { ...options, dryRun: true, resume: async () => 'ok' })).rows.map(
                ({ decision }) => decision?.reason
              )
      for (const reason of ['ok', 'ok_from_previous', 'session_gone']) {
        expect(reasons.filter((one) => one === reason)).toHaveLength(entries / 3)
      }
      all.push(counts())
      rmSync(join(home, 'index.json'))
    }
    // Folders of projects and the one that holds them.
    expect(all).toEqual([
      [1, PROJECTS + 1],
      [1, PROJECTS + 1]
    ])
  }
)

it('asks about earlier sessions only where the decision needs them', async () => {
  const { options } = counted()
  const real = probeAgents(options)
  const asked = new Map<string, number>()
  const probe = (target: ProbeTarget) => {
    const sessions = target.sessions ?? [target.entry?.sessionId ?? '']
    asked.set(target.surfaceId, (asked.get(target.surfaceId) ?? 0) + sessions.length)
    return real(target)
  }
  await previewAll(loadIndex(write(9)), { ...options, probe })
  // Its own session; and where that is gone, the eight before it.
  expect([...asked.values()]).toEqual(Array.from({ length: 9 }, (_, n) => (n % 3 === 0 ? 1 : 9)))
})

it('plans for the others where one entry gives no command, and one terminal server throws', async () => {
  const path = write(3)
  const odd = entryOf({ surfaceId: 'odd', sessionId: id(7), repo: 'a repo of no launcher' })
  const there = entryOf({ ...odd, surfaceId: 'tmux:/broken:1.1:%0', sessionId: id(8), repo: 'golems', agent: 'claude' })
  const index = JSON.parse(readFileSync(path, 'utf8'))
  Object.assign(index.entries, { odd, [there.surfaceId]: there })
  writeFileSync(path, JSON.stringify(index))
  const { options } = counted()
  const bin = join(home, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'claude'), '', { mode: 0o755 })
  const driverFor = (socket: string) =>
    ({
      list: async () => (socket === '/broken' ? Promise.reject(new Error('it broke')) : { state: 'absent' })
    }) as never
  const probe = () => ({ running: 'no' as const, transcript: { [id(0)]: 'found' as const } })
  const rows = await planRecovery(openStore(path), { ...options, env: { HOME: home, PATH: bin }, driverFor, probe })
  const said = Object.fromEntries(rows.map(({ surfaceId, outcome, reason }) => [surfaceId, `${outcome} ${reason}`]))
  expect(said).toMatchObject({
    s0: 'pending planned',
    odd: 'failed error',
    [there.surfaceId]: 'pending terminal_unknown'
  })
})
