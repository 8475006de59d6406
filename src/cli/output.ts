/** What a command prints to, so that commands stay free of streams and a test can read along. */
import { writeSync } from 'node:fs'

export interface Output {
  /** Data, on stdout. */
  readonly print: (text: string) => void
  /** Words for a person, on stderr. */
  readonly note: (line: string) => void
  /** Colours are wanted: a terminal, and no NO_COLOR. */
  readonly colour: boolean
  /** Columns of the terminal; infinite where stdout is none. */
  readonly width: number
  /** Asks on the terminal; null where there is none. */
  readonly ask: ((question: string) => Promise<boolean>) | null
}

/** Writes all of it before it returns; a reader that went away is no error of ours. */
export function writeOut(text: string): void {
  const bytes = Buffer.from(text)
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(1, bytes, done)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'EPIPE') return
      if (code !== 'EAGAIN') throw error
    }
  }
}
