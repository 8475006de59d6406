import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { type CommandOptions, commandLineFor, resumeSpec } from '../../src/agents/command.js'
import type { AgentRow } from '../../src/agents/row.js'
import { AGENTS, withAgents } from '../../src/agents/table.js'
import type { Entry } from '../../src/core/schema.js'
import { entryOf, thrownBy } from '../core/samples.js'

const ID = '0b6c1e9a-4f5d-4c3b-8a2e-1d0f9b8c7a6e'

function line(fields: Partial<Entry> = {}, options: Partial<CommandOptions> = {}): string {
  const entry = entryOf({ sessionId: ID, ...fields })
  return commandLineFor(entry, resumeSpec(entry, { agents: AGENTS, ...options }))
}

/** A program that says where it runs, which of our variables it has, and its arguments. */
const base = realpathSync(mkdtempSync(join(tmpdir(), 'line-')))
afterAll(() => rmSync(base, { recursive: true }))
const program = join(base, 'agent')
writeFileSync(
  program,
  `#!/bin/sh
printf '%s\\0' "$(pwd -P)" "\${CLAUDECODE-unset}" "\${CRASH_RESUME_ATTEMPT-unset}" "\${CRASH_RESUME_SURFACE-unset}" "$@"
`
)
chmodSync(program, 0o755)
const row: AgentRow = { ...(AGENTS['claude'] as AgentRow), name: 'mine', file: program }
const agents = withAgents([row])

interface Ran {
  readonly cwd: string | undefined
  readonly env: readonly string[]
  readonly args: readonly string[]
}
function ran(command: string, cwd = base, env: Record<string, string> = {}): Ran | null {
  const { stdout } = spawnSync('sh', ['-c', command], { cwd, env: { ...process.env, ...env } })
  const words = stdout.toString().split('\0').slice(0, -1)
  return words.length === 0 ? null : { cwd: words[0], env: words.slice(1, 4), args: words.slice(4) }
}

describe('the established line', () => {
  it('is the launcher and its arguments, whatever else the entry holds', () => {
    expect(line({ sessionId: 'a1b2' })).toBe('golemsClaude --resume a1b2')
    expect(line({ sessionId: 'a1b2', repo: 'Orchestrator', cwd: '/x y', flags: ['--model', 'm'] })).toBe(
      'orcClaude --resume a1b2'
    )
    expect(line({ sessionId: 'a1b2' }, { launchers: { golems: 'time' } })).toBe("'time' --resume a1b2")
  })

  it('takes a prompt as one argument', () => {
    expect(line({ sessionId: 'a1b2' }, { prompt: "it's $HOME" })).toBe("golemsClaude --resume a1b2 'it'\\''s $HOME'")
  })
})

describe('the line of an agent', () => {
  it('goes to the folder, sets the environment right and starts the program', () => {
    expect(line({ agent: 'claude', cwd: '/my repo', surfaceId: 'tmux %1' })).toMatch(
      /^cd -- '\/my repo' && env (-u [A-Z_]+ )+'CRASH_RESUME_SURFACE=tmux %1' claude --resume 0b6c1e9a-[0-9a-f-]+$/
    )
    expect(line({ agent: 'claude' })).toMatch(/^env -u /)
  })

  it('does so in a shell', () => {
    const cwd = join(base, "it's [a] folder")
    mkdirSync(cwd)
    const command = line({ agent: 'mine', cwd, surfaceId: 'a b$c' }, { agents, prompt: 'go on; now', attemptId: 'a1' })
    expect(ran(command, '/', { CLAUDECODE: '1', CRASH_RESUME_ATTEMPT: 'outer' })).toEqual({
      cwd,
      args: ['--resume', ID, 'go on; now'],
      env: ['unset', 'a1', 'a b$c']
    })
    expect(ran(line({ agent: 'mine' }, { agents }), base, { CRASH_RESUME_ATTEMPT: 'outer' })?.env[1]).toBe('unset')
  })

  it('does not start the program anywhere but in its folder', () => {
    expect(ran(line({ agent: 'mine', cwd: join(base, 'gone') }, { agents }))).toBe(null)
  })

  it.each(['-', '-L', '+1', 'sub', '~', 'a=b'])('takes a relative folder as one: %s', (name) => {
    const cwd = join(base, name)
    mkdirSync(cwd, { recursive: true })
    mkdirSync(join(base, 'other', name), { recursive: true })
    const env = { OLDPWD: '/', CDPATH: join(base, 'other') }
    expect(ran(line({ agent: 'mine', cwd: name }, { agents }), base, env)?.cwd).toBe(cwd)
  })

  it('refuses a program that env would take for a variable or an option', () => {
    for (const file of ['/opt/a=b/agent', '-x']) {
      const odd = withAgents([{ ...row, file }])
      expect(thrownBy(() => line({ agent: 'mine' }, { agents: odd })).code).toBe('ERR_INVALID_INPUT')
    }
  })
})

describe('a prompt in a line', () => {
  it.each([
    ['a newline', 'a\nb'],
    ['a carriage return', 'a\rb'],
    ['an escape', 'a\u001b[2J'],
    ['a tab, which completes', 'a\tb'],
    ['what reorders text', 'a\u202eb'],
    ['half a character', 'a\ud800']
  ])('is refused with %s', (_, prompt) => {
    for (const fields of [{}, { agent: 'claude' }]) {
      expect(thrownBy(() => line(fields, { prompt })).code).toBe('ERR_INVALID_INPUT')
      expect(thrownBy(() => line(fields, { prompt })).message).not.toContain(prompt)
    }
  })

  it('is refused where an agent would read it as a flag', () => {
    expect(thrownBy(() => line({}, { prompt: '-p' })).code).toBe('ERR_INVALID_INPUT')
  })

  it('of any other text reaches the program as it is, in one line without a control character', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
    let tried = 0
    fc.assert(
      fc.property(text, (prompt) => {
        let command: string
        try {
          command = line({ agent: 'mine' }, { agents, prompt: `${prompt} x` })
        } catch {
          return
        }
        tried++
        expect(command).not.toMatch(/\p{Cc}/u)
        expect(ran(command)?.args.at(-1)).toBe(`${prompt} x`)
      }),
      { numRuns: 60 }
    )
    expect(tried).toBeGreaterThan(20)
  })
})
