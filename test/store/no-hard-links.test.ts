/**
 * Where the file system refuses hard links (EPERM, as on FAT), a commit is a rename under the lock: the lock must be
 * had, every writer is told that the guarantee is weaker, and among processes that all run nothing is lost.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { IndexFolder } from '../support/index-folder.js'
import { Writer, Writers } from '../support/writers.js'

const PROCESSES = 10
const ROUNDS = 5
const PATIENT_MS = 10_000

let folder: IndexFolder
let writers: Writers

beforeAll(() => {
  writers = new Writers(PROCESSES)
})
afterAll(() => writers.end())
beforeEach(async () => {
  folder = new IndexFolder()
  await folder.record('there')
})
afterEach(() => folder.remove())

it(`loses nothing among ${PROCESSES} processes at once, ${ROUNDS} times, and says what is missing`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const reports = await writers.work((n) => ({
      path: folder.path,
      surfaces: [`surface-${round}-${n}`],
      withoutLinks: true,
      lockWaitMs: PATIENT_MS
    }))
    for (const { outcomes, ops } of reports) {
      expect(outcomes[0]).toMatchObject({ warnings: ['no_hard_links'] })
      // The refusal struck, and then each committed by rename.
      expect(ops.some((op) => op.startsWith('link '))).toBe(true)
      expect(ops.some((op) => /^rename staged -> \d+$/.test(op))).toBe(true)
    }
    // They had the lock one after the other, never two at once.
    const held = reports.flatMap((report) => report.held).sort((a, b) => a.from - b.from)
    expect(held).toHaveLength(PROCESSES)
    for (const [n, { from }] of held.slice(1).entries()) expect(from).toBeGreaterThan(held[n]?.to ?? 0)
  }
  expect(folder.surfaces()).toHaveLength(1 + ROUNDS * PROCESSES)
  expect(folder.litter()).toEqual([])
})

it('is an error where the lock cannot be had in time, with nothing changed', async () => {
  mkdirSync(folder.lock)
  const writer = new Writer()
  const job = { path: folder.path, surfaces: ['refused'], withoutLinks: true, lockWaitMs: 50 }
  const refused = await writer.work(job)
  expect(refused.outcomes[0]?.error).toMatchObject({ code: 'ERR_LOCK_TIMEOUT', committed: false, path: folder.lock })
  expect(refused.outcomes[0]?.error?.message).toMatch(/within 50 ms.*try again/)
  expect(folder.surfaces()).toEqual(['there'])

  rmSync(folder.lock, { recursive: true })
  expect(folder.litter()).toEqual([])
  const { outcomes } = await writer.work(job)
  expect(outcomes[0]).toMatchObject({ warnings: ['no_hard_links'] })
  expect(folder.surfaces()).toEqual(['refused', 'there'])
  await writer.end()
})

it('a first record needs none', async () => {
  const fresh = new IndexFolder()
  const writer = new Writer()
  const { outcomes, locks } = await writer.work({ path: fresh.path, surfaces: ['first'], withoutLinks: true })
  expect(outcomes[0]).toMatchObject({ warnings: [], revision: 1 })
  expect(locks).toEqual([])
  await writer.end()
  fresh.remove()
})
