/**
 * The command lines of our own program, as a person can run them: the one place that writes them. Pure.
 *
 * Every word is quoted for a POSIX shell, whatever a surface or a file is called. A line names the index that is meant
 * wherever the caller names it. What the person has to fill in stays unquoted, `<session>`: a shell takes that for a
 * file that is not there, and runs nothing.
 */
import { quote } from './quote.js'

const PROGRAM = 'crash-resume-index'

/** A word that the person fills in. */
export interface Blank {
  readonly blank: string
}

/** A command line of our own program. */
export interface OwnCommand {
  /** With the action of `hooks`; empty: none, as before --help. */
  readonly name: string
  /** Of `run` these are the agent's own command line. */
  readonly args?: readonly (string | Blank)[]
  /** Each option with its value; `true`: it takes none; `undefined`: it is left out. */
  readonly options?: OwnOptions
  /** `--owner $$`, which the person's shell fills in. */
  readonly owned?: boolean
}

/** Each option with its value; `true`: it takes none; undefined: it is left out. */
export type OwnOptions = Readonly<Record<string, string | true | undefined>>

/**
 * A command line of our own program, each word quoted for a POSIX shell.
 * @param path the index that is meant; absent: the one that is found without `--path`
 */
export function ownCommand({ name, args = [], options = {}, owned = false }: OwnCommand, path?: string): string {
  const given = Object.entries({ ...options, '--path': path }).flatMap(([option, value]) => optionWords(option, value))
  const words = args.map((word) => (typeof word === 'string' ? quote(word) : `<${word.blank}>`))
  const owner = owned ? ['--owner $$'] : []
  // Behind `--` nothing is an option, so that the options come first there.
  const apart = args.length > 0 && (name === 'run' || args.some(looksLikeOption))
  const line = apart ? [...given, ...owner, '--', ...words] : [...words, ...given, ...owner]
  return [PROGRAM, ...(name === '' ? [] : [name]), ...line].join(' ')
}

function optionWords(option: string, value: string | true | undefined): readonly string[] {
  if (value === undefined) return []
  if (value === true) return [option]
  return value.startsWith('-') ? [`${option}=${quote(value)}`] : [option, quote(value)]
}

function looksLikeOption(word: string | Blank): boolean {
  return typeof word === 'string' && word.startsWith('-')
}

/** The same in backticks, for the middle of a sentence. */
export function inlineCommand(command: OwnCommand, path?: string): string {
  return `\`${ownCommand(command, path)}\``
}
