import { describe, expect, test } from 'vitest'
import {
  ATTEMPT_ID_LIMIT,
  attemptIdProblem,
  isLauncher,
  isPlaceholder,
  isSessionId,
  nameProblem,
  placeholderFor,
  SURFACE_ID_LIMIT,
  surfaceIdProblem,
  textProblem
} from '../../src/core/ids.js'

const good = ['a', '0', 'A.b_c-d', '0f3c1b9e-2a5d-4b1c-9d37-1f3f6a5b7c8d', 'ses_1', 'x'.repeat(128)]
const bad = ['', '-a', '.a', '_a', 'a b', 'a/b', 'a;b', 'a\n', 'a$b', 'é', 'a\u0000', '~a', 'x'.repeat(129), '\ud800']

describe('a session id or a launcher', () => {
  test.each(good)('%s may be one', (value) => {
    expect([isSessionId(value), isLauncher(value)]).toEqual([true, true])
  })
  test.each(bad)('%j may not', (value) => {
    expect([isSessionId(value), isLauncher(value)]).toEqual([false, false])
  })
  test.each([undefined, null, 7, ['a'], { toString: (): string => 'a' }])('nor may what is no string', (value) => {
    expect([isSessionId(value), isLauncher(value)]).toEqual([false, false])
  })
})

test('the placeholder of the longest attempt id is a session id', () => {
  const longest = 'x'.repeat(ATTEMPT_ID_LIMIT)
  expect(attemptIdProblem(longest)).toBeNull()
  expect(attemptIdProblem(`${longest}x`)).toMatch(/longer than 120/)
  expect(isSessionId(placeholderFor(longest))).toBe(true)
  expect(isPlaceholder(placeholderFor(longest))).toBe(true)
})

describe('a text', () => {
  const refused: [what: string, character: string][] = [
    ['NUL', '\u0000'],
    ['line feed', '\n'],
    ['escape', '\u001b'],
    ['DEL', '\u007f'],
    ['the first of C1', '\u0080'],
    ['the last of C1', '\u009f'],
    ['Arabic letter mark', '\u061c'],
    ['left-to-right mark', '\u200e'],
    ['right-to-left mark', '\u200f'],
    ['line separator', '\u2028'],
    ['paragraph separator', '\u2029'],
    ['left-to-right embedding', '\u202a'],
    ['right-to-left override', '\u202e'],
    ['left-to-right isolate', '\u2066'],
    ['pop directional isolate', '\u2069'],
    ['lone high surrogate', '\ud83d'],
    ['lone low surrogate', '\ude00']
  ]
  test.each(refused)('with %s is refused', (_what, character) => {
    expect(textProblem(`a${character}b`)).toMatch(/control or bidi character or a lone surrogate/)
    expect(surfaceIdProblem(`a${character}b`)).not.toBeNull()
  })
  test.each(['', ' ', 'a b', '日本', 'héllo', '😀', 'שלום', '\'"$`\\', 'x'.repeat(4096)])('%j is fine', (value) => {
    expect(textProblem(value)).toBeNull()
  })
  test('has a limit', () => {
    expect(textProblem('x'.repeat(4097))).toMatch(/longer than 4096/)
  })
})

describe('a surface id', () => {
  test.each(['__proto__', 'constructor', 'toString', '%0', 'tmux:1@2/%3', 'x'.repeat(SURFACE_ID_LIMIT)])(
    '%s',
    (value) => {
      expect(surfaceIdProblem(value)).toBeNull()
    }
  )
  test.each(['', ' ', '\u00a0\u3000', '\ufeff'])('%j is blank', (value) => {
    expect(surfaceIdProblem(value)).toBe('is blank')
    expect(nameProblem(value)).toBe('is blank')
  })
  test('has a limit', () => {
    expect(surfaceIdProblem('x'.repeat(SURFACE_ID_LIMIT + 1))).toMatch(/longer than 512/)
  })
})
