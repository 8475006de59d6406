/**
 * Argument vectors as one line for a POSIX shell: `sh -c line` runs exactly these arguments, byte for byte.
 */
import { invalidInput } from './errors.js'

/** Characters that no shell gives a meaning to, wherever they stand; `~`, `=` and the like only after these. */
const PLAIN = /^[A-Za-z0-9_/.:,@%+-][A-Za-z0-9_/.:,@%+=-]*$/

/** One argument; quoted only where it must be. */
export function quote(argument: string): string {
  return PLAIN.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`
}

/**
 * The arguments as one line.
 * @throws ERR_INVALID_INPUT for a NUL, which no argument can hold
 */
export function quoteArgv(argv: readonly string[]): string {
  if (argv.some((argument) => argument.includes('\0'))) throw invalidInput('argv', 'holds a NUL character')
  return argv.map(quote).join(' ')
}
