import { describe, expect, it, test } from 'vitest'
import { freshArgv, type Launch, launchOf, namedSession, resumeArgv } from '../../src/agents/launch-argv.js'
import { AGENTS } from '../../src/agents/table.js'

const ID = '0d4ff5f1-6a5b-4f0e-9d55-3a9d7f6c1b2e'
const OTHER = '11111111-2222-4333-8444-555555555555'

function launch(...argv: string[]): Launch {
  const found = launchOf(argv, AGENTS)
  if (found === null) throw new Error('no agent')
  return found
}

test.each([
  [['claude'], 'claude', ['claude'], []],
  [['/opt/bin/claude', '--model', 'opus'], 'claude', ['/opt/bin/claude'], ['--model', 'opus']],
  [
    ['node', '/x/node_modules/@openai/codex/bin/codex.js', '-m', 'o3'],
    'codex',
    ['node', '/x/node_modules/@openai/codex/bin/codex.js'],
    ['-m', 'o3']
  ]
])('%j is a start of %s', (argv, name, program, args) => {
  expect(launchOf(argv, AGENTS)).toMatchObject({ row: { name }, program, args })
})

test('what is no known agent is none, and a wrapper is one by its name', () => {
  expect(launchOf(['vim'], AGENTS)).toBeNull()
  expect(launchOf([], AGENTS)).toBeNull()
  expect(launchOf(['vim'], AGENTS, 'toString')).toBeNull()
  expect(launchOf(['mise', 'x', '--', 'claude', '-c'], AGENTS, 'claude')).toMatchObject({
    program: ['mise', 'x', '--', 'claude'],
    args: ['-c']
  })
  expect(launchOf(['my-claude', '--verbose'], AGENTS, 'claude')).toMatchObject({
    program: ['my-claude'],
    args: ['--verbose']
  })
})

describe('a fresh start', () => {
  it('keeps what was typed, the first message too, and pins the id', () => {
    expect(freshArgv(launch('claude', '--model', 'opus', 'fix the bug'), ID)).toEqual({
      argv: ['claude', '--session-id', ID, '--model', 'opus', 'fix the bug'],
      leftOut: []
    })
    expect(freshArgv(launch('codex', '-m', 'o3', 'hello'), null)).toEqual({
      argv: ['codex', '-m', 'o3', 'hello'],
      leftOut: []
    })
  })

  it('leaves out what names another session, and says it', () => {
    expect(freshArgv(launch('claude', '--continue', '--verbose', 'go on'), ID)).toEqual({
      argv: ['claude', '--session-id', ID, '--verbose', 'go on'],
      leftOut: ['--continue']
    })
    expect(freshArgv(launch('claude', '--resume', OTHER, '--verbose'), ID)).toMatchObject({
      argv: ['claude', '--session-id', ID, '--verbose'],
      leftOut: ['--resume', OTHER]
    })
    expect(freshArgv(launch('claude', `--session-id=${OTHER}`), ID).leftOut).toEqual([`--session-id=${OTHER}`])
    expect(freshArgv(launch('codex', 'resume', OTHER, '-m', 'o3'), null)).toEqual({
      argv: ['codex', '-m', 'o3'],
      leftOut: ['resume', OTHER]
    })
  })
})

describe('a resume', () => {
  it('keeps the flags, permission bypasses too, and never sends the first message again', () => {
    const typed = launch('claude', '--model', 'opus', '--dangerously-skip-permissions', 'fix the bug')
    expect(resumeArgv(typed, ID)).toEqual({
      argv: ['claude', '--resume', ID, '--model', 'opus', '--dangerously-skip-permissions'],
      leftOut: ['fix the bug']
    })
    expect(resumeArgv(launch('codex', '--search', '-m', 'o3', 'hello'), ID)).toEqual({
      argv: ['codex', 'resume', ID, '--search', '-m', 'o3'],
      leftOut: ['hello']
    })
  })

  it('keeps an unknown flag only where no word after it could be the message', () => {
    expect(resumeArgv(launch('claude', '--new-thing', '--other=x', '--verbose'), ID)).toEqual({
      argv: ['claude', '--resume', ID, '--new-thing', '--other=x', '--verbose'],
      leftOut: []
    })
    expect(resumeArgv(launch('claude', '--new-thing', 'word', '--verbose'), ID)).toEqual({
      argv: ['claude', '--resume', ID, '--verbose'],
      leftOut: ['--new-thing', 'word']
    })
  })

  it('takes nothing behind -- for a flag', () => {
    expect(resumeArgv(launch('claude', '--verbose', '--', '--model', 'x'), ID)).toEqual({
      argv: ['claude', '--resume', ID, '--verbose'],
      leftOut: ['--', '--model', 'x']
    })
  })

  it('replaces the session that was typed', () => {
    expect(resumeArgv(launch('claude', '-r', OTHER, '-c', '--verbose'), ID)).toEqual({
      argv: ['claude', '--resume', ID, '--verbose'],
      leftOut: ['-r', OTHER, '-c']
    })
  })
})

test('the session that a command names', () => {
  expect(namedSession(launch('claude', '--verbose'))).toBeNull()
  expect(namedSession(launch('claude', '--resume', ID))).toBe(ID)
  expect(namedSession(launch('claude', `--resume=${ID}`))).toBe(ID)
  expect(namedSession(launch('claude', '--continue'))).toBe('')
  expect(namedSession(launch('codex', 'resume', '--last'))).toBe('')
  expect(namedSession(launch('codex', 'resume', ID))).toBe(ID)
})
