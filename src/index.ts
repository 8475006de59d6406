/**
 * What an orchestrator needs: the index, the gate, the recovery pass, the status. What is exported neither here nor by
 * the entries beside this file may change in any release.
 */

export type { CommandOptions, CommandSpec } from './agents/command.js'
export { environmentFor, launcherFor, resumeSpec } from './agents/command.js'
export { resumeCommand } from './api/commands.js'
export type { FileOptions } from './api/files.js'
export {
  DEFAULT_INDEX_PATH,
  endInFile,
  loadIndex,
  openStore,
  recordToFile,
  saveIndex,
  touchInFile,
  updateIndex
} from './api/files.js'
export { observe, pruneStale, record, resumableFor, touch } from './api/verbs.js'
export type { Decision, DecisionReason } from './core/decision.js'
export type { ErrorCode } from './core/errors.js'
export { CrashResumeError } from './core/errors.js'
export type { Evidence } from './core/evidence.js'
export type { ExplainOptions } from './core/explain.js'
export { explain } from './core/explain.js'
export type { Observed } from './core/observe.js'
export type { Entry, Index, Machine, Owner, Policy, RecordInput, Sighting, Verdicts } from './core/schema.js'
export { emptyIndex, lookup } from './core/verbs.js'
export { ownerOf, thisMachine, verdictsFor } from './probes/process.js'
export type { GateAnswer, GateOptions } from './resume/gate.js'
export { gate } from './resume/gate.js'
export type { Preview, PreviewOptions, SurfaceRequest } from './resume/preview.js'
export { preview } from './resume/preview.js'
export type { RecoverOptions, ResumeTask } from './resume/recover-all.js'
export { recoverAll } from './resume/recover-all.js'
export type { RecoveryReport, RecoveryRow } from './resume/report.js'
export type { SettleResult } from './resume/reserve.js'
export type { StatusRow } from './status/state.js'
export type { StatusOptions, StatusReport } from './status/status.js'
export { statusOf } from './status/status.js'
export type { Store, StoreOptions } from './store/store.js'
