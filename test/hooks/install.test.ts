import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HOOK_AGENTS } from '../../src/agents/table.js'
import { hookCommand, missingFiles } from '../../src/hooks/hook-command.js'
import { applyHooks, type HookPlanOptions, planHooks } from '../../src/hooks/install.js'
import { hooksStatus } from '../../src/hooks/status.js'
import { program } from '../support/programs.js'

let home: string
let options: HookPlanOptions
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cri-install-'))
  options = { node: process.execPath, bin: join(home, 'dist/cli.cjs'), env: { HOME: home } }
  put('dist/cli.cjs', '')
})
afterEach(() => rmSync(home, { recursive: true }))

function put(path: string, text: string): string {
  const target = join(home, path)
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, text)
  return target
}
const read = (path: string): string => readFileSync(join(home, path), 'utf8')
const settings = '.claude/settings.json'
const stateOf = (agent: string, env = options.env): string | undefined =>
  hooksStatus({ env }).find((status) => status.agent === agent)?.state

test('Claude: exactly the events that every version knows, by absolute paths, with a time in seconds', async () => {
  const plan = await applyHooks('claude', 'install', options)
  const hook = { type: 'command', command: hookCommand('claude', options), timeout: 5 }
  expect(JSON.parse(read(settings))).toEqual({
    hooks: {
      SessionStart: [{ hooks: [hook] }],
      UserPromptSubmit: [{ hooks: [hook] }],
      SessionEnd: [{ hooks: [hook] }]
    }
  })
  expect(plan).toMatchObject({ changed: true, before: null, after: read(settings), path: join(home, settings) })
  expect(statSync(join(home, settings)).mode & 0o777).toBe(0o600)
})

test('Gemini counts in milliseconds, Codex wants trust', async () => {
  await applyHooks('gemini', 'install', options)
  expect(JSON.parse(read('.gemini/settings.json')).hooks.BeforeAgent[0].hooks[0].timeout).toBe(5000)
  const plan = await applyHooks('codex', 'install', options)
  expect(plan.notes.join()).toMatch(/trust/)
  expect(Object.keys(JSON.parse(read('.codex/hooks.json')).hooks)).toEqual([
    'SessionStart',
    'UserPromptSubmit',
    'SessionEnd'
  ])
})

test.each(HOOK_AGENTS)('%s: twice is once, and a plan changes nothing', async (agent) => {
  const plan = planHooks(agent, 'install', options)
  expect(existsSync(plan.path)).toBe(false)
  await applyHooks(agent, 'install', options)
  expect(readFileSync(plan.path, 'utf8')).toBe(plan.after)
  expect(await applyHooks(agent, 'install', options)).toMatchObject({ changed: false })
  expect(stateOf(agent)).toBe('installed')
  await applyHooks(agent, 'uninstall', options)
  expect(await applyHooks(agent, 'uninstall', options)).toMatchObject({ changed: false })
  expect(stateOf(agent)).toBe('not_installed')
})

const mine = `{
  // my model
  "model": "opus",
  "hooks": {
    "SessionStart": [
      { "matcher": "startup", "hooks": [{ "type": "command", "command": "./mine.sh" }] } // keep
    ],
    "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }]
  },
  "permissions": { "allow": ["Bash(ls)"] }
}
`

test("a person's settings stay as they are, to the comment, and come back", async () => {
  put('.gemini/settings.json', mine)
  await applyHooks('gemini', 'install', options)
  const installed = read('.gemini/settings.json')
  for (const line of ['// my model', '"./mine.sh" }] }, // keep', '"say done"', '"allow": ["Bash(ls)"] }']) {
    expect(installed).toContain(line)
  }
  expect(stateOf('gemini')).toBe('installed')
  await applyHooks('gemini', 'uninstall', options)
  expect(read('.gemini/settings.json')).toBe(mine)
})

