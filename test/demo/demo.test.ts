/**
 * The demonstration is itself put to the test: it passes as it is, it fails with each fault planted in it, and however
 * it ends, no process and no file of it is left, and nothing outside its temporary folder was touched.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { blocks, page } from '../support/markdown.js'
import { cli } from '../support/programs.js'

const demo = resolve(import.meta.dirname, '../demo/demo.mjs')

let folder: string
const inFolder = (name: string): string => join(folder, name)

beforeEach(() => {
  cli()
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'crash-resume-index-around-demo-'))
  for (const name of ['home', 'tmp', 'empty']) mkdirSync(inFolder(name))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

interface Ended {
  readonly code: number | null
  readonly lines: readonly string[]
  readonly errors: string
}

interface Running {
  readonly child: ChildProcess
  /** Resolves once this has been printed; rejects where the program ends without. */
  readonly said: (words: string) => Promise<void>
  readonly ended: Promise<Ended>
}

/** Starts it as from inside a person's tmux, with a home, a temporary folder and an index that we can look into. */
function start(args: readonly string[], more: NodeJS.ProcessEnv = {}): Running {
  const env = {
    ...process.env,
    HOME: inFolder('home'),
    TMPDIR: inFolder('tmp'),
    TMUX: `${inFolder('theirs')},1,0`,
    TMUX_PANE: '%0',
    CRASH_RESUME_INDEX_PATH: inFolder('their-index.json'),
    ...more
  }
  const child = spawn(process.execPath, [demo, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    errors += chunk
  })
  const ended = once(child, 'close').then(([code]) => ({ code, lines: output.trimEnd().split('\n'), errors }))
  const said = (words: string): Promise<void> =>
    new Promise((resolve, reject) => {
      child.stdout.on('data', () => output.includes(words) && resolve())
      child.stdout.on('end', () => reject(new Error(`it never said "${words}":\n${output}${errors}`)))
    })
  return { child, said, ended }
}

/** Processes whose arguments or environment name a folder, by their command lines. */
function processesNaming(path: string): string[] {
  const read = (pid: string, file: string): string => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8')
    } catch {
      return ''
    }
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => `${read(pid, 'cmdline')}${read(pid, 'environ')}`.includes(path))
    .map((pid) => `${pid} ${read(pid, 'cmdline').replaceAll('\0', ' ')}`)
}

function expectNothingLeft(): void {
  expect(processesNaming(folder)).toEqual([])
  expect(readdirSync(folder).sort()).toEqual(['empty', 'home', 'tmp'])
  for (const name of ['home', 'tmp']) expect(readdirSync(inFolder(name))).toEqual([])
}

/** The cells of the table's rows; a row that is not right has a fifth. */
function rowsIn(lines: readonly string[]): string[][] {
  const head = lines.findIndex((line) => line.startsWith('surface  session before'))
  return lines.slice(head + 1, lines.indexOf('', head)).map((line) => line.split(/ {2,}/))
}

const withoutIds = (line: string): string => line.replaceAll(/[0-9a-f-]{36}/g, '<id>')

it('brings ten of ten back, each in its own session with all its turns', async () => {
  const { code, lines, errors } = await start([]).ended
  expect(errors).toBe('')
  expect(lines.at(-1)).toBe('10 of 10 resumed')
  expect(code).toBe(0)
  const rows = rowsIn(lines)
  expect(rows).toHaveLength(10)
  expect(new Set(rows.map(([, session]) => session)).size).toBe(10)
  for (const [, before, after, turns, wrong] of rows) {
    expect(after).toBe(before)
    expect(turns).toMatch(/^(\d+) of \1$/)
    expect(wrong).toBeUndefined()
  }
  expect(lines.find((line) => line.includes('newest in the folder'))).toContain('right for 3 of 10')
  const [shown = ''] = blocks(page('docs/guarantees.md'), 'text')
  const printed = lines.map(withoutIds)
  const quoted = shown
    .trimEnd()
    .split('\n')
    .filter((line) => !/^ *\[\d+ more\]$/.test(line))
  expect(quoted.length).toBeGreaterThan(8)
  for (const line of quoted) expect(printed).toContain(withoutIds(line))
  expectNothingLeft()
})

const faults = [
  { fault: 'swap', resumed: 2, shows: /work:4 .* 0 of 1 +<- wrong/ },
  { fault: 'forget', resumed: 3, shows: /nothing to resume +0 of \d +<- wrong/ },
  { fault: 'transcript', resumed: 3, shows: /failed: [0-9a-f-]+ +0 of \d +<- wrong/ },
  { fault: 'memory', resumed: 3, shows: /<- wrong/ },
  { fault: 'fresh', resumed: 0, shows: /fresh: [0-9a-f-]+ +0 of \d +<- wrong/ }
]

it.each(faults)('fails when the fault "$fault" is planted', async ({ fault, resumed, shows }) => {
  const { code, lines } = await start(['--panes', '4', '--plant', fault]).ended
  expect(lines.join('\n')).toMatch(shows)
  expect(lines.at(-1)).toBe(`${resumed} of 4 resumed`)
  expect(rowsIn(lines).filter((row) => row.length === 5)).toHaveLength(4 - resumed)
  expect(code).toBe(1)
  expectNothingLeft()
})

it('fails when a process outlives the crash', async () => {
  const { code, lines, errors } = await start(['--panes', '4', '--plant', 'survivor']).ended
  expect(errors).toContain('the death of all processes: not within 3 s')
  expect(lines.join('\n')).not.toContain('resumed')
  expect(code).toBe(1)
  expectNothingLeft()
})

it('says what is missing where there is no tmux', async () => {
  const { code, errors } = await start([], { PATH: inFolder('empty') }).ended
  expect(errors).toContain('tmux is not installed')
  expect(code).toBe(1)
  expectNothingLeft()
})

it.each([
  { act: 'while the agents start', words: 'each records itself' },
  { act: 'after the crash', words: 'all of them dead' }
])('cleans up when it is interrupted $act', async ({ words }) => {
  const { child, said, ended } = start([])
  await said(words)
  child.kill('SIGINT')
  expect((await ended).code).toBe(130)
  expectNothingLeft()
})

it.each([
  { act: 'while the agents start', words: 'each records itself' },
  { act: 'after the crash', words: 'all of them dead' }
])('cleans up when its reader goes away $act', async ({ words }) => {
  const { child, said, ended } = start([])
  await said(words)
  child.stdout?.destroy()
  child.stderr?.destroy()
  expect((await ended).code).toBe(1)
  expectNothingLeft()
})
