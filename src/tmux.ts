/**
 * Sessions in terminal panes: everyone back into their panes after a crash, one agent in this terminal, and the driver
 * of tmux.
 */

export type { Environment } from './core/environment.js'
export type { TmuxOptions } from './probes/tmux.js'
export { tmuxDriver } from './probes/tmux.js'
export type { PlaceKind, Spot } from './recover/places.js'
export type { PlanOptions, PlanReason, PlanRow } from './recover/plan.js'
export { planRecovery } from './recover/plan.js'
export type { PaneReport, PaneRow, RecoverPanesOptions } from './recover/recover-panes.js'
export { recoverPanes } from './recover/recover-panes.js'
export type { Refusal, RunEnd, RunOptions } from './run/run-agent.js'
export { runAgent } from './run/run-agent.js'
export type { ServerStatus, TerminalServer } from './status/live-panes.js'
export type { Store } from './store/store.js'
export type { Listing, LivePane, Place, Position, Start, TerminalDriver } from './terminals/driver.js'
export { formatPosition, parsePosition } from './terminals/driver.js'
export { tmuxSockets } from './terminals/tmux-sockets.js'
