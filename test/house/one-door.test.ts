/**
 * What turns an entry into permission to start something is used by the gate and the recovery pass alone. Each name
 * below is imported by the files listed here and by no other, which is read from the sources; with an import planted
 * in a copy of them, the reading must find it.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix, resolve } from 'node:path'
import { afterEach, expect, it } from 'vitest'

const sources = resolve(import.meta.dirname, '../../src')

/** Module, name, and who may import it. The entries hand names on to callers, who act on their own account. */
const DOORS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  // What puts a copy under a session needs the same proof as what resumes it.
  'core/evidence.ts': { provenAbsent: ['core/decide.ts', 'resume/restore-conversation.ts'] },
  'core/decide.ts': { decide: ['core.ts', 'core/decide-at.ts'] },
  'core/decide-at.ts': {
    decideAt: ['core/attempts.ts', 'resume/preview.ts'],
    decideOn: ['core/attempts.ts']
  },
  'core/attempts.ts': { claim: ['core.ts', 'resume/reserve.ts'], mint: ['core.ts', 'resume/reserve.ts'] },
  'resume/reserve.ts': { reserve: ['resume/gate.ts', 'resume/recover-all.ts'] },
  // The commands of the lookups that need no evidence are made here as well.
  'agents/command.ts': {
    resumeSpec: ['api/commands.ts', 'index.ts', 'resume/gate.ts', 'resume/recover-all.ts'],
    spawnSpec: ['resume/gate.ts']
  },
  // The lookup that needs no evidence; the other files take it by namespace.
  'core/verbs.ts': { resumableFor: ['api/commands.ts', 'api/verbs.ts'] },
  // What this library's own command line may not use of the public names.
  'core.ts': { decide: [], claim: [], mint: [] }
}

const STATEMENT = /\b(import|export)\s+(type\s+)?([^'";]*?)\s*from\s*['"]([^'"]+)['"]/g
const DYNAMIC = /\b(?:import|require)\s*\(\s*['"]([^'"]+)['"]/g

/** `file: module name` for every use of a door, `*` for all of a module. */
function uses(root: string): string[] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  return files.flatMap((name) => {
    const file = name.replaceAll('\\', '/')
    const text = readFileSync(join(root, name), 'utf8')
    const moduleOf = (path: string): string => posix.join(posix.dirname(file), path).replace(/\.js$/, '.ts')
    const named = [...text.matchAll(STATEMENT)].flatMap(([, , type, what = '', path = '']) => {
      const doors = DOORS[moduleOf(path)]
      if (doors === undefined || type !== undefined) return []
      return imported(what)
        .filter((one) => one === '*' || Object.hasOwn(doors, one))
        .map((one) => `${file}: ${moduleOf(path)} ${one}`)
    })
    const dynamic = [...text.matchAll(DYNAMIC)].flatMap(([, path = '']) =>
      DOORS[moduleOf(path)] === undefined ? [] : [`${file}: ${moduleOf(path)} *`]
    )
    return [...named, ...dynamic]
  })
}

/** The names, as the other module has them, that a statement takes as values. */
function imported(what: string): string[] {
  if (!what.includes('{')) return ['*']
  const inside = what.slice(what.indexOf('{') + 1, what.lastIndexOf('}'))
  const names = inside.split(',').map((one) => one.trim())
  return names.filter((one) => one !== '' && !one.startsWith('type ')).map((one) => one.split(/\s+as\s+/)[0] ?? one)
}

/** The entry's own verbs are taken as a namespace too; what is used of it is read from the text. */
const NAMESPACES = ['api/files.ts: core/verbs.ts *', 'api/verbs.ts: core/verbs.ts *']

let folder = ''
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('nothing else in src turns an entry into permission to resume', () => {
  const allowed = Object.entries(DOORS).flatMap(([module, names]) =>
    Object.entries(names).flatMap(([name, files]) => files.map((file) => `${file}: ${module} ${name}`))
  )
  const lookup = 'api/verbs.ts: core/verbs.ts resumableFor'
  expect(uses(sources).sort()).toEqual([...allowed.filter((one) => one !== lookup), ...NAMESPACES].sort())
  expect(readFileSync(join(sources, 'api/files.ts'), 'utf8')).not.toContain('resumableFor')
})

it.each([
  ['hooks/planted.ts', "import { decide } from '../core/decide.js'", 'core/decide.ts decide'],
  [
    'hooks/planted.ts',
    "import {\n  type Decision,\n  decide as judge\n} from '../core/decide.js'",
    'core/decide.ts decide'
  ],
  ['api/planted.ts', "import * as all from '../core/attempts.js'", 'core/attempts.ts *'],
  ['api/planted.ts', "export { claim } from '../core/attempts.js'", 'core/attempts.ts claim'],
  ['api/planted.ts', "export * from '../resume/reserve.js'", 'resume/reserve.ts *'],
  ['store/planted.ts', "const { mint } = await import('../core/attempts.js')", 'core/attempts.ts *'],
  ['terminals/planted.ts', "import { provenAbsent } from '../core/evidence.js'", 'core/evidence.ts provenAbsent'],
  ['core/planted.ts', "import { decideAt } from './decide-at.js'", 'core/decide-at.ts decideAt'],
  ['cli/planted.ts', "import { decide, quoteArgv } from '../core.js'", 'core.ts decide']
])('an import planted in %s is found: %s', (file, text, found) => {
  folder = mkdtempSync(join(tmpdir(), 'crash-resume-index-door-'))
  cpSync(sources, folder, { recursive: true })
  const before = uses(folder)
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), `${text}\n`)
  expect(uses(folder).filter((one) => !before.includes(one))).toEqual([`${file}: ${found}`])
})

it('types and other names of those modules are no permission', () => {
  folder = mkdtempSync(join(tmpdir(), 'crash-resume-index-door-'))
  cpSync(sources, folder, { recursive: true })
  const before = uses(folder)
  const lines = [
    "import type { Decision } from '../core/decide.js'",
    "import { type DecideOptions, RESUME_REASONS } from '../core/decide.js'",
    "import { settleAttempt } from '../resume/reserve.js'"
  ]
  writeFileSync(join(folder, 'api/planted.ts'), `${lines.join('\n')}\n`)
  expect(uses(folder)).toEqual(before)
})
