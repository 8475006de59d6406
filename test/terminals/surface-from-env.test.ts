import { expect, test } from 'vitest'
import type { Environment } from '../../src/core/environment.js'
import { type Above, type Binding, surfaceFromEnv as bind } from '../../src/terminals/surface-from-env.js'

const surfaceFromEnv = (env: Environment, chain: Above): Binding => bind(env, chain, ['CLAUDE_JOB_DIR'])

type Link = [pid: number, comm: string]
const above = (...links: Link[]): Above => ({
  links: [...links, [1, 'init'] as Link].map(([pid, comm]) => ({ pid, comm, start: `${pid}00` })),
  complete: true,
  bootId: 'boot'
})
const shell: Link = [90, 'zsh']
const tmuxServer: Link = [50, 'tmux: server']
const tmux: Environment = { TMUX: '/tmp/tmux-1000/default,50,0', TMUX_PANE: '%3' }
const kitty: Environment = { KITTY_PID: '20', KITTY_WINDOW_ID: '7' }
const cmux: Environment = { CMUX_SURFACE_ID: 'b2c3d4e5-f6a7-8901-bcde-f12345678901', CMUX_WORKSPACE_ID: 'w' }

test.each<[string, Environment, Above, string, string?]>([
  ['tmux', tmux, above(shell, tmuxServer), 'tmux:/tmp/tmux-1000/default:50.5000:%3'],
  ['a socket with a comma', { ...tmux, TMUX: '/tmp/a,b,50,0' }, above(shell, tmuxServer), 'tmux:/tmp/a,b:50.5000:%3'],
  ['screen', { STY: '40.my.work', WINDOW: '2' }, above(shell, [40, 'screen']), 'screen:40.4000:2', 'my.work:2'],
  [
    'zellij',
    { ZELLIJ: '0', ZELLIJ_SESSION_NAME: 'work', ZELLIJ_PANE_ID: '4' },
    above(shell, [30, 'zellij']),
    'zellij:30.3000:4',
    'work:4'
  ],
  ['WezTerm', { WEZTERM_PANE: '2' }, above(shell, [25, 'wezterm-gui']), 'wezterm:25.2500:2'],
  ['a WezTerm mux server', { WEZTERM_PANE: '2' }, above(shell, [26, 'wezterm-mux-ser']), 'wezterm:26.2600:2'],
  ['kitty', kitty, above(shell, [20, 'kitty']), 'kitty:20.2000:7']
])('%s', (_, env, chain, surfaceId, address) => {
  const scope = `${surfaceId.slice(0, surfaceId.lastIndexOf(':'))}@boot`
  expect(surfaceFromEnv(env, chain)).toEqual({ surface: { surfaceId, scope, ...(address ? { address } : {}) } })
})

test('cmux, whose ids are never used twice', () => {
  expect(surfaceFromEnv(cmux, above(shell))).toEqual({
    surface: { surfaceId: 'cmux:b2c3d4e5-f6a7-8901-bcde-f12345678901' }
  })
})

test('a surface that is named explicitly goes before all others', () => {
  const env = { ...tmux, CRASH_RESUME_SURFACE: 'worker 1' }
  expect(surfaceFromEnv(env, above(shell, tmuxServer))).toEqual({ surface: { surfaceId: 'worker 1' } })
  expect(surfaceFromEnv({ CRASH_RESUME_SURFACE: 'a\nb' }, above())).toEqual({ unbound: 'pane_unnamed' })
  expect(surfaceFromEnv({ ...tmux, CRASH_RESUME_SURFACE: '' }, above(shell, tmuxServer))).toHaveProperty(
    'surface.surfaceId',
    'tmux:/tmp/tmux-1000/default:50.5000:%3'
  )
})

