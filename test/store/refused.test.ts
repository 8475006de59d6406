/**
 * What cannot be read or written because the system refuses: no permission, a read-only file system, a failing disk,
 * no descriptors left. Only ENOENT is absence; every other refusal is an error that names the path and what to do.
 */
import { chmodSync, chownSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Answer, call } from '../support/calls.js'
import { IndexFolder } from '../support/index-folder.js'

let folder: IndexFolder

beforeEach(async () => {
  folder = new IndexFolder()
  await folder.record('one', 'two')
})
afterEach(() => {
  chmodSync(folder.root, 0o700)
  folder.remove()
})

function expectRefused(answer: Answer, cause: string, advice: RegExp): void {
  expect(answer.surfaces).toBeUndefined()
  expect(answer.error).toMatchObject({ code: 'ERR_IO', cause })
  expect(answer.error?.path).toContain('index.json')
  expect(answer.error?.message).toContain(cause)
  expect(answer.error?.message).toMatch(advice)
}

describe('no permission', () => {
  const advice = /give this user access|check its folders' permissions/
  /** Root is refused nothing, so it becomes nobody; whoever else runs this is refused as they are. */
  const user = process.getuid?.() === 0 ? { uid: 65_534 } : {}

  beforeEach(() => {
    if (user.uid === undefined) return
    const files = [folder.root, folder.path, folder.history, join(folder.history, '1'), join(folder.history, '2')]
    for (const file of files) chownSync(file, user.uid, user.uid)
  })

  it('is not the matter with what the user owns', () => {
    const { load, update } = call({ path: folder.path, surface: 'allowed', ...user })
    expect(load.surfaces).toEqual(['one', 'two'])
    expect(update.error).toBeUndefined()
  })

  it.each([
    ['read the view', () => folder.path],
    ['list the history', () => folder.history],
    ['read the newest revision', () => join(folder.history, '2')],
    ['enter the folder', () => folder.root]
  ])('to %s is an error, neither an empty index nor an older one', (_, forbidden) => {
    chmodSync(forbidden(), 0)
    const { load, update } = call({ path: folder.path, surface: 'refused', ...user })
    chmodSync(forbidden(), 0o700)
    expectRefused(load, 'EACCES', advice)
    expectRefused(update, 'EACCES', advice)
    expect(update.error?.committed).toBe(false)
    expect(folder.surfaces()).toEqual(['one', 'two'])
  })

  it('to write leaves reading', () => {
    chmodSync(folder.history, 0o500)
    const { load, update } = call({ path: folder.path, surface: 'refused', ...user })
    expect(load.surfaces).toEqual(['one', 'two'])
    expectRefused(update, 'EACCES', advice)
    expect(update.error?.committed).toBe(false)
    expect(folder.surfaces()).toEqual(['one', 'two'])
    expect(folder.litter()).toEqual([])
  })

  it('to replace the view is a warning: the change is in the history', () => {
    chmodSync(folder.root, 0o500)
    const { update } = call({ path: folder.path, surface: 'three', ...user })
    expect(update.error).toBeUndefined()
    expect(update.warnings).toEqual(['view_not_published'])
    expect(folder.surfaces()).toEqual(['one', 'three', 'two'])
  })
})

it('a read-only file system is read, and a write to it is refused by that name', () => {
  const shell = `mount --bind ${folder.root} ${folder.root}; mount -o remount,bind,ro ${folder.root}`
  const { load, update } = call({ path: folder.path, surface: 'refused' }, { shell, ownMounts: true })
  expect(load.surfaces).toEqual(['one', 'two'])
  expectRefused(update, 'EROFS', /read-only/)
  expect(update.error?.committed).toBe(false)
  expect(folder.surfaces()).toEqual(['one', 'two'])
})

it('a disk that fails to read is an error', () => {
  // By its mode this is a regular file, and to read a process's memory from address zero is EIO.
  const { load, update } = call({ path: '/proc/self/mem', surface: 'refused' })
  for (const { error, surfaces } of [load, update]) {
    expect(surfaces).toBeUndefined()
    expect(error).toMatchObject({ code: 'ERR_IO', cause: 'EIO', committed: false })
    expect(error?.message).toMatch(/check it, and run `crash-resume-index doctor`/)
  }
})

describe('no descriptors left', () => {
  const shell = 'ulimit -n 64'

  it('is an error, not an empty index', () => {
    const { load, update } = call({ path: folder.path, surface: 'refused', descriptors: 0 }, { shell })
    expectRefused(load, 'EMFILE', /close some and try again/)
    expectRefused(update, 'EMFILE', /close some and try again/)
    expect(update.error?.committed).toBe(false)
    expect(folder.surfaces()).toEqual(['one', 'two'])
  })

  it('but two are enough', () => {
    const { load, update } = call({ path: folder.path, surface: 'three', descriptors: 2 }, { shell })
    expect(load.surfaces).toEqual(['one', 'two'])
    expect(update).toMatchObject({ warnings: [] })
    expect(folder.surfaces()).toEqual(['one', 'three', 'two'])
  })
})
