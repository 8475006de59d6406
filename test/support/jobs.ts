/** What a test asks of the fixture program `writer`, and what it reports. */
import type { LockAnswer } from '../../src/store/files.js'

/** A signal that the writer sends to itself at its n-th file operation of the job, counted from 1. */
export interface Fault {
  readonly signal: 'SIGKILL' | 'SIGSTOP'
  readonly when: 'before' | 'after'
  readonly at: number
}

export interface Job {
  readonly path: string
  /** One update each, all started at once. */
  readonly surfaces: readonly string[]
  /** @default session-of-<surface> */
  readonly session?: string
  readonly lockWaitMs?: number
  readonly fault?: Fault
  /** Another writer commits right before the job's first link or first rename into place, so that it meets a conflict. */
  readonly rival?: string
  /** link() is refused, as on a file system without hard links. */
  readonly withoutLinks?: boolean
}

export interface Outcome {
  readonly surfaceId: string
  readonly revision?: number
  readonly warnings: readonly string[]
  readonly error?: Failure
}

export interface Failure {
  readonly code: string
  readonly message: string
  readonly path?: string
  readonly committed?: unknown
  /** The code of the error below it. */
  readonly cause?: string
}

export interface Report {
  readonly pid: number
  /** Milliseconds of a clock that all processes of this machine share. */
  readonly started: number
  readonly ended: number
  readonly outcomes: readonly Outcome[]
  readonly conflicts: number
  /** The answers to each try to take the lock. */
  readonly locks: readonly LockAnswer[]
  /** While it held the lock, by the shared clock. */
  readonly held: readonly { readonly from: number; readonly to: number }[]
  readonly ops: readonly string[]
}

/** Milliseconds of a clock that all processes of this machine share. */
export function sharedClock(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { code: 'not an error', message: String(error) }
  const { code, path, committed, cause } = error as Error & Partial<Record<string, unknown>>
  return {
    code: String(code),
    message: error.message,
    ...(typeof path === 'string' ? { path } : {}),
    ...(committed === undefined ? {} : { committed }),
    ...(cause instanceof Error && 'code' in cause ? { cause: String(cause.code) } : {})
  }
}
