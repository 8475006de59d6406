/**
 * The declarations as a user's compiler reads them: with every check on and no other package installed. A type of
 * commander, proper-lockfile or Node in them would be an error here, since there is nothing to take it from.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Consumer, declarations, entries } from '../support/consumer.js'
import { root } from '../support/markdown.js'

let consumer: Consumer
beforeEach(() => {
  consumer = new Consumer()
})
afterEach(() => consumer.remove())

const everything = entries
  .map(({ at, name }) => `import * as ${name} from '${at}'\nexport const ${name}Names: object = ${name}\n`)
  .join('')

it.each([
  {
    resolution: "Node's resolution, every check on",
    options: { module: 'NodeNext', exactOptionalPropertyTypes: true }
  },
  { resolution: "a bundler's", options: { module: 'ESNext', moduleResolution: 'Bundler', strict: false } }
])('stand on their own under $resolution', ({ options }) => {
  expect(consumer.problemsOf(everything, options)).toEqual([])
})

it('would not if they named a type of another package', () => {
  const planted = "import type { Command } from 'commander'\nexport type Planted = Command\n"
  expect(consumer.problemsOf(everything + planted).join('\n')).toContain("Cannot find module 'commander'")
})

it('name no package that we depend on', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  const all = declarations().map((name) => readFileSync(join(root, 'dist', name), 'utf8'))
  const text = all.join('\n').replaceAll(/\/\*.*?\*\//gs, '')
  expect(Object.keys(dependencies)).toEqual(expect.arrayContaining(['commander', 'proper-lockfile']))
  for (const name of Object.keys(dependencies)) expect(text).not.toMatch(new RegExp(`\\b${name}\\b`))
})

const right = `
import { CrashResumeError, emptyIndex, lookup, record, recordToFile, resumableFor, resumeCommand } from 'crash-resume-index'
import type { Entry, ErrorCode, Index, Policy } from 'crash-resume-index'

const index: Index = record(emptyIndex(), { surfaceId: 'work:1', sessionId: 'a', repo: 'r', role: null }, 1)
const entry: Entry | null = lookup(index, 'work:1')
const policy: Policy | undefined = entry?.policy
const session: string | null = resumableFor(index, 'work:1', { maxAgeMs: 1, now: 2 })
const command: string | null = resumeCommand(index, 'work:1')
const written: Promise<Entry> = recordToFile('index.json', { surfaceId: 'work:1', sessionId: 'a', repo: 'r' }, { lockWaitMs: 9 })
const codeOf = (error: unknown): ErrorCode | undefined => (error instanceof CrashResumeError ? error.code : undefined)
export const used = { policy, session, command, written, codeOf }
`

it('give the established calls the types that callers rely on', () => {
  expect(consumer.problemsOf(right, { exactOptionalPropertyTypes: true })).toEqual([])
})

const wrong = `
import { CrashResumeError, emptyIndex, lookup, record } from 'crash-resume-index'
import { setPolicy } from 'crash-resume-index/core'
export const surfaceWithoutSession = record(emptyIndex(), { surfaceId: 's', repo: 'r' }, 1)
export const missingEntry = lookup(emptyIndex(), 's').sessionId
emptyIndex().version = 2
lookup(emptyIndex(), 's')!.sessionId = 'changed in place'
export const unknownPolicy = setPolicy(emptyIndex(), 's', 'never')
export const unknownCode = new CrashResumeError('ERR_OTHER', 'message')
`

it('refuse wrong calls, each of them', () => {
  const refused = consumer.problemsOf(wrong).map((line) => Number(/main\.ts\((\d+),/.exec(line)?.[1]))
  expect(refused).toEqual([4, 5, 6, 7, 8, 9])
})
