/**
 * Errors and warnings on stderr: a line that says what failed, a line that says what to do, and the exit code.
 *
 * The codes are one stable table, in docs/cli.md. No failure ends with 4: a failure is not the permission to start a
 * new session.
 */
import { writeSync } from 'node:fs'
import { inlineCommand, type OwnCommand } from '../../admin.js'
import type { Warning, WarningCode } from '../../core.js'
import { CrashResumeError, type ErrorCode } from '../../index.js'

export const EXIT = { ok: 0, failed: 1, usage: 2, nothing: 4, wait: 5, refused: 6, notRun: 125 } as const

const CODES: Partial<Record<ErrorCode, number>> = {
  ERR_INVALID_INPUT: EXIT.usage,
  ERR_CONFLICT: EXIT.refused,
  ERR_IN_USE: EXIT.refused,
  ERR_LOCK_TIMEOUT: EXIT.wait
}

const doctor = (path?: string): string => inlineCommand({ name: 'doctor' }, path)
const history = (path?: string): string => inlineCommand({ name: 'history' }, path)

/** What to do, where the error itself does not say. */
const NEXT: Partial<Record<ErrorCode, (path?: string) => string>> = {
  ERR_INVALID_INPUT: () =>
    `correct it and try again; ${inlineCommand({ name: '', options: { '--help': true } })} lists the commands`,
  ERR_INDEX_UNREADABLE: (path) => `${history(path)} lists what you can restore; ${doctor(path)} says what is wrong`,
  ERR_INDEX_NEWER: () => 'upgrade crash-resume-index; nothing was written'
}

export const ACCEPT_LOSS: OwnCommand = { name: 'doctor', options: { '--accept-loss': true } }

/** What to do about a warning, where a command of ours helps. */
const WARNING_NEXT: Partial<Record<WarningCode, (path?: string) => string>> = {
  index_incomplete: (path) =>
    `${history(path)} lists what you can restore; ${inlineCommand(ACCEPT_LOSS, path)} accepts the loss`,
  view_not_published: (path) => `run ${doctor(path)}`
}

export function exitCodeOf(error: unknown): number {
  return error instanceof CrashResumeError ? (CODES[error.code] ?? EXIT.failed) : EXIT.failed
}

/** Says what failed, and what to do. @param path the index that --path names */
export function reportError(error: unknown, path?: string): void {
  if (!(error instanceof CrashResumeError)) {
    say(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
    next('this is a bug in crash-resume-index; please report it')
    return
  }
  const advice = error.nextFor(path) ?? NEXT[error.code]?.(path) ?? `run ${doctor(path)}`
  say(`${error.what} [${error.code}]`)
  next(error.committed === true ? `the change itself is written; ${advice}` : advice)
}

/** Says a warning; what you asked for was done. @param path the index that --path names */
export function warner(path: string | undefined): (warning: Warning) => void {
  return ({ code, message, next: known }) => {
    say(`warning: ${message} [${code}]`)
    const advice = WARNING_NEXT[code]?.(path) ?? known
    if (advice !== undefined) next(advice)
  }
}

/** A line for a person on stderr, with our name. */
export function say(line: string): void {
  write(`crash-resume-index: ${line}`)
}

/** What to do next, below a line that was said. */
export function next(line: string): void {
  write(`  ${line}`)
}

/** Written at once: the stream object costs a start of Node milliseconds. */
function write(line: string): void {
  try {
    writeSync(2, `${printable(line)}\n`)
  } catch {
    // stderr is closed.
  }
}

/** Without characters that move the cursor, change colours or reorder the line: a file may hold anything. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, '\ufffd')
}
