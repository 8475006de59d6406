/**
 * A command as one line, safe to type and to hand to a POSIX shell.
 *
 * A line never holds a control character, and so never a second line: what would need one is refused, and the
 * argument vector is there for it. An entry without an agent gives the established line, which is a launcher and its
 * arguments, nothing else; one with an agent gives `cd`, the environment and the program, joined so that the program
 * does not run anywhere but in its folder.
 */

import { invalidInput } from '../core/errors.js'
import { textProblem } from '../core/ids.js'
import { quoteArgv } from '../core/quote.js'
import type { Entry } from '../core/schema.js'
import type { CommandSpec } from './command.js'

/**
 * The line of a command that was made for this entry.
 * @throws ERR_INVALID_INPUT where an argument, the folder or a value cannot stand in a line
 */
export function commandLine(entry: Entry, command: CommandSpec): string {
  const { file, args, cwd, env, unsetEnv } = command
  const values = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  for (const word of [file, ...args, cwd ?? '', ...values]) {
    const problem = textProblem(word)
    if (problem === null) continue
    throw invalidInput('the line', `cannot be made: an argument ${problem}; start the program by its argument vector`)
  }
  if (entry.agent === undefined) return quoteArgv([file, ...args])
  // env would take it for a variable to set, or for an option.
  if (file.includes('=') || file.startsWith('-')) {
    throw invalidInput('file', `${JSON.stringify(file)} cannot be run through env; start it by its argument vector`)
  }
  const unset = unsetEnv.flatMap((name) => ['-u', name])
  const run = quoteArgv(['env', ...unset, ...values, file, ...args])
  return cwd === undefined ? run : `${quoteArgv(['cd', '--', folder(cwd)])} && ${run}`
}

/** A relative folder as one: `cd -` goes back, `cd +1` to another of the stack, `cd x` to where CDPATH says. */
function folder(cwd: string): string {
  return cwd.startsWith('/') ? cwd : `./${cwd}`
}
