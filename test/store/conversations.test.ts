import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { conversationCopies, copyConversation, copyPath, putBack } from '../../src/store/conversations.js'
import { historyOf } from '../../src/store/history.js'
import { IndexFolder } from '../support/index-folder.js'

let folder: IndexFolder
let path: string
beforeEach(() => {
  folder = new IndexFolder()
  path = join(folder.root, 'talk.jsonl')
  writeFileSync(path, 'one\n', { mode: 0o644 })
})
afterEach(() => folder.remove())

const DAY = 24 * 60 * 60 * 1000
const NOW = Date.parse('2026-11-29T13:05:00.123Z')
const copy = (now = NOW, sessionId = 'session-a', most?: number): void =>
  copyConversation(folder.path, { sessionId, agent: 'claude', path }, now, most)
const names = (): readonly string[] => conversationCopies(folder.path).map(({ name }) => name)
const bytesOf = (name: string): string => readFileSync(copyPath(folder.path, { name }), 'utf8')

test('a copy is private, named by time and session, and says what it is of', () => {
  copy()
  expect(historyOf(folder.path).conversations).toEqual([
    { name: '20261129T130500123Z-session-a', time: NOW, sessionId: 'session-a', agent: 'claude', path, bytes: 4 }
  ])
  const [name = ''] = names()
  expect(bytesOf(name)).toBe('one\n')
  expect(statSync(copyPath(folder.path, { name })).mode & 0o777).toBe(0o600)
  expect(statSync(`${folder.path}.conversations`).mode & 0o777).toBe(0o700)
})

test('what did not change is not copied twice', () => {
  copy()
  copy(NOW + 1)
  expect(names()).toHaveLength(1)
  writeFileSync(path, 'two\n')
  utimesSync(path, NOW / 1000, NOW / 1000)
  copy(NOW + 2)
  expect(names().map(bytesOf)).toEqual(['two\n', 'one\n'])
})

test('a copy that fails leaves nothing of itself', () => {
  expect(() => copy(NOW, 'session-a', 3)).toThrow('MiB')
  expect(() => copyConversation(folder.path, { sessionId: 's', path: `${path}.none` }, NOW)).toThrow('ENOENT')
  mkdirSync(`${path}.folder`)
  expect(() => copyConversation(folder.path, { sessionId: 's', path: `${path}.folder` }, NOW)).toThrow()
  expect(readdirSync(`${folder.path}.conversations`)).toEqual([])
})

test('copies go after 30 days or beyond 1 GiB, but the newest 10 stay', () => {
  for (let at = 0; at < 12; at++) copy(NOW + at, `session-${at}`)
  expect(names()).toHaveLength(12)
  copy(NOW + 31 * DAY, 'later')
  expect(names()).toHaveLength(11)
  const [first = '', second = ''] = names()
  for (const name of [first, second]) {
    const about = join(`${folder.path}.conversations`, name, 'about.json')
    writeFileSync(about, JSON.stringify({ ...JSON.parse(readFileSync(about, 'utf8')), bytes: 1024 ** 3 }))
  }
  copy(NOW + 32, 'last')
  expect(names()).toHaveLength(11)
  // What a killed one left goes too, and what is not ours stays.
  mkdirSync(join(`${folder.path}.conversations`, 't-20260101T130500123Z-x'))
  mkdirSync(join(`${folder.path}.conversations`, 'notes'))
  copy(NOW + 33, 'very last')
  const left = readdirSync(`${folder.path}.conversations`).filter((name) => !/^2026/.test(name))
  expect(left).toEqual(['notes'])
})

test('a copy is put back whole, in a folder that is made again', () => {
  copy()
  const [one] = conversationCopies(folder.path)
  if (one === undefined) throw new Error('no copy')
  writeFileSync(path, 'other\n')
  putBack(folder.path, one)
  expect(readFileSync(path, 'utf8')).toBe('one\n')
  rmSync(path)
  chmodSync(copyPath(folder.path, one), 0o400)
  const inside = { ...one, path: join(folder.root, 'a/b/talk.jsonl') }
  putBack(folder.path, inside)
  expect(readFileSync(inside.path, 'utf8')).toBe('one\n')
  expect(readdirSync(join(folder.root, 'a/b'))).toEqual(['talk.jsonl'])
})
