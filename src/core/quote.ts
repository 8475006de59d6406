/**
 * Argument vectors as one line for a POSIX shell: `sh -c line` runs exactly these arguments, byte for byte, and so do
 * bash and zsh, at a prompt as well. The first one is run as a command: a name that a shell has a builtin for is that.
 */
import { invalidInput } from './errors.js'

/** Characters that no shell gives a meaning to, wherever they stand; `=` only after these. */
const PLAIN = /^[A-Za-z0-9_/.:,@%+-][A-Za-z0-9_/.:,@%+=-]*$/
/** As the first word, a variable to set, and words of the shells' grammar. */
const SPECIAL_FIRST =
  /=|^(?:case|coproc|do|done|elif|else|end|esac|fi|for|foreach|function|if|in|nocorrect|repeat|select|then|time|until|while)$/

/** One argument; quoted only where it must be. */
export function quote(argument: string): string {
  return PLAIN.test(argument) ? argument : inQuotes(argument)
}

/**
 * The arguments as one line; an empty line for none.
 * @throws ERR_INVALID_INPUT for a NUL, which no argument can hold
 */
export function quoteArgv(argv: readonly string[]): string {
  if (argv.some((argument) => argument.includes('\0'))) throw invalidInput('argv', 'holds a NUL character')
  return argv
    .map((argument, at) => (at === 0 && SPECIAL_FIRST.test(argument) ? inQuotes(argument) : quote(argument)))
    .join(' ')
}

function inQuotes(argument: string): string {
  return `'${argument.replaceAll("'", `'\\''`)}'`
}
