/** What a command prints to: commands use no streams, and a test can read what they print. */
import { writeSync } from 'node:fs'
import { CrashResumeError } from '../../index.js'

export interface Output {
  /** Data, on stdout. False: its reader is gone. */
  readonly print: (text: string) => unknown
  /** A line for a person, on stderr, and what to do next below it. */
  readonly note: (line: string, ...next: readonly string[]) => void
  /** Colours are wanted: a terminal, and no NO_COLOR. */
  readonly colour: boolean
  /** Columns of the terminal; infinite where stdout is not one. */
  readonly width: number
  /** Asks on the terminal; null: there is none. */
  readonly ask: ((question: string) => Promise<boolean>) | null
}

/** A full pipe is tried again after this. */
const PAUSE_MS = 5

/**
 * Writes all of it before it returns. A reader that is gone (`| head`) is not an error.
 * @returns false where it did
 * @throws ERR_IO where stdout cannot be written to
 */
export function writeOut(text: string): boolean {
  const bytes = Buffer.from(text)
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(1, bytes, done)
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
      if (code === 'EPIPE') return false
      if (code !== 'EAGAIN') {
        const next = 'check whether the command has done its work before you repeat it'
        throw new CrashResumeError('ERR_IO', `the output cannot be written (${code ?? cause})`, { next, cause })
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    }
  }
  return true
}
