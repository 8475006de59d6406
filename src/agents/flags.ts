/**
 * Which of a launch's arguments a later resume keeps.
 *
 * Only flags on the agent's allow-list, each with exactly the arguments it takes: a boolean flag never swallows the
 * word after it, so a prompt is never taken for a flag's value and replayed. Flags that name a session give way to
 * ours; prompts, subcommands and whatever is not known or not complete are dropped. What a permission rests on is
 * kept on a person's word only, given each time: a file cannot say it.
 */
import type { AgentRow, FlagArity, FlagTable } from './row.js'

export interface KeepOptions {
  /** Keep the row's `grantFlags` too: permission bypasses and settings paths. @default false */
  readonly grants?: boolean
  /** More flags to keep, that the row does not know. */
  readonly also?: FlagTable
  /** Only those that the form without a terminal takes. @default false */
  readonly headless?: boolean
}

/** The arguments of `argv` (without the program) that are kept, in their order. */
export function keepFlags(row: AgentRow, argv: readonly string[], options: KeepOptions = {}): readonly string[] {
  const { grants = false, also = {}, headless = false } = options
  const tables = [also, row.keepFlags, grants ? row.grantFlags : undefined]
  const left = headless ? (row.terminalFlags ?? []) : []
  const kept: string[] = []
  let taken = 0
  for (let at = 0; at < argv.length; at += 1 + taken) {
    taken = 0
    const word = argv[at] ?? ''
    // What follows is no flag, whatever it looks like.
    if (word === '--') break
    const { flag, isJoined } = splitFlag(word)
    const arity = arityIn(tables, flag)
    if (arity === undefined || row.identityFlags.includes(flag)) continue
    taken = isJoined ? 0 : argumentsAfter(argv, at, arity)
    const isComplete = arity === 0 ? !isJoined : arity === 'optional' || isJoined || taken > 0
    if (isComplete && !left.includes(flag)) kept.push(...argv.slice(at, at + 1 + taken))
  }
  return kept
}

function splitFlag(word: string): { readonly flag: string; readonly isJoined: boolean } {
  const equals = word.indexOf('=')
  return word.startsWith('-') && equals > 0
    ? { flag: word.slice(0, equals), isJoined: true }
    : { flag: word, isJoined: false }
}

function arityIn(tables: readonly (FlagTable | undefined)[], flag: string): FlagArity | undefined {
  const table = tables.find((candidate) => candidate !== undefined && Object.hasOwn(candidate, flag))
  return table?.[flag]
}

/** How many words after the flag are its arguments; one that begins with `-` is another flag. */
function argumentsAfter(argv: readonly string[], at: number, arity: FlagArity): number {
  if (arity === 0) return 0
  const rest = argv.slice(at + 1)
  const next = rest.findIndex((word) => word.startsWith('-'))
  const words = next === -1 ? rest.length : next
  return arity === 'many' ? words : Math.min(words, 1)
}
