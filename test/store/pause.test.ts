/**
 * A writer stops itself by SIGSTOP right before each of its file operations, also where it holds the lock; while it is
 * stopped 24 other processes commit. None of them waits for it or loses anything, and the sleeper, woken however late,
 * commits on top of theirs.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { IndexFolder } from '../support/index-folder.js'
import { firstEver, ontoEight, ontoForeignBeaten, type Start } from '../support/starts.js'
import { MANY_PROCESSES_MS, Writer, Writers } from '../support/writers.js'

/** More than there are revisions, so that what the sleeper has read is pruned. */
const OTHERS = process.env['CRI_FULL'] === '1' ? 24 : 12
/** So many of them at a time: enough that they meet each other now and then. */
const LANES = 3

let others: Writers
let sleeper: Writer

beforeAll(() => {
  others = new Writers(OTHERS)
})
afterAll(() => others.end())
beforeEach(() => {
  sleeper = new Writer()
})
afterEach(() => sleeper.end())

describe.each<Start>([firstEver, ontoEight, ontoForeignBeaten])('a writer stopped during $name', ({ make, job }) => {
  const template = new IndexFolder()
  afterAll(() => template.remove())

  it(
    `loses nothing and holds up none of ${OTHERS} others, wherever it stops`,
    async () => {
      const acknowledged = await make(template)
      const whole = template.copy()
      const { ops } = await sleeper.work({ ...job, path: whole.path, surfaces: ['sleeper'] })
      whole.remove()

      for (const [place, op] of ops.entries()) {
        // Between two looks at sizes lies nothing.
        if (op.startsWith('size ') && ops[place - 1]?.startsWith('size ')) continue
        const where = `stopped before ${place + 1}: ${op}`
        const folder = template.copy()
        const fault = { signal: 'SIGSTOP', when: 'before', at: place + 1 } as const
        await sleeper.prepare({ ...job, path: folder.path, surfaces: ['sleeper'], fault })
        const slept = sleeper.go()
        await sleeper.stopped()

        const reports = await others.take(LANES, (n) => ({
          path: folder.path,
          surfaces: [`other-${n}`],
          lockWaitMs: 20
        }))
        expect(sleeper.state(), where).toBe('T')
        const outcomes = reports.flatMap((report) => report.outcomes)
        expect(outcomes, where).toHaveLength(OTHERS)
        expect(
          outcomes.filter(({ error }) => error !== undefined),
          where
        ).toEqual([])
        const there = [...acknowledged, ...outcomes.map(({ surfaceId }) => surfaceId)]
        expect(folder.surfaces(), where).toEqual(expect.arrayContaining(there))

        sleeper.continue()
        const report = await slept
        expect(report.outcomes[0]?.error, where).toBeUndefined()
        expect(folder.surfaces(), where).toEqual(expect.arrayContaining([...there, 'sleeper']))
        expect(folder.litter(), where).toEqual([])
        expect(folder.viewIsNewest(), where).toBe(true)
        folder.remove()
      }
    },
    MANY_PROCESSES_MS
  )
})

it('a writer stopped right before it publishes leaves the newest view, though two others published meanwhile', async () => {
  const folder = new IndexFolder()
  await folder.record('there')
  const rehearsal = folder.copy()
  const { ops } = await sleeper.work({ path: rehearsal.path, surfaces: ['sleeper'] })
  rehearsal.remove()
  const at = ops.indexOf('rename staged -> index.json') + 1
  expect(at).toBeGreaterThan(0)

  const fault = { signal: 'SIGSTOP', when: 'before', at } as const
  await sleeper.prepare({ path: folder.path, surfaces: ['sleeper'], fault })
  const slept = sleeper.go()
  await sleeper.stopped()
  await folder.record('other-0', 'other-1')
  expect(folder.viewIsNewest()).toBe(true)

  sleeper.continue()
  const woken = await slept
  // It did put its older revision there, and saw that a newer one was.
  expect(woken.ops.filter((op) => op === 'rename staged -> index.json')).toHaveLength(2)
  expect(folder.viewIsNewest()).toBe(true)
  expect(folder.surfaces()).toEqual(['other-0', 'other-1', 'sleeper', 'there'])
  folder.remove()
})
