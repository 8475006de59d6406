/**
 * A tmux server of our own: its socket is a file in our folder and it reads no configuration, so the user's server is
 * neither seen nor touched. Each pane runs a plain shell; what is started in it is typed, as a person would.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { until } from './until.mjs'

const LIMIT_MS = 10_000

export function tmuxServer(stage, name) {
  const socket = join(stage.folder, `${name}.tmux`)
  const run = (...args) => {
    const options = { env: stage.env, encoding: 'utf8', timeout: LIMIT_MS }
    const { status, stdout, stderr, error } = spawnSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], options)
    if (error?.code === 'ENOENT') throw new Error('tmux is not installed: apt install tmux, or brew install tmux')
    if (error !== undefined) throw error
    if (status !== 0) throw new Error(`tmux ${args[0]} failed: ${stderr.trim()}`)
    return stdout.trim()
  }

  return {
    start() {
      run('new-session', '-d', '-s', 'work', '-n', 'start', '-x', '160', '-y', '40', '/bin/sh')
    },

    /** Opens panes, each in a shell with the variables given for it; resolves once every shell is up. */
    async openPanes(panes) {
      const up = (pane) => join(stage.signs, `${name}-${pane.surface}-shell`)
      for (const pane of panes) {
        const variables = Object.entries({ ...pane.env, DEMO_SHELL_UP: up(pane) })
        const env = variables.flatMap(([key, value]) => ['-e', `${key}=${value}`])
        pane.id = run('new-window', '-d', '-t', 'work:', '-P', '-F', '#{pane_id}', ...env, '/bin/sh')
        pane.shell = Number(run('display-message', '-p', '-t', pane.id, '#{pane_pid}'))
      }
      await until('the shells of the panes came up', () => panes.every((pane) => existsSync(up(pane))) || undefined, {
        folder: stage.signs,
        signal: stage.signal
      })
    },

    /** Types lines into a pane, each with Enter. */
    type(pane, lines) {
      for (const line of lines)
        run('send-keys', '-t', pane.id, '-l', '--', line, ';', 'send-keys', '-t', pane.id, 'Enter')
    },

    screen: (pane) => run('capture-pane', '-p', '-t', pane.id).trim(),
    pid: () => Number(run('display-message', '-p', '#{pid}')),

    /** True while a server answers at the socket. */
    answers: () => {
      try {
        run('has-session')
        return true
      } catch {
        return false
      }
    },

    stop() {
      try {
        if (existsSync(socket)) run('kill-server')
      } catch {
        // It is gone already, which is what was asked for.
      }
    }
  }
}
