/** docs/cli.md and docs/errors.md against the code. */
import { describe, expect, it } from 'vitest'
import { STATUS_STATES } from '../../src/admin.js'
import { COMMANDS } from '../../src/cli/declarations.js'
import { parse } from '../../src/cli/parse.js'
import { EXIT, exitCodeOf } from '../../src/cli/text/report-error.js'
import { ERROR_CODES } from '../../src/core.js'
import { CrashResumeError, type ErrorCode } from '../../src/index.js'
import { blocks, codes, page, rows, section } from '../support/markdown.js'

const cli = page('docs/cli.md')
const errors = page('docs/errors.md')
/** Options of the agents that the page speaks of. */
const OF_AGENTS = ['--from-pr', '--fork-session', '--last', '--model', '--resume', '--version']
const commandRows = ['In the terminal', 'Every day', 'By hand', 'Decide and reserve'].flatMap((heading) =>
  rows(section(cli, heading))
)

describe('docs/cli.md', () => {
  it('has every command once, in the order of the help', () => {
    const names = commandRows.map(([usage = '']) => codes(usage)[0]?.split(' ')[0] ?? '')
    expect(names).toEqual(COMMANDS.map(({ usage }) => usage.split(' ')[0]))
  })

  it('gives the arguments of each command as its help does', () => {
    for (const [usage = ''] of commandRows) {
      const words = codes(usage)[0]?.split(' ') ?? []
      const declared = COMMANDS.find((command) => command.usage.split(' ')[0] === words[0])?.usage.split(' ') ?? []
      const mandatory = words.filter((word) => !word.startsWith('--') && word !== '<span>')
      expect(declared.slice(0, mandatory.length)).toEqual(mandatory)
    }
  })

  it('names every option of every command, and no other', () => {
    const known = new Set(['--path', '--json', '--help', '--odd-surface', ...OF_AGENTS])
    for (const { options } of COMMANDS) for (const { long } of options ?? []) known.add(long ?? '')
    const text = cli.replace(/^```.*?^```$/gms, '')
    const named = new Set([...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option))
    expect([...named].sort()).toEqual([...known].sort())
  })

  it('has the states of the status as they are', () => {
    const states = rows(section(cli, 'What runs where')).map(([state = '']) => codes(state)[0])
    expect(states).toEqual([...STATUS_STATES])
  })

  it('has the exit codes as they are', () => {
    const documented = rows(section(cli, 'Exit codes')).map(([code = '', meaning = '']) => [codes(code)[0], meaning])
    expect(documented.map(([code]) => Number(code))).toEqual(Object.values(EXIT))
    const meaning = (code: number): string => documented.find(([known]) => known === `${code}`)?.[1] ?? ''
    expect(meaning(EXIT.failed)).toMatch(/^failed/)
    expect(meaning(EXIT.usage)).toMatch(/^usage/)
    expect(meaning(EXIT.nothing)).toMatch(/^nothing to resume/)
    expect(meaning(EXIT.wait)).toMatch(/^wait/)
    expect(meaning(EXIT.refused)).toMatch(/^refused/)
  })

  it('shows commands that parse', () => {
    const lines = blocks(cli, 'console').flatMap((block) => [...block.matchAll(/^\$ crash-resume-index (.*)$/gm)])
    expect(lines.length).toBeGreaterThan(2)
    for (const [, line = ''] of lines) expect(parse(line.split(' '), '0').kind, line).toBe('command')
  })
})

describe('docs/errors.md', () => {
  const table = rows(section(errors, 'Codes')).map(([code = '', , , exit = '']) => ({ code: codes(code)[0], exit }))

  it('has exactly the codes', () => {
    expect(table.map(({ code }) => code)).toEqual([...ERROR_CODES])
  })

  it('has the exit code that the command line ends with for each', () => {
    for (const { code, exit } of table) {
      expect([code, exit]).toEqual([code, String(exitCodeOf(new CrashResumeError(code as ErrorCode, 'x')))])
    }
  })

  it('names no code in its text that there is not', () => {
    const named = new Set((errors + cli).match(/ERR_[A-Z_]+/g))
    expect([...named].filter((code) => !ERROR_CODES.some((known) => known === code))).toEqual([])
  })
})

it('no error ends with the exit code that allows a fresh start', () => {
  for (const code of ERROR_CODES) expect(exitCodeOf(new CrashResumeError(code, 'x'))).not.toBe(EXIT.nothing)
  expect(exitCodeOf(new TypeError('x'))).toBe(EXIT.failed)
})
