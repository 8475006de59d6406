/**
 * The lock gives order and nothing else: taken by many at once, taken away from its holder, or out of reach, it costs
 * a wait and never an entry.
 */
import { existsSync, lstatSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadIndex } from '../../src/store/store.js'
import { IndexFolder } from '../support/index-folder.js'
import type { Report } from '../support/jobs.js'
import { MANY_PROCESSES_MS, Writer, Writers } from '../support/writers.js'

const PROCESSES = 20
const ROUNDS = process.env['CRI_FULL'] === '1' ? 50 : 20
/** proper-lockfile takes a lock as stale after ten seconds. */
const PAST_STALE_S = 60
const LOCK_WAIT_MS = 250
/** What a busy machine may take on top. */
const UNHURRIED_MS = 60_000

let folder: IndexFolder
let writers: Writers

beforeAll(() => {
  writers = new Writers(PROCESSES)
})
afterAll(() => writers.end())
beforeEach(() => {
  folder = new IndexFolder()
})
afterEach(() => folder.remove())

function setAge(path: string, ageS: number): void {
  const time = Date.now() / 1000 - ageS
  utimesSync(path, time, time)
}

function errorsOf(reports: readonly Report[]): unknown[] {
  return reports.flatMap(({ outcomes }) => outcomes).filter(({ error }) => error !== undefined)
}

it(
  `loses nothing when ${PROCESSES} processes storm a stale lock, ${ROUNDS} times`,
  async () => {
    let asked = 0
    for (let round = 0; round < ROUNDS; round++) {
      mkdirSync(folder.lock)
      setAge(folder.lock, PAST_STALE_S)
      const session = `session-${round}`
      const reports = await writers.work((n) => ({
        path: folder.path,
        surfaces: [`surface-${n}`],
        session: `${session}-${n}`
      }))
      expect(errorsOf(reports)).toEqual([])
      const { entries } = loadIndex(folder.path)
      const sessions = Object.values(entries).map(({ sessionId }) => sessionId)
      expect(sessions.sort()).toEqual(Array.from({ length: PROCESSES }, (_, n) => `${session}-${n}`).sort())
      // It was there, and somebody took it as stale.
      expect(reports.flatMap(({ held }) => held)).not.toEqual([])
      expect(existsSync(folder.lock)).toBe(false)
      asked += reports.flatMap(({ locks }) => locks).length
    }
    expect(asked).toBeGreaterThan((ROUNDS * PROCESSES) / 2)
  },
  MANY_PROCESSES_MS
)

describe('a holder that sleeps past the stale limit', () => {
  it('is robbed, and overwrites nothing when it wakes', async () => {
    await folder.record('there')
    const holder = new Writer()
    const path = folder.path
    const rehearsal = folder.copy()
    const held = await holder.work({ path: rehearsal.path, surfaces: ['holder'], rival: 'rival' })
    rehearsal.remove()
    // Its second link: it has the lock by then, has read, and is about to commit.
    const at = held.ops.findLastIndex((op) => op.startsWith('link ')) + 1
    expect(held.ops.slice(0, at)).toContain('lock index.json.lock')
    await holder.prepare({
      path,
      surfaces: ['holder'],
      rival: 'rival',
      fault: { signal: 'SIGSTOP', when: 'before', at }
    })
    const slept = holder.go()
    await holder.stopped()
    const { ino } = lstatSync(folder.lock)
    setAge(folder.lock, PAST_STALE_S)

    const robbers = await writers.work((n) => ({ path, surfaces: [`robber-${n}`], lockWaitMs: 2000 }))
    expect(errorsOf(robbers)).toEqual([])
    expect(robbers.flatMap((report) => report.held)).not.toEqual([])
    expect(existsSync(folder.lock) && lstatSync(folder.lock).ino === ino).toBe(false)
    expect(holder.state()).toBe('T')

    holder.continue()
    const report = await slept
    expect(report.outcomes[0]?.error).toBeUndefined()
    // It found its number taken and committed onto theirs.
    expect(report.conflicts).toBeGreaterThanOrEqual(2)
    const robbed = Array.from({ length: PROCESSES }, (_, n) => `robber-${n}`)
    expect(folder.surfaces()).toEqual(['holder', 'rival', 'there', ...robbed].sort())
    await holder.end()
  })
})

const odd: readonly (readonly [string, what: RegExp, next: string, () => void])[] = [
  ['a plain file', /is not a folder/, 'remove it', () => writeFileSync(folder.lock, '')],
  [
    'a stale folder with something in it',
    /is not empty/,
    'remove what is in it',
    () => {
      mkdirSync(folder.lock)
      writeFileSync(join(folder.lock, 'something'), '')
      setAge(folder.lock, PAST_STALE_S)
    }
  ],
  [
    'a folder with a time in the future',
    /a time in the future/,
    'remove the folder if no writer is running',
    () => {
      mkdirSync(folder.lock)
      setAge(folder.lock, -3600)
    }
  ]
]

describe.each(odd)('%s in the place of the lock', (_, what, next, make) => {
  it('costs the one that meets a conflict its wait and a warning, and nobody an entry', async () => {
    await folder.record('there')
    make()
    const before = lstatSync(folder.lock)
    const writer = new Writer()
    const path = folder.path
    const free = await writer.work({ path, surfaces: ['uncontended'] })
    expect(free.outcomes[0]).toMatchObject({ warnings: [] })
    expect(free.locks).toEqual([])

    const report = await writer.work({ path, surfaces: ['beaten'], rival: 'rival', lockWaitMs: LOCK_WAIT_MS })
    expect(report.outcomes[0]).toMatchObject({ warnings: ['lock_odd'] })
    expect(report.locks).toEqual([{ what: expect.stringMatching(what), next }])
    expect(report.ended - report.started).toBeGreaterThan(LOCK_WAIT_MS)
    expect(report.ended - report.started).toBeLessThan(LOCK_WAIT_MS + UNHURRIED_MS)
    expect(folder.surfaces()).toEqual(['beaten', 'rival', 'there', 'uncontended'])
    expect(lstatSync(folder.lock).mtimeMs).toBe(before.mtimeMs)
    await writer.end()
  })

  it('stops none of many', async () => {
    make()
    const reports = await writers.work((n) => ({ path: folder.path, surfaces: [`surface-${n}`], lockWaitMs: 50 }))
    expect(errorsOf(reports)).toEqual([])
    expect(folder.surfaces()).toHaveLength(PROCESSES)
    expect(reports.flatMap(({ locks }) => locks)).not.toEqual([])
    expect(reports.flatMap(({ held }) => held)).toEqual([])
  })
})

it('a lock that another holds is waited for no longer than asked, and then done without', async () => {
  await folder.record('there')
  mkdirSync(folder.lock)
  const writer = new Writer()
  const report = await writer.work({ path: folder.path, surfaces: ['beaten'], rival: 'rival', lockWaitMs: 100 })
  expect(report.outcomes[0]).toMatchObject({ warnings: [] })
  expect(report.locks).toEqual([false])
  expect(report.ended - report.started).toBeLessThan(100 + UNHURRIED_MS)
  expect(folder.surfaces()).toEqual(['beaten', 'rival', 'there'])
  await writer.end()
})

it('a writer that meets nobody takes no lock', async () => {
  const writer = new Writer()
  for (const surface of ['first', 'second']) {
    const report = await writer.work({ path: folder.path, surfaces: [surface] })
    expect(report.outcomes[0]).toMatchObject({ warnings: [] })
    expect(report.ops.filter((op) => op.includes('.lock'))).toEqual([])
  }
  await writer.end()
})
