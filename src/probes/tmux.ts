/**
 * The driver of tmux, with what this machine says of processes.
 */

import type { TerminalDriver } from '../terminals/driver.js'
import * as terminals from '../terminals/tmux-driver.js'
import { busyness } from './patience.js'
import { ownerOf } from './process.js'

export type TmuxOptions = Omit<terminals.TmuxOptions, 'startOf' | 'patience'>

/** tmux, one server by its socket; it need not be there. */
export function tmuxDriver(options: TmuxOptions = {}): TerminalDriver {
  return terminals.tmuxDriver({ ...options, startOf: (pid) => ownerOf(pid)?.start ?? null, patience: busyness })
}
