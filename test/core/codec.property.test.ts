import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contentOf, parseIndex, serializeIndex } from '../../src/core/codec.js'
import { CrashResumeError } from '../../src/core/errors.js'
import { ENTRY_FIELDS } from '../../src/core/validate.js'
import { lookup, record } from '../../src/core/verbs.js'
import { compact, entries, fieldsText, jsonText, objectText, sessionId, surfaceId } from './arbitraries.js'
import { entryOf } from './samples.js'

const known = new Set(ENTRY_FIELDS)
const top = new Set(['version', 'revision', 'entries'])

/** So that no file is empty. */
const always = ['always', JSON.stringify(entryOf({ surfaceId: 'always' }))] as const

/** A whole file without white space, with data of others at every level and entries that cannot be read. */
const fileText = fc
  .tuple(entries, fieldsText, fieldsText, fc.option(fc.integer({ min: 1 })), fc.array(jsonText, { maxLength: 2 }))
  .map(([list, extra, unknown, revision, bad]) => {
    const fields: (readonly [string, string])[] = list.map((entry) => [
      entry.surfaceId,
      objectText([
        ...ENTRY_FIELDS.flatMap((field) => {
          const value = (entry as unknown as Record<string, unknown>)[field]
          return value === undefined ? [] : [[field, JSON.stringify(value)] as const]
        }),
        ...unknown.filter(([name]) => !known.has(name))
      ])
    ])
    return objectText([
      ['version', '1'],
      ...(revision === null ? [] : [['revision', String(revision)] as const]),
      ...extra.filter(([name]) => !top.has(name)),
      [
        'entries',
        objectText([
          always,
          ...fields.filter(([name]) => !/^\d+$/.test(name)),
          ...bad.map((json, i) => [`bad ${i}`, json] as const)
        ])
      ]
    ])
  })

describe('any index', () => {
  test('comes out as it went in: entries, data of others, numbers that no double holds, what cannot be read', () => {
    fc.assert(
      fc.property(fileText, (text) => {
        const index = parseIndex(text)
        expect(compact(serializeIndex(index))).toBe(text)
      }),
      { numRuns: 200 }
    )
  })

  test('is a fixed point after one writing, and equal in content', () => {
    fc.assert(
      fc.property(fileText, (text) => {
        const index = parseIndex(text)
        const written = serializeIndex(index)
        expect(serializeIndex(parseIndex(written))).toBe(written)
        expect(contentOf(parseIndex(written))).toBe(contentOf(index))
        expect(parseIndex(written)).toEqual(index)
      })
    )
  })
})

describe('any surface and session', () => {
  test('recorded, written and read again, is found, and nothing beside it', () => {
    fc.assert(
      fc.property(fileText, surfaceId, sessionId, (text, surface, session) => {
        const before = parseIndex(text)
        const input = { surfaceId: surface, sessionId: session, repo: 'golems' }
        const after = parseIndex(serializeIndex(record(before, input, 1)))
        expect(lookup(after, surface)).toMatchObject({ ...input, state: 'ready' })
        expect(Object.hasOwn(after.entries, surface)).toBe(true)
        for (const other of ['__proto__', 'constructor', 'toString', 'never recorded']) {
          if (other !== surface) expect(lookup(after, other) === null).toBe(!Object.hasOwn(before.entries, other))
        }
      })
    )
  })
})

describe('damage to a valid file', () => {
  const count = (text: string): number => {
    const index = parseIndex(text)
    return Object.keys(index.entries).length + Object.keys(index.unreadable ?? {}).length
  }
  /** What a damaged text holds; null where it is refused by the one code that says so. */
  const held = (bytes: Uint8Array): number | null => {
    try {
      return count(Buffer.from(bytes).toString('utf8'))
    } catch (error) {
      if (error instanceof CrashResumeError && error.code === 'ERR_INDEX_UNREADABLE') return null
      throw error
    }
  }
  const file = fileText.map((text) => Buffer.from(serializeIndex(parseIndex(text))))

  test('a text cut off anywhere is refused; only the last newline may go', () => {
    let cuts = 0
    fc.assert(
      fc.property(file, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (bytes, where) => {
        const cut = Math.floor(where * (bytes.length - 1))
        cuts += 1
        expect(held(bytes.subarray(0, cut))).toBeNull()
        expect(held(bytes.subarray(0, bytes.length - 1))).toBe(count(bytes.toString()))
      }),
      { numRuns: 200 }
    )
    expect(cuts).toBeGreaterThanOrEqual(200)
  })

  test('one changed byte is refused, or takes no more than the one entry whose key it makes another’s', () => {
    const seen = { refused: 0, read: 0 }
    const flips = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { minLength: 20, maxLength: 20 })
    fc.assert(
      fc.property(file, flips, (bytes, all) => {
        const before = count(bytes.toString())
        for (const [where, flip] of all) {
          const changed = Uint8Array.from(bytes)
          const at = where % changed.length
          changed[at] = (changed[at] ?? 0) ^ flip
          const after = held(changed)
          seen[after === null ? 'refused' : 'read'] += 1
          if (after !== null) expect(after).toBeGreaterThanOrEqual(Math.max(before - 1, 1))
        }
      }),
      { numRuns: 100 }
    )
    // Both kinds of damage were met.
    expect(Math.min(seen.refused, seen.read)).toBeGreaterThan(100)
  })
})
