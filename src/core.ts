/**
 * The parts that the calls of the main entry are made of: verbs from index to index, the decision, and the probes that
 * find its evidence out.
 */

export { end, noteExit } from './api/verbs.js'
export type { ClaimInput, Decided, MintInput } from './core/attempts.js'
export { claim, mint } from './core/attempts.js'
export { contentOf, parseIndex, serializeIndex } from './core/codec.js'
export type { DecideOptions } from './core/decide.js'
export { decide } from './core/decide.js'
export type { SurfaceOptions } from './core/decide-at.js'
export type {
  Decision,
  DecisionAction,
  DecisionFacts,
  DecisionOutcome,
  DecisionReason,
  DecisionWarning
} from './core/decision.js'
export type { EntryChange } from './core/diff.js'
export { diffIndexes } from './core/diff.js'
export type { DispatchInput, SettleDispatchInput } from './core/dispatch.js'
export { beginDispatch, settleDispatch } from './core/dispatch.js'
export type { Advice, Committed, ErrorDetails } from './core/errors.js'
export { ERROR_CODES } from './core/errors.js'
export {
  type ContinuedAs,
  type Conversation,
  conversationOf,
  type Evidence,
  type PossibleSession,
  type Retention,
  type RunningAt,
  type TranscriptState
} from './core/evidence.js'
export type { ExplainOptions, Explanation } from './core/explain.js'
export { explanation } from './core/explain.js'
export { fingerprint } from './core/fingerprint.js'
export { isLauncher, isPlaceholder, isSessionId } from './core/ids.js'
export { sameOwner, verdictFor } from './core/owner.js'
export { quoteArgv } from './core/quote.js'
export { forget, staleEntries } from './core/remove.js'
export { rename } from './core/rename.js'
export type {
  AgentOwner,
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
  TranscriptMark,
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
export { noteAddress, setPolicy } from './core/verbs.js'
export type { Now } from './probes/clock.js'
export type { Probe, ProbeOptions, ProbeTarget } from './probes/probe.js'
export { probeAgents } from './probes/probe.js'
export { verdictOf } from './probes/process.js'
export { worktreeOf } from './probes/worktree.js'
export type { ResumeOutcome } from './resume/recover-all.js'
export type { RecoveryOutcome, RecoveryProgress, RecoveryReason } from './resume/report.js'
export type { SettleMore } from './resume/reserve.js'
export type { StatusBelief, StatusState } from './status/state.js'
export type { KeepReason } from './store/store.js'
export type { Change } from './store/update.js'
