/**
 * A disk that is really full: a small tmpfs, filled to every level from nothing left to just enough. The mount is made
 * in a mount namespace of its own and goes with the process; where it is refused these tests fail.
 */
import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inOwnMounts } from '../support/calls.js'
import type { FullDisk, Level } from '../support/full-disk.js'
import { IndexFolder } from '../support/index-folder.js'
import { program } from '../support/programs.js'

describe.each([
  { outOf: 'bytes', surfaces: ['one', 'two', 'three'] },
  { outOf: 'names', surfaces: ['one', 'two', 'three'] },
  { outOf: 'bytes', surfaces: [] },
  { outOf: 'names', surfaces: [] }
])('a disk out of $outOf under an index of $surfaces', ({ outOf, surfaces }) => {
  const folder = new IndexFolder()
  let levels: readonly Level[]
  let failed: readonly Level[]

  beforeAll(() => {
    const script = 'mount -t tmpfs -o size=512k,nr_inodes=64 none "$0" && exec "$@"'
    const command = [process.execPath, program('full-disk'), folder.root, outOf, JSON.stringify(surfaces)]
    const [file = '', ...args] = [...inOwnMounts(), 'sh', '-c', script, folder.root, ...command]
    const report: FullDisk = JSON.parse(execFileSync(file, args, { encoding: 'utf8' }))
    levels = report.levels
    failed = levels.filter(({ error }) => error !== undefined)
  })
  afterAll(() => folder.remove())

  it('was full, at more than one level', () => {
    expect(levels.map(({ left }) => left)).toEqual(levels.map((_, n) => n))
    expect(failed.length).toBeGreaterThanOrEqual(2)
    expect(failed).toEqual(levels.slice(0, failed.length))
  })

  it('is an error that says so', () => {
    for (const { error } of failed) {
      expect(error).toMatchObject({ code: 'ERR_IO', cause: 'ENOSPC', committed: false })
      expect(error?.path).toContain('index.json')
      expect(error?.message).toMatch(/ENOSPC.*make room and try again/)
    }
  })

  it('leaves the index byte for byte, readable, and no litter', () => {
    for (const { untouched, added, readable } of failed) {
      expect({ untouched, added, readable }).toEqual({ untouched: true, added: [], readable: surfaces })
    }
  })

  it('warns where there was room for the revision and none for the view, and the next reader has the change', () => {
    const unpublished = levels.filter(({ warnings }) => warnings !== undefined && warnings.length > 0)
    expect(unpublished.length).toBeGreaterThan(0)
    for (const { warnings, readable, added } of unpublished) {
      expect(warnings).toEqual(['view_not_published'])
      expect(readable).toEqual([...surfaces, 'struck'])
      expect(added.filter((name) => /s-\d|\.history\./.test(name))).toEqual([])
    }
  })

  it('works again once there is room', () => {
    for (const { withRoom, readable } of levels) {
      expect(withRoom.surfaces).toEqual([...readable, 'with-room'])
      expect(withRoom.warnings).toEqual([])
      expect(withRoom.names.filter((name) => !/^index\.json(\.history(\/\d+)?)?$/.test(name))).toEqual([])
    }
  })
})
