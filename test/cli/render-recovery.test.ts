import { describe, expect, it } from 'vitest'
import { renderRecoveryReport } from '../../src/cli/text/recovery.js'
import type { PaneReport } from '../../src/tmux.js'
import { entryOf } from '../core/samples.js'

const look = { colour: false, width: Number.POSITIVE_INFINITY, now: 0 }
const sums = { resumed: 0, pending: 0, failed: 0, skipped: 0, total: 0 }

describe('the report of a recovery', () => {
  it('counts apart what is pending only because nothing confirms it', () => {
    const row = { surfaceId: 'a', entry: entryOf(), outcome: 'pending', reason: 'not_confirmed' } as const
    const rows: PaneReport['rows'] = [row, { ...row, surfaceId: 'b' }, { ...row, surfaceId: 'c', reason: 'manual' }]
    const text = renderRecoveryReport({ ...sums, rows, pending: 3, total: 3 }, look)
    expect(text.trimEnd().split('\n').at(-1)).toBe(
      'resumed 0, pending 3 (of these started, not confirmed: 2), failed 0, skipped 0, total 3'
    )
    expect(renderRecoveryReport({ ...sums, rows: [], resumed: 1, total: 1 }, look)).toBe(
      'resumed 1, pending 0, failed 0, skipped 0, total 1\n'
    )
  })
})
