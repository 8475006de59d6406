/**
 * The one error class and the list of its codes.
 *
 * A code is a contract: it keeps its meaning within a major version, while messages may be reworded.
 * A message says what failed, on which path, and the next thing to do; it never holds what a session said.
 * Programmer mistakes (a wrong type where no person's input is involved) are plain TypeErrors instead.
 */
import type { Entry } from './schema.js'

/** Every code a CrashResumeError can carry. docs/errors.md explains each. */
export const ERROR_CODES = [
  'ERR_INVALID_INPUT',
  'ERR_INDEX_UNREADABLE',
  'ERR_INDEX_NEWER',
  'ERR_INDEX_TOO_LARGE',
  'ERR_ENTRY_UNREADABLE',
  'ERR_ENTRY_UNKNOWN',
  'ERR_IN_USE',
  'ERR_CONFLICT',
  'ERR_LOCK_TIMEOUT',
  'ERR_NOT_A_FILE',
  'ERR_IO'
] as const

/** What went wrong, as a `CrashResumeError` says it; docs/errors.md explains each. */
export type ErrorCode = (typeof ERROR_CODES)[number]

/** Whether the change that failed reached the disk: no, yes, or unknown (the last fsync failed). */
export type Committed = false | true | 'unknown'

/** What to do next, as a sentence of its own without its first capital; a function where it names commands of ours. */
export type Advice = string | ((path?: string) => string)

/** What an error says besides its code and its message. */
export interface ErrorDetails {
  readonly next?: Advice | undefined
  /** The file or folder it happened on. */
  readonly path?: string | undefined
  readonly cause?: unknown
  /** @default false */
  readonly committed?: Committed | undefined
  readonly found?: Entry | number | null | undefined
}

/** What this library throws. Decide by `code`, never by the message. */
export class CrashResumeError extends Error {
  override readonly name = 'CrashResumeError'
  readonly code: ErrorCode
  /** What failed, without what to do. */
  readonly what: string
  /** What to do next; absent where nothing more can be said than docs/errors.md says of the code. */
  readonly next?: string
  readonly path?: string
  readonly committed: Committed
  /** For ERR_CONFLICT: what is there now, an entry, or for saveIndex a revision; null: none. */
  readonly found?: Entry | number | null
  readonly #next: Advice | undefined

  /** @param what becomes the message, together with `details.next` */
  constructor(code: ErrorCode, what: string, details: ErrorDetails = {}) {
    const next = adviceFor(details.next)
    super(
      next === undefined ? what : `${what}; ${next}`,
      details.cause === undefined ? undefined : { cause: details.cause }
    )
    this.code = code
    this.what = what
    this.#next = details.next
    if (next !== undefined) this.next = next
    this.committed = details.committed ?? false
    if (details.path !== undefined) this.path = details.path
    if (details.found !== undefined) this.found = details.found
  }

  /** `next`, whose commands name this index by --path. */
  nextFor(path: string | undefined): string | undefined {
    return adviceFor(this.#next, path)
  }
}

function adviceFor(next: Advice | undefined, path?: string): string | undefined {
  return typeof next === 'function' ? next(path) : next
}

/** ERR_INVALID_INPUT for one field of something a caller or a person gave. */
export function invalidInput(field: string, problem: string, next?: Advice): CrashResumeError {
  return new CrashResumeError('ERR_INVALID_INPUT', `${field} ${problem}`, { next })
}
