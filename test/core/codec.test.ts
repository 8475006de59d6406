import { describe, expect, test } from 'vitest'
import { contentOf, parseIndex, serializeIndex } from '../../src/core/codec.js'
import { SIX } from './samples.js'

const file = (rest: object): string => JSON.stringify({ version: 1, entries: {}, ...rest })
const withEntry = (fields: object): string => file({ entries: { s1: { ...SIX, ...fields } } })

describe('a file of the first users', () => {
  const text = file({ entries: { s1: SIX } })

  test('is read, with the defaults filled in', () => {
    expect(parseIndex(text).entries['s1']).toEqual({
      ...SIX,
      state: 'ready',
      gen: 1,
      attempts: 0,
      policy: 'auto',
      previous: []
    })
  })

  test('is read with its own fields first, in their order', () => {
    const own = Object.keys(SIX)
    expect(Object.keys(parseIndex(text).entries['s1'] ?? {}).slice(0, own.length)).toEqual(own)
  })

  test('is written with the defaults, two spaces and a final newline', () => {
    expect(serializeIndex(parseIndex(text))).toBe(
      `${JSON.stringify(
        { version: 1, entries: { s1: { ...SIX, state: 'ready', gen: 1, attempts: 0, policy: 'auto', previous: [] } } },
        null,
        2
      )}\n`
    )
  })
})

describe('a text that is no index', () => {
  const cases: [name: string, text: string, reason: RegExp][] = [
    ['empty', '', /it is empty/],
    ['white space', ' \n', /it is empty/],
    ['NUL bytes', '\0\0', /NUL byte, after 0 characters/],
    ['a NUL byte amid it', '{"version":1,\0', /NUL byte, after 13 characters/],
    ['cut off', '{"version":1,\n "entr', /line 2, column 2: a string that is broken or never ends/],
    ['cut off between tokens', '{"version":1,\n', /line 2, column 1: the text ends where a key is expected/],
    ['followed by more', '{"version":1,"entries":{}}}', /line 1, column 27: the end expected/],
    ['an array', '[]', /it holds no object/],
    ['null', 'null', /it holds no object/],
    ['a number', '12345678901234567890', /it holds no object/],
    ['no version', '{"entries":{}}', /version is missing/],
    ['version 0', file({ version: 0 }), /version is not a whole number/],
    ['a fractional version', file({ version: 1.5 }), /version is not a whole number/],
    ['version as a string', file({ version: '1' }), /version is not a whole number/],
    ['a huge version', '{"version":1e400,"entries":{}}', /version is not a whole number/],
    ['no entries', '{"version":1}', /entries is missing/],
    ['entries as an array', file({ entries: [] }), /entries is not an object/],
    ['entries null', file({ entries: null }), /entries is not an object/],
    ['entries as an odd number', '{"version":1,"entries":1e400}', /entries is not an object/],
    ['version only by inheritance', '{"__proto__":{"version":1,"entries":{}}}', /version is missing/],
    ['nested deep', `{"version":1,"entries":{},"x":${'['.repeat(300)}${']'.repeat(300)}}`, /nested deeper than 200/],
    ['nested very deep', `{"version":1,"entries":{},"x":${'['.repeat(1e5)}${']'.repeat(1e5)}}`, /nested deeper/],
    ['nested very deep, odd number', `{"n":-0,"x":${'['.repeat(1e5)}${']'.repeat(1e5)}}`, /nested too deep/]
  ]
  test.each(cases)('%s', (_name, text, reason) => {
    expect(() => parseIndex(text)).toThrow(expect.objectContaining({ code: 'ERR_INDEX_UNREADABLE' }))
    expect(() => parseIndex(text)).toThrow(reason)
  })

  test('is not quoted in the message', () => {
    expect(() => parseIndex('{"version":1, SECRET')).not.toThrow(/SECRET/)
  })
})

describe('the top level', () => {
  test('a byte order mark is no obstacle', () => {
    expect(parseIndex(`\ufeff${file({})}`)).toEqual({ version: 1, entries: {} })
  })

  test('a newer version is read, and says so', () => {
    expect(parseIndex(file({ version: 2, entries: { s1: SIX } }))).toMatchObject({ version: 2, entries: { s1: SIX } })
  })

  test('fields are written as version, revision, others, entries', () => {
    const text = serializeIndex(parseIndex('{"zed":1,"entries":{},"revision":7,"version":1,"alpha":[]}'))
    expect(Object.keys(JSON.parse(text) as object)).toEqual(['version', 'revision', 'zed', 'alpha', 'entries'])
  })

  test.each([0, -1, 1.5, '3', null, 2 ** 53])('revision %s is no number', (revision) => {
    const index = parseIndex(file({ revision }))
    expect(index).toEqual({ version: 1, entries: {} })
    expect(serializeIndex(index)).not.toContain('revision')
  })

  test('the content leaves out the revision and nothing else', () => {
    const text = file({ revision: 7, other: true, entries: { s1: SIX } })
    expect(contentOf(parseIndex(text))).toBe(contentOf(parseIndex(text.replace('"revision":7', '"revision":8'))))
    expect(contentOf(parseIndex(text))).not.toBe(contentOf(parseIndex(text.replace('true', 'false'))))
  })
})

