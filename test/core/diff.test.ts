import { expect, test } from 'vitest'
import { diffIndexes } from '../../src/core/diff.js'
import type { Entry, Index } from '../../src/core/schema.js'
import { deepFreeze, indexOf } from './samples.js'

const bad = (raw: unknown): Index => deepFreeze({ ...indexOf(), unreadable: { s1: { raw, reason: 'x' } } })

test.each<[what: string, before: Index, after: Index, changes: object[]]>([
  ['nothing', indexOf({}), indexOf({}), []],
  ['a new entry', indexOf(), indexOf({}), [{ surfaceId: 's1', change: 'added', fields: [] }]],
  ['a removed entry', indexOf({}), indexOf(), [{ surfaceId: 's1', change: 'removed', fields: [] }]],
  [
    'changed fields',
    indexOf({}),
    indexOf({ gen: 2, cwd: '/w' }),
    [{ surfaceId: 's1', change: 'changed', fields: ['gen', 'cwd'] }]
  ],
  ['a field that went', indexOf({ cwd: '/w' }), indexOf({}), [{ surfaceId: 's1', change: 'changed', fields: ['cwd'] }]],
  [
    'a field deep inside',
    indexOf({ meta: { a: '1' } }),
    indexOf({ meta: { a: '2' } }),
    [{ surfaceId: 's1', change: 'changed', fields: ['meta'] }]
  ],
  [
    'an unknown field',
    indexOf({}),
    indexOf({ 'x-note': 1 } as Partial<Entry>),
    [{ surfaceId: 's1', change: 'changed', fields: ['x-note'] }]
  ],
  ['the revision alone', indexOf({}), { ...indexOf({}), revision: 9 }, []],
  [
    'an entry that became unreadable',
    indexOf({}),
    bad({ surfaceId: 's1' }),
    [
      {
        surfaceId: 's1',
        change: 'changed',
        fields: [
          'sessionId',
          'repo',
          'role',
          'captured_at',
          'last_active',
          'state',
          'gen',
          'attempts',
          'policy',
          'previous'
        ]
      }
    ]
  ],
  ['one that is no object', bad(1), bad(2), [{ surfaceId: 's1', change: 'changed', fields: ['entry'] }]],
  ['one that stays unreadable', bad([1]), bad([1]), []],
  [
    'one of each',
    indexOf({ surfaceId: '__proto__' }, { gen: 1 }),
    indexOf({ gen: 2 }, { surfaceId: 'constructor' }),
    [
      { surfaceId: 's1', change: 'changed', fields: ['gen'] },
      { surfaceId: 'constructor', change: 'added', fields: [] },
      { surfaceId: '__proto__', change: 'removed', fields: [] }
    ]
  ]
])('%s', (_what, before, after, changes) => {
  expect(diffIndexes(before, after)).toEqual(changes)
})
