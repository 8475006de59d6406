/**
 * The arrows between the rooms are lint rules; this tests the rules. A copy of src passes as it is; with wrong imports
 * planted in it, Biome must report each of them, and must not report the right ones planted beside them.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const IMPORTS = 'lint/style/noRestrictedImports'
const GLOBALS = 'lint/style/noRestrictedGlobals'
const PROPERTIES = 'lint/nursery/noJsRestrictedProperties'
const COMMON_JS = 'lint/style/noCommonJs'
const PLUGIN = 'plugin'

interface Room {
  readonly file: string
  readonly allowed: readonly string[]
  readonly forbidden: readonly string[]
}

const below = (...rooms: readonly string[]): string[] => rooms.map((room) => `../${room}/planted.js`)
const filePackages = ['proper-lockfile', 'write-file-atomic']
const packages = ['zod', 'commander', 'esbuild', 'left-pad']
const sneaky = ['..', '.', './', '../index', './../cli/planted.js', '/tmp/planted.js', 'fs', '#planted']
const without = (all: readonly string[], ...some: readonly string[]): string[] =>
  all.filter((each) => !some.includes(each))

const ground = ['core', 'store', 'agents', 'terminals', 'probes']
const upper = ['recover', 'run', 'status', 'api', 'hooks']
const everything = [...ground, 'resume', ...upper, 'cli']
/** index.ts and the entries of the subpaths. */
const doors = ['index', 'admin', 'agents', 'core', 'hooks', 'tmux']

/** A room of src below the cli, and the rooms that it may take from. */
const room = (name: string, takes: readonly string[], more: readonly string[] = []): Room => ({
  file: `src/${name}/planted.ts`,
  allowed: ['node:fs', 'node:fs/promises', './planted.js', ...below(...takes), ...more],
  forbidden: [
    ...(name === 'store' ? [] : ['node:module']),
    ...doors.map((door) => `../${door}.js`),
    ...below(...without(everything, name, ...takes)),
    ...without([...filePackages, ...packages], ...more),
    ...sneaky
  ]
})

const rooms: readonly Room[] = [
  {
    file: 'src/core/planted.ts',
    allowed: ['./planted.js'],
    forbidden: [
      ...['node:fs', 'node:path', 'node:crypto', 'node:fs/promises', '../index.js'],
      ...below(...without(everything, 'core')),
      ...filePackages,
      ...packages,
      ...sneaky
    ]
  },
  room('store', ['core'], filePackages),
  room('agents', ['core']),
  room('terminals', ['core']),
  room('probes', ['agents', 'terminals', 'core']),
  room('resume', ground),
  ...without(upper, 'hooks').map((name) => room(name, ['resume', ...ground])),
  room('hooks', ground),
  ...doors.map((name) => ({
    file: `src/${name}.ts`,
    allowed: without(everything, 'cli').map((each) => `./${each}/planted.js`),
    forbidden: ['node:fs', './cli/planted.js', './index.js', ...filePackages, ...packages, ...sneaky]
  })),
  ...['src/cli/planted.ts', 'src/cli/commands/planted.ts'].map((file) => {
    const up = file.includes('commands') ? '../..' : '..'
    return {
      file,
      allowed: [...doors.map((door) => `${up}/${door}.js`), './planted.js', 'commander', 'node:fs', 'node:util'],
      forbidden: [
        'node:module',
        ...without(everything, 'cli').map((each) => `${up}/${each}/planted.js`),
        ...filePackages,
        ...without(packages, 'commander'),
        ...without(sneaky, './../cli/planted.js')
      ]
    }
  })
]

/** The ways to bring a module in, each on one line. */
const forms: readonly ((name: string) => string)[] = [
  (name) => `import '${name}'`,
  (name) => `import planted from '${name}'`,
  (name) => `import type { Planted } from '${name}'`,
  (name) => `export { planted } from '${name}'`,
  (name) => `export * from '${name}'`,
  (name) => `await import('${name}')`
]

