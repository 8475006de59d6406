/**
 * The public names, nothing else: what is not exported here may change in any release.
 */
export { contentOf, parseIndex, serializeIndex } from './core/codec.js'
export type { EntryChange } from './core/diff.js'
export { diffIndexes } from './core/diff.js'
export type { EndInput, ExitInput } from './core/entries.js'
export { emptyIndex, lookup, setPolicy } from './core/entries.js'
export type { Committed, ErrorCode, ErrorDetails } from './core/errors.js'
export { CrashResumeError, ERROR_CODES } from './core/errors.js'
export { fingerprint } from './core/fingerprint.js'
export { isLauncher, isSessionId } from './core/ids.js'
export type { Observed, ObserveOptions } from './core/observe.js'
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
  WarningCode
} from './core/schema.js'
export { INDEX_VERSION, PREVIOUS_LIMIT } from './core/schema.js'
export { sameOwner, verdictFor } from './core/verdicts.js'
export { end, noteExit, observe, pruneStale, record, resumableFor, touch } from './established.js'
