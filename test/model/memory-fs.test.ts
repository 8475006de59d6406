/**
 * The file system in memory answers as the disk does, operation by operation and error by error; and it loses at a
 * power cut what was not synced, and nothing else.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { onDisk } from '../../src/store/disk.js'
import { codeOf, type FileOp, type Handle, type Perform } from '../../src/store/files.js'
import { ALL_KEPT, ALL_LOST, lostFrom, lostIn, MemoryFs, NAMES_KEPT } from './memory-fs.js'

const encode = (value: string): Uint8Array => new TextEncoder().encode(value)

/** What one operation came to. */
function outcome(perform: Perform, op: FileOp): unknown {
  try {
    const result = perform(op)
    if (op.op === 'list') return (result as string[]).toSorted()
    return result instanceof Uint8Array ? Buffer.from(result).toString() : (result ?? null)
  } catch (error) {
    const dest = error instanceof Error && 'dest' in error
    return { code: codeOf(error), dest }
  }
}

const name = fc.constantFrom('a', 'b', 'f', 'f/a', 'f/b', 'g', 'g/a', 'f/g')
const step = fc.oneof(
  fc.record({ op: fc.constantFrom('mkdir', 'rmdir', 'unlink', 'list', 'size', 'syncDir'), path: name }),
  fc.record({ op: fc.constant('read'), path: name, limit: fc.constantFrom(1, 100) }),
  fc.record({ op: fc.constantFrom('link', 'rename'), from: name, to: name }),
  fc.record({ op: fc.constant('write'), path: name, text: fc.constantFrom('one', 'three') })
)

/** Plays the steps below a folder; a folder's size is nobody's business. */
function play(perform: Perform, folder: string, steps: readonly Record<string, unknown>[]): unknown[] {
  const below = (path: unknown): string => `${folder}/${String(path)}`
  return steps.map((each) => {
    if (each['op'] === 'write') {
      let file: Handle
      try {
        file = perform({ op: 'create', path: below(each['path']) }) as Handle
      } catch (error) {
        return codeOf(error)
      }
      const bytes = encode(String(each['text']))
      return ['write', 'length', 'sync', 'close'].map((op) => outcome(perform, { op, file, bytes } as FileOp))
    }
    const paths = Object.fromEntries(
      Object.entries(each).map(([key, value]) => [key, ['path', 'from', 'to'].includes(key) ? below(value) : value])
    )
    const result = outcome(perform, paths as unknown as FileOp)
    return each['op'] === 'size' && typeof result === 'number' && result >= 100 ? 'a folder' : result
  })
}

describe('the file system in memory', () => {
  it('answers as the disk does', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const folder = mkdtempSync(join(tmpdir(), 'memory-fs-'))
        try {
          const memory = new MemoryFs()
          memory.perform({ op: 'mkdir', path: '/m' })
          const expected = play(onDisk, folder, steps)
          expect(play((op) => memory.perform(op), '/m', steps)).toEqual(expected)
        } finally {
          rmSync(folder, { recursive: true })
        }
      }),
      { numRuns: 500 }
    )
  })

  /** A file that is synced, one that is not, and one that was synced under a name that is not. */
  function used(): MemoryFs {
    const fs = new MemoryFs()
    fs.perform({ op: 'mkdir', path: '/f' })
    fs.perform({ op: 'syncDir', path: '/' })
    for (const [name, text] of Object.entries({ a: 'one', b: 'two', c: 'three' })) {
      const file = fs.perform({ op: 'create', path: `/f/${name}` }) as Handle
      fs.perform({ op: 'write', file, bytes: encode(text) })
      if (name !== 'b') fs.perform({ op: 'sync', file })
      if (name === 'b') fs.perform({ op: 'syncDir', path: '/f' })
    }
    return fs
  }
  const found = (fs: MemoryFs): Record<string, string> =>
    Object.fromEntries(fs.namesIn('/f').map((name) => [name, Buffer.from(fs.bytesOf(`/f/${name}`)!).toString()]))

  it.each([
    ['keeps what was synced, and only that', ALL_LOST, { a: 'one', b: '' }],
    ['may keep all', ALL_KEPT, { a: 'one', b: 'two', c: 'three' }],
    ['may keep the names without the bytes', NAMES_KEPT, { a: 'one', b: '', c: 'three' }],
    ['may lose what happened in one folder', lostIn('/f'), { a: 'one', b: 'two' }],
    ['may lose what happened from some change on', lostFrom(0), { a: 'one', b: '' }]
  ])('at a power cut %s', (_, cut, left) => {
    const fs = used()
    fs.powerCut(cut)
    expect(found(fs)).toEqual(left)
    expect(fs.unsynced()).toEqual([])
    fs.powerCut(ALL_LOST)
    expect(found(fs)).toEqual(left)
  })

  it('renames within a folder in one piece, and loses each of two changes alone', () => {
    const fs = used()
    fs.perform({ op: 'syncDir', path: '/f' })
    fs.perform({ op: 'rename', from: '/f/a', to: '/f/d' })
    fs.perform({ op: 'unlink', path: '/f/c' })
    const [first] = fs.unsynced()
    fs.powerCut({ survives: ({ place }) => place !== first, content: (durable) => durable })
    expect(Object.keys(found(fs))).toEqual(['a', 'b'])
  })

  it('loses a folder with all that is in it when its own name was not synced', () => {
    const fs = new MemoryFs()
    fs.perform({ op: 'mkdir', path: '/f' })
    fs.perform({ op: 'create', path: '/f/a' })
    fs.perform({ op: 'syncDir', path: '/f' })
    fs.powerCut(ALL_LOST)
    expect(fs.has('/f')).toBe(false)
  })
})
