/**
 * What a recovery pass says of each entry, and of all.
 */
import type { CommandSpec } from '../agents/command.js'
import type { Decision, DecisionReason } from '../core/decide.js'
import type { FailureKind } from '../core/schema.js'

export type RecoveryOutcome = 'resumed' | 'pending' | 'failed' | 'skipped'

/** A decision's reason, how an attempt failed, or what stands beside both. */
export type RecoveryReason = DecisionReason | FailureKind | 'manual' | 'aborted' | 'planned' | 'taken' | 'error'

export interface RecoveryRow {
  readonly surfaceId: string
  readonly sessionId?: string
  readonly outcome: RecoveryOutcome
  /** `planned`: only for a dry run. `taken`: it was renamed or forgotten since the plan was made. */
  readonly reason: RecoveryReason
  readonly decision?: Decision
  readonly spec?: CommandSpec
  /** Why it failed, in one line. */
  readonly why?: string
  /** What was thrown. */
  readonly error?: Error
}

export interface RecoveryReport<Row = RecoveryRow> {
  readonly rows: readonly Row[]
  readonly resumed: number
  readonly pending: number
  readonly failed: number
  readonly skipped: number
  readonly total: number
}

export interface RecoveryProgress {
  readonly done: number
  readonly total: number
  readonly surfaceId: string
  readonly step: 'probing' | 'resuming' | 'done'
  readonly row?: RecoveryRow
}

/** The rows with their sums. */
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
