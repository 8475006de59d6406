/**
 * A writer is killed by SIGKILL right before and right after each file operation of a record. What it leaves must be
 * readable at once and hold every acknowledged entry, and must cost the next writer no wait.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { diskContext } from '../../src/store/context.js'
import { run } from '../../src/store/files.js'
import { indexPaths } from '../../src/store/paths.js'
import { loadIndex } from '../../src/store/store.js'
import { update } from '../../src/store/update.js'
import { IndexFolder, recorded, surfacesOf, warningsOf } from '../support/index-folder.js'
import type { Job } from '../support/jobs.js'
import { commitOf, firstEver, ontoEight, ontoForeignBeaten, type Start } from '../support/starts.js'
import { watchedDisk } from '../support/watched-disk.js'
import { inLanes, MANY_PROCESSES_MS, Writer } from '../support/writers.js'

/** As long as the next record would wait for a lock. It must not: it asks for none, and is done far sooner. */
const LOCK_WAIT_MS = 60_000
const LANES = 3

type When = 'before' | 'after'
const both: readonly When[] = ['before', 'after']
const starts: readonly (Start & { readonly when: readonly When[] })[] = [
  { ...firstEver, when: both },
  { ...ontoEight, when: both },
  // Right after one operation is right before the next.
  { ...ontoForeignBeaten, when: process.env['CRI_FULL'] === '1' ? both : ['after'] }
]

describe.each(starts)('killed during $name', ({ make, job, when: moments }) => {
  const template = new IndexFolder()
  let acknowledged: readonly string[]
  let ops: readonly string[]

  const jobIn = (folder: IndexFolder): Job => ({ ...job, path: folder.path, surfaces: ['killed'] })

  beforeAll(async () => {
    acknowledged = await make(template)
    const folder = template.copy()
    const writer = new Writer()
    ops = (await writer.work(jobIn(folder))).ops
    await writer.end()
    folder.remove()
  })
  afterAll(() => template.remove())

  it.each(moments)(
    '%s any operation',
    async (when) => {
      const commit = commitOf(ops)
      await inLanes(LANES, [...ops.keys()], async (place) => {
        const folder = template.copy()
        const writer = new Writer()
        await writer.prepare({ ...jobIn(folder), fault: { signal: 'SIGKILL', when, at: place + 1 } })
        await expect(writer.go()).rejects.toThrow('SIGKILL')
        expect((await writer.ended).signal).toBe('SIGKILL')

        const where = `${when} ${place + 1}: ${ops[place]}`
        const index = loadIndex(folder.path)
        const committed = place > commit || (place === commit && when === 'after')
        expect(surfacesOf(index).includes('killed'), where).toBe(committed)
        expect(surfacesOf(index), where).toEqual(expect.arrayContaining([...acknowledged]))
        expect(warningsOf(index).filter((code) => code !== 'view_foreign')).toEqual([])

        const next = await nextRecord(folder, 'next')
        expect(next.locks, where).toEqual([])
        expect(next.ms, where).toBeLessThan(LOCK_WAIT_MS)
        expect(folder.surfaces(), where).toEqual(expect.arrayContaining([...surfacesOf(index), 'next']))
        expect(folder.viewIsNewest(), where).toBe(true)
        folder.remove()
      })
    },
    MANY_PROCESSES_MS
  )
})

/** One more record: how long it took, and whether it asked for the lock. */
async function nextRecord(folder: IndexFolder, surfaceId: string): Promise<{ ms: number; locks: unknown[] }> {
  const disk = watchedDisk()
  const start = performance.now()
  const ctx = diskContext(indexPaths(folder.path), () => undefined)
  await run(update(ctx, recorded(surfaceId), { lockWaitMs: LOCK_WAIT_MS }), disk.perform)
  return { ms: performance.now() - start, locks: disk.locks }
}
