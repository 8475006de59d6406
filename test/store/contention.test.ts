/**
 * A hundred writers at once: twenty processes, held at a barrier until all are there, start five updates each.
 */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { IndexFolder } from '../support/index-folder.js'
import type { Report } from '../support/jobs.js'
import { MANY_PROCESSES_MS, Writers } from '../support/writers.js'

const PROCESSES = 20
const UPDATES = 5
const ROUNDS = process.env['CRI_FULL'] === '1' ? 20 : 8

let folder: IndexFolder
let writers: Writers

beforeAll(() => {
  writers = new Writers(PROCESSES)
})

afterAll(() => writers.end())
afterEach(() => folder.remove())

it(
  `keeps all of ${PROCESSES * UPDATES} entries written at once, ${ROUNDS} times`,
  async () => {
    let conflicts = 0
    for (let round = 0; round < ROUNDS; round++) {
      folder = new IndexFolder()
      // Every other round starts from nothing: then all of them are first writers.
      const before = round % 2 === 0 ? [] : ['there-before']
      await folder.record(...before)
      // Some rounds run out of patience with the lock and go on without it.
      const lockWaitMs = round % 4 < 3 ? 10_000 : 250
      const reports = await writers.work((n) => ({ path: folder.path, surfaces: surfacesOf(n), lockWaitMs }))

      expect(reports.flatMap(({ outcomes }) => outcomes).filter(({ error }) => error !== undefined)).toEqual([])
      const all = Array.from({ length: PROCESSES }, (_, n) => surfacesOf(n)).flat()
      expect(folder.surfaces()).toEqual([...before, ...all].sort())
      expect(folder.litter()).toEqual([])
      expect(folder.viewIsNewest()).toBe(true)
      // Writers that never met would prove nothing.
      expect(mostAtOnce(reports)).toBeGreaterThanOrEqual(PROCESSES / 2)
      expect(conflictsOf(reports)).toBeGreaterThan(PROCESSES)
      conflicts += conflictsOf(reports)
      folder.remove()
    }
    expect(conflicts).toBeGreaterThan(ROUNDS * PROCESSES * 2)
  },
  MANY_PROCESSES_MS
)

function surfacesOf(place: number): string[] {
  return Array.from({ length: UPDATES }, (_, n) => `surface-${place}-${n}`)
}

/** How many processes were at work together, at the busiest moment. */
function mostAtOnce(reports: readonly Report[]): number {
  const at = (time: number): number => reports.filter(({ started, ended }) => started <= time && time < ended).length
  return Math.max(...reports.map(({ started }) => at(started)))
}

function conflictsOf(reports: readonly Report[]): number {
  return reports.reduce((sum, report) => sum + report.conflicts, 0)
}