describe('an entry that cannot be read', () => {
  const cases: [fields: object, reason: string][] = [
    [{ surfaceId: 's2' }, 'surfaceId is not the key it is stored under'],
    [{ surfaceId: 1 }, 'surfaceId must be a string'],
    [{ sessionId: '-x' }, 'sessionId must be 1 to 128 of A-Z a-z 0-9 . _ - and begin with a letter or digit'],
    [{ sessionId: 'a;b' }, 'sessionId must be 1 to 128 of A-Z a-z 0-9 . _ - and begin with a letter or digit'],
    [{ repo: ' ' }, 'repo is blank'],
    [{ repo: 'a\nb' }, 'repo holds a control or bidi character or a lone surrogate'],
    [{ role: 1 }, 'role must be a string'],
    [{ captured_at: -1 }, 'captured_at must be 0 or more'],
    [{ last_active: '2000' }, 'last_active must be a number'],
    [{ state: 'lost' }, 'state must be one of minted, ready, spawn_failed, ended'],
    [{ gen: 0 }, 'gen must be a whole number, 1 or more'],
    [{ attempts: 1.5 }, 'attempts must be a whole number, 0 or more'],
    [{ flags: 'x' }, 'flags must be an array'],
    [{ flags: ['\u202e'] }, 'flags.0 holds a control or bidi character or a lone surrogate'],
    [{ proc: { host: 'h', pid: 0 } }, 'proc.pid must be a whole number, 1 or more'],
    [
      { attempt: { id: 'a b', kind: 'spawn', owner: { host: 'h', pid: 1 }, at: 1 } },
      'attempt.id must be 1 to 120 of A-Z a-z 0-9 . _ - and begin with a letter or digit'
    ],
    [
      { previous: [{ sessionId: 'a', until: 1, why: 'x' }] },
      'previous.0.why must be one of rotated, replaced, moved, ended, superseded, session_gone, never_started'
    ],
    [{ meta: { a: 1 } }, 'meta must hold strings only'],
    [{ meta: [] }, 'meta must be an object'],
    [{ meta: JSON.parse('{"__proto__":1}') as object }, 'meta must hold strings only']
  ]
  test.each(cases)('%j: %s', (fields, reason) => {
    const index = parseIndex(withEntry(fields))
    expect(index.entries).toEqual({})
    expect(index.unreadable?.['s1']).toEqual({ raw: { ...SIX, ...fields }, reason })
  })

  test.each([
    ['null', 'null'],
    ['"x"', 'a string'],
    ['[]', 'an array'],
    ['1e400', 'a number'],
    ['true', 'a boolean']
  ])('that is %s', (raw, noun) => {
    const index = parseIndex(`{"version":1,"entries":{"s1":${raw}}}`)
    expect(index.unreadable?.['s1']?.reason).toBe(`the entry must be an object and is ${noun}`)
    expect(serializeIndex(index)).toContain(`"s1": ${raw}`)
  })

  test('is written back as it was, beside the good ones', () => {
    const bad = { sessionId: 7, note: 'x', nested: { a: [1, null] } }
    const text = serializeIndex(parseIndex(file({ entries: { bad, s1: SIX } })))
    expect((JSON.parse(text) as { entries: object }).entries).toMatchObject({ bad, s1: SIX })
    expect(parseIndex(text).unreadable?.['bad']?.raw).toEqual(bad)
  })
})

test.each(['__proto__', 'constructor', 'toString'])(
  'a bad entry of surface %s is kept, and inherited by none',
  (key) => {
    const text = `{"version":1,"entries":{"${key}":{"sessionId":7}}}`
    const index = parseIndex(text)
    expect(Object.keys(index.unreadable ?? {})).toEqual([key])
    expect(serializeIndex(index).replace(/\s/g, '')).toBe(text)
  }
)

test('a missing role is none', () => {
  const { role: _, ...rest } = SIX
  expect(parseIndex(file({ entries: { s1: rest } })).entries['s1']?.role).toBeNull()
})
