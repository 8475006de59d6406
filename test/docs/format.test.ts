/** docs/format.md against the code that reads and writes the format. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseIndex, serializeIndex } from '../../src/core/codec.js'
import { SURFACE_ID_LIMIT, TEXT_LIMIT } from '../../src/core/ids.js'
import { INDEX_VERSION, PREVIOUS_LIMIT } from '../../src/core/schema.js'
import { ENTRY_FIELDS } from '../../src/core/validate.js'
import { LIMITS } from '../../src/store/context.js'
import { blocks, codes, page, root, rows, section } from '../support/markdown.js'

const format = page('docs/format.md')
const fields = rows(section(format, 'An entry')).map(([field = '', fallback = '', meaning = '']) => ({
  field: codes(field)[0] ?? '',
  fallback,
  meaning
}))
const schema = readFileSync(join(root, 'src/core/schema.ts'), 'utf8')
const meaningOf = (field: string): string => fields.find((row) => row.field === field)?.meaning ?? ''

const minimal = { surfaceId: 'pane', sessionId: 'a', repo: 'r', captured_at: 1, last_active: 2 }
const read = (entry: object): ReturnType<typeof parseIndex> =>
  parseIndex(JSON.stringify({ version: 1, entries: { pane: entry } }))

describe('the table of an entry', () => {
  it('has the fields that are written, in their order', () => {
    expect(fields.map(({ field }) => field)).toEqual(ENTRY_FIELDS)
  })

  it('gives the default that each field has when it is absent from the file', () => {
    const found = read(minimal).entries['pane']
    expect(found).toBeDefined()
    for (const { field, fallback } of fields.filter((row) => row.fallback !== 'required')) {
      const value = Object.entries(found ?? {}).find(([name]) => name === field)?.[1]
      const expected = fallback === 'none' ? undefined : JSON.parse(codes(fallback)[0] ?? '')
      expect({ field, value }).toEqual({ field, value: expected })
    }
  })

  it('calls required what makes an entry unreadable when it is absent', () => {
    for (const { field, fallback } of fields) {
      const { [field]: _, ...without } = { ...minimal } as Record<string, unknown>
      expect({ field, unreadable: read(without).unreadable !== undefined }).toEqual({
        field,
        unreadable: fallback === 'required'
      })
    }
  })

  const owner = { host: 'h', pid: 1 }
  const lists = [
    { field: 'state', bad: { state: '?' } },
    { field: 'policy', bad: { policy: '?' } },
    { field: 'attempt', bad: { attempt: { id: 'x', kind: '?', owner, at: 1 } } },
    { field: 'last_attempt', bad: { last_attempt: { id: 'x', kind: 'spawn', at: 1, result: '?' } } },
    { field: 'dispatch', bad: { dispatch: { id: 'x', step: 's', owner, at: 1, result: '?' } } },
    { field: 'previous', bad: { previous: [{ sessionId: 'b', until: 1, why: '?' }] } }
  ]

  it.each(lists)('lists the values of $field that are read', ({ field, bad }) => {
    const reason = read({ ...minimal, ...bad }).unreadable?.['pane']?.reason ?? ''
    const values = / must be one of (.*)$/.exec(reason)?.[1]?.split(', ') ?? []
    expect(values).not.toEqual([])
    expect(codes(meaningOf(field))).toEqual(expect.arrayContaining(values))
    const documented = codes(meaningOf(field)).filter((code) => /^[a-z_]+$/.test(code) && code !== 'resume-cmd')
    expect([...new Set(documented)]).toEqual(values)
  })

  it.each([
    { field: 'worktree', type: 'Worktree' },
    { field: 'attempt', type: 'Attempt' },
    { field: 'last_attempt', type: 'LastAttempt' },
    { field: 'dispatch', type: 'Dispatch' },
    { field: 'previous', type: 'Previous' }
  ])('lists the fields of $field', ({ field, type }) => {
    const [declared = ''] = new RegExp(`^export interface ${type} \\{.*?^\\}`, 'ms').exec(schema) ?? []
    const names = [...declared.matchAll(/^ {2}readonly (\w+\??):/gm)].map(([, name]) => name)
    expect(names.length).toBeGreaterThan(2)
    expect(codes(meaningOf(field))).toContain(`{ ${names.join(', ')} }`)
  })

  it('gives the limits', () => {
    expect(meaningOf('surfaceId')).toContain(`1 to ${SURFACE_ID_LIMIT} characters`)
    expect(meaningOf('previous')).toContain(`at most ${PREVIOUS_LIMIT}`)
    expect(section(format, 'An entry')).toContain(`at most\n${TEXT_LIMIT} characters`)
  })
})

it('shows an index that comes out as it went in', () => {
  const [example = ''] = blocks(format, 'json')
  const index = parseIndex(example)
  expect(index.version).toBe(INDEX_VERSION)
  expect(index.unreadable).toBeUndefined()
  expect(serializeIndex(index)).toBe(example)
})

it('gives the limits of the history', () => {
  const MIB = 1024 * 1024
  expect(rows(section(format, 'The history')).map(([, value]) => value)).toEqual([
    `${LIMITS.revisions}`,
    `${LIMITS.historyBytes / MIB} MiB`,
    `${LIMITS.indexBytes / MIB} MiB`
  ])
})

it('names the reasons for which the store keeps copies', () => {
  const store = join(root, 'src/store')
  const source = readdirSync(store)
    .map((name) => readFileSync(join(store, name), 'utf8'))
    .join('')
  const used = source.match(/'(?:(?:unreadable|foreign|first|stale)-[a-z]+|found-in-history)'/g) ?? []
  const documented = codes(section(format, 'The kept copies')).filter((code) => /^[a-z]+-[a-z-]+$/.test(code))
  expect(documented.filter((reason) => !reason.startsWith('before-')).sort()).toEqual(
    [...new Set(used.map((reason) => reason.slice(1, -1)))].sort()
  )
})
