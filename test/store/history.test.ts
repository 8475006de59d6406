import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { historyOf, type PastName, readPast } from '../../src/store/history.js'
import { updateIndex } from '../../src/store/store.js'
import { thrownBy } from '../core/samples.js'
import { IndexFolder, recorded } from '../support/index-folder.js'

let folder: IndexFolder
beforeEach(() => {
  folder = new IndexFolder()
})
afterEach(() => {
  folder.remove()
})

const surfaces = (which: PastName): string[] => Object.keys(readPast(folder.path, which).entries)
const kept = (name: string, text: string): void => {
  mkdirSync(folder.kept, { recursive: true })
  writeFileSync(join(folder.kept, name), text)
}
const NAME = '20261129T130500123Z-unreadable-view-0123456789abcdef'

describe('the revisions', () => {
  it('are newest first, each with what it changed', async () => {
    await folder.record('a', 'b')
    const { revisions } = historyOf(folder.path)
    expect(revisions).toMatchObject([
      { revision: 2, entries: 2, changes: [{ surfaceId: 'b', change: 'added', fields: [] }] },
      { revision: 1, entries: 1, changes: [{ surfaceId: 'a', change: 'added', fields: [] }] }
    ])
    for (const { revision, time, bytes } of revisions) {
      expect(Math.abs(time - statSync(join(folder.history, String(revision))).mtimeMs)).toBeLessThan(1)
      expect(bytes).toBeGreaterThan(100)
    }
  })

  it('do not say what they changed where the one before is pruned or unreadable', async () => {
    await folder.record(...'abcdefghij')
    writeFileSync(join(folder.history, '6'), 'garbage')
    const found = historyOf(folder.path).revisions.map(({ revision, entries, changes }) => [
      revision,
      entries,
      changes?.length ?? null
    ])
    expect(found).toEqual([
      [10, 10, 1],
      [9, 9, 1],
      [8, 8, 1],
      [7, 7, null],
      [6, null, null],
      [5, 5, 1],
      [4, 4, 1],
      [3, 3, null]
    ])
  })

  it('can be read, each as it was', async () => {
    await folder.record('a', 'b')
    expect(surfaces({ revision: 1 })).toEqual(['a'])
    expect(surfaces({ revision: 2 })).toEqual(['a', 'b'])
  })
})

describe('the kept copies', () => {
  it('are listed with the reason, and can be read', async () => {
    await folder.record('a', 'b')
    await updateIndex(folder.path, recorded('c'), { keep: 'forget' })
    const [copy] = historyOf(folder.path).kept
    expect(copy).toMatchObject({ reason: 'before-forget', revision: 2, entries: 2 })
    expect(surfaces({ kept: copy?.name ?? '' })).toEqual(['a', 'b'])
  })

  it('are listed where they hold no index as well', () => {
    kept(NAME, 'garbage')
    kept('t-20261129T130500123Z-0123456789abcdef0123456789abcdef', 'not named yet')
    expect(historyOf(folder.path)).toMatchObject({
      revisions: [],
      kept: [{ name: NAME, time: Date.UTC(2026, 10, 29, 13, 5, 0, 123), entries: null, revision: null, bytes: 7 }]
    })
    expect(thrownBy(() => surfaces({ kept: NAME })).code).toBe('ERR_INDEX_UNREADABLE')
  })

  it('are not waited for where one is no file', () => {
    mkdirSync(folder.kept)
    execFileSync('mkfifo', [join(folder.kept, NAME)])
    expect(historyOf(folder.path).kept).toMatchObject([{ name: NAME, entries: null }])
    expect(thrownBy(() => surfaces({ kept: NAME })).code).toBe('ERR_INDEX_UNREADABLE')
  })
})

it('of an index that was never written is empty, and nothing is made', () => {
  expect(historyOf(folder.path)).toEqual({ revisions: [], kept: [], conversations: [] })
  expect(readdirSync(folder.root)).toEqual([])
})

it.each<[string, PastName]>([
  ['a revision that is gone', { revision: 7 }],
  ['a number that is none', { revision: Number.NaN }],
  ['a staged name', { kept: 's-1-0123456789abcdef0123456789abcdef' }],
  ['a path', { kept: '../index.json' }],
  ['no name', { kept: '' }]
])('%s is not there', async (_, which) => {
  await folder.record('a')
  const error = thrownBy(() => readPast(folder.path, which))
  expect(error.code).toBe('ERR_INVALID_INPUT')
  expect(error.message).toContain('does not exist; `crash-resume-index history` lists what does')
})

it('what may not be read is an error, and not an empty history', async () => {
  await folder.record('a')
  renameSync(folder.history, `${folder.history}-away`)
  writeFileSync(folder.history, 'a file in its place')
  expect(thrownBy(() => historyOf(folder.path)).code).toBe('ERR_NOT_A_FILE')
})
