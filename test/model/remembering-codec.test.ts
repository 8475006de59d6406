/** What the exploration writes and reads is what the codec would. */
import { expect, it } from 'vitest'
import * as codec from '../../src/core/codec.js'
import type { Index } from '../../src/core/schema.js'
import { entry, putEntry } from './jobs.js'
import * as remembering from './remembering-codec.js'

const one: Index = putEntry({ version: 1, revision: 7, entries: {} }, entry('a', 1))
const two: Index = putEntry(one, { ...entry('"b', 2), sessionId: 's-b', role: 'r', meta: { x: '1' } })

it.each<readonly [string, Index]>([
  ['no entry', { version: 1, entries: {} }],
  ['one', one],
  ['two, one of them remembered', two],
  ['no revision', { version: 1, entries: two.entries }],
  ['unknown fields', { ...two, extra: { theirs: [1] } }],
  [
    'an unreadable entry',
    { ...two, unreadable: { c: { raw: 5, reason: 'the entry must be an object and is a number' } } }
  ]
])('the texts are those of the codec: %s', (_, index) => {
  const text = codec.serializeIndex(index)
  expect(remembering.serializeIndex(index)).toBe(text)
  expect(remembering.serializeIndex(index)).toBe(text)
  expect(remembering.parseIndex(text)).toEqual(codec.parseIndex(text))
  expect(remembering.parseIndex(text.replace('"version"', ' "version"'))).toEqual(codec.parseIndex(text))
})

it('it has all that the codec has', () => {
  expect(Object.keys(remembering).toSorted()).toEqual(Object.keys(codec).toSorted())
})
