import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { acceptLossInFile, gateFor, historyOf, restoreInFile } from '../../src/admin.js'
import { loadIndex, openStore, recordToFile } from '../../src/index.js'
import { inFolder } from '../support/in-folder.js'

const one = { surfaceId: 'one', sessionId: 'session-one', repo: 'golems' }
const two = { surfaceId: 'two', sessionId: 'session-two', repo: 'golems' }
const ask = (path: string, surfaceId: string): Promise<string> =>
  gateFor('resume', openStore(path), { surfaceId, repo: 'golems' }, {}, { probe: () => ({ running: 'no' }) }).then(
    ({ action, reason }) => `${action} ${reason}`
  )

describe('an index that lost what it knew', () => {
  it('goes on saying wait for what it lacks, also after it was written again', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'index.json')
      writeFileSync(path, '{"version":1,"entries":{"one":{"surfaceId":"one","sess')
      expect(await ask(path, 'one')).toBe('wait index_damaged')
      await recordToFile(path, two)
      expect(loadIndex(path).status).toMatchObject({ damaged: false, incomplete: true })
      expect(await ask(path, 'one')).toBe('wait index_damaged')
      expect(await ask(path, 'two')).toBe('resume ok')
    }))

  it('does so where only the newest revision was lost', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'index.json')
      await recordToFile(path, two)
      await recordToFile(path, one)
      const newest = join(`${path}.history`, String(Math.max(...readdirSync(`${path}.history`).map(Number))))
      writeFileSync(newest, 'garbage')
      writeFileSync(path, 'garbage too')
      expect(await ask(path, 'one')).toBe('wait index_damaged')
      await recordToFile(path, { ...two, sessionId: 'session-three' })
      expect(await ask(path, 'one')).toBe('wait index_damaged')
    }))

  it('is whole again once a person has restored something, or accepted the loss', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'index.json')
      await recordToFile(path, one)
      await recordToFile(path, two)
      const before = historyOf(path).revisions[1]?.revision ?? 0
      for (const answer of [() => restoreInFile(path, { revision: before }), () => acceptLossInFile(path)]) {
        writeFileSync(join(`${path}.history`, String(loadIndex(path).revision)), 'garbage')
        writeFileSync(path, 'garbage')
        await recordToFile(path, two)
        expect(loadIndex(path).status?.incomplete).toBe(true)
        await recordToFile(path, one)
        await answer()
        expect(loadIndex(path).status).toBeUndefined()
        expect(await ask(path, 'three')).toBe('fresh unknown_surface')
      }
      expect(await acceptLossInFile(path)).toBe(false)
    }))
})
