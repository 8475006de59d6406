/**
 * Every command line that the program prints, run as it stands by a real shell: it parses, it is about the index that
 * was meant, and nothing in a name of a surface or a file acts.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AGENTS } from '../../src/agents.js'
import { COMMANDS } from '../../src/cli/declarations.js'
import { parse } from '../../src/cli/parse.js'
import { type Entry, type Owner, ownerOf, thisMachine } from '../../src/index.js'
import { PersonsShell, printedCommands } from '../support/printed-commands.js'

const OTHER_SESSION = '5f9c1de2-7d3b-4c1a-9d55-3a9d7f6c1b2e'
const BLANKS = { session: OTHER_SESSION, repo: 'golems', 'revision-or-copy': '1' }
/** Surface ids that a shell or a parser would take for something else. */
const HOSTILE = [
  '-x',
  '--help',
  'a b',
  "it's",
  '"q"',
  '$(touch acted)',
  '`touch acted`',
  'é日本🦊',
  'a;touch acted',
  '# x'
]
/** Nothing is about an index here. */
const WITHOUT_INDEX = (argv: readonly string[]): boolean => argv[0] === 'hooks' || argv.includes('--help')

let root: string
let shell: PersonsShell
/** The index that is meant. */
let path: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'crash-resume-index-printed-'))
  shell = new PersonsShell(join(root, 'home'), Object.keys(AGENTS))
  mkdirSync(join(root, "in dex's; $(touch acted)"))
  path = join(root, "in dex's; $(touch acted)", 'my "index" `touch acted`.json')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** What the program prints, on both streams. */
