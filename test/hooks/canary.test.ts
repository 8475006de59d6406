/** The built bin as a hook: whatever it is handed, nothing of it is in any file, on any stream or in an error. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cli } from '../support/programs.js'

const CANARY = 'CANARY-90210'
const A = '84cd5d3f-1a62-45fe-8e8f-5450fd198549'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cri-canary-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

/** Runs the hook; what it said on its streams. */
function hook(input: string, path = join(folder, 'index.json'), ...options: string[]): string {
  const env = {
    HOME: folder,
    CRASH_RESUME_INDEX_PATH: path,
    CRASH_RESUME_SURFACE: 'surface',
    ANTHROPIC_API_KEY: CANARY,
    CLAUDE_CODE_MESSAGING_TOKEN: CANARY,
    [`NAME_${CANARY}`]: 'set'
  }
  const words = [cli(), 'hook', 'claude', '--json', ...options]
  const { stdout, stderr } = spawnSync(process.execPath, words, { input, env, encoding: 'utf8' })
  return stdout + stderr
}

function everyFile(): string {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const files = names.filter((name) => statSync(join(folder, name)).isFile())
  return files.map((name) => `${name}\n${readFileSync(join(folder, name), 'utf8')}`).join('\n')
}

function event(name: string, fields: object = {}): string {
  const said = { prompt: CANARY, last_assistant_message: CANARY, tool_input: { command: CANARY }, env: { KEY: CANARY } }
  return JSON.stringify({ hook_event_name: name, session_id: A, cwd: '/home/dev/p1', ...said, [CANARY]: 1, ...fields })
}

test('what was taken in', () => {
  const said = ['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd'].map((name) => hook(event(name)))
  expect(said[0]).toContain('captured')
  expect(everyFile()).toContain(A)
  expect(said.join() + everyFile()).not.toContain(CANARY)
})

test('what could not be taken in', () => {
  const inTheWay = join(folder, 'folder.json')
  mkdirSync(inTheWay)
  const broken = join(folder, 'broken.json')
  writeFileSync(broken, '{')
  const said = [
    hook(CANARY),
    hook(`{"prompt":"${CANARY}`),
    hook(JSON.stringify({ prompt: CANARY })),
    hook(event('SessionStart', { session_id: `../${CANARY}` }), undefined, '--strict'),
    hook(`"${CANARY}${'x'.repeat(1024 * 1024)}"`),
    hook(event('SessionStart'), inTheWay, '--strict'),
    hook(event('SessionStart'), broken, '--strict'),
    hook(event('SessionStart'), undefined, `--${CANARY}`)
  ]
  expect(said.filter((one) => one.includes('failed')).length).toBeGreaterThanOrEqual(5)
  expect(everyFile()).toContain('index.json.hook.log')
  expect(said.join() + everyFile()).not.toContain(CANARY)
})
