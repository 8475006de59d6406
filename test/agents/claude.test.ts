import { expect, it } from 'vitest'
import { isHeadless } from '../../src/agents/headless.js'
import { AGENTS } from '../../src/agents/table.js'
import { testAgent, UUID } from './agent-table.js'

testAgent('claude', {
  seen: '2.1.332',
  id: UUID,
  resume: `claude --resume ${UUID}`,
  withPrompt: `claude --resume ${UUID} 'go on' --model m`,
  headless: `claude -p --resume ${UUID} 'go on' --model m`,
  pin: `claude --session-id ${UUID}`,
  alone: ['claude -p hi', 'node /usr/bin/claude --print', 'claude --model opus --print=hi'],
  attended: ['claude', 'claude --resume x', "claude 'fix the bug'"],
  chores: [
    'claude update',
    'claude mcp list',
    'claude mcp serve',
    'claude --model opus update',
    'claude --version',
    'claude doctor'
  ],
  grants: [
    '--dangerously-skip-permissions',
    '--permission-mode bypassPermissions',
    '--settings /etc/other.json',
    '--mcp-config a.json b.json'
  ],
  gone: [`No conversation found with session ID: ${UUID}`],
  questions: [' Quick safety check: Is this a project you created or one you trust? (Like your own code, ...)'],
  noQuestions: ['❯ the word is ALPHA'],
  transcripts: [
    [{}, '/repo', `/home/me/.claude/projects/-repo/${UUID}.jsonl`],
    [{}, undefined, '/home/me/.claude/projects'],
    [{ CLAUDE_CONFIG_DIR: '/c' }, '/repo', `/c/projects/-repo/${UUID}.jsonl`],
    [{ CLAUDE_CONFIG_DIR: '' }, '/repo', `/repo/projects/-repo/${UUID}.jsonl`],
    [{ CLAUDE_CONFIG_DIR: 'here' }, undefined, null],
    // The folder that it was told to use counts only where its configuration folder is given as well.
    [{ CLAUDE_CONFIG_DIR: '/c', CLAUDE_CODE_PROJECT_DIR_NAME: 'mine' }, '/repo', `/c/projects/mine/${UUID}.jsonl`],
    [{ CLAUDE_CONFIG_DIR: '/c', CLAUDE_CODE_PROJECT_DIR_NAME: '../x' }, '/repo', `/c/projects/-repo/${UUID}.jsonl`],
    [{ CLAUDE_CODE_PROJECT_DIR_NAME: 'mine' }, '/repo', `/home/me/.claude/projects/-repo/${UUID}.jsonl`]
  ]
})

it.each([
  [{ CLAUDE_CODE_SESSION_ATTENDED: '0', CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' }, true],
  [{ CLAUDE_CODE_ENTRYPOINT: 'sdk-ts' }, true],
  [{ CLAUDE_CODE_ENTRYPOINT: 'mcp' }, true],
  [{ CLAUDE_CODE_SESSION_ATTENDED: '1', CLAUDE_CODE_ENTRYPOINT: 'cli' }, false],
  [{ CLAUDE_CODE_CHILD_SESSION: '1', CLAUDE_CODE_ENTRYPOINT: 'cli' }, false]
])('tells in its environment, %j, whether a person is there', (env, alone) => {
  expect(isHeadless(AGENTS.claude, env, [])).toBe(alone)
})
