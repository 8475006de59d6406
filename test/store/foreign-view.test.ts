/**
 * The view is a file that people and other tools write. Whatever becomes of it, or of the history beside it: no entry
 * is lost, a reader says what it found, and the bytes that are replaced are kept.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadIndex, saveIndex, updateIndex } from '../../src/store/store.js'
import { IndexFolder, recorded, surfacesOf, warningsOf } from '../support/index-folder.js'
import { writeAsOldTool } from '../support/starts.js'

let folder: IndexFolder

beforeEach(async () => {
  folder = new IndexFolder()
  await folder.record('one', 'two', 'three')
})
afterEach(() => folder.remove())

type Raw = { version: number; revision?: number; entries: Record<string, Record<string, unknown>> }

function view(): Raw {
  return JSON.parse(readFileSync(folder.path, 'utf8'))
}

function edit(change: (index: Raw) => void): void {
  const index = view()
  change(index)
  writeFileSync(folder.path, JSON.stringify(index, null, 2))
}

function kept(reason: string): string[] {
  return folder.keptTexts(reason)
}

describe.each([
  ['garbage', '{"version": 1, "entr'],
  ['emptied', ''],
  ['a megabyte of NUL bytes', '\0'.repeat(1024 * 1024)],
  ['not UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
  ['JSON and no index', '[1, 2, 3]']
])('a view that is %s', (_, bytes) => {
  beforeEach(() => writeFileSync(folder.path, bytes))

  it('hides no entry, and the reader says so', () => {
    const index = loadIndex(folder.path)
    expect(surfacesOf(index)).toEqual(['one', 'three', 'two'])
    expect(index.status?.damaged).toBe(false)
    expect(warningsOf(index)).toEqual(['view_unreadable'])
  })

  it('is kept as it is and replaced by the next write', async () => {
    await folder.record('four')
    expect(view().revision).toBe(folder.revisions().at(-1))
    expect(Object.keys(view().entries).sort()).toEqual(['four', 'one', 'three', 'two'])
    const names = readdirSync(folder.kept)
    expect(names).toHaveLength(1)
    expect(names[0]).toContain('-unreadable-view-')
    expect(readFileSync(join(folder.kept, names[0] ?? '')).equals(Buffer.from(bytes))).toBe(true)
    expect(warningsOf(loadIndex(folder.path))).toEqual([])
  })
})

describe('an entry changed by hand', () => {
  it('is what readers see, and what the next write stands on', async () => {
    edit(({ entries }) => {
      entries['two'] = { ...entries['two'], repo: 'by-hand' }
    })
    expect(loadIndex(folder.path).entries['two']?.repo).toBe('by-hand')
    expect(warningsOf(loadIndex(folder.path))).toEqual(['view_foreign'])
    await folder.record('four')
    const index = loadIndex(folder.path)
    expect(index.entries['two']?.repo).toBe('by-hand')
    expect(surfacesOf(index)).toEqual(['four', 'one', 'three', 'two'])
    expect(view().revision).toBe(folder.revisions().at(-1))
    expect(warningsOf(index)).toEqual([])
  })

  it('is kept as the person wrote it', async () => {
    edit(({ entries }) => {
      entries['two'] = { ...entries['two'], repo: 'by-hand' }
    })
    const text = readFileSync(folder.path, 'utf8')
    await folder.record('four')
    expect(kept('foreign-view')).toEqual([text])
  })

  it('does not come back over a newer change', async () => {
    edit(({ entries }) => {
      entries['two'] = { ...entries['two'], repo: 'by-hand', last_active: 1 }
    })
    await folder.record('four')
    expect(loadIndex(folder.path).entries['two']?.repo).toBe('demo')
    expect(kept('foreign-view')).toHaveLength(1)
  })

  it('deletes nothing: an entry taken out stays', async () => {
    edit(({ entries }) => {
      delete entries['two']
    })
    expect(folder.surfaces()).toEqual(['one', 'three', 'two'])
    await folder.record('four')
    expect(Object.keys(view().entries).sort()).toEqual(['four', 'one', 'three', 'two'])
  })

  it('may be one that is added', async () => {
    edit(({ entries }) => {
      entries['added'] = { ...entries['two'], surfaceId: 'added', sessionId: 'added-by-hand' }
    })
    await folder.record('four')
    expect(folder.surfaces()).toEqual(['added', 'four', 'one', 'three', 'two'])
  })
})

describe('a view that is deleted', () => {
  beforeEach(() => rmSync(folder.path))

  it('takes nothing with it', () => {
    expect(folder.surfaces()).toEqual(['one', 'three', 'two'])
  })

  it('is there again after the next write', async () => {
    await folder.record('four')
    expect(Object.keys(view().entries).sort()).toEqual(['four', 'one', 'three', 'two'])
  })
})

describe('a view that is put back to an old revision', () => {
  it('takes nothing back', async () => {
    writeFileSync(folder.path, readFileSync(join(folder.history, '1')))
    expect(view().revision).toBe(1)
    expect(folder.surfaces()).toEqual(['one', 'three', 'two'])
    await folder.record('four')
    expect(Object.keys(view().entries).sort()).toEqual(['four', 'one', 'three', 'two'])
    expect(existsSync(folder.kept)).toBe(false)
  })

  it('is kept where that revision is no longer there to compare with', async () => {
    const old = readFileSync(join(folder.history, '1'), 'utf8')
    await folder.record(...Array.from({ length: 8 }, (_, n) => `later-${n}`))
    expect(folder.revisions()).not.toContain(1)
    writeFileSync(folder.path, old)
    await folder.record('four')
    expect(folder.surfaces()).toHaveLength(12)
    expect(kept('stale-view')).toEqual([old])
  })
})

describe('an older tool that writes the view with one entry', () => {
  it('adds its entry and removes no other', async () => {
    writeAsOldTool(folder, 'tool')
    expect(folder.surfaces()).toEqual(['one', 'three', 'tool', 'two'])
    await folder.record('four')
    expect(Object.keys(view().entries).sort()).toEqual(['four', 'one', 'three', 'tool', 'two'])
    expect(kept('foreign-view')).toHaveLength(1)
  })

  it('replaces the session of a surface it saw later than we did, and the old one is remembered', async () => {
    writeAsOldTool(folder, 'two', { sessionId: 'newer', last_active: Date.now() + 5 })
    await folder.record('four')
    const entry = loadIndex(folder.path).entries['two']
    expect(entry).toMatchObject({ sessionId: 'newer', gen: 2 })
    expect(entry?.previous.map(({ sessionId }) => sessionId)).toEqual(['session-of-two'])
  })

  it('brings back nothing that it saw earlier', async () => {
    writeAsOldTool(folder, 'two', { sessionId: 'older', last_active: 1 })
    await folder.record('four')
    expect(loadIndex(folder.path).entries['two']?.sessionId).toBe('session-of-two')
  })
})

describe('the newest revision unreadable', () => {
  beforeEach(() => writeFileSync(join(folder.history, '3'), 'not an index'))

  it('is served from the view, which holds the same revision, and committed again', async () => {
    const index = loadIndex(folder.path)
    expect(surfacesOf(index)).toEqual(['one', 'three', 'two'])
    expect(warningsOf(index)).toEqual(['revision_unreadable'])
    await folder.record('four')
    expect(folder.revisions()).toEqual([1, 2, 3, 4, 5])
    expect(folder.surfaces()).toEqual(['four', 'one', 'three', 'two'])
    expect(kept('unreadable-revision')).toEqual(['not an index'])
    expect(warningsOf(loadIndex(folder.path))).toEqual([])
  })

  it('is served from the one before where the view is gone too, and blocks no writer', async () => {
    rmSync(folder.path)
    expect(folder.surfaces()).toEqual(['one', 'two'])
    expect(warningsOf(loadIndex(folder.path))).toEqual(['revision_unreadable'])
    await folder.record('four')
    expect(folder.revisions()).toEqual([1, 2, 3, 4])
    expect(folder.surfaces()).toEqual(['four', 'one', 'two'])
    expect(kept('unreadable-revision')).toEqual(['not an index'])
  })

  it('is served from the one before where the view is garbage too, and both are kept', async () => {
    writeFileSync(folder.path, 'nor this')
    expect(folder.surfaces()).toEqual(['one', 'two'])
    await folder.record('four')
    expect(folder.surfaces()).toEqual(['four', 'one', 'two'])
    expect([...kept('unreadable-revision'), ...kept('unreadable-view')]).toEqual(['not an index', 'nor this'])
  })
})

describe('the history deleted', () => {
  beforeEach(() => rmSync(folder.history, { recursive: true }))

  it('leaves the view, which is numbered on from', async () => {
    expect(folder.surfaces()).toEqual(['one', 'three', 'two'])
    await folder.record('four')
    expect(folder.surfaces()).toEqual(['four', 'one', 'three', 'two'])
    expect(folder.revisions()).toEqual([4])
  })

  it('and the view garbage: says that the index is damaged, and keeps the bytes when something is written', async () => {
    writeFileSync(folder.path, 'garbage')
    const index = loadIndex(folder.path)
    expect(index.status?.damaged).toBe(true)
    expect(warningsOf(index)).toEqual(['index_damaged'])
    await folder.record('four')
    expect(folder.surfaces()).toEqual(['four'])
    expect(kept('unreadable-view')).toEqual(['garbage'])
  })

  it('and the view with it: an index that is not there, not a damaged one', async () => {
    rmSync(folder.path)
    const index = loadIndex(folder.path)
    expect(surfacesOf(index)).toEqual([])
    expect(index.status).toBeUndefined()
    await folder.record('four')
    expect(folder.surfaces()).toEqual(['four'])
  })

  it('but for the empty folder: as if it were not there', async () => {
    await folder.record('four')
    for (const number of folder.revisions()) rmSync(join(folder.history, `${number}`))
    await folder.record('five')
    expect(folder.surfaces()).toEqual(['five', 'four', 'one', 'three', 'two'])
  })
})

describe('every revision unreadable', () => {
  beforeEach(() => {
    for (const number of folder.revisions()) writeFileSync(join(folder.history, `${number}`), `bad ${number}`)
  })

  it('is damage, not absence, where the view is gone too; each is kept', async () => {
    rmSync(folder.path)
    const index = loadIndex(folder.path)
    expect(index.status?.damaged).toBe(true)
    expect(surfacesOf(index)).toEqual([])
    await folder.record('four')
    expect(folder.surfaces()).toEqual(['four'])
    expect(kept('unreadable-revision').sort()).toEqual(['bad 1', 'bad 2', 'bad 3'])
  })

  it('is served from the view', async () => {
    expect(folder.surfaces()).toEqual(['one', 'three', 'two'])
    await folder.record('four')
    expect(folder.surfaces()).toEqual(['four', 'one', 'three', 'two'])
  })
})

describe('a file of the first users', () => {
  const old = {
    version: 1,
    entries: {
      a: { surfaceId: 'a', sessionId: 'sa', repo: 'golems', role: 'lead', captured_at: 1000, last_active: 2000 },
      b: { surfaceId: 'b', sessionId: 'sb', repo: 'orchestrator', role: null, captured_at: 3000, last_active: 4000 },
      bad: { surfaceId: 'bad', sessionId: 17, note: 'not ours to mend' },
      c: { surfaceId: 'c', sessionId: 'sc', repo: 'x', role: null, captured_at: 1, last_active: 2, colour: 'red' }
    },
    written_by: 'an older tool'
  }

  beforeEach(() => {
    folder.remove()
    folder = new IndexFolder()
    writeFileSync(folder.path, JSON.stringify(old))
  })

  it('is an index', () => {
    const index = loadIndex(folder.path)
    expect(surfacesOf(index)).toEqual(['a', 'b', 'c'])
    expect(Object.keys(index.unreadable ?? {})).toEqual(['bad'])
    expect(index.entries['a']).toMatchObject({ state: 'ready', gen: 1, policy: 'auto', attempts: 0, previous: [] })
  })

  it('is upgraded by the first write without loss', async () => {
    await folder.record('new')
    const written = view() as Raw & { written_by?: string }
    expect(written.revision).toBeGreaterThanOrEqual(1)
    expect(written.written_by).toBe('an older tool')
    expect(written.entries['bad']).toEqual(old.entries.bad)
    for (const key of ['a', 'b', 'c'] as const) expect(written.entries[key]).toMatchObject(old.entries[key])
    expect(Object.keys(written.entries).sort()).toEqual(['a', 'b', 'bad', 'c', 'new'])
    expect(kept('first-view')).toEqual([JSON.stringify(old)])
  })
})

describe('a newer version', () => {
  const newer = { version: 2, entries: {}, revision: 9, unheard_of: true }

  it('is never written over', async () => {
    folder.remove()
    folder = new IndexFolder()
    const text = JSON.stringify(newer)
    writeFileSync(folder.path, text)
    expect(warningsOf(loadIndex(folder.path))).toEqual(['index_newer'])
    await expect(folder.record('four')).rejects.toMatchObject({ code: 'ERR_INDEX_NEWER', committed: false })
    expect(() => saveIndex(folder.path, loadIndex(folder.path))).toThrow(
      expect.objectContaining({ code: 'ERR_INDEX_NEWER' })
    )
    expect(readFileSync(folder.path, 'utf8')).toBe(text)
    expect(readdirSync(folder.root)).toEqual(['index.json'])
  })

  it('is not written over where it comes after ours', async () => {
    const text = JSON.stringify(newer)
    writeFileSync(folder.path, text)
    await expect(updateIndex(folder.path, recorded('four'))).rejects.toMatchObject({ code: 'ERR_INDEX_NEWER' })
    expect(readFileSync(folder.path, 'utf8')).toBe(text)
    expect(folder.revisions()).toEqual([1, 2, 3])
  })
})
