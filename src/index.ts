/**
 * The public names, nothing else: what is not exported here may change in any release.
 */
export type { AgentLookOptions } from './agent-look.js'
export { lookAtAgents } from './agent-look.js'
export { claudeProjectSlug } from './agents/claude-slug.js'
export { AGENTS, saysSessionGone, withAgents } from './agents/table.js'
export type {
  AgentPlace,
  AgentRow,
  AgentTable,
  BegunSessions,
  FlagArity,
  FlagTable,
  TranscriptFolder,
  TranscriptPlace
} from './core/agent-row.js'
export type { ClaimInput, Decided, MintInput } from './core/attempts.js'
export { claim, mint } from './core/attempts.js'
export { contentOf, parseIndex, serializeIndex } from './core/codec.js'
export type { CommandSpec, Launchers } from './core/command.js'
export type { DecideOptions, Decision, DecisionAction, DecisionReason, DecisionWarning } from './core/decide.js'
export { decide } from './core/decide.js'
export type { EntryChange } from './core/diff.js'
export { diffIndexes } from './core/diff.js'
export type { AddressInput, EndInput, ExitInput } from './core/entries.js'
export { emptyIndex, lookup, noteAddress, setPolicy } from './core/entries.js'
export type { Committed, ErrorCode, ErrorDetails } from './core/errors.js'
export { CrashResumeError, ERROR_CODES } from './core/errors.js'
export type { Evidence, RunningAt } from './core/evidence.js'
export type { ExplainOptions } from './core/explain.js'
export { explain } from './core/explain.js'
export { fingerprint } from './core/fingerprint.js'
export { isLauncher, isPlaceholder, isSessionId } from './core/ids.js'
export type { KeepOptions } from './core/launch-flags.js'
export { keepFlags } from './core/launch-flags.js'
export type { Observed, ObserveOptions } from './core/observe.js'
export { quoteArgv } from './core/quote.js'
export { forget, staleEntries } from './core/removal.js'
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
export { INDEX_VERSION, PREVIOUS_LIMIT } from './core/schema.js'
export type { AttemptResult, DispatchInput, SettleDispatchInput, SettleInput } from './core/settle.js'
export { beginDispatch, settle, settleDispatch } from './core/settle.js'
export type { StatusBelief, StatusRow, StatusState } from './core/status-row.js'
export { STATUS_STATES } from './core/status-row.js'
export { sameOwner, verdictFor } from './core/verdicts.js'
export { end, noteExit, observe, pruneStale, record, resumableFor, touch } from './established.js'
export type { CommandChoices } from './established-commands.js'
export { commandLineFor, environmentFor, launcherFor, resumeCommand, resumeSpec } from './established-commands.js'
export type { FileOptions, RecordToFileInput } from './established-files.js'
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
} from './established-files.js'
export type { GateAnswer, GateOptions } from './gate.js'
export { gate, weigh } from './gate.js'
export type { HookAction, HookPlan, HookPlanOptions } from './hooks/install.js'
export { applyHooks, planHooks } from './hooks/install.js'
export { readPayload } from './hooks/read-payload.js'
export type { HookOptions, HookReport } from './hooks/run-hook.js'
export { runHook } from './hooks/run-hook.js'
export type { HookStatus } from './hooks/status.js'
export { hooksStatus } from './hooks/status.js'
export { HOOK_AGENTS } from './hooks/targets.js'
export type { ServerStatus, TerminalServer } from './live-panes.js'
export type { Look, Question } from './probes/look.js'
export { lookAround } from './probes/look.js'
export { ownerOf, thisMachine, verdictOf, verdictsFor } from './probes/process.js'
export { worktreeOf } from './probes/worktree.js'
export type { PaneReport, RecoverPanesOptions } from './recover-panes.js'
export { recoverPanes } from './recover-panes.js'
export type {
  RecoverOptions,
  RecoveryOutcome,
  RecoveryProgress,
  RecoveryReport,
  RecoveryRow,
  ResumeOutcome,
  ResumeTask
} from './recovery.js'
export { accountFor, recoverAll } from './recovery.js'
export type { PlanOptions, PlanRow } from './recovery-plan.js'
export { planRecovery } from './recovery-plan.js'
export type { ForgetInput, PruneInput, Restored } from './removal-files.js'
export { acceptLossInFile, forgetInFile, prunable, pruneInFile, restoreInFile } from './removal-files.js'
export type { Considered, SettleMore, SettleResult, SurfaceRequest } from './reserve.js'
export type { RunEnd, RunOptions } from './run.js'
export { runAgent } from './run.js'
export type { StatusOptions, StatusReport } from './status.js'
export { statusOf } from './status.js'
export type { KeptCopy, Past, PastName, PastRevision } from './store/history.js'
export { historyOf, readPast } from './store/history.js'
export type { IndexFacts, PathFacts, StoreFacts } from './store/inspect.js'
export { inspectStore } from './store/inspect.js'
export { defaultIndexPath } from './store/paths.js'
export type { Place } from './store/place.js'
export type { KeepReason, Store } from './store/store.js'
export type { Change } from './store/update.js'
export type { Listing, LivePane, Place as PanePlace, Position, Start, TerminalDriver } from './terminals/driver.js'
export { formatPosition, parsePosition } from './terminals/driver.js'
export { tmuxSockets } from './terminals/tmux-sockets.js'
export type { TmuxOptions } from './tmux.js'
export { tmuxDriver } from './tmux.js'
