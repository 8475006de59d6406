/**
 * Errors and warnings on stderr: a line that says what happened, a line that says what to do, and the exit code.
 *
 * The codes are one stable table, in docs/cli.md. What failed is never 4: nobody may take a failure for the permission
 * to start afresh.
 */
import { writeSync } from 'node:fs'
import { CrashResumeError, type ErrorCode, type Warning } from '../../index.js'

export const EXIT = { ok: 0, failed: 1, usage: 2, nothing: 4, wait: 5, refused: 6, notRun: 125 } as const

const NAME = 'crash-resume-index'

const CODES: Partial<Record<ErrorCode, number>> = {
  ERR_INVALID_INPUT: EXIT.usage,
  ERR_CONFLICT: EXIT.refused,
  ERR_IN_USE: EXIT.refused,
  ERR_LOCK_TIMEOUT: EXIT.wait
}

/** What to do, where the message itself does not say. */
const NEXT: Record<ErrorCode, string> = {
  ERR_INVALID_INPUT: `correct it and try again; \`${NAME} --help\` lists the commands, and --help after one its options`,
  ERR_INDEX_UNREADABLE: `\`${NAME} history\` lists what can be restored, and \`${NAME} doctor\` says what is wrong`,
  ERR_INDEX_NEWER: 'upgrade crash-resume-index; nothing was written',
  ERR_INDEX_TOO_LARGE: 'forget or prune entries; nothing was written',
  ERR_ENTRY_UNREADABLE: 'mend the entry in the file, or record the surface again (its bytes are kept)',
  ERR_ENTRY_UNKNOWN: `\`${NAME} list\` shows the surfaces that are known`,
  ERR_IN_USE: 'nothing was changed; end the process first, or wait until it has ended',
  ERR_CONFLICT: 'nothing was changed; look at it again and decide anew',
  ERR_LOCK_TIMEOUT: `nothing was written; try again, and run \`${NAME} doctor\` if it stays`,
  ERR_NOT_A_FILE: 'move it away, or give another --path',
  ERR_IO: `run \`${NAME} doctor\``
}

export function exitCodeOf(error: unknown): number {
  return error instanceof CrashResumeError ? (CODES[error.code] ?? EXIT.failed) : EXIT.failed
}

/** Says what went wrong, and what to do. */
export function complain(error: unknown): void {
  if (!(error instanceof CrashResumeError)) {
    say(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
    next('this is a mistake in crash-resume-index itself; please report it')
    return
  }
  const [what, advice = NEXT[error.code]] = parts(error.message)
  say(`${what} [${error.code}]`)
  next(error.committed === true ? `the change itself is written; ${advice}` : advice)
}

/** What failed and what to do, of a message that says both: they are apart at the first semicolon outside quotes. */
export function parts(message: string): readonly [what: string, advice?: string] {
  const [, what = message, advice] = /^((?:[^";]|"(?:[^"\\]|\\.)*"|;(?! ))*); (.+)$/s.exec(message) ?? []
  return advice === undefined ? [what] : [what, advice]
}

/** The work itself was done. */
export function warnAbout({ code, message, next: advice }: Warning): void {
  say(`warning: ${advice === undefined ? message : `${message}; ${advice}`} [${code}]`)
}

/** Words for a person: one line on stderr, with our name. */
export function say(line: string): void {
  write(`${NAME}: ${line}`)
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
    // Nobody listens.
  }
}

/** Without what would move the cursor, change colours or reorder the line: a file may hold anything. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, '\ufffd')
}
