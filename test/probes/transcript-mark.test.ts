import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hasShrunkSince, markOf } from '../../src/probes/transcript-mark.js'

const S = '84cd5d3f-1a62-45fe-8e8f-5450fd198549'
let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cri-mark-'))
  path = join(folder, `${S}.jsonl`)
})
afterEach(() => rmSync(folder, { recursive: true }))

const marked = (text: string): NonNullable<ReturnType<typeof markOf>> => {
  writeFileSync(path, text)
  const mark = markOf(path, S)
  if (mark === undefined) throw new Error('no mark')
  return mark
}

test.each([10, 4095, 4096, 4097, 100_000])('a file of %i bytes that grows has lost nothing', (size) => {
  const mark = marked('a'.repeat(size))
  expect(mark).toEqual({ size, head: expect.stringMatching(/^[0-9a-f]{16}$/) })
  expect(hasShrunkSince(path, mark)).toBe(false)
  appendFileSync(path, 'more')
  expect(hasShrunkSince(path, mark)).toBe(false)
  appendFileSync(path, 'b'.repeat(5000))
  expect(hasShrunkSince(path, mark)).toBe(false)
})

test.each([10, 4096, 100_000])('a file of %i bytes that is cut or begins otherwise has', (size) => {
  const mark = marked(`a${'b'.repeat(size - 1)}`)
  truncateSync(path, size - 1)
  expect(hasShrunkSince(path, mark)).toBe(true)
  // Such a file gets no new mark.
  expect(markOf(path, S, mark)).toBeUndefined()
  writeFileSync(path, `b${'b'.repeat(size + 9)}`)
  expect(hasShrunkSince(path, mark)).toBe(true)
  writeFileSync(path, `a${'b'.repeat(size + 9)}`)
  expect(markOf(path, S, mark)).toMatchObject({ size: size + 10 })
})

test('what cannot be read has no mark, and has not shrunk', () => {
  const mark = marked('text')
  rmSync(path)
  expect([markOf(path, S), hasShrunkSince(path, mark)]).toEqual([undefined, false])
  writeFileSync(path, '')
  expect(markOf(path, S)).toBeUndefined()
  rmSync(path)
  execFileSync('mkfifo', [path])
  expect([markOf(path, S), hasShrunkSince(path, mark)]).toEqual([undefined, false])
  rmSync(path)
  symlinkSync(path, path)
  expect([markOf(path, S), hasShrunkSince(path, mark)]).toEqual([undefined, false])
})

test('a file of another session has none', () => {
  marked('text')
  expect(markOf(path, 'c0d5289f-8522-46bc-934c-a793949ca375')).toBeUndefined()
  expect(markOf(path, S.toUpperCase())).toBeDefined()
})
