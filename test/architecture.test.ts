/**
 * The arrows between the rooms are lint rules; this tests the rules. A copy of src passes as it is; with wrong imports
 * planted in it, Biome must report each of them, and must not report the right ones planted beside them.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')
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

const below = (...rooms: string[]): string[] => rooms.map((room) => `../${room}/planted.js`)
const beside = (...rooms: string[]): string[] => rooms.map((room) => `./${room}/planted.js`)
const filePackages = ['proper-lockfile', 'write-file-atomic']
const packages = ['zod', 'zod/mini', 'commander', 'esbuild', 'left-pad']
const sneaky = ['..', '.', './', '../index', './../cli/planted.js', '/tmp/planted.js', 'fs', '#planted']
const without = (all: readonly string[], ...some: string[]): string[] => all.filter((each) => !some.includes(each))

const rooms: readonly Room[] = [
  {
    file: 'src/core/planted.ts',
    allowed: ['zod/mini', './planted.js'],
    forbidden: [
      ...['node:fs', 'node:path', 'node:crypto', 'node:fs/promises', '../index.js', '../clock.js', '../gate.js'],
      ...below('store', 'probes', 'agents', 'terminals', 'hooks', 'cli'),
      ...filePackages,
      ...without(packages, 'zod/mini'),
      ...sneaky
    ]
  },
  {
    file: 'src/store/planted.ts',
    allowed: ['node:fs', 'node:fs/promises', './planted.js', ...below('core'), ...filePackages],
    forbidden: [
      ...['../index.js', '../clock.js', '../established.js', ...below('probes', 'agents', 'terminals', 'hooks', 'cli')],
      ...packages,
      ...sneaky
    ]
  },
  ...['probes', 'agents', 'terminals'].map((room) => ({
    file: `src/${room}/planted.ts`,
    allowed: ['node:fs', 'node:fs/promises', './planted.js', ...below('core')],
    forbidden: [
      ...['node:module', '../index.js', '../clock.js', '../gate.js'],
      ...below(...without(['store', 'probes', 'agents', 'terminals', 'hooks', 'cli'], room)),
      ...filePackages,
      ...packages,
      ...sneaky
    ]
  })),
  {
    file: 'src/hooks/planted.ts',
    allowed: ['node:fs', './planted.js', '../clock.js', ...below('core', 'store', 'probes', 'agents', 'terminals')],
    forbidden: [
      ...['node:module', '../index.js', '../gate.js', '../established.js', ...below('cli')],
      ...filePackages,
      ...packages,
      ...sneaky
    ]
  },
  ...['gate', 'recovery', 'established', 'clock'].map((name) => ({
    file: `src/${name}.ts`,
    allowed: ['node:os', './clock.js', ...beside('core', 'store', 'probes', 'agents', 'terminals')],
    forbidden: ['node:module', './index.js', ...beside('hooks', 'cli'), ...filePackages, ...packages, ...sneaky]
  })),
  {
    file: 'src/index.ts',
    allowed: ['./gate.js', './recovery.js', './established.js', ...beside('hooks', 'store', 'probes', 'core')],
    forbidden: ['node:fs', ...beside('cli'), ...filePackages, ...packages, ...sneaky]
  },
  {
    file: 'src/cli/planted.ts',
    allowed: ['../index.js', './planted.js', 'commander', 'node:fs', 'node:util'],
    forbidden: [
      ...['node:module', '../gate.js', '../recovery.js', '../established.js', '../clock.js'],
      ...below('core', 'store', 'probes', 'agents', 'terminals', 'hooks'),
      ...filePackages,
      ...without(packages, 'commander'),
      ...without(sneaky, './../cli/planted.js')
    ]
  }
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

beforeEach(() => {
  rmSync(copy, { recursive: true, force: true })
  for (const name of ['src', 'test/lint', 'biome.json', 'package.json', '.gitignore']) {
    cpSync(join(root, name), join(copy, name), { recursive: true })
  }
})

afterAll(() => {
  rmSync(copy, { recursive: true, force: true })
})

interface Finding {
  readonly rule: string
  readonly file: string
  readonly line: number
}

/** Biome's exit code on the copy, and what it reports. */
function lint(): { readonly code: number | null; readonly findings: readonly Finding[] } {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  const args = ['lint', '--reporter=json', '--max-diagnostics=none', '--error-on-warnings', 'src']
  const { status, stdout, stderr } = spawnSync(process.execPath, [biome, ...args], { cwd: copy, encoding: 'utf8' })
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

function plant(file: string, lines: readonly string[]): void {
  mkdirSync(dirname(join(copy, file)), { recursive: true })
  writeFileSync(join(copy, file), `${lines.join('\n')}\n`)
}

/** The planted lines of a file that a rule reports. */
function reported(findings: readonly Finding[], rule: string, file: string, lines: readonly string[]): string[] {
  const numbers = findings.filter((finding) => finding.rule === rule && finding.file === file).map(({ line }) => line)
  return lines.filter((_line, at) => numbers.includes(at + 1))
}

it('lets the sources pass as they are', () => {
  expect(lint()).toEqual({ code: 0, findings: [] })
})

describe.each(rooms)('imports in $file', ({ file, allowed, forbidden }) => {
  it('fails the check for each forbidden one', () => {
    const lines = forbidden.flatMap((name) => forms.map((form) => form(name)))
    plant(file, lines)
    const { code, findings } = lint()
    expect(code).toBe(1)
    expect(reported(findings, IMPORTS, file, lines)).toEqual(lines)
  })

  it('lets the allowed ones pass', () => {
    const lines = allowed.flatMap((name) => forms.map((form) => form(name)))
    plant(file, lines)
    expect(reported(lint().findings, IMPORTS, file, lines)).toEqual([])
  })
})

describe('imports that the rules cannot read', () => {
  it.each(['src/core', 'src/store', 'src/cli'])('fail the check in %s', (room) => {
    const file = `${room}/planted.ts`
    plant(file, hidden)
    const { code, findings } = lint()
    expect(code).toBe(1)
    expect(reported(findings, PLUGIN, file, hidden)).toEqual(hidden)
  })
})

describe('purity of the core', () => {
  const file = 'src/core/planted.ts'
  const codes = impure.map(([, code]) => code)

  it.each([GLOBALS, PROPERTIES, COMMON_JS])('fails the check by %s', (rule) => {
    const lines = impure.filter(([each]) => each === rule).map(([, code]) => code)
    plant(file, lines)
    const { code, findings } = lint()
    expect(code).toBe(1)
    expect(reported(findings, rule, file, lines)).toEqual(lines)
  })

  it('lets what only looks like it pass', () => {
    plant(file, pure)
    const { findings } = lint()
    for (const rule of [GLOBALS, PROPERTIES]) expect(reported(findings, rule, file, pure)).toEqual([])
  })

  it('binds the core alone', () => {
    plant('src/store/planted.ts', codes)
    const { findings } = lint()
    for (const rule of [GLOBALS, PROPERTIES]) {
      expect(reported(findings, rule, 'src/store/planted.ts', codes)).toEqual([])
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
