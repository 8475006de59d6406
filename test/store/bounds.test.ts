/** What stays of the past: revisions up to a number and a size, kept copies up to an age and a size, each at least a few. */
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Index } from '../../src/core/schema.js'
import { record } from '../../src/core/verbs.js'
import { diskContext, LIMITS, type Limits } from '../../src/store/context.js'
import { onDiskNow } from '../../src/store/disk.js'
import { runSync } from '../../src/store/files.js'
import { indexPaths } from '../../src/store/paths.js'
import { updateIndex } from '../../src/store/store.js'
import { update } from '../../src/store/update.js'
import { IndexFolder, recorded } from '../support/index-folder.js'

const MIB = 1024 * 1024
const DAY_MS = 24 * 60 * 60 * 1000
const START = Date.UTC(2026, 0, 1)

let folder: IndexFolder

beforeEach(() => {
  folder = new IndexFolder()
})
afterEach(() => folder.remove())

interface Circumstances {
  readonly now?: number
  readonly limits?: Partial<Limits>
  readonly keep?: string
}

function change(to: (index: Index) => Index, { now = START, limits = {}, keep }: Circumstances = {}): Index {
  const ctx = {
    ...diskContext(indexPaths(folder.path), () => undefined),
    now: () => now,
    limits: { ...LIMITS, ...limits }
  }
  return runSync(update(ctx, to, { lockWaitMs: 0, keep }), onDiskNow)
}

/** An entry whose text is that large. */
function large(surfaceId: string, bytes: number): (index: Index) => Index {
  const meta: Record<string, string> = {}
  for (let n = 0; n * 1000 < bytes; n++) meta[`${n}`] = surfaceId.padEnd(1000, '.')
  return (index) => record(index, { surfaceId, sessionId: `s-${surfaceId}`, repo: 'demo', meta }, START)
}

describe('revisions', () => {
  it('are the newest eight', () => {
    expect(LIMITS).toMatchObject({ revisions: 8, historyBytes: 64 * MIB, indexBytes: 16 * MIB })
    for (let n = 1; n <= 12; n++) change(recorded(`surface-${n}`))
    expect(folder.revisions()).toEqual([5, 6, 7, 8, 9, 10, 11, 12])
    expect(folder.surfaces()).toHaveLength(12)
  })

  it('are fewer where they are large', () => {
    const limits = { historyBytes: 4 * 100_000 }
    for (let n = 1; n <= 6; n++) change(large('the-same', 90_000 + n * 1000), { limits })
    expect(folder.revisions().length).toBeGreaterThan(2)
    expect(folder.revisions().length).toBeLessThan(5)
    const sizes = folder.revisions().map((number) => statSync(join(folder.history, `${number}`)).size)
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(limits.historyBytes)
  })

  it('are two whatever they weigh', () => {
    for (let n = 1; n <= 4; n++) change(recorded(`surface-${n}`), { limits: { historyBytes: 1 } })
    expect(folder.revisions()).toEqual([3, 4])
  })

  it('take the names that killed writers staged with them', () => {
    for (let n = 1; n <= 8; n++) change(recorded(`surface-${n}`))
    const staged = join(folder.history, `s-1-${'0'.repeat(32)}`)
    writeFileSync(staged, 'left by a killed writer')
    change(recorded('ninth'))
    // Revision 1 went, and 2 is its successor: whoever holds this name could still find it taken.
    expect(folder.litter()).toHaveLength(1)
    change(recorded('tenth'))
    expect(folder.litter()).toEqual([])
  })
})

describe('an index', () => {
  it('that would be larger than may be is refused, and the old one stays', async () => {
    await folder.record('there')
    const huge = updateIndex(folder.path, large('huge', 16 * MIB))
    await expect(huge).rejects.toMatchObject({ code: 'ERR_INDEX_TOO_LARGE', committed: false })
    expect(folder.surfaces()).toEqual(['there'])
    expect(folder.litter()).toEqual([])
    await folder.record('next')
    expect(folder.surfaces()).toEqual(['next', 'there'])
  })

  it('whose view is larger than may be is read from its history, and the view set aside as it is', async () => {
    await folder.record('there')
    writeFileSync(folder.path, '')
    const bytes = 17 * MIB
    writeFileSync(folder.path, Buffer.alloc(bytes, ' '))
    expect(folder.surfaces()).toEqual(['there'])
    await folder.record('next')
    expect(folder.surfaces()).toEqual(['next', 'there'])
    const [name = ''] = readdirSync(folder.kept)
    expect(name).toContain('-unreadable-view-')
    expect(statSync(join(folder.kept, name)).size).toBe(bytes)
  })
})

describe('kept copies', () => {
  const keptNames = (): string[] => readdirSync(folder.kept).sort()

  it('are one for the same bytes and reason', () => {
    change(recorded('there'))
    for (let n = 0; n < 3; n++) {
      writeFileSync(folder.path, 'the same garbage')
      change(recorded(`surface-${n}`), { now: START + n })
    }
    expect(keptNames()).toHaveLength(1)
    writeFileSync(folder.path, 'other garbage')
    change(recorded('last'))
    expect(keptNames()).toHaveLength(2)
  })

  it('go after thirty days, but for the newest ten', () => {
    for (let n = 0; n < 15; n++) change(recorded(`surface-${n}`), { now: START + n, keep: 'before-forget' })
    // The first found nothing to keep.
    expect(keptNames()).toHaveLength(14)
    change(recorded('in-time'), { now: START + 29 * DAY_MS, keep: 'before-forget' })
    expect(keptNames()).toHaveLength(15)
    change(recorded('later'), { now: START + 31 * DAY_MS, keep: 'before-forget' })
    expect(keptNames()).toHaveLength(10)
    expect(keptNames().at(-1)).toMatch(/^20260201T/)
  })

  it('go beyond sixteen MiB, oldest first', () => {
    change(recorded('there'))
    for (let n = 0; n < 20; n++) keepGarbage(n, MIB)
    expect(keptNames()).toHaveLength(16)
    expect(keptNames()[0]).toContain(stamp(4))
  })

  it('are ten whatever they weigh', () => {
    change(recorded('there'))
    for (let n = 0; n < 12; n++) keepGarbage(n, 2 * MIB)
    expect(keptNames()).toHaveLength(10)
    expect(keptNames()[0]).toContain(stamp(2))
  })

  it('that nobody named go after a day', () => {
    change(recorded('there'))
    keepGarbage(0, 10)
    const unnamed = `t-20251201T000000000Z-${'0'.repeat(32)}`
    writeFileSync(join(folder.kept, unnamed), 'left by a killed writer')
    keepGarbage(1, 10)
    expect(keptNames()).toHaveLength(2)
    expect(keptNames()).not.toContain(unnamed)
  })

  function keepGarbage(n: number, bytes: number): void {
    rmSync(folder.path)
    writeFileSync(folder.path, Buffer.alloc(bytes, `garbage ${n} `))
    change(recorded(`surface-${n}`), { now: START + n * 1000 })
  }

  function stamp(n: number): string {
    return `20260101T0000${`${n}`.padStart(2, '0')}000Z`
  }
})
