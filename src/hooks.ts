/**
 * The hooks of the agents: installing them, checking them, and recording what one of them reports.
 */

export { HOOK_AGENTS } from './agents/table.js'
export type { HookOutcome } from './hooks/changes.js'
export type { HookAction, HookPlan, HookPlanOptions } from './hooks/install.js'
export { applyHooks, planHooks } from './hooks/install.js'
export { readPayload } from './hooks/read-payload.js'
export type { HookOptions, HookReport } from './hooks/run-hook.js'
export { runHook } from './hooks/run-hook.js'
export type { HookStatus } from './hooks/status.js'
export { hooksStatus } from './hooks/status.js'
