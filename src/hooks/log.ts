/**
 * Where a hook says what went wrong: it prints nothing and always ends well, so that an agent is never disturbed.
 *
 * One line a failure in `<index>.hook.log`, 0600; at 64 KiB it becomes `.1`, in the place of the one before. Writing it
 * never fails: a log that cannot be written is none. A line holds a code and our own words, nothing of a payload.
 */
import { appendFileSync, renameSync, statSync } from 'node:fs'
import { CrashResumeError } from '../core/errors.js'

const LIMIT_BYTES = 64 * 1024
const LINE_LENGTH = 500

export function hookLogPath(indexPath: string): string {
  return `${indexPath}.hook.log`
}

/** Appends one line. `what` is a fixed text of ours. */
export function logFailure(indexPath: string, agent: string, what: string, now: number): void {
  const path = hookLogPath(indexPath)
  try {
    if (sizeOf(path) > LIMIT_BYTES) renameSync(path, `${path}.1`)
    const line = `${new Date(now).toISOString()} ${agent} ${what}`.replace(/\p{C}+/gu, ' ').slice(0, LINE_LENGTH)
    appendFileSync(path, `${line}\n`, { mode: 0o600 })
  } catch {
    // The agent goes on, whatever becomes of the log.
  }
}

/** What may be said of an error: our own are safe to show, of others only the code. */
export function describe(error: unknown): string {
  if (error instanceof CrashResumeError) return `${error.code}: ${error.message}`
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  return code ?? (error instanceof Error ? error.name : 'an error')
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
