import { expect, test } from 'vitest'
import { whereJsonBreaks } from '../../src/core/json-text.js'

test.each([
  ['', 'line 1, column 1: the text ends where a value is expected'],
  ['{"a":1', 'line 1, column 7: the text ends where , or } is expected'],
  ['{"a":1,\n}', 'line 2, column 1: a key expected'],
  ['[1,]', 'line 1, column 4: a value expected'],
  ['[1 2]', 'line 1, column 4: , or ] expected'],
  ['{"a" 1}', 'line 1, column 6: : expected'],
  ['{"a":\n"b', 'line 2, column 1: a string that is broken or never ends'],
  ['{"a":"\\x"}', 'line 1, column 6: a string that is broken or never ends'],
  ['{"a":"\u0001"}', 'line 1, column 6: a string that is broken or never ends'],
  ['{"a":01}', 'line 1, column 6: a value expected'],
  ['{"a":1.}', 'line 1, column 6: a value expected'],
  ['{"a":nul}', 'line 1, column 6: a value expected'],
  ["{'a':1}", 'line 1, column 2: a key or } expected'],
  ['{} {}', 'line 1, column 4: the end expected'],
  ['{"a":[1}', 'line 1, column 8: , or ] expected'],
  ['<<<<<<< HEAD', 'line 1, column 1: a value expected']
])('%j', (text, message) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError)
  expect(whereJsonBreaks(text)).toBe(message)
})
