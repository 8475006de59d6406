import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { claim } from '../../src/core/attempts.js'
import { decide } from '../../src/core/decide.js'
import { settle } from '../../src/core/settle.js'
import { recordToFile, touchInFile, updateIndex } from '../../src/index.js'
import { ownerOf } from '../core/samples.js'

const folder = mkdtempSync(join(tmpdir(), 'touch-'))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('a touch soon after a failed attempt is written: the session lives after all', async () => {
  const path = join(folder, 'index.json')
  const now = 1_000_000
  await recordToFile(path, { surfaceId: 's1', sessionId: 'session-a', repo: 'golems' }, { now })
  const input = { surfaceId: 's1', attemptId: 'a1', owner: ownerOf(10), evidence: { running: 'no' } } as const
  await updateIndex(path, (index) => claim(index, input, { now: now + 1 }).index)
  await updateIndex(path, (index) => settle(index, { attemptId: 'a1', result: { failed: 'exited' } }, now + 2))
  const touched = await touchInFile(path, 's1', { now: now + 3 })
  expect(touched).toMatchObject({ last_active: now + 3, last_attempt: { result: 'exited', seen_since: true } })
  expect(decide(touched, {}, { now: now + 100_000 }).reason).toBe('liveness_unknown')
  expect((await touchInFile(path, 's1', { now: now + 4 }))?.last_active).toBe(now + 3)
})
