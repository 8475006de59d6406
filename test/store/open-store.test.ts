/**
 * An open store commits in groups: the updates of one turn are applied in order to one copy and committed once, one
 * that throws is rejected alone once the others are safe, and a lost race runs all of them again.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Index } from '../../src/core/schema.js'
import { record, setPolicy } from '../../src/core/verbs.js'
import { loadIndex, openStore, type Store, saveIndex, updateIndex } from '../../src/store/store.js'
import { IndexFolder, recorded, surfacesOf } from '../support/index-folder.js'
import { Writers } from '../support/writers.js'

let folder: IndexFolder
let store: Store

beforeEach(() => {
  folder = new IndexFolder()
  store = openStore(folder.path)
})
afterEach(() => folder.remove())

it('writes nothing before it is asked to', () => {
  expect(surfacesOf(loadIndex(folder.path))).toEqual([])
  expect(folder.revisions()).toEqual([])
})

it('commits the updates of one turn once, in order', async () => {
  const order: number[] = []
  const results = await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      store.update((index) => {
        order.push(n)
        expect(surfacesOf(index)).toHaveLength(n)
        return recorded(`surface-${n}`)(index)
      })
    )
  )
  expect(order).toEqual(order.map((_, n) => n))
  expect(folder.revisions()).toEqual([1])
  expect(new Set(results).size).toBe(1)
  expect(folder.surfaces()).toHaveLength(100)
})

it('commits far less often than it is asked to where callers come and go', async () => {
  const caller = async (n: number): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await store.update(recorded(`surface-${n}-${turn}`))
  }
  await Promise.all(Array.from({ length: 40 }, (_, n) => caller(n)))
  expect(folder.surfaces()).toHaveLength(200)
  expect(folder.revisions().at(-1)).toBeLessThanOrEqual(10)
})

it('rejects the one that throws alone, and once the others are on disk', async () => {
  const bad = new Error('no')
  const first = store.update(recorded('first'))
  const throwing = store.update(() => {
    throw bad
  })
  const last = store.update(recorded('last'))
  const seenAtRejection = throwing.catch((error: unknown) => ({ error, surfaces: folder.surfaces() }))
  expect(await seenAtRejection).toEqual({ error: bad, surfaces: ['first', 'last'] })
  await Promise.all([first, last])
  expect(folder.revisions()).toEqual([1])
})

it('applies to those behind it nothing of the one that throws', async () => {
  const outcomes = await Promise.allSettled([
    store.update(recorded('first')),
    store.update((index) => setPolicy(recorded('half-done')(index), 'unknown', 'off')),
    store.update(recorded('last'))
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(folder.surfaces()).toEqual(['first', 'last'])
})

it('writes nothing where all of them throw', async () => {
  await folder.record('there')
  const refuse = (): Index => {
    throw new Error('no')
  }
  const outcomes = await Promise.allSettled([store.update(refuse), store.update(refuse)])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(folder.revisions()).toEqual([1])
})

it('runs all of them again on what is there where another was faster', async () => {
  await folder.record('there')
  let runs = 0
  const counted =
    (surface: string) =>
    (index: Index): Index => {
      runs += 1
      return recorded(surface)(index)
    }
  let beaten = false
  const overtaken = store.update((index) => {
    // A change that another process makes between our read and our commit.
    if (!beaten) saveIndex(folder.path, recorded('rival')(loadIndex(folder.path)))
    beaten = true
    return counted('first')(index)
  })
  const result = await Promise.all([overtaken, store.update(counted('second'))])
  expect(runs).toBe(4)
  expect(surfacesOf(result[0])).toEqual(['first', 'rival', 'second', 'there'])
  expect(folder.revisions()).toEqual([1, 2, 3])
})

it('rejects one that throws by its last run, not by one that was lost', async () => {
  await folder.record('there')
  let runs = 0
  const once = store.update((index) => {
    runs += 1
    if (runs === 1) {
      saveIndex(folder.path, recorded('rival')(loadIndex(folder.path)))
      throw new Error('only on what was read first')
    }
    return recorded('once')(index)
  })
  const other = store.update(recorded('other'))
  expect(surfacesOf(await once)).toContain('once')
  expect(surfacesOf(await other)).toEqual(['once', 'other', 'rival', 'there'])
})

it('rejects all of them where the commit fails, and works again afterwards', async () => {
  await folder.record('there')
  rmSync(folder.path)
  rmSync(folder.history, { recursive: true })
  writeFileSync(folder.history, 'in the way')
  const outcomes = await Promise.allSettled([store.update(recorded('a')), store.update(recorded('b'))])
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'ERR_NOT_A_FILE', committed: false } })
  }
  rmSync(folder.history)
  expect(surfacesOf(await store.update(recorded('c')))).toEqual(['c'])
})

it('sees what other processes wrote, also where it read before', async () => {
  await store.update(recorded('ours'))
  const writers = new Writers(3)
  const job = (n: number): { path: string; surfaces: string[] } => ({ path: folder.path, surfaces: [`theirs-${n}`] })
  const [, reports] = await Promise.all([store.update(recorded('ours-too')), writers.work(job)])
  expect(reports.flatMap(({ outcomes }) => outcomes).filter(({ error }) => error)).toEqual([])
  const theirs = ['theirs-0', 'theirs-1', 'theirs-2']
  expect(surfacesOf(await store.load())).toEqual(['ours', 'ours-too', ...theirs])
  expect(surfacesOf(await store.update(recorded('last')))).toEqual(['last', 'ours', 'ours-too', ...theirs])
  await writers.end()
})

it('throws the reason of an aborted update, which changes nothing, alone and among others', async () => {
  const reason = new Error('the person changed their mind')
  const signal = AbortSignal.abort(reason)
  const put = (surfaceId: string) => (index: Index) => record(index, { surfaceId, sessionId: surfaceId, repo: 'r' }, 1)
  await expect(updateIndex(folder.path, put('a'), { signal })).rejects.toBe(reason)
  const both = await Promise.allSettled([store.update(put('b'), { signal }), store.update(put('c'))])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect(surfacesOf(loadIndex(folder.path))).toEqual(['c'])
})
