/**
 * The shape of the built bin: what a hook's start evaluates, and what it must not.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cli } from '../support/programs.js'

let folder: string
let watcher: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crash-resume-index-bundle-'))
  watcher = join(folder, 'watcher.cjs')
  // graceful-fs, which proper-lockfile stands on, leaves a symbol on fs as soon as it is evaluated.
  writeFileSync(
    watcher,
    `const fs = require('node:fs')
     const Module = require('node:module')
     const loaded = []
     const load = Module._load
     Module._load = function (name) { loaded.push(name); return load.apply(this, arguments) }
     process.on('exit', () => {
       const lock = Object.getOwnPropertySymbols(fs).includes(Symbol.for('graceful-fs.queue'))
       fs.writeFileSync(process.env.WATCHER_REPORT, JSON.stringify({ loaded, lock }))
     })`
  )
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

interface Seen {
  readonly status: number | null
  readonly stderr: string
  /** The names of the modules asked for. */
  readonly loaded: readonly string[]
  /** Whether the lock package was evaluated. */
  readonly lock: boolean
}

function run(...args: string[]): Seen {
  const report = join(folder, 'report.json')
  const { status, stderr } = spawnSync(process.execPath, ['--require', watcher, cli(), ...args], {
    env: { ...process.env, CRASH_RESUME_INDEX_PATH: join(folder, 'index.json'), WATCHER_REPORT: report },
    encoding: 'utf8'
  })
  return { status, stderr, ...JSON.parse(readFileSync(report, 'utf8')) }
}

it('is an executable for Node', () => {
  expect(readFileSync(cli(), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
  accessSync(cli(), constants.X_OK)
})

/** The files of the bin. */
const OWN = ['./cli-full.cjs']

it('carries its packages inside', () => {
  const builtin = new Set([...builtinModules, ...builtinModules.map((name) => `node:${name}`)])
  for (const name of ['cli.cjs', 'cli-full.cjs']) {
    const text = readFileSync(join(dirname(cli()), name), 'utf8')
    const asked = [...text.matchAll(/\b(?:require|import)\(["'`]([^"'`]+)["'`]\)/g)].map(([, module]) => module ?? '')
    expect(asked).toContain(name === 'cli.cjs' ? './cli-full.cjs' : 'node:fs')
    expect(asked.filter((module) => !builtin.has(module) && !OWN.includes(module))).toEqual([])
  }
})

it('keeps the parser out of the file that hooks start', () => {
  const mark = 'commander.unknownCommand'
  expect(readFileSync(join(dirname(cli()), 'cli-full.cjs'), 'utf8')).toContain(mark)
  expect(readFileSync(cli(), 'utf8')).not.toContain(mark)
})

it.each([
  ['record', 'surface-1', 'session-1', 'repo'],
  ['record', 'surface-1', 'session-1', 'repo', 'role'],
  ['touch', 'surface-1'],
  ['touch', 'surface-unknown']
])('evaluates neither the parser nor the lock package for %s %s', (...args) => {
  const { status, stderr, loaded, lock } = run(...args)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(loaded.filter((name) => name.endsWith('.cjs') && name !== cli())).toEqual([])
  expect(lock).toBe(false)
})

it('evaluates the parser for the other commands', () => {
  expect(run('--help').loaded).toContain('./cli-full.cjs')
})

it('loads no more for an entry that is not in order', () => {
  const path = join(folder, 'odd.json')
  writeFileSync(path, JSON.stringify({ version: 1, entries: { a: { surfaceId: 'a', sessionId: 7 } } }))
  const args = ['record', 'surface-1', 'session-1', 'repo', '--path', path]
  expect(run(...args).loaded).not.toContain('./cli-full.cjs')
  expect(Object.keys(JSON.parse(readFileSync(path, 'utf8')).entries).sort()).toEqual(['a', 'surface-1'])
})
