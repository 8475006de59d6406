/**
 * The public names, nothing else: what is not exported here may change in any release.
 */
export type { Committed, ErrorCode, ErrorDetails } from './core/errors.js'
export { CrashResumeError, ERROR_CODES } from './core/errors.js'
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
  WarningCode
} from './core/schema.js'
export { INDEX_VERSION, PREVIOUS_LIMIT } from './core/schema.js'
