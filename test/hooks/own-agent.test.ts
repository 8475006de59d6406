/** An agent of the caller's: its row alone says how its hooks are installed and what its events mean. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { COMMON_DIALECT } from '../../src/agents/hook-facts.js'
import { withAgents } from '../../src/agents/table.js'
import { hookCommand } from '../../src/hooks/hook-command.js'
import { applyHooks, planHooks } from '../../src/hooks/install.js'
import { hooksStatus } from '../../src/hooks/status.js'
import { type Tmux, World } from '../support/world.js'

const agents = withAgents([
  {
    name: 'mine',
    marks: ['MINE_INSIDE'],
    backgroundVariables: ['MINE_JOB'],
    isUnattended: (env) => env['MINE_ALONE'] === '1',
    jobFolder: /\/mine-jobs\//,
    launchFolder: {
      keeps: (transcript, folder) => transcript.startsWith(`/kept${folder}/`),
      variable: 'MINE_FOLDER'
    },
    hooks: {
      format: 'json',
      path: ({ home, env, cwd }) => join(env['MINE_HOME'] ?? home, cwd === '' ? 'x' : 'mine.json'),
      events: ['Begin', 'End'],
      timeout: 7,
      notes: ['start it once more']
    },
    payload: {
      ...COMMON_DIALECT,
      event: 'what',
      sessionId: 'id',
      transcript: 'file',
      ends: ['End'],
      turn: { field: 'what', value: 'Turn', sessionId: 'thread' }
    },
    ownExits: ['quit']
  },
  {
    name: 'scripted',
    hooks: {
      format: 'plugin',
      path: ({ home }) => join(home, 'scripted.js'),
      events: ['Begin', 'Message'],
      notes: [],
      script: 'run(command)\n'
    }
  }
])

let world: World
let tmux: Tmux
let env: Record<string, string>
let mine: number
beforeEach(() => {
  world = new World()
  tmux = world.tmux()
  mine = world.start(tmux.server, 'mine')
  env = tmux.env('%1')
})
afterEach(() => world.remove())
const say = (payload: object, more: Record<string, string> = {}): ReturnType<World['hook']> =>
  world.hook('mine', mine, { ...env, ...more }, payload, { agents })

test('its events are read by its own names', async () => {
  expect(await say({ what: 'Begin', id: 's1', cwd: '/p', file: '/kept/q/s1' }, { MINE_FOLDER: '/q' })).toMatchObject({
    outcome: 'captured',
    sessionId: 's1',
    event: 'Begin'
  })
  expect(world.entry()).toMatchObject({ agent: 'mine', cwd: '/q', transcript: '/kept/q/s1', proc: world.owner(mine) })
  expect((await say({ what: 'Turn', thread: 's2' })).outcome).toBe('ignored')
  expect((await say({ what: 'Turn', thread: 's1' })).outcome).toBe('refreshed')
  expect((await say({ hook_event_name: 'SessionStart', session_id: 's1' })).outcome).toBe('failed')
})

test('its own exit is the one in its own words', async () => {
  const leave = (reason: string): ReturnType<World['hook']> => say({ what: 'End', id: 's1', reason })
  await say({ what: 'Begin', id: 's1' })
  expect((await leave('exit')).outcome).toBe('noted')
  expect((await leave('quit')).outcome).toBe('left')
})

test('without a person or in the background it changes nothing', async () => {
  expect((await say({ what: 'Begin', id: 's1' }, { MINE_ALONE: '1' })).outcome).toBe('nested')
  expect(await say({ what: 'Begin', id: 's1' }, { MINE_JOB: '/j' })).toMatchObject({
    outcome: 'unbound',
    why: 'background'
  })
  expect(await say({ what: 'Begin', id: 's1', cwd: '/h/mine-jobs/1' })).toMatchObject({ why: 'background' })
  expect(world.surfaces()).toEqual([])
})

test('its hooks are installed, looked at and removed as its row says', async () => {
  const home = mkdtempSync(join(tmpdir(), 'cri-own-'))
  const program = { node: process.execPath, bin: process.execPath }
  const options = { ...program, env: { HOME: '/nowhere', MINE_HOME: home }, agents }
  const stateOf = (): string | undefined =>
    hooksStatus({ env: options.env, agents }).find(({ agent }) => agent === 'mine')?.state
  try {
    expect((await applyHooks('mine', 'install', options)).notes).toEqual(['start it once more'])
    const hook = { type: 'command', command: hookCommand('mine', program), timeout: 7 }
    expect(JSON.parse(readFileSync(join(home, 'mine.json'), 'utf8'))).toEqual({
      hooks: { Begin: [{ hooks: [hook] }], End: [{ hooks: [hook] }] }
    })
    expect(stateOf()).toBe('installed')
    await applyHooks('mine', 'uninstall', options)
    expect(stateOf()).toBe('not_installed')
  } finally {
    rmSync(home, { recursive: true })
  }
})

test('a script of its row becomes a file of ours, below the command', async () => {
  const home = mkdtempSync(join(tmpdir(), 'cri-own-'))
  const options = { node: process.execPath, bin: process.execPath, env: { HOME: home }, agents }
  try {
    const { after } = planHooks('scripted', 'install', options)
    expect(after?.split('\n').slice(1)).toEqual([
      `const command = ${JSON.stringify([process.execPath, process.execPath, 'hook', 'scripted'])}`,
      'run(command)',
      ''
    ])
    await applyHooks('scripted', 'install', options)
    const found = hooksStatus({ env: options.env, agents }).find(({ agent }) => agent === 'scripted')
    expect(found).toMatchObject({ state: 'installed', events: ['Begin', 'Message'], missing: [] })
    await applyHooks('scripted', 'uninstall', options)
    expect(existsSync(join(home, 'scripted.js'))).toBe(false)
  } finally {
    rmSync(home, { recursive: true })
  }
})

test('an agent whose row says nothing of hooks has none that are known', () => {
  expect(() => planHooks('mine', 'install', { node: 'n', bin: 'b' })).toThrow(
    /no hooks that are known; choose one of claude/
  )
})
