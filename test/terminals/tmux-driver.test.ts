import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { ownerOf, verdictOf } from '../../src/probes/process.js'
import { tmuxDriver } from '../../src/terminals/tmux-driver.js'
import { conforms } from './conformance.js'

conforms('tmux', (folder) => {
  const socket = join(folder, 'tmux.sock')
  const startOf = (pid: number): string | null => ownerOf(pid)?.start ?? null
  const options = { socket, startOf, config: '/dev/null' }
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-S', socket, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const serverPid = (): number => Number(tmux('display-message', '-p', '#{pid}'))
  return {
    driver: tmuxDriver(options),
    impatient: tmuxDriver({ ...options, limitMs: 300 }),
    serverPid,
    endServer: () => {
      try {
        const server = ownerOf(serverPid())
        tmux('kill-server')
        // While it is dying it neither answers nor makes way for another.
        const end = performance.now() + 5000
        while (server !== null && verdictOf(server) === 'alive' && performance.now() < end);
      } catch {
        // There is none.
      }
    }
  }
})
