import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { forgetInFile, historyOf, prunable, pruneInFile, restoreInFile } from '../../src/admin.js'
import { fingerprint } from '../../src/core.js'
import {
  CrashResumeError,
  type Entry,
  endInFile,
  loadIndex,
  lookup,
  ownerOf,
  recordToFile,
  updateIndex
} from '../../src/index.js'
import { IndexFolder } from '../support/index-folder.js'

let folder: IndexFolder
beforeEach(() => {
  folder = new IndexFolder()
})
afterEach(() => {
  folder.remove()
})

const DAY = 86_400_000
const record = (surfaceId: string, age: number, fields: object = {}): Promise<Entry> =>
  recordToFile(
    folder.path,
    { surfaceId, sessionId: `session-${surfaceId}`, repo: 'r', ...fields },
    { now: Date.now() - age }
  )
const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work
  } catch (error) {
    if (error instanceof CrashResumeError) return error.code
    throw error
  }
  throw new Error('nothing was thrown')
}
/** An entry whose agent is this very process. */
const alive = async (surfaceId: string, age: number): Promise<void> => {
  await record(surfaceId, age)
  const proc = ownerOf(process.pid)
  if (proc === null) throw new Error('this process cannot be seen')
  await updateIndex(folder.path, (index) => {
    const entry = lookup(index, surfaceId)
    return entry === null ? index : { ...index, entries: { ...index.entries, [surfaceId]: { ...entry, proc } } }
  })
}

describe('forgetInFile', () => {
  it('removes an entry, returns it, and keeps the revision before', async () => {
    const entry = await record('s', 0)
    expect(await forgetInFile(folder.path, { surfaceId: 's' })).toEqual(entry)
    expect(folder.surfaces()).toEqual([])
    expect(historyOf(folder.path).kept).toMatchObject([{ reason: 'before-forget', entries: 1 }])
  })

  it('spares what a living process uses, by looking', async () => {
    await alive('s', 0)
    expect(await codeOf(forgetInFile(folder.path, { surfaceId: 's' }))).toBe('ERR_IN_USE')
    expect(folder.surfaces()).toEqual(['s'])
    expect(readdirSync(folder.root).some((name) => name.endsWith('.kept'))).toBe(false)
  })

  it('acts only on what was looked at', async () => {
    const looked = fingerprint(await record('s', 0))
    await endInFile(folder.path, { surfaceId: 's' })
    expect(await codeOf(forgetInFile(folder.path, { surfaceId: 's', expect: looked }))).toBe('ERR_CONFLICT')
    expect(await codeOf(forgetInFile(folder.path, { surfaceId: 'gone', expect: looked }))).toBe('ERR_CONFLICT')
    expect(await codeOf(forgetInFile(folder.path, { surfaceId: 'gone' }))).toBe('ERR_ENTRY_UNKNOWN')
  })

  it('removes an entry that cannot be read, and returns null', async () => {
    writeFileSync(folder.path, JSON.stringify({ version: 1, entries: { bad: 7 } }))
    expect(await forgetInFile(folder.path, { surfaceId: 'bad', expect: 'unreadable' })).toBeNull()
    expect(loadIndex(folder.path).unreadable).toBeUndefined()
  })
})

describe('pruneInFile', () => {
  it('removes what is older and not in use', async () => {
    await record('old', 3 * DAY)
    await alive('used', 3 * DAY)
    await record('young', DAY)
    expect(prunable(loadIndex(folder.path), 2 * DAY).map(({ surfaceId }) => surfaceId)).toEqual(['old'])
    const removed = await pruneInFile(folder.path, { maxAgeMs: 2 * DAY })
    expect(removed.map(({ surfaceId }) => surfaceId)).toEqual(['old'])
    expect(folder.surfaces().sort()).toEqual(['used', 'young'])
    expect(historyOf(folder.path).kept).toMatchObject([{ reason: 'before-prune', entries: 3 }])
  })

  it('writes nothing where nothing is old', async () => {
    await record('young', DAY)
    expect(await pruneInFile(folder.path, { maxAgeMs: 2 * DAY })).toEqual([])
    expect(folder.revisions()).toEqual([1])
  })

  it('removes all that was looked at, or nothing', async () => {
    const seen = [await record('a', 3 * DAY), await record('b', 3 * DAY)].map((entry) => ({
      surfaceId: entry.surfaceId,
      expect: fingerprint(entry)
    }))
    await record('b', 0)
    expect(await codeOf(pruneInFile(folder.path, { entries: seen }))).toBe('ERR_CONFLICT')
    expect(folder.surfaces().sort()).toEqual(['a', 'b'])
    expect(await pruneInFile(folder.path, { entries: seen.slice(0, 1) })).toMatchObject([{ surfaceId: 'a' }])
    expect(folder.surfaces()).toEqual(['b'])
  })
})

describe('restoreInFile', () => {
  it('writes a new revision, says what changed, and can be undone by another', async () => {
    await record('s', 0)
    await record('s', 0, { sessionId: 'other' })
    const back = await restoreInFile(folder.path, { revision: 1 })
    expect(back.changes).toMatchObject([{ surfaceId: 's', change: 'changed' }])
    expect(back.index).toMatchObject({ revision: 3, entries: { s: { sessionId: 'session-s', gen: 3 } } })
    const again = await restoreInFile(folder.path, { revision: 2 })
    expect(again.index).toMatchObject({ revision: 4, entries: { s: { sessionId: 'other', gen: 4 } } })
    expect(historyOf(folder.path).kept.map(({ reason }) => reason)).toEqual(['before-restore', 'before-restore'])
  })

  it('writes nothing where nothing differs', async () => {
    await record('s', 0)
    expect((await restoreInFile(folder.path, { revision: 1 })).changes).toEqual([])
    expect(folder.revisions()).toEqual([1])
  })

  it('refuses a copy of a newer version', async () => {
    await record('s', 0)
    const name = '20261129T130500123Z-foreign-view-0123456789abcdef'
    mkdirSync(folder.kept)
    writeFileSync(join(folder.kept, name), JSON.stringify({ version: 9, entries: {} }))
    expect(await codeOf(restoreInFile(folder.path, { kept: name }))).toBe('ERR_INDEX_NEWER')
  })
})
