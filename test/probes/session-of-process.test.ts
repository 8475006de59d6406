/** Which session a running agent is in, by the files that it holds open and by the note that it keeps. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { AGENTS, rowFor, withAgents } from '../../src/agents/table.js'
import type { Known } from '../../src/probes/known.js'
import { sessionOfProcess, showsSession } from '../../src/probes/session-of-process.js'

const A = '84cd5d3f-1a62-45fe-8e8f-5450fd198549'
const owner = { host: 'h', pid: 4711, start: '123' }

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cri-note-'))
})
afterEach(() => rmSync(home, { recursive: true }))

function note(folder: string, content: string): void {
  mkdirSync(join(home, folder), { recursive: true })
  writeFileSync(join(home, folder, '4711.json'), content)
}
const shown = (answer: Known<string | null>): string | null => (answer.known ? answer.value : `unknown: ${answer.why}`)
const claude = (env: Record<string, string> = {}): string | null =>
  shown(sessionOfProcess(AGENTS.claude, owner, { HOME: home, ...env }))

test('by the note that Claude Code keeps, of this very process', () => {
  expect(claude()).toBeNull()
  note('.claude/sessions', JSON.stringify({ pid: 4711, sessionId: A, procStart: '123' }))
  expect(claude()).toBe(A)
  expect(claude({ CLAUDE_CONFIG_DIR: join(home, '.claude') })).toBe(A)
  expect(claude({ CLAUDE_CONFIG_DIR: '.claude' })).toMatch(/^unknown/)
  expect(shown(sessionOfProcess(AGENTS.codex, owner, { HOME: home }))).not.toBe(A)
})

test.each([
  ['of an earlier process of that number', JSON.stringify({ sessionId: A, procStart: '99' })],
  ['without a start time', JSON.stringify({ sessionId: A })],
  ['without a session', JSON.stringify({ sessionId: 1, procStart: '123' })]
] as const)('not by a note %s', (_, content) => {
  note('.claude/sessions', content)
  expect(claude()).toBeNull()
})

test.each([
  ['that is no object', 'null'],
  ['that is half written', '{"sessionId"']
] as const)('it is not known by a note %s', (_, content) => {
  note('.claude/sessions', content)
  expect(claude()).toMatch(/^unknown/)
})

test("by the note of a caller's agent", () => {
  const agents = withAgents([
    {
      name: 'mine',
      processNote: { path: (pid, place) => join(place.home, 'mine', `${pid}.json`), sessionId: 'id', start: 'began' }
    }
  ])
  note('mine', JSON.stringify({ id: 's-1', began: 123 }))
  const row = rowFor('mine', agents)
  expect(row && shown(sessionOfProcess(row, owner, { HOME: home }))).toBe('s-1')
})

test('by the files that it holds open, of several the session that started last', async () => {
  const [old, late] = ['01a22709-3309-7d00-9d7e-ff57391f5817', '01a2270b-5013-7942-ae21-7c0871aac0f3']
  const files = [late, old].map((id) => join(home, `rollout-2026-11-29T11-20-44-${id}.jsonl`))
  for (const file of files) writeFileSync(file, '')
  const script =
    'process.argv.slice(1).map((file) => require("node:fs").openSync(file)); process.stdin.pipe(process.stdout)'
  const child = spawn(process.execPath, ['-e', script, ...files], { stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = once(child, 'exit')
  child.stdin.write('up')
  await once(child.stdout, 'data')
  expect(shown(sessionOfProcess(AGENTS.codex, { host: 'h', pid: child.pid ?? 0 }, {}))).toBe(late)
  child.stdin.end()
  await ended
})

test('a resumed agent is expected to show its session, but for one that shows it with its next prompt', () => {
  expect(showsSession(AGENTS.codex, { HOME: home })).toBe(true)
  expect(showsSession(AGENTS.copilot, { HOME: home })).toBe(false)
})