function printed(...args: readonly string[]): string {
  const quoted = args.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  const index = `'${path.replaceAll("'", `'\\''`)}'`
  const at = quoted.indexOf(" '--' ")
  const whole = at === -1 ? `${quoted} --path ${index}` : `${quoted.slice(0, at)} --path ${index}${quoted.slice(at)}`
  const out = join(root, 'out')
  shell.run(`crash-resume-index ${whole} >'${out}' 2>&1`)
  return readFileSync(out, 'utf8')
}

/** Runs each line on the index as it was when the line was printed. */
function runsAsPrinted(...args: readonly string[]): readonly string[] {
  const lines = printedCommands(printed(...args), BLANKS)
  const saved = join(root, 'saved')
  rmSync(saved, { recursive: true, force: true })
  cpSync(join(path, '..'), saved, { recursive: true })
  for (const line of lines) {
    const { status, stderr, argv } = shell.run(line)
    const told = JSON.stringify({ args, line, status, stderr, argv })
    expect(argv, told).not.toEqual([])
    expect([2, 126, 127], told).not.toContain(status)
    expect(stderr, told).not.toMatch(/syntax error|not found/i)
    if (!WITHOUT_INDEX(argv)) expect(argv.join('\n'), told).toMatch(/^--path(\n|=)/m)
    if (!WITHOUT_INDEX(argv))
      expect(
        argv.some((word) => word === path || word === `--path=${path}`),
        told
      ).toBe(true)
    expect(existsSync(join(root, 'home', 'acted')), told).toBe(false)
    rmSync(join(path, '..'), { recursive: true, force: true })
    cpSync(saved, join(path, '..'), { recursive: true })
  }
  return lines
}

const alive = ownerOf(process.pid) as Owner
const dead: Owner = { ...alive, start: '1' }
const elsewhere: Owner = { ...alive, host: 'another machine' }
const session = (at: number): string => `${OTHER_SESSION.slice(0, -2)}${String(at).padStart(2, '0')}`
const NOW = Date.now()
const [AGENT = ''] = Object.keys(AGENTS)
/** An agent that chooses its own session ids. */
const CHOOSES = Object.values(AGENTS).find(({ pin }) => pin === null)?.name ?? ''

/** One entry for each kind of decision. */
const KINDS: Readonly<Record<string, Partial<Entry>>> = {
  crashed: { proc: dead },
  'of unknown life': {},
  manual: { proc: dead, policy: 'manual' },
  off: { proc: dead, policy: 'off' },
  ended: { state: 'ended', reason: 'done' },
  moved: { state: 'ended', reason: 'moved', moved_to: 'a b' },
  'of a failed start': { state: 'spawn_failed' },
  claimed: { state: 'minted', attempt: { id: 'open-1', kind: 'spawn', owner: alive, at: 1 } },
  'claimed elsewhere': { state: 'minted', attempt: { id: '-open-2', kind: 'spawn', owner: elsewhere, at: 1 } },
  'without a session': { state: 'minted', sessionId: 'pending.x', agent: CHOOSES },
  'in its cooldown': { proc: dead, last_attempt: { id: 'x', kind: 'resume', at: NOW, result: 'exited' }, attempts: 1 },
  exhausted: { proc: dead, last_attempt: { id: 'y', kind: 'resume', at: NOW - 90_000, result: 'exited' }, attempts: 9 },
  interrupted: { proc: dead, dispatch: { id: 'step-1', step: 'one', owner: dead, at: 1, result: 'open' } },
  foreign: { seen: { host: 'another machine' } },
  running: { proc: alive }
}
const entries = (): Record<string, unknown>[] =>
  Object.values(KINDS).map((kind, at) => entryOf(kind, `${HOSTILE[at % HOSTILE.length]}${at}`, at))

function write(entries: readonly Record<string, unknown>[]): void {
  const named = Object.fromEntries(entries.map((entry) => [entry['surfaceId'], entry]))
  writeFileSync(path, JSON.stringify({ version: 1, entries: named }), { mode: 0o600 })
}

function entryOf(kind: Partial<Entry>, surfaceId: string, at: number): Record<string, unknown> {
  const six = { surfaceId, sessionId: session(at), repo: 'golems', role: null, captured_at: 1, last_active: NOW }
  return { ...six, seen: thisMachine(), agent: AGENT, ...kind }
}

describe('every printed command runs as it stands', () => {
  it.each(Object.keys(KINDS).map((state, at) => [HOSTILE[at % HOSTILE.length] ?? '', state, at] as const))(
    'for a surface called %j that is %s',
    (surfaceId, state, at) => {
      write([entryOf(KINDS[state] ?? {}, surfaceId, at)])
      const owned = ['--owner', String(process.pid)]
      const lines = [
        ...runsAsPrinted('why', '--', surfaceId),
        ...runsAsPrinted('mint', ...owned, '--', surfaceId, 'golems'),
        ...runsAsPrinted('claim', ...owned, '--', surfaceId)
      ]
      // Of one that runs there is nothing to do but go to it.
      if (state !== 'running') expect(lines.length).toBeGreaterThan(0)
    }
  )

  it('for many surfaces at once, and for run', () => {
    write(entries())
    expect(runsAsPrinted('status').length).toBeGreaterThan(5)
    write([entryOf({ state: 'ended', reason: 'left' }, '-x', 0)])
    expect(runsAsPrinted('run', '--surface=-x', '--', AGENT)).toHaveLength(1)
  })

  it('for an index of which something was lost', () => {
    write([entryOf({}, 's', 1)])
    printed('record', 's', session(1), 'golems')
    printed('record', 't', session(2), 'golems')
    writeFileSync(`${path}.history/3`, 'garbage')
    rmSync(path)
    printed('record', 'u', session(3), 'golems')
    for (const args of [
      ['doctor'],
      ['why', 'lost'],
      ['lookup', 'lost'],
      ['status'],
      ['record', 's', session(1), 'r']
    ]) {
      expect(runsAsPrinted(...args).length, args.join(' ')).toBeGreaterThan(0)
    }
  })

  it('for an index that cannot be read', () => {
    writeFileSync(path, 'garbage')
    for (const args of [['doctor'], ['why', 's'], ['list'], ['recover', '--yes'], ['begin', 's', '--step', 'x']]) {
      expect(
        runsAsPrinted(...args, ...(args[0] === 'begin' ? ['--owner', `${process.pid}`] : [])).length
      ).toBeGreaterThan(0)
    }
  })

  it('for an entry that cannot be read', () => {
    write([{ surfaceId: "a' b" }])
    for (const args of [['status'], ['why', "a' b"], ['recover', '--dry-run']]) {
      expect(runsAsPrinted(...args).length, args.join(' ')).toBeGreaterThan(0)
    }
  })

  it('for mistakes, removals, restores and settling', () => {
    write([
      entryOf({ proc: dead }, '-x', 1),
      entryOf({ state: 'minted', attempt: { id: 'a1', kind: 'spawn', owner: dead, at: 1 } }, 't', 2)
    ])
    printed('settle', 'a1', 'failed')
    const asked = [
      ['history'],
      ['settle', 'a1', 'ok'],
      ['settle', 'unknown', 'ok'],
      ['end', 'unknown'],
      ['restore', '99'],
      ['restore', 'nonsense'],
      ['forget', '--yes', '--', '-x'],
      ['lookup'],
      ['lst'],
      ['list', '--nonsense']
    ]
    for (const args of asked) expect(runsAsPrinted(...args).length, args.join(' ')).toBeGreaterThan(0)
    write([])
    rmSync(`${path}.history`, { recursive: true })
    expect(runsAsPrinted('list').length).toBeGreaterThan(0)
  })

  it('for hooks', () => {
    for (const agent of Object.keys(AGENTS)) {
      runsAsPrinted('hooks', 'install', agent, '--dry-run')
      printed('hooks', 'install', agent)
    }
    // Of a hook that is there under some of its events only.
    const settings = join(root, 'home', '.claude', 'settings.json')
    writeFileSync(settings, readFileSync(settings, 'utf8').replace('SessionStart', 'Another'))
    expect(runsAsPrinted('doctor').length).toBeGreaterThan(0)
  })

  it('in the report for a program as well', () => {
    write(entries())
    const { rows } = JSON.parse(printed('recover', '--dry-run', '--json')) as { rows: { command?: string }[] }
    const commands = rows.flatMap(({ command }) => command ?? [])
    expect(commands.length).toBeGreaterThan(5)
    for (const line of commands) {
      const { argv } = shell.run(line)
      expect(
        argv.some((word) => word === path || word === `--path=${path}`),
        line
      ).toBe(true)
    }
  })
})

it("doctor's advice for a mode fixes it, whatever the file is called", () => {
  write([])
  chmodSync(path, 0o644)
  const [line = ''] = /(?<=-> )chmod .*$/m.exec(printed('doctor')) ?? []
  expect(shell.run(line)).toMatchObject({ status: 0 })
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

it('the examples of the help reach the program as they are written', () => {
  for (const { examples, usage } of COMMANDS) {
    const [name = ''] = usage.split(' ')
    const help = parse([name, '--help'], '0')
    const lines = help.kind === 'text' ? printedCommands(help.text, BLANKS) : []
    expect(lines).toHaveLength(examples.length)
  }
})
