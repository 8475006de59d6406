/** Loading and saving a whole index, both synchronous: a save never overwrites what its index was not loaded from. */
import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { emptyIndex, end } from '../../src/core/verbs.js'
import { loadIndex, saveIndex } from '../../src/store/store.js'
import { IndexFolder, recorded, surfacesOf } from '../support/index-folder.js'
import { writeAsOldTool } from '../support/starts.js'

let folder: IndexFolder

beforeEach(() => {
  folder = new IndexFolder()
})
afterEach(() => folder.remove())

const conflict = expect.objectContaining({ code: 'ERR_CONFLICT', committed: false })

describe('an index that was loaded', () => {
  it('is saved onto what it was loaded from', async () => {
    await folder.record('there')
    saveIndex(folder.path, recorded('saved')(loadIndex(folder.path)))
    expect(folder.surfaces()).toEqual(['saved', 'there'])
  })

  it('is not saved over what another wrote since', async () => {
    await folder.record('there')
    const index = loadIndex(folder.path)
    await folder.record('since')
    expect(() => saveIndex(folder.path, recorded('saved')(index))).toThrow(conflict)
    expect(folder.surfaces()).toEqual(['since', 'there'])
  })

  it('can be changed and saved again after it was saved', async () => {
    await folder.record('there')
    let index = recorded('first')(loadIndex(folder.path))
    saveIndex(folder.path, index)
    index = recorded('second')(index)
    saveIndex(folder.path, index)
    expect(folder.surfaces()).toEqual(['first', 'second', 'there'])
    await folder.record('since')
    expect(() => saveIndex(folder.path, recorded('third')(index))).toThrow(conflict)
  })

  it('from a place where nothing was is not saved over what came there since', async () => {
    const index = loadIndex(folder.path)
    await folder.record('since')
    expect(() => saveIndex(folder.path, recorded('saved')(index))).toThrow(conflict)
    expect(folder.surfaces()).toEqual(['since'])
  })

  it('from an older file, without a number, is saved onto those bytes and onto no others', () => {
    writeAsOldTool(folder, 'old')
    const index = loadIndex(folder.path)
    writeAsOldTool(folder, 'newer')
    expect(() => saveIndex(folder.path, recorded('saved')(index))).toThrow(conflict)
    saveIndex(folder.path, recorded('saved')(loadIndex(folder.path)))
    expect(folder.surfaces()).toEqual(['newer', 'saved'])
  })

  it('together with an edit of the view is saved onto both', async () => {
    await folder.record('there')
    writeAsOldTool(folder, 'tool')
    const index = loadIndex(folder.path)
    expect(surfacesOf(index)).toEqual(['there', 'tool'])
    saveIndex(folder.path, end(index, { surfaceId: 'tool' }, Date.now()))
    expect(loadIndex(folder.path).entries['tool']?.state).toBe('ended')
    expect(folder.surfaces()).toEqual(['there', 'tool'])
  })

  it('is merged into another file, not put over it', async () => {
    const other = new IndexFolder()
    await other.record('other')
    await folder.record('there')
    saveIndex(other.path, loadIndex(folder.path))
    expect(other.surfaces()).toEqual(['other', 'there'])
    other.remove()
  })

  it('unchanged writes nothing', async () => {
    await folder.record('there')
    saveIndex(folder.path, loadIndex(folder.path))
    expect(folder.revisions()).toEqual([1])
  })

  it('may be frozen', async () => {
    await folder.record('there')
    const index = Object.freeze(recorded('saved')(loadIndex(folder.path)))
    saveIndex(folder.path, index)
    expect(folder.surfaces()).toEqual(['saved', 'there'])
    expect(() => saveIndex(folder.path, recorded('again')(index))).toThrow(conflict)
  })
})

describe('an index that was never loaded', () => {
  it('is written where nothing is, and counts as loaded from there', () => {
    const index = recorded('first')(emptyIndex())
    saveIndex(folder.path, index)
    saveIndex(folder.path, recorded('second')(index))
    expect(folder.surfaces()).toEqual(['first', 'second'])
  })

  it('is merged into what is there', async () => {
    await folder.record('there')
    saveIndex(folder.path, recorded('merged')(emptyIndex()))
    expect(folder.surfaces()).toEqual(['merged', 'there'])
  })

  it('replaces a session that it saw later, and none that it saw earlier', async () => {
    await folder.record('a', 'b')
    const late = recorded('a', 'late')(emptyIndex())
    const { last_active } = late.entries['a'] ?? { last_active: 0 }
    const theirs = {
      ...late,
      entries: {
        a: { ...late.entries['a']!, last_active: last_active + 1000 },
        b: { ...late.entries['a']!, surfaceId: 'b', sessionId: 'early', last_active: 1 }
      }
    }
    saveIndex(folder.path, theirs)
    const { entries } = loadIndex(folder.path)
    expect([entries['a']?.sessionId, entries['b']?.sessionId]).toEqual(['late', 'session-of-b'])
  })

  it('removes nothing by being empty', async () => {
    await folder.record('there')
    saveIndex(folder.path, emptyIndex())
    expect(folder.surfaces()).toEqual(['there'])
  })

  it('does not make a damaged index an empty one: what was there is kept', () => {
    writeFileSync(folder.path, 'garbage')
    saveIndex(folder.path, recorded('merged')(emptyIndex()))
    expect(folder.surfaces()).toEqual(['merged'])
    expect(folder.keptTexts('unreadable-view')).toEqual(['garbage'])
  })
})

it('loading and saving are synchronous', async () => {
  await folder.record('there')
  const index = loadIndex(folder.path)
  expect(index).not.toBeInstanceOf(Promise)
  expect(saveIndex(folder.path, recorded('saved')(index))).toBeUndefined()
  expect(folder.surfaces()).toEqual(['saved', 'there'])
})
