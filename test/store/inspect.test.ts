import { chmodSync, mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inspectStore, type StoreFacts } from '../../src/store/inspect.js'
import { hasHardLinks, placeOf } from '../../src/store/place.js'
import { IndexFolder } from '../support/index-folder.js'

let folder: IndexFolder
beforeEach(async () => {
  folder = new IndexFolder()
  await folder.record('a', 'b')
})
afterEach(() => {
  folder.remove()
})

const facts = (): StoreFacts => inspectStore(folder.path)

it('an index as we make it', () => {
  expect(facts()).toMatchObject({
    given: folder.path,
    view: { path: folder.path, kind: 'file', mode: 0o600, own: true },
    folder: { path: folder.root, kind: 'folder', own: true, writable: true },
    history: { path: folder.history, kind: 'folder', mode: 0o700 },
    kept: { path: folder.kept, kind: null },
    exposed: [],
    hardLinks: true,
    lock: null,
    staged: 0,
    abandonedFirstWrites: 0,
    revisions: 2,
    copies: 0,
    unreadableCopies: 0,
    index: {
      there: true,
      revision: 2,
      version: 1,
      newer: false,
      entries: 2,
      unreadable: [],
      damaged: false,
      foreign: false
    }
  })
})

it('leaves nothing behind', () => {
  facts()
  expect(folder.litter()).toEqual([])
})

it('of nothing at all', () => {
  const empty = inspectStore(join(folder.root, 'none', 'index.json'))
  expect(empty).toMatchObject({ view: { kind: null }, folder: { kind: null, writable: false }, hardLinks: null })
  expect(empty).toMatchObject({ index: { there: false, entries: 0, damaged: false } })
})

it('follows a link, and says where it leads', () => {
  const link = join(folder.root, 'link.json')
  symlinkSync(folder.path, link)
  expect(inspectStore(link)).toMatchObject({ given: link, view: { path: folder.path, kind: 'file' } })
})

describe('the index', () => {
  it('that somebody else edited', () => {
    const text = JSON.stringify({ version: 1, entries: {} })
    writeFileSync(folder.path, text)
    expect(facts().index).toMatchObject({ foreign: true, entries: 2 })
  })

  it('that is garbage is served from its revisions', () => {
    writeFileSync(folder.path, 'garbage')
    const warnings = [{ code: 'view_unreadable', message: expect.any(String) }]
    expect(facts().index).toMatchObject({ damaged: false, entries: 2, warnings })
  })

  it('that is garbage without any revision is damaged', () => {
    rmSync(folder.history, { recursive: true })
    writeFileSync(folder.path, 'garbage')
    expect(facts().index).toMatchObject({ there: true, damaged: true, entries: 0 })
  })

  it('with an entry that cannot be read, and of a newer version', () => {
    rmSync(folder.history, { recursive: true })
    writeFileSync(folder.path, JSON.stringify({ version: 9, entries: { x: { surfaceId: 'x' } } }))
    const unreadable = [{ surfaceId: 'x', reason: expect.stringContaining('sessionId') }]
    expect(facts().index).toMatchObject({ newer: true, version: 9, unreadable })
  })

  it('with a folder in its place', () => {
    rmSync(folder.path)
    mkdirSync(folder.path)
    expect(facts()).toMatchObject({ view: { kind: 'folder' }, index: { error: { code: 'ERR_NOT_A_FILE' } } })
  })

  it('with a revision that cannot be read', () => {
    writeFileSync(join(folder.history, '3'), 'garbage')
    expect(facts()).toMatchObject({ revisions: 3, index: { warnings: [{ code: 'revision_unreadable' }], entries: 2 } })
  })
})

describe('what others may do', () => {
  it('to the view and to what is inside the folders', () => {
    chmodSync(folder.path, 0o644)
    chmodSync(join(folder.history, '1'), 0o666)
    expect(facts()).toMatchObject({
      view: { mode: 0o644 },
      exposed: [{ path: join(folder.history, '1'), kind: 'file', mode: 0o666 }]
    })
  })

  it('to the folder', () => {
    chmodSync(folder.root, 0o1777)
    expect(facts().folder).toMatchObject({ mode: 0o1777, writable: true })
  })
})

it('what killed writers left', () => {
  writeFileSync(join(folder.history, 's-1-0123456789abcdef0123456789abcdef'), '')
  mkdirSync(`${folder.history}.0123456789abcdef0123456789abcdef`)
  expect(facts()).toMatchObject({ staged: 1, abandonedFirstWrites: 1, revisions: 2 })
})

it('kept copies, and those that were kept because they could not be read', async () => {
  writeFileSync(folder.path, 'garbage')
  await folder.record('c')
  expect(facts()).toMatchObject({ copies: 1, unreadableCopies: 1 })
})

it('something odd in the place of the lock', () => {
  writeFileSync(folder.lock, '')
  expect(facts().lock).toEqual({ what: `${folder.lock} is not a folder, so no lock can be taken`, next: 'remove it' })
})

it('a history that is a file is a fact, and not thrown', () => {
  renameSync(folder.history, `${folder.history}-away`)
  writeFileSync(folder.history, '')
  expect(facts()).toMatchObject({ history: { kind: 'file' }, index: { error: { code: 'ERR_NOT_A_FILE' } } })
})

describe('a place', () => {
  it('that is cleared', () => {
    for (const cleared of ['/tmp', '/tmp/x', '/var/tmp/x', '/run/user/1000', realpathSync(tmpdir())]) {
      expect([cleared, placeOf(cleared).volatile]).toEqual([cleared, expect.any(String)])
    }
  })

  it('that is in memory, by its file system and not by its name', () => {
    // Mounted in memory on Linux wherever there is one.
    expect(['tmpfs', 'in /dev/shm']).toContain(placeOf('/dev/shm').volatile)
  })

  it('that stays', () => {
    for (const stays of ['/tmpfiles', '/home/dev/tmp', '/']) expect(placeOf(stays).volatile).toBeNull()
    expect(placeOf('/').network).toBeNull()
  })

  it('has hard links where they work, and nobody knows where they cannot be tried', () => {
    expect(hasHardLinks(join(folder.root, 'trial'))).toBe(true)
    expect(hasHardLinks(join(folder.root, 'nowhere', 'trial'))).toBeNull()
    expect(hasHardLinks(folder.path)).toBeNull()
    expect(facts().view.kind).toBe('file')
  })
})