test('a command of an older place is put right, once; the time that a person set stays', async () => {
  await applyHooks('claude', 'install', { ...options, bin: '/old/cli.cjs' })
  put(settings, read(settings).replace('"timeout": 5', '"timeout": 9'))
  expect(stateOf('claude')).toBe('broken')
  await applyHooks('claude', 'install', options)
  expect(read(settings)).not.toContain('/old/')
  expect(read(settings).match(/crash-resume-index/g)).toHaveLength(3)
  expect(read(settings)).toContain('"timeout": 9')
  expect(stateOf('claude')).toBe('installed')
})

test('a command of ours that is there twice is there once afterwards', async () => {
  const hook = { type: 'command', command: hookCommand('claude', options), timeout: 5 }
  put(settings, JSON.stringify({ hooks: { SessionStart: [{ hooks: [hook, hook] }, { hooks: [hook] }] } }))
  await applyHooks('claude', 'install', options)
  expect(JSON.parse(read(settings)).hooks.SessionStart).toEqual([{ hooks: [hook] }])
})

test('only some of the events', async () => {
  await applyHooks('claude', 'install', options)
  const { hooks } = JSON.parse(read(settings))
  put(settings, JSON.stringify({ hooks: { SessionStart: hooks.SessionStart } }))
  expect(stateOf('claude')).toBe('partly')
})

test('a symbolic link stays one, and so does the mode of what it leads to', async () => {
  const target = put('dotfiles/claude.json', '{}')
  chmodSync(target, 0o640)
  mkdirSync(join(home, '.claude'))
  symlinkSync('../dotfiles/claude.json', join(home, settings))
  await applyHooks('claude', 'install', options)
  expect(lstatSync(join(home, settings)).isSymbolicLink()).toBe(true)
  expect(statSync(target).mode & 0o777).toBe(0o640)
  expect(readFileSync(target, 'utf8')).toContain('SessionStart')
  expect(readdirSync(join(home, 'dotfiles'))).toEqual(['claude.json'])
})

test('a link to a file that is not there yet makes that file', async () => {
  mkdirSync(join(home, '.claude'))
  symlinkSync('../dotfiles/claude.json', join(home, settings))
  await applyHooks('claude', 'install', options)
  expect(lstatSync(join(home, settings)).isSymbolicLink()).toBe(true)
  expect(read('dotfiles/claude.json')).toContain('SessionStart')
})

test.each(['{', '[]', '{"hooks": []}', '{"hooks": {"SessionStart": 5}}', '{"token": CANARY'])(
  'settings that are no such settings are left as they are: %s',
  async (text) => {
    put(settings, text)
    await expect(applyHooks('claude', 'install', options)).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT' })
    await expect(applyHooks('claude', 'install', options)).rejects.not.toThrow(/CANARY/)
    expect(read(settings)).toBe(text)
    expect(['unreadable', 'not_installed']).toContain(stateOf('claude'))
  }
)

test('an agent whose hooks nobody has seen', () => {
  for (const agent of ['copilot', 'qwen', 'nobody']) {
    expect(() => planHooks(agent, 'install', options)).toThrow(/no hooks that are known/)
  }
})

test("the agents' own variables say where", () => {
  const env = { HOME: home, CLAUDE_CONFIG_DIR: '/c', CODEX_HOME: '/x', GEMINI_CLI_HOME: '/g', XDG_CONFIG_HOME: '/o' }
  expect(hooksStatus({ env }).map(({ path }) => path)).toEqual([
    '/c/settings.json',
    '/x/hooks.json',
    '/g/.gemini/settings.json',
    '/o/opencode/plugin/crash-resume-index.js'
  ])
})

