/**
 * What a recovery pass says about each entry, and the sums.
 */
import type { CommandSpec } from '../agents/command.js'
import type { Decision, DecisionReason } from '../core/decision.js'
import type { FailureKind } from '../core/schema.js'

/** What became of an entry: resumed, left for later, tried in vain, or not to be resumed. */
export type RecoveryOutcome = 'resumed' | 'pending' | 'failed' | 'skipped'

/** A decision's reason, the way in which an attempt failed, or a reason of the pass itself. */
export type RecoveryReason =
  | DecisionReason
  | FailureKind
  | 'manual'
  | 'transcript_shrunk'
  | 'not_confirmed'
  | 'aborted'
  | 'planned'
  | 'taken'
  | 'error'

/** What a recovery pass did with one entry. */
export type RecoveryRow<Reason = RecoveryReason> = {
  readonly surfaceId: string
  /** `planned`: in a dry run only. `taken`: renamed or forgotten since the plan. */
  readonly reason: Reason
  /** Why it failed, in one line. */
  readonly why?: string
  /** The error that was thrown. */
  readonly error?: Error
} & (
  | {
      readonly outcome: 'resumed'
      readonly sessionId: string
      readonly decision: Decision
      readonly spec: CommandSpec
    }
  | {
      readonly outcome: Exclude<RecoveryOutcome, 'resumed'>
      readonly sessionId?: string
      readonly decision?: Decision
      readonly spec?: CommandSpec
    }
)

/** All rows of a recovery pass with their sums: resumed + pending + failed + skipped = total. */
export interface RecoveryReport<Row = RecoveryRow> {
  readonly rows: readonly Row[]
  readonly resumed: number
  readonly pending: number
  readonly failed: number
  readonly skipped: number
  readonly total: number
}

/** How far a recovery pass has come. */
export interface RecoveryProgress {
  readonly done: number
  readonly total: number
  readonly surfaceId: string
  readonly step: 'probing' | 'resuming' | 'done'
  readonly row?: RecoveryRow
}

/** Adds the sums to the rows. */
export function accountFor<Row extends Pick<RecoveryRow, 'outcome'>>(rows: readonly Row[]): RecoveryReport<Row> {
  const count = (outcome: RecoveryOutcome): number => rows.filter((row) => row.outcome === outcome).length
  return {
    rows,
    resumed: count('resumed'),
    pending: count('pending'),
    failed: count('failed'),
    skipped: count('skipped'),
    total: rows.length
  }
}
