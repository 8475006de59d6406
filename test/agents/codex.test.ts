import { expect, it } from 'vitest'
import { keepFlags } from '../../src/agents/flags.js'
import { AGENTS } from '../../src/agents/table.js'
import { testAgent, UUID, words } from './agent-table.js'

testAgent('codex', {
  seen: '0.171.0',
  id: UUID,
  resume: `codex resume ${UUID}`,
  withPrompt: `codex resume ${UUID} 'go on' --model m`,
  headless: `codex exec --model m resume ${UUID} 'go on'`,
  pin: null,
  alone: ['codex exec resume x', 'codex -m gpt exec hi', 'codex review', 'codex app-server'],
  attended: ['codex resume x', 'codex', 'codex -m gpt hi'],
  chores: ['codex login', 'codex app-server', 'codex -c x=y mcp-server', 'codex mcp list', 'codex --help'],
  grants: [
    '--yolo',
    '--dangerously-bypass-approvals-and-sandbox',
    '-c approval_policy=never',
    '--sandbox danger-full-access'
  ],
  gone: [
    `Error: thread/resume: thread/resume failed: no rollout found for thread id ${UUID} (code -32600)`,
    `ERROR: No saved session found with ID ${UUID}. Run \`codex\``
  ],
  questions: [
    '  Do you trust the contents of this directory?',
    '\n  Hooks need review\n  1 hook is new or changed.\n  Hooks can run outside the sandbox after you trust them.',
    '\n  Hooks need review\n  4 hooks are new or changed.\n\n\n› 1. Review hooks\n  2. Trust all and continue'
  ],
  // What a resumed conversation speaks of is no question.
  noQuestions: ['› why does it say "Hooks need review" at its start?'],
  transcripts: [
    [{}, '/repo', '/home/me/.codex/sessions'],
    [{ CODEX_HOME: '/c' }, '/repo', '/c/sessions'],
    [{ CODEX_HOME: '' }, '/repo', '/home/me/.codex/sessions'],
    [{ CODEX_HOME: 'here' }, undefined, null]
  ]
})

it('leaves out, without a terminal, what that form does not take, with its argument', () => {
  const line = '--search -a never --oss -m o3 --no-alt-screen'
  expect(keepFlags(AGENTS.codex, words(line), { headless: true, grants: true })).toEqual(words('--oss -m o3'))
})

it('knows when a session started by its id, where that is a UUID of version 7', () => {
  const at = AGENTS.codex.startedSince?.at('01a22709-3309-7d00-9d7e-ff57391f5817')
  expect(new Date(at ?? 0).toISOString()).toBe('2026-11-29T11:20:44.041Z')
  expect(AGENTS.codex.startedSince?.at('84cd5d3f-1a62-45fe-8e8f-5450fd198549')).toBeNull()
})
