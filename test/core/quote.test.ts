import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it, type TestContext } from 'vitest'
import { quoteArgv } from '../../src/core/quote.js'
import { thrownBy } from './samples.js'

const SHELLS = [['sh'], ['dash'], ['bash', '--norc'], ['zsh', '-f'], ['busybox', 'sh']]
const missing = new Set(
  SHELLS.flatMap(([program = '', ...flags]) =>
    spawnSync(program, [...flags, '-c', 'exit 0']).status === 0 ? [] : [program]
  )
)
/** A shell that this machine lacks leaves its tests out, in plain sight. */
function needs(shell: readonly string[], { skip }: TestContext): void {
  const [program = ''] = shell
  skip(missing.has(program), `${program} is not installed`)
}
/** Where the shells run: with files that an unquoted pattern would match. */
const folder = mkdtempSync(join(tmpdir(), 'quote-'))
afterAll(() => rmSync(folder, { recursive: true }))
for (const name of ['claude-opus-4-61', 'a', 'ab']) writeFileSync(join(folder, name), '')
const ENV = { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' }

function runs([program, ...flags]: string[], line: string): Buffer {
  const { status, stdout, stderr } = spawnSync(program!, [...flags, '-c', line], { env: ENV, cwd: folder })
  if (status !== 0) throw new Error(`${program}: ${stderr}`)
  return stdout
}

/** What printf, as built into each of the shells, writes of its arguments: each one and a NUL. */
function received(shell: string[], argv: readonly string[]): Buffer {
  return runs(shell, quoteArgv(['printf', '%s\\0', ...argv]))
}

function sent(argv: readonly string[]): Buffer {
  return Buffer.from(argv.map((argument) => `${argument}\0`).join(''))
}

const NASTY = [
  '',
  ' ',
  '=ls',
  'a=b',
  '~',
  '~root',
  'a:~',
  '#',
  'a #b',
  '!',
  '!!',
  '!$',
  '^a^b',
  '{a,b}',
  '{}',
  '*',
  '?',
  'claude-opus-4-6[1m]',
  "it's",
  "''",
  '"',
  '\\',
  '\\n',
  '\n',
  'a\nb',
  '\r',
  '\t',
  '$HOME',
  '$(id)',
  '`id`',
  '-',
  '--',
  '-n',
  ';',
  '&',
  '|',
  '>',
  '<(x)',
  '%1',
  '@(a|b)',
  'my project/notes.txt',
  'h\u00e9llo',
  'he\u0301llo',
  '日本',
  '😀',
  '\u00a0'
]

const argument = fc
  .oneof(fc.constantFrom(...NASTY), fc.string({ unit: 'binary', maxLength: 12 }), fc.string())
  .map((text) => text.replaceAll('\0', ''))

describe.each(SHELLS)('quoteArgv for %s', (...shell) => {
  beforeEach((context) => needs(shell, context))

  it.each(NASTY.map((text) => [JSON.stringify(text), text]))('passes on %s', (_, text) => {
    expect(received(shell, [text, `x${text}`, `${text}x`])).toEqual(sent([text, `x${text}`, `${text}x`]))
  })

  it('passes on any arguments, byte for byte', () => {
    fc.assert(
      fc.property(fc.array(argument, { minLength: 1, maxLength: 20 }), (argv) => {
        expect(received(shell, argv)).toEqual(sent(argv))
      }),
      { numRuns: 60 }
    )
  })
})

describe.each(SHELLS)('the first word for %s', (...shell) => {
  const words = ['time', 'if', 'case', 'repeat', 'function', 'coproc', 'a=b', '!', '~x', '-x', 'claude']
  beforeAll(() => {
    for (const word of words) {
      writeFileSync(join(folder, word), '#!/bin/sh\nprintf "ran %s" "$1"\n')
      chmodSync(join(folder, word), 0o755)
    }
  })
  beforeEach((context) => needs(shell, context))

  it.each(words)('is a program: %s', (word) => {
    const line = `PATH=${folder}:$PATH; ${quoteArgv([word, 'it'])}`
    expect(runs(shell, line).toString()).toBe('ran it')
  })
})

it('holds at a prompt too, where an exclamation mark recalls what was typed before', () => {
  const argv = ['printf', '%s\\0', '!!', 'a!b', "it's !x", '!']
  const known = SHELLS.filter(([name = '']) => ['bash', 'zsh'].includes(name) && !missing.has(name))
  for (const [program, ...flags] of known) {
    const input = `echo before\n${quoteArgv(argv)}\n`
    const { stdout } = spawnSync(program!, [...flags, '-i'], { env: { ...ENV, HISTFILE: '/dev/null' }, input })
    expect(stdout.includes(sent(argv.slice(2))), `${program}: ${stdout}`).toBe(true)
  }
})

it('leaves plain words as they are, so that the line reads as a person would type it', () => {
  expect(quoteArgv(['golemsClaude', '--resume', 'a1b2', '--model=opus', '/home/me/x.txt'])).toBe(
    'golemsClaude --resume a1b2 --model=opus /home/me/x.txt'
  )
  expect(quoteArgv(['claude', '--model', 'claude-opus-4-6[1m]'])).toBe("claude --model 'claude-opus-4-6[1m]'")
  expect(quoteArgv([])).toBe('')
})

it('refuses a NUL, which no argument can hold', () => {
  expect(thrownBy(() => quoteArgv(['a\0b'])).code).toBe('ERR_INVALID_INPUT')
})
