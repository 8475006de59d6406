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

test('a fresh start keeps what was typed, the first message and the shape of the session too, and pins the id', () => {
  expect(freshArgv(launch('claude', '--model', 'opus', '-w', 'side', 'fix the bug'), ID)).toEqual([
    ...['claude', '--session-id', ID, '--model', 'opus', '-w', 'side', 'fix the bug']
  ])
  expect(freshArgv(launch('codex', '-m', 'o3', 'hello'), null)).toEqual(['codex', '-m', 'o3', 'hello'])
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
    expect(resumeArgv(launch('claude', '--session-id', OTHER, '-w', 'side', '--verbose'), ID)).toEqual({
      argv: ['claude', '--resume', ID, '--verbose'],
      leftOut: ['-w', 'side']
    })
  })
})

describe('the session that a command names', () => {
  const SES = 'ses_AbC123'
  test.each<[string[], object]>([
    [['claude', '--verbose'], { by: 'none' }],
    [['claude', '-w', 'side'], { by: 'none' }],
    [['claude', '--resume', ID], { by: 'resume', sessionId: ID }],
    [['claude', '-r', ID, '--model', 'opus', 'go on'], { by: 'resume', sessionId: ID }],
    [['claude', `--resume=${ID}`], { by: 'resume', sessionId: ID }],
    [['codex', 'resume', ID], { by: 'resume', sessionId: ID }],
    [['codex', '-m', 'o3', 'resume', '--search', ID, 'go on'], { by: 'resume', sessionId: ID }],
    [['gemini', '--resume', ID], { by: 'resume', sessionId: ID }],
    [['gemini', '-r', ID], { by: 'resume', sessionId: ID }],
    [['qwen', '-r', ID], { by: 'resume', sessionId: ID }],
    [['copilot', `--resume=${ID}`], { by: 'resume', sessionId: ID }],
    [['copilot', '--resume', ID], { by: 'resume', sessionId: ID }],
    [['opencode', '-s', SES], { by: 'resume', sessionId: SES }],
    [['opencode', '--session', SES], { by: 'resume', sessionId: SES }],
    [['pi', '--session', 'abc'], { by: 'resume', sessionId: 'abc' }],
    [['claude', '--session-id', ID], { by: 'pin', sessionId: ID }],
    [['claude', `--session-id=${ID}`], { by: 'pin', sessionId: ID }],
    [['gemini', '--session-id', ID], { by: 'pin', sessionId: ID }],
    [['copilot', '--session-id', ID], { by: 'pin', sessionId: ID }]
  ])('%j: %j', (argv, named) => {
    expect(namedSession(launch(...argv))).toEqual(named)
  })

  test.each([
    'claude -c',
    'claude --continue --model opus',
    'claude -r',
    'claude --resume my-title',
    'claude --from-pr 12',
    `claude --resume ${ID} --fork-session`,
    `claude --resume ${ID} --fork-session --session-id ${OTHER}`,
    'claude --bg',
    'codex resume',
    'codex resume --last',
    `codex resume ${ID} --all`,
    `codex fork ${ID}`,
    'codex -m o3 fork --last',
    'gemini --resume',
    'gemini --resume latest',
    'gemini -r 3',
    'opencode -c',
    `opencode -s ${SES} --fork`,
    'qwen --continue',
    'copilot --resume',
    'copilot --connect'
  ])('%s: the agent chooses it', (line) => {
    expect(namedSession(launch(...line.split(' ')))).toEqual({ by: 'agent' })
  })
})