/** What the import rules would overlook, and so is forbidden in src altogether. */
const hidden = [
  "export type Planted = import('../core/schema.js').Entry",
  "export const planted: typeof import('../core/schema.js') = never",
  'await import(`../core/schema.js`)',
  'await import(name)',
  "await import('../core/' + name)"
]

const impure: readonly (readonly [rule: string, code: string])[] = [
  [GLOBALS, 'export const planted: number = Date.now()'],
  [GLOBALS, 'export const planted: unknown = new Date()'],
  [GLOBALS, 'export function planted(now: number = Date.now()): number { return now }'],
  [GLOBALS, 'const { now } = Date'],
  [GLOBALS, 'export const planted: number = performance.now()'],
  [GLOBALS, 'export const planted: unknown = globalThis.Date.now()'],
  [GLOBALS, 'export const planted: unknown = global.process'],
  [GLOBALS, 'export const planted: number = process.pid'],
  [GLOBALS, "export const planted: unknown = process.env['HOME']"],
  [GLOBALS, 'export const planted: string = crypto.randomUUID()'],
  [GLOBALS, 'setTimeout(() => {}, 1)'],
  [GLOBALS, 'setInterval(() => {}, 1)'],
  [GLOBALS, 'setImmediate(() => {})'],
  [GLOBALS, 'queueMicrotask(() => {})'],
  [GLOBALS, "console.log('planted')"],
  [GLOBALS, "export const planted: unknown = Buffer.from('planted')"],
  [PROPERTIES, 'export const planted: number = Math.random()'],
  [PROPERTIES, "export const planted: number = Math['random']()"],
  [PROPERTIES, 'const { random } = Math'],
  [COMMON_JS, "export const planted: unknown = require('node:fs')"]
]

const pure = [
  'export const planted: number = Math.max(1, 2)',
  'export interface Planted { readonly process: string; readonly Date: number }',
  'export function planted(entry: { now: number }): number { return entry.now }'
]

let copy: string

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'crash-resume-index-rooms-'))
})

afterAll(() => {
  rmSync(copy, { recursive: true, force: true })
})

interface Finding {
  readonly rule: string
  readonly file: string
  readonly line: number
}

interface Report {
  readonly code: number | null
  readonly findings: readonly Finding[]
}

/** Biome's exit code, and what it reports, on a copy of the sources with these files in it. */
function lint(planted: Readonly<Record<string, readonly string[]>> = {}): Report {
  rmSync(copy, { recursive: true, force: true })
  for (const name of ['src', 'test/lint', 'biome.json', 'package.json', '.gitignore']) {
    cpSync(join(root, name), join(copy, name), { recursive: true })
  }
  for (const [file, lines] of Object.entries(planted)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    writeFileSync(join(copy, file), `${lines.join('\n')}\n`)
  }
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  const args = ['lint', '--reporter=json', '--max-diagnostics=none', '--error-on-warnings', 'src']
  const { status, stdout, stderr } = spawnSync(process.execPath, [biome, ...args], {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 1 << 28
  })
  let report: { diagnostics: { category: string; location: { path: string; start: { line: number } } }[] }
  try {
    report = JSON.parse(stdout)
  } catch (error) {
    throw new Error(`biome printed no report: ${stdout}${stderr}`, { cause: error })
  }
  const findings = report.diagnostics.map(({ category, location }) => ({
    rule: category,
    file: location.path,
    line: location.start.line
  }))
  return { code: status, findings }
}

/** The planted lines of a file that a rule reports. */
function reported(findings: readonly Finding[], rule: string, file: string, lines: readonly string[]): string[] {
  const numbers = findings.filter((finding) => finding.rule === rule && finding.file === file).map(({ line }) => line)
  return lines.filter((_line, at) => numbers.includes(at + 1))
}

it('lets the sources pass as they are', () => {
  expect(lint()).toEqual({ code: 0, findings: [] })
})

/** Each import in each form. */
const inAllForms = (names: readonly string[]): string[] => names.flatMap((name) => forms.map((form) => form(name)))

