import { expect, it } from 'vitest'
import { isTmuxSurface, terminalOf, tmuxSocketOf, tmuxSockets } from '../../src/terminals/tmux-sockets.js'

it.each([
  ['tmux:/tmp/tmux-0/default:12.345:%7', '/tmp/tmux-0/default', true],
  ['tmux:/tmp/tmux-0/default:12.345', '/tmp/tmux-0/default', false],
  ['tmux:/tmp/tmux-0/default:12.345@boot-1', '/tmp/tmux-0/default', false],
  ['tmux:/a:1.2:b:12.345:%0', '/a:1.2:b', true],
  ['screen:12.345:0', null, false],
  ['coder-1', null, false],
  ['tmux:%7', null, false]
])('%s names the socket %s', (id, socket, isSurface) => {
  expect(tmuxSocketOf(id)).toBe(socket)
  expect(isTmuxSurface(id)).toBe(isSurface)
})

it('knows the servers of the entries, the one around, and the default, each once', () => {
  const entries = [
    { surfaceId: 'tmux:/run/a:12.345:%7' },
    { surfaceId: 'coder', scope: 'tmux:/run/b:12.345' },
    { surfaceId: 'tmux:/run/a:13.345:%7' },
    { surfaceId: 'screen:1.2:0' }
  ]
  expect(tmuxSockets(entries, { TMUX: '/run/c,99,0' }, 7)).toEqual([
    '/run/c',
    '/tmp/tmux-7/default',
    '/run/a',
    '/run/b'
  ])
  expect(tmuxSockets([], { TMUX_TMPDIR: '/x' }, 7)).toEqual(['/x/tmux-7/default'])
})

it('tells the server in an id', () => {
  expect(terminalOf('tmux:/a:1.2:b:12.345:%0')).toEqual({ name: 'tmux', server: { pid: 12, start: '345' } })
  expect(terminalOf('zellij:12.345:7')).toEqual({ name: 'zellij', server: { pid: 12, start: '345' } })
  expect(terminalOf('cmux:0D2C-11')).toEqual({ name: 'cmux', server: null })
  expect(terminalOf('coder-1')).toBeNull()
})
