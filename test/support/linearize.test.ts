import { describe, expect, it } from 'vitest'
import { linearize, type Operation } from './linearize.js'

const claimed = { kind: 'claimed' } as const
const settled = { kind: 'settled' } as const
const kill = { kind: 'kill' } as const
const read = (owner: number): Operation['what'] => ({ kind: 'read', owner })
const refused = (owner: number): Operation['what'] => ({ kind: 'refused', owner })
/** Process, begin, end, what. */
type Row = readonly [number, number, number | null, Operation['what']]
const check = (...rows: readonly Row[]): boolean =>
  linearize(rows.map(([pid, began, ended, what]) => ({ pid, began, ended, what }))) !== null

describe('a history of claims', () => {
  it.each<[string, Row[]]>([
    [
      'one after the other',
      [
        [1, 0, 1, claimed],
        [1, 2, 3, settled],
        [2, 4, 5, claimed]
      ]
    ],
    [
      'two at once, one refused',
      [
        [1, 0, 9, claimed],
        [2, 0, 9, refused(1)]
      ]
    ],
    [
      'a refusal that was answered before the claim was',
      [
        [1, 0, 9, claimed],
        [2, 1, 2, refused(1)]
      ]
    ],
    [
      'handed over while both are under way',
      [
        [1, 0, 1, claimed],
        [1, 2, 9, settled],
        [2, 2, 9, claimed]
      ]
    ],
    [
      'taken over from the dead',
      [
        [1, 0, 1, claimed],
        [1, 2, 3, kill],
        [2, 4, 5, claimed]
      ]
    ],
    [
      'a cut claim that happened',
      [
        [1, 0, null, { kind: 'gate cut' }],
        [1, 1, 2, kill],
        [3, 5, 6, read(1)]
      ]
    ],
    [
      'a cut claim that did not happen',
      [
        [1, 0, null, { kind: 'gate cut' }],
        [1, 1, 2, kill],
        [3, 5, 6, read(0)]
      ]
    ],
    [
      'a cut settle that happened',
      [
        [1, 0, 1, claimed],
        [1, 2, null, { kind: 'settle cut' }],
        [3, 5, 6, read(0)]
      ]
    ]
  ])('is in order: %s', (_, rows) => {
    expect(check(...rows)).toBe(true)
  })

  it.each<[string, Row[]]>([
    [
      'two got it',
      [
        [1, 0, 9, claimed],
        [2, 0, 9, claimed]
      ]
    ],
    [
      'refused in the name of who settled long ago',
      [
        [1, 0, 1, claimed],
        [1, 2, 3, settled],
        [2, 4, 5, refused(1)]
      ]
    ],
    [
      'refused in the name of who never asked',
      [
        [1, 0, 1, claimed],
        [2, 2, 3, refused(7)]
      ]
    ],
    [
      'taken over from the living',
      [
        [1, 0, 1, claimed],
        [2, 2, 3, claimed],
        [1, 4, 5, settled]
      ]
    ],
    [
      'taken over from who died later',
      [
        [1, 0, 1, claimed],
        [2, 2, 3, claimed],
        [1, 4, 5, kill]
      ]
    ],
    [
      'an acknowledged claim that is lost',
      [
        [1, 0, 1, claimed],
        [3, 2, 3, read(0)]
      ]
    ],
    [
      'an acknowledged settle that is lost',
      [
        [1, 0, 1, claimed],
        [1, 2, 3, settled],
        [3, 4, 5, read(1)]
      ]
    ],
    [
      'a dead process that claims',
      [
        [1, 0, 1, kill],
        [1, 2, 3, claimed]
      ]
    ],
    [
      'a cut claim that happened after its process died',
      [
        [1, 0, null, { kind: 'gate cut' }],
        [1, 1, 2, kill],
        [3, 3, 4, read(0)],
        [3, 5, 6, read(1)]
      ]
    ]
  ])('is out of order: %s', (_, rows) => {
    expect(check(...rows)).toBe(false)
  })
})
