/**
 * What may stand in the index's place instead of a file, or lead to it. None of it is waited for, read as empty or
 * written over; links are followed once and kept.
 */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadIndex, updateIndex } from '../../src/store/store.js'
import { call } from '../support/calls.js'
import { IndexFolder, recorded, surfacesOf } from '../support/index-folder.js'

const AT_ONCE_MS = 10_000

let folder: IndexFolder

beforeEach(() => {
  folder = new IndexFolder()
})
afterEach(() => folder.remove())

/** Makes it, and may return how to end it. */
type Make = (path: string) => undefined | Promise<() => void>

const fifo: Make = (path) => void execFileSync('mkfifo', [path])
const file: Make = (path) => writeFileSync(path, 'a file') as undefined
const emptyFolder: Make = (path) => mkdirSync(path) as undefined
/** As root one of its own: code that goes wrong here would replace the machine's. Nobody else could. */
const device: Make = (path) => {
  if (process.getuid?.() === 0) execFileSync('mknod', [path, 'c', '1', '5'])
  else symlinkSync('/dev/zero', path)
  return undefined
}
const loop: Make = (path) => symlinkSync(path, path) as undefined
const socket: Make = (path) =>
  new Promise((resolve) => {
    const server = createServer().listen(path, () => resolve(() => server.close()))
  })

const odd: readonly (readonly [string, string, Make])[] = [
  ['a FIFO', 'the index', fifo],
  ['a folder', 'the index', emptyFolder],
  ['a device', 'the index', device],
  ['a socket', 'the index', socket],
  ['a loop of links', 'the index', loop],
  ['a FIFO', 'its history', fifo],
  ['a file', 'its history', file],
  ['a loop of links', 'its history', loop]
]

it.each(odd)('%s in the place of %s is refused at once, and left', async (_, place, make) => {
  const path = place === 'the index' ? folder.path : folder.history
  if (path === folder.history) writeFileSync(folder.path, '{"version":1,"entries":{}}')
  const close = await make(path)
  const names = readdirSync(folder.root)
  const before = lstatSync(path)
  const { load, update } = call({ path: folder.path, surface: 'new' })
  for (const { error, ms } of [load, update]) {
    expect(error).toMatchObject({ code: 'ERR_NOT_A_FILE', committed: false })
    expect(error?.message).toMatch(/index\.json|\/dev\/zero/)
    expect(error?.message).toMatch(/move it away|fix it/)
    expect(ms).toBeLessThan(AT_ONCE_MS)
  }
  const { ino, mode, size, mtimeMs } = lstatSync(path)
  expect({ ino, mode, size, mtimeMs }).toEqual({
    ino: before.ino,
    mode: before.mode,
    size: before.size,
    mtimeMs: before.mtimeMs
  })
  expect(readdirSync(folder.root)).toEqual(names)
  close?.()
})

it.each([
  ['a FIFO', fifo],
  ['a folder', emptyFolder],
  ['a loop of links', loop]
])('%s in the place of the newest revision is passed over, and blocks no writer', async (_, make) => {
  await folder.record('one')
  await make(join(folder.history, '2'))
  const { load, update } = call({ path: folder.path, surface: 'two' })
  expect(load).toMatchObject({ surfaces: ['one'], warnings: ['revision_unreadable'] })
  expect(update.error).toBeUndefined()
  expect(folder.surfaces()).toEqual(['one', 'two'])
  for (const { ms } of [load, update]) expect(ms).toBeLessThan(AT_ONCE_MS)
})

it('a file in the place of the kept folder stops only what must be kept', async () => {
  await folder.record('one')
  writeFileSync(folder.kept, 'a file')
  await folder.record('two')
  const removal = updateIndex(folder.path, recorded('three'), { keep: 'forget' })
  await expect(removal).rejects.toMatchObject({ code: 'ERR_NOT_A_FILE', path: folder.kept, committed: false })
  expect(folder.surfaces()).toEqual(['one', 'two'])
  expect(readFileSync(folder.kept, 'utf8')).toBe('a file')
})

describe('a symbolic link to the index', () => {
  it('stays a link, and the file it names is replaced', async () => {
    const dotfiles = join(folder.root, 'dotfiles')
    const real = join(dotfiles, 'real.json')
    mkdirSync(dotfiles)
    writeFileSync(real, '{"version":1,"entries":{}}')
    symlinkSync('dotfiles/real.json', folder.path)
    await folder.record('one')
    expect(readlinkSync(folder.path)).toBe('dotfiles/real.json')
    expect(Object.keys(JSON.parse(readFileSync(real, 'utf8')).entries)).toEqual(['one'])
    expect(readdirSync(dotfiles).sort()).toEqual(['real.json', 'real.json.history', 'real.json.kept'])
    expect(readdirSync(folder.root).sort()).toEqual(['dotfiles', 'index.json'])
  })

  it('that dangles names the file to be made', async () => {
    const real = join(folder.root, 'later', 'real.json')
    symlinkSync(real, folder.path)
    expect(folder.surfaces()).toEqual([])
    await folder.record('one')
    expect(readlinkSync(folder.path)).toBe(real)
    expect(surfacesOf(loadIndex(real))).toEqual(['one'])
    expect(folder.surfaces()).toEqual(['one'])
  })

  it('through a chain of links ends at one file', async () => {
    const real = join(folder.root, 'real.json')
    symlinkSync(real, join(folder.root, 'second'))
    symlinkSync('second', folder.path)
    await folder.record('one')
    expect(surfacesOf(loadIndex(real))).toEqual(['one'])
    expect(lstatSync(folder.path).isSymbolicLink()).toBe(true)
  })
})

it('a link that appears in the place of a revision is not followed', async () => {
  await folder.record('one')
  const victim = join(folder.root, 'victim')
  writeFileSync(victim, 'not to be touched')
  symlinkSync(victim, join(folder.history, '2'))
  await folder.record('two')
  expect(folder.surfaces()).toEqual(['one', 'two'])
  expect(readFileSync(victim, 'utf8')).toBe('not to be touched')
})

it('a linked folder above the index is the folder that it names', async () => {
  mkdirSync(join(folder.root, 'real'))
  symlinkSync('real', join(folder.root, 'linked'))
  const linked = join(folder.root, 'linked', 'index.json')
  await updateIndex(linked, recorded('one'))
  expect(surfacesOf(loadIndex(join(folder.root, 'real', 'index.json')))).toEqual(['one'])
  expect(surfacesOf(loadIndex(linked))).toEqual(['one'])
})

it('folders that are not there yet are made by a write, not by a read', async () => {
  const deep = join(folder.root, 'a', 'b', 'index.json')
  expect(surfacesOf(loadIndex(deep))).toEqual([])
  expect(existsSync(join(folder.root, 'a'))).toBe(false)
  await updateIndex(deep, recorded('one'))
  expect(surfacesOf(loadIndex(deep))).toEqual(['one'])
})

it('a file where a folder should be is named', () => {
  writeFileSync(join(folder.root, 'file'), '')
  const { load, update } = call({ path: join(folder.root, 'file', 'index.json'), surface: 'one' })
  for (const { error } of [load, update]) expect(error).toMatchObject({ code: 'ERR_NOT_A_FILE', committed: false })
})
