/** A command line of our own, for a person to run as it stands. Pure. */
import { quoteArgv } from '../../index.js'

export interface OwnLine {
  readonly name: string
  readonly args: readonly string[]
  readonly options?: readonly string[]
  /** `--owner $$`, which the person's shell fills in. */
  readonly owned?: boolean
  /** What it does, as a comment behind it. */
  readonly does?: string
}

/** @param path the index that was named by --path; absent: the one that is found without it */
export function ownLine({ name, args, options = [], owned = false, does }: OwnLine, path: string | undefined): string {
  const given = [...options, ...(path === undefined ? [] : ['--path', path])]
  const owner = owned ? ' --owner $$' : ''
  // Behind `--` nothing is an option, so that the options come first there.
  const odd = args.some((word) => word.startsWith('-'))
  const line = odd
    ? `${quoteArgv(['crash-resume-index', name, ...given])}${owner} -- ${quoted(args)}`
    : `${quoteArgv(['crash-resume-index', name])} ${quoted(args)}${given.length > 0 ? ` ${quoteArgv(given)}` : ''}${owner}`
  return does === undefined ? line : `${line}  # ${does}`
}

/** What the person has to fill in stays as it is: a shell takes it for a file that is not there, and runs nothing. */
function quoted(args: readonly string[]): string {
  return args.map((word) => (BLANKS.includes(word) ? word : quoteArgv([word]))).join(' ')
}

const BLANKS = ['<repo>', '<session>']
