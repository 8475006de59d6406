import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { historyOf, restoreConversation } from '../../src/admin.js'
import { type Evidence, loadIndex, openStore, ownerOf, record, type Store, updateIndex } from '../../src/index.js'
import { copyConversation } from '../../src/store/conversations.js'

const S = 'session-a'
let folder: string
let store: Store
let path: string
let name: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cri-restore-'))
  store = openStore(join(folder, 'index.json'))
  path = join(folder, `${S}.jsonl`)
  writeFileSync(path, 'before\n')
  copyConversation(store.path, { sessionId: S, agent: 'claude', path }, 1000)
  name = historyOf(store.path).conversations[0]?.name ?? ''
  writeFileSync(path, 'x\n')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const restore = (evidence: Evidence, notRunning = false): ReturnType<typeof restoreConversation> =>
  restoreConversation(store, name, { probe: () => evidence, notRunning })
const known = (mark = { size: 7, head: 'f'.repeat(16) }): Promise<unknown> =>
  updateIndex(store.path, (index) => record(index, { surfaceId: 'a', sessionId: S, repo: 'r', mark }))
const now = (): string => readFileSync(path, 'utf8')

test('a copy comes back under a session that does not run, what it replaces is copied, and the mark is its own', async () => {
  await known()
  expect(await restore({ running: 'no' })).toMatchObject({ name, path })
  expect(now()).toBe('before\n')
  expect(historyOf(store.path).conversations.map(({ bytes }) => bytes)).toEqual([2, 7])
  expect(loadIndex(store.path).entries['a']?.mark).toMatchObject({ size: 7, head: expect.not.stringMatching(/^f+$/) })
})

test.each<[string, Evidence]>([
  ['runs', { running: { [S]: { at: 'a' } } }],
  ['may run', { running: 'unknown' }],
  ['could not be asked about', {}]
])('nothing changes where the session %s', async (_, evidence) => {
  await known()
  await expect(restore(evidence)).rejects.toMatchObject({ code: 'ERR_IN_USE' })
  expect(now()).toBe('x\n')
  expect(historyOf(store.path).conversations).toHaveLength(1)
})

test('a process that lives stands against a person’s word, and silence does not', async () => {
  await known()
  await restore({ running: 'unknown' }, true)
  expect(now()).toBe('before\n')
  writeFileSync(path, 'x\n')
  const proc = ownerOf(process.pid)
  if (proc === null) throw new Error('no owner')
  await updateIndex(store.path, (index) => {
    const entry = index.entries['a']
    return entry === undefined ? index : { ...index, entries: { a: { ...entry, proc } } }
  })
  const alive: Evidence = { running: { [S]: { at: 'a' } }, verdicts: [{ owner: proc, verdict: 'alive' }] }
  await expect(restore(alive, true)).rejects.toMatchObject({ code: 'ERR_IN_USE' })
  expect(now()).toBe('x\n')
})

test('of a session that the index does not know, the person says that it does not run', async () => {
  await expect(restore({ running: 'no' })).rejects.toMatchObject({ code: 'ERR_IN_USE' })
  await restore({}, true)
  expect(now()).toBe('before\n')
  await expect(restoreConversation(store, 'no such copy')).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT' })
})
