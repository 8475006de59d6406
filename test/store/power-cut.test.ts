/**
 * The power goes right after each file operation of a record, on a real ext4: from the operation on that acknowledges
 * it the record is on the disk, and whatever was acknowledged before is there at any moment. The mounts are made in a
 * mount namespace of their own and go with the process; where they are refused these tests fail.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { inOwnMounts } from '../support/calls.js'
import { IndexFolder } from '../support/index-folder.js'
import type { PowerCut } from '../support/power-cut.js'
import { program } from '../support/programs.js'
import { acknowledgedBy } from '../support/starts.js'

let folder: IndexFolder

beforeEach(() => {
  folder = new IndexFolder()
})
afterEach(() => folder.remove())

it.each([{ before: [] }, { before: ['one', 'two', 'three'] }])(
  'a record onto $before is there from its acknowledgement on',
  ({ before }) => {
    const image = join(folder.root, 'disk')
    const mounted = join(folder.root, 'mounted')
    mkdirSync(mounted)
    execFileSync('mkfs.ext4', ['-q', '-b', '1024', '-J', 'size=1', image, '4M'])
    const command = [process.execPath, program('power-cut'), image, mounted, JSON.stringify(before)]
    const script = 'mount -o loop "$0" "$1" && shift && exec "$@"'
    const [file = '', ...args] = [...inOwnMounts(), 'sh', '-c', script, image, mounted, ...command]
    const { cuts }: PowerCut = JSON.parse(execFileSync(file, args, { encoding: 'utf8' }))

    const acknowledged = acknowledgedBy(cuts.map(({ op }) => op))
    for (const [place, { op, surfaces, warnings }] of cuts.entries()) {
      const where = `after ${place + 1}: ${op}`
      const there = place >= acknowledged ? [...before, 'cut'] : before
      expect(surfaces, where).toEqual(expect.arrayContaining(there))
      expect(warnings, where).toEqual([])
    }
    // A disk that takes everything at once would show nothing: before its acknowledgement the record was not there.
    expect(cuts[acknowledged - 1]?.surfaces).not.toContain('cut')
  }
)
