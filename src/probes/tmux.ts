/**
 * The tmux driver, with the processes and the load of this machine.
 */

import { withoutMarks } from '../agents/command.js'
import type { TerminalDriver } from '../terminals/driver.js'
import * as terminals from '../terminals/tmux-driver.js'
import { busyness } from './patience.js'
import { ownerOf } from './process.js'

/** Which tmux server is meant, and how long it may take. */
export interface TmuxOptions extends Omit<terminals.TmuxOptions, 'startOf' | 'patience'> {}

/**
 * Drives one tmux server, named by its socket. The server need not run. One that is started here, perhaps from inside an
 * agent, does not hand that agent's marks and surface on to its panes.
 */
export function tmuxDriver(options: TmuxOptions = {}): TerminalDriver {
  const startOf = (pid: number): string | null => ownerOf(pid)?.start ?? null
  return terminals.tmuxDriver({
    ...options,
    startOf,
    patience: busyness,
    env: withoutMarks(options.env ?? process.env)
  })
}