test('a surface that was named for what started the server is not that of a pane of it', () => {
  const env = { ...tmux, CRASH_RESUME_SURFACE: 'worker 1' }
  const started = (named: Environment | null): Above => ({
    ...above(shell, tmuxServer),
    env: (pid) => (pid === tmuxServer[0] ? named : {})
  })
  const own = 'tmux:/tmp/tmux-1000/default:50.5000:%3'
  const surface = (named: Environment | null): unknown => surfaceFromEnv(env, started(named))
  expect(surface({ CRASH_RESUME_SURFACE: 'worker 1' })).toHaveProperty('surface.surfaceId', own)
  // What was started below the server was named anew.
  expect(surface({ CRASH_RESUME_SURFACE: 'lead' })).toEqual({ surface: { surfaceId: 'worker 1' } })
  expect(surface({})).toEqual({ surface: { surfaceId: 'worker 1' } })
  expect(surface(null)).toEqual({ surface: { surfaceId: 'worker 1' } })
})

test.each<[string, Environment, Link[], string]>([
  [
    'tmux in kitty',
    { ...tmux, ...kitty },
    [shell, tmuxServer, [20, 'kitty']],
    'tmux:/tmp/tmux-1000/default:50.5000:%3'
  ],
  ['kitty started from a tmux pane', { ...tmux, ...kitty }, [shell, [20, 'kitty'], tmuxServer], 'kitty:20.2000:7'],
  ['tmux whose kitty is gone', { ...tmux, ...kitty }, [shell, tmuxServer], 'tmux:/tmp/tmux-1000/default:50.5000:%3'],
  ['tmux in cmux', { ...tmux, ...cmux }, [shell, tmuxServer], 'tmux:/tmp/tmux-1000/default:50.5000:%3'],
  ['cmux started from a tmux pane', { ...tmux, ...cmux }, [shell, [9, 'cmux']], `cmux:${cmux['CMUX_SURFACE_ID']}`],
  ['screen in tmux', { ...tmux, STY: '40.x', WINDOW: '0' }, [shell, [40, 'screen'], tmuxServer], 'screen:40.4000:0'],
  [
    'tmux in screen',
    { ...tmux, STY: '40.x', WINDOW: '0' },
    [shell, tmuxServer, [40, 'screen']],
    'tmux:/tmp/tmux-1000/default:50.5000:%3'
  ]
])('of several the nearest one: %s', (_, env, links, surfaceId) => {
  expect(surfaceFromEnv(env, above(...links))).toHaveProperty('surface.surfaceId', surfaceId)
})

test.each<[string, Environment, Above, string]>([
  ['nothing', {}, above(shell), 'no_surface'],
  ['a terminal that is not known', { TERM_PROGRAM: 'x', SSH_TTY: '/dev/pts/3' }, above(shell), 'no_surface'],
  ['a process that has left its pane', tmux, above(shell), 'server_not_above'],
  ['another server than the one above', tmux, above(shell, [51, 'tmux: server']), 'pane_unnamed'],
  ['no pane', { TMUX: tmux['TMUX'] }, above(shell, tmuxServer), 'pane_unnamed'],
  ['an odd pane', { ...tmux, TMUX_PANE: 'work:1.0' }, above(shell, tmuxServer), 'pane_unnamed'],
  ['a tmux pane without TMUX, in kitty', kitty, above(shell, tmuxServer, [20, 'kitty']), 'pane_unnamed'],
  ['an odd window', { STY: '40.x', WINDOW: '' }, above(shell, [40, 'screen']), 'pane_unnamed'],
  ['a background session', { ...tmux, CLAUDE_JOB_DIR: '/j' }, above(shell, tmuxServer), 'background'],
  [
    'a background session in a named surface',
    { CRASH_RESUME_SURFACE: 's', CLAUDE_JOB_DIR: '/j' },
    above(shell),
    'background'
  ],
  ['processes that could not be seen', tmux, { links: [], complete: false }, 'server_not_above'],
  ['cmux, perhaps with a tmux between', { ...cmux, ...tmux }, { links: [], complete: false }, 'server_not_above']
])('unbound: %s', (_, env, chain, reason) => {
  expect(surfaceFromEnv(env, chain)).toEqual({ unbound: reason })
})

test('a start time that is a date has no blanks in the id', () => {
  const links = [{ pid: 50, comm: 'tmux', start: 'Mon Nov 30 09:12:44 2026' }]
  expect(surfaceFromEnv(tmux, { links, complete: true })).toHaveProperty(
    'surface.surfaceId',
    'tmux:/tmp/tmux-1000/default:50.MonNov300912442026:%3'
  )
})
