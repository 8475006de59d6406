/**
 * The public names, nothing else: what is not exported here may change in any release.
 */

export type { AgentPlace } from './agents/agent-place.js'
export { claudeProjectSlug } from './agents/claude-slug.js'
export type { CommandOptions, CommandSpec, Launchers } from './agents/command.js'
export { commandLineFor, environmentFor, launcherFor, resumeSpec } from './agents/command.js'
export type { KeepOptions } from './agents/flags.js'
export { keepFlags } from './agents/flags.js'
export type { AgentHooks, PayloadDialect } from './agents/hook-facts.js'
export type { AgentProgram } from './agents/program.js'
export type {
  AgentRow,
  AgentRowInput,
  AgentTable,
  DeletesResumed,
  FlagArity,
  FlagTable,
  LaunchFolderRule,
  ProcessNote,
  StartedSince,
  TranscriptFolder,
  TranscriptPlace
} from './agents/row.js'
export type { SeenAgent } from './agents/table.js'
export { AGENTS, HOOK_AGENTS, saysSessionGone, withAgents } from './agents/table.js'
export { resumeCommand } from './api/commands.js'
export type { FileOptions, RecordToFileInput } from './api/files.js'
export {
  DEFAULT_INDEX_PATH,
  endInFile,
  loadIndex,
  openStore,
  recordToFile,
  renameInFile,
  saveIndex,
  setPolicyInFile,
  touchInFile,
  updateIndex
} from './api/files.js'
export type { ForgetInput, PruneInput, Restored } from './api/removal-files.js'
export { acceptLossInFile, forgetInFile, prunable, pruneInFile, restoreInFile } from './api/removal-files.js'
export { end, noteExit, observe, pruneStale, record, resumableFor, touch } from './api/verbs.js'
export type { ClaimInput, Decided, MintInput } from './core/attempts.js'
export { claim, mint } from './core/attempts.js'
export { contentOf, parseIndex, serializeIndex } from './core/codec.js'
export type { DecideOptions, Decision, DecisionAction, DecisionReason, DecisionWarning } from './core/decide.js'
export { decide } from './core/decide.js'
export type { EntryChange } from './core/diff.js'
export { diffIndexes } from './core/diff.js'
export type { DispatchInput, SettleDispatchInput } from './core/dispatch.js'
export { beginDispatch, settleDispatch } from './core/dispatch.js'
export type { Environment } from './core/environment.js'
export type { Advice, Committed, ErrorCode, ErrorDetails } from './core/errors.js'
export { CrashResumeError, ERROR_CODES } from './core/errors.js'
export type { Evidence, RunningAt } from './core/evidence.js'
export type { ExplainOptions, Explanation } from './core/explain.js'
export { explain, explanation } from './core/explain.js'
export { fingerprint } from './core/fingerprint.js'
export { given } from './core/given.js'
export { isLauncher, isPlaceholder, isSessionId } from './core/ids.js'
export type { Observed, ObserveOptions } from './core/observe.js'
export type { Blank, OwnCommand, OwnOptions } from './core/own-command.js'
export { inlineCommand, ownCommand } from './core/own-command.js'
export { sameOwner, verdictFor } from './core/owner.js'
export { quoteArgv } from './core/quote.js'
export { forget, staleEntries } from './core/remove.js'
export { rename } from './core/rename.js'
export type {
  Attempt,
  AttemptKind,
  Dispatch,
  Entry,
  EntryState,
  FailureKind,
  Index,
  IndexStatus,
  LastAttempt,
  Machine,
  ObserveOutcome,
  Origin,
  Owner,
  Policy,
  Previous,
  PreviousReason,
  RecordInput,
  Sighting,
  UnreadableEntry,
  Verdict,
  Verdicts,
  Warning,
  WarningCode,
  Worktree
} from './core/schema.js'
export { INDEX_VERSION, POLICIES, PREVIOUS_LIMIT } from './core/schema.js'
export type { AttemptResult, SettleInput } from './core/settle.js'
export { settle } from './core/settle.js'
export type { AddressInput, EndInput, ExitInput } from './core/verbs.js'
export { emptyIndex, lookup, noteAddress, setPolicy } from './core/verbs.js'
export type { HookAction, HookPlan, HookPlanOptions } from './hooks/install.js'
export { applyHooks, planHooks } from './hooks/install.js'
export { readPayload } from './hooks/read-payload.js'
export type { HookOptions, HookReport } from './hooks/run-hook.js'
export { runHook } from './hooks/run-hook.js'
export type { HookStatus } from './hooks/status.js'
export { hooksStatus } from './hooks/status.js'
export type { Known } from './probes/known.js'
export type { Probe, ProbeOptions, ProbeTarget } from './probes/probe.js'
export { probeAgents, probeMachine } from './probes/probe.js'
export { ownerOf, thisMachine, verdictOf, verdictsFor } from './probes/process.js'
export type { TmuxOptions } from './probes/tmux.js'
export { tmuxDriver } from './probes/tmux.js'
export { worktreeOf } from './probes/worktree.js'
export type { PlanOptions, PlanRow } from './recover/plan.js'
export { planRecovery } from './recover/plan.js'
export type { PaneReport, RecoverPanesOptions } from './recover/recover-panes.js'
export { recoverPanes } from './recover/recover-panes.js'
export type { GateAnswer, GateOptions } from './resume/gate.js'
export { gate, gateFor } from './resume/gate.js'
export type { Preview, PreviewOptions, SurfaceRequest } from './resume/preview.js'
export { preview } from './resume/preview.js'
export type { RecoverOptions, ResumeOutcome, ResumeTask } from './resume/recover-all.js'
export { recoverAll } from './resume/recover-all.js'
export type { RecoveryOutcome, RecoveryProgress, RecoveryReason, RecoveryReport, RecoveryRow } from './resume/report.js'
export { accountFor } from './resume/report.js'
export type { SettleMore, SettleResult } from './resume/reserve.js'
export type { RunEnd, RunOptions } from './run/run-agent.js'
export { runAgent } from './run/run-agent.js'
export type { ServerStatus, TerminalServer } from './status/live-panes.js'
export type { StatusBelief, StatusRow, StatusState } from './status/state.js'
export { STATUS_STATES } from './status/state.js'
export type { StatusOptions, StatusReport } from './status/status.js'
export { statusOf } from './status/status.js'
export type { OddLock } from './store/files.js'
export type { KeptCopy, Past, PastName, PastRevision } from './store/history.js'
export { historyOf, readPast } from './store/history.js'
export type { IndexFacts, PathFacts, StoreFacts } from './store/inspect.js'
export { inspectStore } from './store/inspect.js'
export { defaultIndexPath } from './store/paths.js'
export type { StorageFacts } from './store/place.js'
export type { KeepReason, Store } from './store/store.js'
export type { Change } from './store/update.js'
export type { Listing, LivePane, Place as PanePlace, Position, Start, TerminalDriver } from './terminals/driver.js'
export { formatPosition, parsePosition } from './terminals/driver.js'
export { tmuxSockets } from './terminals/tmux-sockets.js'