/** One run of the linter for all rooms. */
function lintRooms(kind: 'allowed' | 'forbidden'): Report {
  return lint(Object.fromEntries(rooms.map((room) => [room.file, inAllForms(room[kind])])))
}

describe('forbidden imports', () => {
  let report: Report
  beforeAll(() => {
    report = lintRooms('forbidden')
  })

  it.each(rooms)('each fails the check in $file', ({ file, forbidden }) => {
    const lines = inAllForms(forbidden)
    expect(report.code).toBe(1)
    expect(reported(report.findings, IMPORTS, file, lines)).toEqual(lines)
  })
})

describe('allowed imports', () => {
  let report: Report
  beforeAll(() => {
    report = lintRooms('allowed')
  })

  it.each(rooms)('pass in $file', ({ file, allowed }) => {
    expect(reported(report.findings, IMPORTS, file, inAllForms(allowed))).toEqual([])
  })
})

describe('imports that the rules cannot read', () => {
  const files = ['src/core/planted.ts', 'src/store/planted.ts', 'src/cli/planted.ts']
  let report: Report
  beforeAll(() => {
    report = lint(Object.fromEntries(files.map((file) => [file, hidden])))
  })

  it.each(files)('fail the check in %s', (file) => {
    expect(report.code).toBe(1)
    expect(reported(report.findings, PLUGIN, file, hidden)).toEqual(hidden)
  })
})

it('a circle of types alone fails the check', () => {
  const { findings } = lint({
    'src/core/one.ts': ["import type { Other } from './other.js'", 'export interface One { readonly other: Other }'],
    'src/core/other.ts': ["import type { One } from './one.js'", 'export interface Other { readonly one: One }']
  })
  const found = findings.filter(({ rule }) => rule === 'lint/suspicious/noImportCycles')
  expect(found.map(({ file }) => file)).toEqual(['src/core/one.ts', 'src/core/other.ts'])
})

it('no file lies loose in src but the entries', () => {
  const loose = readdirSync(join(root, 'src')).filter((name) => name.endsWith('.ts'))
  expect(loose.sort()).toEqual(doors.map((door) => `${door}.ts`).sort())
})

describe('purity of the core', () => {
  const codes = impure.map(([, code]) => code)
  let report: Report
  beforeAll(() => {
    report = lint({ 'src/core/impure.ts': codes, 'src/core/pure.ts': pure, 'src/store/impure.ts': codes })
  })

  it.each([GLOBALS, PROPERTIES, COMMON_JS])('fails the check by %s', (rule) => {
    const lines = impure.filter(([each]) => each === rule).map(([, code]) => code)
    expect(report.code).toBe(1)
    expect(reported(report.findings, rule, 'src/core/impure.ts', codes).filter((line) => lines.includes(line))).toEqual(
      lines
    )
  })

  it('lets what only looks like it pass', () => {
    for (const rule of [GLOBALS, PROPERTIES]) {
      expect(reported(report.findings, rule, 'src/core/pure.ts', pure)).toEqual([])
    }
  })

  it('binds the core alone', () => {
    for (const rule of [GLOBALS, PROPERTIES]) {
      expect(reported(report.findings, rule, 'src/store/impure.ts', codes)).toEqual([])
    }
  })
})

describe('comments and marks that switch a check off', () => {
  const texts = (folder: string): [name: string, text: string][] =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile() && /\.(ts|mjs)$/.test(file.name))
      .map((file) => join(file.parentPath, file.name))
      .map((path) => [path, readFileSync(path, 'utf8')])
  const filesWith = (folder: string, pattern: RegExp): string[] =>
    texts(folder).flatMap(([path, text]) => (pattern.test(text) ? [path] : []))

  it('are not in src', () => {
    expect(texts('src')).not.toEqual([])
    expect(filesWith('src', /biome-ignore|@ts-(ignore|expect-error|nocheck)|eslint-|prettier-ignore/)).toEqual([])
  })

  it('are not on tests', () => {
    expect(texts('test')).not.toEqual([])
    expect(filesWith('test', /\b(it|test|describe)\.(only|skip|todo|fails)\b/)).toEqual([])
  })
})
