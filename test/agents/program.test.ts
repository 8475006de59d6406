import { expect, test } from 'vitest'
import { type AgentProgram, launches, runsAgent } from '../../src/agents/program.js'

const claude: AgentProgram = { name: 'claude', programs: ['claude'], packages: ['@anthropic-ai/claude-code'] }
const gemini: AgentProgram = { name: 'gemini', programs: ['gemini'], packages: ['@google/gemini-cli'] }
const codex: AgentProgram = { name: 'codex', programs: ['codex'] }
const words = (line: string): string[] => line.split(' ')

test.each([
  ['claude'],
  ['/home/dev/.local/bin/claude --resume x'],
  ['-claude'],
  ['node /usr/bin/claude --debug'],
  ['node --no-warnings -r /x/hook.js --import=y /usr/bin/claude'],
  ['/usr/bin/node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js'],
  ['bun run /opt/claude.ts'],
  ['/bin/sh /home/dev/bin/claude'],
  ['bash -e /home/dev/bin/claude'],
  ['python3 /home/dev/bin/claude']
])('an agent: %s', (line) => {
  expect(runsAgent(words(line), claude)).toBe(true)
})

test.each([
  ['sh -c claude'],
  ['bash -lc claude --resume x'],
  ['zsh -ic claude'],
  ['node -e 0 claude'],
  ['node wrapper.js claude'],
  ['python3 claude.py'],
  ['python3 -c claude'],
  ['timeout 5 claude'],
  ['tail -f claude'],
  ['claude-monitor'],
  ['sh'],
  ['node'],
  ['vim /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js'],
  ['']
])('no agent: %s', (line) => {
  expect(runsAgent(words(line), claude)).toBe(false)
})

test.each<[string, string, AgentProgram, boolean]>([
  ['node /usr/bin/codex -m x', '/v/codex -m x', codex, true],
  ['node /usr/bin/gemini -y', 'node --max-old-space-size=9 /usr/bin/gemini -y', gemini, true],
  ['sh /home/dev/bin/claude', 'claude --debug', claude, true],
  ['sh /home/dev/bin/gemini', 'node /usr/bin/gemini -y', gemini, true],
  ['claude', 'claude -p hi', claude, false],
  ['node /usr/bin/gemini', 'node /usr/bin/gemini -p hi', gemini, false],
  ['bash -c codex', 'codex', codex, false],
  ['node /usr/bin/gemini', 'codex', codex, false]
])('%s starts %s: a launcher of it', (parent, child, agent, expected) => {
  expect(launches(words(parent), words(child), agent)).toBe(expected)
})
