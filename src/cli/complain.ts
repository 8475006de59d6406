/**
 * Errors and warnings on stderr: one line that says what happened, one that says what to do, and the exit code.
 *
 * The codes are one stable table (docs/cli.md): 0 ok, 1 failed, 2 usage, 4 nothing to resume or fresh, 5 wait,
 * 6 refused or conflict. 1 never means "start fresh".
 */
import { writeSync } from 'node:fs'
import { CrashResumeError, type ErrorCode, type Warning } from '../index.js'

export const EXIT = { ok: 0, failed: 1, usage: 2, nothing: 4, wait: 5, refused: 6 } as const

const CODES: Partial<Record<ErrorCode, number>> = {
  ERR_INVALID_INPUT: EXIT.usage,
  ERR_CONFLICT: EXIT.refused,
  ERR_IN_USE: EXIT.refused
}

const NEXT: Record<ErrorCode, string> = {
  ERR_INVALID_INPUT: 'correct it and try again; --help shows what the command takes',
  ERR_INDEX_UNREADABLE: 'see `crash-resume-index history` for what can be restored',
  ERR_INDEX_NEWER: 'upgrade crash-resume-index; nothing was written',
  ERR_INDEX_TOO_LARGE: 'forget or prune entries; nothing was written',
  ERR_ENTRY_UNREADABLE: 'mend the entry in the file, or record the surface again (its bytes are kept)',
  ERR_ENTRY_UNKNOWN: 'see `crash-resume-index list` for the surfaces that are known',
  ERR_IN_USE: 'nothing was changed; end the process first, or wait until it has ended',
  ERR_CONFLICT: 'nothing was changed; look at it again and decide anew',
  ERR_LOCK_TIMEOUT: 'nothing was written; try again, and run `crash-resume-index doctor` if it stays',
  ERR_NOT_A_FILE: 'move it away, or give another --path',
  ERR_IO: 'run `crash-resume-index doctor`'
}

export function exitCodeOf(error: unknown): number {
  return error instanceof CrashResumeError ? (CODES[error.code] ?? EXIT.failed) : EXIT.failed
}

/** Says what went wrong and what to do. */
export function complain(error: unknown): void {
  if (!(error instanceof CrashResumeError)) {
    const text = error instanceof Error ? error.message : String(error)
    say(`error: ${text}`)
    say('  this looks like a mistake in crash-resume-index itself; please report it')
    return
  }
  const left = error.committed === false ? '' : ' (the change itself is written)'
  say(`error: ${error.message}${left} [${error.code}]`)
  say(`  ${NEXT[error.code]}`)
}

/** The work itself was done. */
export function warnAbout({ code, message }: Warning): void {
  say(`warning: ${message} [${code}]`)
}

/** One line on stderr, written at once: the stream object costs a start of milliseconds. */
export function say(line: string): void {
  try {
    writeSync(2, `${line.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '?')}\n`)
  } catch {
    // Nobody listens.
  }
}
