/**
 * The n-th file operation of a record fails, for n = 1, 2, ... until the record gets through: nothing acknowledged is
 * lost, nothing is read as empty, the error says truly whether the change was committed, and the next record works.
 */
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CrashResumeError } from '../../src/core/errors.js'
import type { Index } from '../../src/core/schema.js'
import { diskContext } from '../../src/store/context.js'
import { codeOf, errno, type FileOp, runSync } from '../../src/store/files.js'
import { indexPaths } from '../../src/store/paths.js'
import { readSnapshot } from '../../src/store/snapshot.js'
import { loadIndex, updateIndex } from '../../src/store/store.js'
import { update } from '../../src/store/update.js'
import { IndexFolder, recorded, surfacesOf, warningsOf } from '../support/index-folder.js'
import { firstEver, ontoEight, ontoForeign, type Start } from '../support/starts.js'
import { type WatchedDisk, watchedDisk } from '../support/watched-disk.js'

const CODES = ['EIO', 'EACCES', 'EMFILE', 'ENOSPC']
/** The store treats the four alike, so one of reading and one of writing stand for all. */
const STAND_INS = process.env['CRI_FULL'] === '1' ? CODES : ['EIO', 'ENOSPC']

describe.each<Start>([firstEver, ontoEight, ontoForeign])('during $name', ({ make }) => {
  const template = new IndexFolder()
  let acknowledged: readonly string[]

  beforeAll(async () => {
    acknowledged = await make(template)
  })
  afterAll(() => template.remove())

  it.each(STAND_INS)('%s at any operation', async (code) => {
    let at = 1
    for (let struck = true; struck; at++) {
      const folder = template.copy()
      const { result, error, op } = failing(folder, at, code)
      struck = op !== undefined
      const where = `${code} at ${at}: ${op}`
      const index = loadIndex(folder.path)
      const there = surfacesOf(index)
      expect(there, where).toEqual(expect.arrayContaining([...acknowledged]))
      if (error === undefined) expect(there, where).toContain('struck')
      else {
        expect(error, where).toBeInstanceOf(CrashResumeError)
        const failure = error as CrashResumeError
        expect(failure.code, where).toBe('ERR_IO')
        expect(codeOf(failure.cause), where).toBe(code)
        // The folder above it is synced too.
        expect(failure.path === dirname(folder.root) || failure.path?.startsWith(folder.root), where).toBe(true)
        expect(failure.what, where).not.toContain('; ')
        expect(failure.next, where).toMatch(/^[a-z]/)
        if (failure.committed === false) {
          expect(there, where).not.toContain('struck')
          expect(folder.litter(), where).toEqual([])
        } else {
          expect(failure.committed, where).toBe('unknown')
          expect(op, where).toMatch(/^syncDir|^size 1$/)
        }
      }
      // A reader that finds the view behind, and litter, is told of it by who left it so.
      if (result && folder.litter().length > 0) expect(warningsOf(result), where).toContain('cleanup_failed')

      await updateIndex(folder.path, recorded('next'))
      expect(folder.surfaces(), where).toEqual(expect.arrayContaining([...there, 'next']))
      folder.remove()
    }
    // More than a dozen operations, and the last round ran free.
    expect(at).toBeGreaterThan(15)
  })
})

it.each(CODES)('%s at any operation of a load is an error, never an empty index', async (code) => {
  const folder = new IndexFolder()
  const acknowledged = await ontoForeign.make(folder)
  const load = (at: number): { index: Index; struck: string | undefined } => {
    const disk = failingAt(at, code)
    const steps = readSnapshot(diskContext(indexPaths(folder.path), () => undefined))
    return { index: runSync(steps, disk.performNow).index, struck: disk.ops[at - 1] }
  }
  let operations = 0
  for (; operations < 100; operations++) {
    try {
      const { index, struck } = load(operations + 1)
      expect(struck).toBeUndefined()
      expect(surfacesOf(index)).toEqual(expect.arrayContaining([...acknowledged]))
      break
    } catch (error) {
      expect(codeOf(error)).toBe(code)
    }
  }
  expect(operations).toBe(4)
  folder.remove()
})

interface Failed {
  readonly result?: Index
  readonly error?: unknown
  /** The operation that failed; undefined where all were done before it. */
  readonly op: string | undefined
}

function failing(folder: IndexFolder, at: number, code: string): Failed {
  const disk = failingAt(at, code)
  const steps = update(
    diskContext(indexPaths(folder.path), () => undefined),
    recorded('struck'),
    { lockWaitMs: 0 }
  )
  try {
    const result = runSync(steps, disk.performNow)
    return { result, op: disk.ops[at - 1] }
  } catch (error) {
    return { error, op: disk.ops[at - 1] }
  }
}

function failingAt(at: number, code: string): WatchedDisk {
  return watchedDisk({
    before: (op, n) => {
      if (n === at) throw Object.assign(errno(code, op.op), pathOf(op))
    }
  })
}

/** What the system's own error would name. */
function pathOf(op: FileOp): { path?: string; dest?: string } {
  if ('path' in op) return { path: op.path }
  return 'from' in op ? { path: op.from, dest: op.to } : {}
}
