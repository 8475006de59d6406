import { describe, expect, test } from 'vitest'
import { ExactNumber, parseExact, plainNumbers, stringifyExact } from '../../src/core/exact-numbers.js'

describe('a number that a double would change', () => {
  test.each([
    '12345678901234567890',
    '9007199254740993',
    '-9007199254740993',
    '1e400',
    '-1E+400',
    '1e-400',
    '-0',
    '-0.0',
    '0.1000000000000000055',
    '123456789.12345678901',
    '1e999999999999999999999'
  ])('%s survives in any place', (number) => {
    for (const text of [
      `{"a":${number}}`,
      `{"a": ${number} }`,
      `[${number}]`,
      `[1,${number}]`,
      `{"a":[[{"b":\n${number}\n}]]}`
    ]) {
      const written = stringifyExact(parseExact(text).value)
      expect(written.replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
    }
  })
})

describe('a number that a double holds', () => {
  test.each([
    '0',
    '1',
    '-1.5',
    '0.1',
    '1e2',
    '100',
    '1.0',
    '0.10',
    '1E3',
    '9007199254740992',
    '1e21',
    '5e-324',
    '1.7976931348623157e308',
    '123456789012345'
  ])('%s is a plain number', (number) => {
    expect(parseExact(`{"a":${number}}`).value).toEqual({ a: Number(number) })
  })
})

test('numbers inside strings are left alone', () => {
  const text = JSON.stringify({
    a: ' 12345678901234567890 ',
    b: '\\" -0 ,1e400',
    c: '\u0000\u0000 -0',
    '1e400': 1,
    d: 'é\ud800'
  })
  expect(stringifyExact(parseExact(text).value)).toBe(JSON.stringify(JSON.parse(text), null, 2))
  const mixed = text.replace('"1e400":1', '"1e400":1e400')
  expect(stringifyExact(parseExact(mixed).value)).toBe(
    JSON.stringify(JSON.parse(text), null, 2).replace('"1e400": 1', '"1e400": 1e400')
  )
})

test('a string that looks like what we put in its place is no number', () => {
  const odd = ['\u00001e400', '\u0000\u00001e400', 'crash-resume-index:number:1e400']
  const text = `{"odd":${JSON.stringify(odd)},"n":1e400}`
  const parsed = parseExact(text).value as { odd: unknown; n: unknown }
  expect(parsed.odd).toEqual(odd)
  expect(parsed.n).toEqual(new ExactNumber('1e400'))
  expect(stringifyExact(parsed).replace(/\n */g, '').replace(': ', ':').replace(': ', ':')).toBe(text)
})

test('empty lists and objects, and an own __proto__, are printed as JSON.stringify does', () => {
  const rest = '"a":[],"b":{},"__proto__":{"c":[{}]},"d":null,"e":true'
  const plain = JSON.stringify(JSON.parse(`{"n":0,${rest}}`), null, 2)
  expect(stringifyExact(parseExact(`{"n":-0,${rest}}`).value)).toBe(plain.replace('"n": 0', '"n": -0'))
})

test('plain numbers on demand', () => {
  expect(plainNumbers(parseExact('{"a":[1e400,-0,{"b":9007199254740993}]}').value)).toEqual({
    a: [Number.POSITIVE_INFINITY, -0, { b: 9007199254740992 }]
  })
})

test('a string of ten million characters is no obstacle', () => {
  const text = `{"a":"${'x'.repeat(1e7)}","n":-0}`
  expect(stringifyExact(parseExact(text).value).endsWith('"n": -0\n}')).toBe(true)
})
