/**
 * The tmux driver, with the processes and the load of this machine.
 */

import type { TerminalDriver } from '../terminals/driver.js'
import * as terminals from '../terminals/tmux-driver.js'
import { busyness } from './patience.js'
import { ownerOf } from './process.js'

/** Which tmux server is meant, and how long it may take. */
export interface TmuxOptions extends Omit<terminals.TmuxOptions, 'startOf' | 'patience'> {}

/** Drives one tmux server, named by its socket. The server need not run. */
export function tmuxDriver(options: TmuxOptions = {}): TerminalDriver {
  return terminals.tmuxDriver({ ...options, startOf: (pid) => ownerOf(pid)?.start ?? null, patience: busyness })
}