test("OpenCode's plugin is a file of ours; somebody else's of that name stays", async () => {
  const path = '.config/opencode/plugin/crash-resume-index.js'
  await applyHooks('opencode', 'install', options)
  expect(() =>
    execFileSync(process.execPath, ['--input-type=module', '--check', '-'], { input: read(path) })
  ).not.toThrow()
  expect(hooksStatus({ env: options.env }).find(({ agent }) => agent === 'opencode')?.missing).toEqual([])
  rmSync(join(home, 'dist/cli.cjs'))
  expect(stateOf('opencode')).toBe('broken')
  await applyHooks('opencode', 'uninstall', options)
  expect(existsSync(join(home, path))).toBe(false)
  put(path, 'export const Mine = 1\n')
  await expect(applyHooks('opencode', 'install', options)).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT' })
  await expect(applyHooks('opencode', 'uninstall', options)).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT' })
  expect(read(path)).toBe('export const Mine = 1\n')
})

test("OpenCode's plugin tells the session of each message, but for those of sub-agents", async () => {
  const told = join(home, 'told')
  const node = put('fake-node', `#!/bin/sh\nprintf '%s ' "$3" >> '${told}'; cat >> '${told}'; echo >> '${told}'\n`)
  chmodSync(node, 0o755)
  await applyHooks('opencode', 'install', { ...options, node })
  const plugin = put('plugin.mjs', read('.config/opencode/plugin/crash-resume-index.js'))
  const script = `
    const { CrashResumeIndex } = await import(${JSON.stringify(plugin)})
    const hooks = await CrashResumeIndex({ directory: '/p1' })
    await hooks.event({ event: { type: 'session.created', properties: { info: { id: 'ses_child', parentID: 'ses_a' } } } })
    await hooks.event({ event: { type: 'session.idle' } })
    await hooks['chat.message']({ sessionID: 'ses_child' })
    await hooks['chat.message']({ sessionID: 'ses_a' })`
  execFileSync(process.execPath, ['--input-type=module', '-e', script])
  const { hook_event_name, session_id, cwd } = JSON.parse(readFileSync(told, 'utf8').replace('opencode ', ''))
  expect([hook_event_name, session_id, cwd]).toEqual(['chat.message', 'ses_a', '/p1'])
})

test.each([
  ['a folder with a quote and a blank', "it's here/cli.cjs"],
  ['a plain folder', 'bin/cli.cjs']
])('the command runs in a shell without a PATH: %s', (_, place) => {
  const bin = put(
    place,
    `require('node:fs').writeFileSync(${JSON.stringify(join(home, 'ran'))}, process.argv.slice(2).join())`
  )
  const command = hookCommand('claude', { node: process.execPath, bin })
  expect(missingFiles(command)).toEqual([])
  execFileSync('/bin/sh', ['-c', command], { env: {} })
  expect(read('ran')).toBe('hook,claude')
})

test('a command whose Node is gone ends well and says nothing', () => {
  const command = hookCommand('claude', { node: '/no/such/node', bin: '/no/such/cli.cjs' })
  expect(missingFiles(command)).toEqual(['/no/such/node', '/no/such/cli.cjs'])
  const out = execFileSync('/bin/sh', ['-c', `${command}\n`], { stdio: 'pipe' })
  expect(out.toString()).toBe('')
})

test.each([0, 4096])('a disk with room for %i bytes more leaves the settings as they were', (room) => {
  // In a mount namespace of its own: a disk of 64 kB with a file of ours on it, filled up.
  const script = `mount -t tmpfs -o size=64k none "$0" && cp "$1" "$0/settings.json" && cd "$0"
    cat /dev/zero > fill 2>/dev/null; truncate -s -${room} fill; "$2" "$3" claude; cmp settings.json "$1" && echo same; ls -A`
  const own = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
  const before = put('before.json', `{"model": "${'x'.repeat(10_000)}"}`)
  const small = join(home, 'small')
  mkdirSync(small)
  const args = ['--mount', ...own, 'sh', '-c', script, small, before, process.execPath, program('install-hooks')]
  const env = { ...process.env, CLAUDE_CONFIG_DIR: small }
  expect(execFileSync('unshare', args, { env, encoding: 'utf8' })).toBe('ERR_IO\nsame\nfill\nsettings.json\n')
})
