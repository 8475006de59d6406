import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { ownerOf } from '../../src/probes/process.js'
import { tmuxDriver } from '../../src/terminals/tmux-driver.js'
import { conforms } from './conformance.js'

conforms('tmux', (folder) => {
  const socket = join(folder, 'tmux.sock')
  const startOf = (pid: number): string | null => ownerOf(pid)?.start ?? null
  const options = { socket, startOf, config: '/dev/null' }
  return {
    driver: tmuxDriver(options),
    tooSlow: tmuxDriver({ ...options, limitMs: 1 }),
    endServer: () => {
      try {
        execFileSync('tmux', ['-S', socket, 'kill-server'], { stdio: 'ignore' })
      } catch {
        // There is none.
      }
    }
  }
})
