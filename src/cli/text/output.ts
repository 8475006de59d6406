/** What a command prints to, so that commands stay free of streams and a test can read along. */
import { writeSync } from 'node:fs'
import { CrashResumeError } from '../../index.js'

export interface Output {
  /** Data, on stdout. False: nobody reads it any more. */
  readonly print: (text: string) => unknown
  /** One line for a person, on stderr, and what to do next below it. */
  readonly note: (line: string, ...next: readonly string[]) => void
  /** Colours are wanted: a terminal, and no NO_COLOR. */
  readonly colour: boolean
  /** Columns of the terminal; infinite where stdout is none. */
  readonly width: number
  /** Asks on the terminal; null where there is none. */
  readonly ask: ((question: string) => Promise<boolean>) | null
}

/** A full pipe is looked at again after this. */
const PAUSE_MS = 5

/**
 * Writes all of it before it returns. A reader that went away (`| head`) is no error of ours.
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
        const message = `the output cannot be written (${code ?? cause}); what was asked for may be done: look before you repeat it`
        throw new CrashResumeError('ERR_IO', message, { cause })
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    }
  }
  return true
}
