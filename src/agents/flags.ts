/**
 * An agent's command line, taken apart, and which of its arguments a later resume keeps.
 *
 * Each flag has exactly the arguments that the agent's row says: a boolean flag never takes the word after it, so that
 * a prompt is never taken for a flag's value and replayed. A resume keeps flags on the allow-list alone. Flags that
 * name a session give way to ours. Prompts, subcommands, unknown flags and incomplete ones are dropped. What
 * holds the agent back is kept. What loosens it is kept on a person's word only, given each time: a file cannot say it.
 */
import type { AgentRow, FlagArity, FlagTable } from './row.js'

/** Which flags are kept beside those that are always kept. */
export interface KeepOptions {
  /** Keep the row's `grantFlags` too: permission bypasses and settings paths. @default false */
  readonly grants?: boolean | undefined
  /** More flags to keep, that the row does not know. */
  readonly also?: FlagTable | undefined
  /** Only those that the form without a terminal takes. @default false */
  readonly headless?: boolean | undefined
}

const ARITIES: readonly FlagArity[] = [0, 1, 'optional', 'many']

/** A table from the flags of each arity, with blanks between them. */
export function flagTable(flags: Readonly<Partial<Record<FlagArity, string>>>): FlagTable {
  const table: Record<string, FlagArity> = {}
  for (const arity of ARITIES) for (const flag of words(flags[arity] ?? '')) table[flag] = arity
  return table
}

/** The words of a list with blanks between them. */
export function words(list: string): readonly string[] {
  return list.match(/\S+/g) ?? []
}

/** A flag with its arguments, or a word that belongs to none. */
export interface ArgumentGroup {
  /**
   * `session`: it names one. `unclear`: a flag that is not known, with a word after it that may be its value or the
   * first message.
   */
  readonly kind: 'session' | 'flag' | 'unclear' | 'word'
  readonly words: readonly string[]
  /** Without a value that is joined to it. */
  readonly flag: string
  /** It is known, and has what it takes. */
  readonly isComplete: boolean
}

/** The arguments of `argv` (without the program) that are kept, in their order. */
export function keepFlags(row: AgentRow, argv: readonly string[], options: KeepOptions = {}): readonly string[] {
  const { grants = false, also = {}, headless = false } = options
  const tables = [also, row.keepFlags, grants ? row.grantFlags : {}]
  const mayStay = (group: ArgumentGroup): boolean =>
    (tables.some((table) => Object.hasOwn(table, group.flag)) || isStrict(row, group)) &&
    !(headless && row.terminalFlags.includes(group.flag))
  return groupArguments(row, argv, also).flatMap((group) =>
    group.kind === 'flag' && group.isComplete && mayStay(group) ? group.words : []
  )
}

/**
 * The names of the flags that loosen what the agent may do, and that are not kept. A value is a part of the name where
 * the row knows the values of the flag, and the flag can be given back; no path, rule or setting is.
 */
export function withheldFlags(row: AgentRow, argv: readonly string[]): readonly string[] {
  const loose = groupArguments(row, argv).filter(
    (group) => group.kind === 'flag' && Object.hasOwn(row.grantFlags, group.flag) && !isStrict(row, group)
  )
  return [...new Set(loose.map((group) => nameOf(row, group)))]
}

function nameOf({ strictValues }: AgentRow, { flag, words }: ArgumentGroup): string {
  const value = argumentOf(flag, words)
  return Object.hasOwn(strictValues, flag) && /^[A-Za-z-]{1,40}$/.test(value) ? `${flag}=${value}` : flag
}

function isStrict({ strictValues }: AgentRow, { flag, words }: ArgumentGroup): boolean {
  return Object.hasOwn(strictValues, flag) && (strictValues[flag]?.test(argumentOf(flag, words)) ?? false)
}

function argumentOf(flag: string, [word = '', next = '']: readonly string[]): string {
  return word === flag ? next : word.slice(flag.length + 1)
}

/** All of `args`, in their order. @param also arities that the row does not know */
export function groupArguments(row: AgentRow, args: readonly string[], also: FlagTable = {}): readonly ArgumentGroup[] {
  const tables = [row.identityFlags, also, row.keepFlags, row.grantFlags]
  const groups: ArgumentGroup[] = []
  const add = (kind: ArgumentGroup['kind'], words: readonly string[], flag = '', isComplete = false): void => {
    groups.push({ kind, words, flag, isComplete })
  }
  // A subcommand that resumes: the next word is the session.
  const [form = ''] = row.resume('x')
  const subcommands = [...(form.startsWith('-') ? [] : [form]), ...row.sessionWords]
  let [isFirst, namesNext] = [true, false]
  for (let at = 0; at < args.length; ) {
    const word = args[at] ?? ''
    // What follows is no flag, whatever it looks like.
    if (word === '--') {
      add(namesNext ? 'session' : 'word', args.slice(at))
      break
    }
    if (!word.startsWith('-') || word === '-') {
      const isSubcommand = isFirst && subcommands.includes(word)
      add(namesNext || isSubcommand ? 'session' : 'word', [word])
      ;[isFirst, namesNext] = [false, isSubcommand]
      at++
      continue
    }
    const equals = word.indexOf('=')
    const flag = equals > 0 ? word.slice(0, equals) : word
    const isIdentity = Object.hasOwn(row.identityFlags, flag) || row.resumeFlags.includes(flag)
    const arity = tables.find((table) => Object.hasOwn(table, flag))?.[flag] ?? (isIdentity ? 'optional' : undefined)
    // A flag that is not known may have the word after it for its value.
    const taken = equals > 0 ? 0 : argumentsAfter(args, at, arity ?? 1)
    const isComplete = arity === 0 ? equals <= 0 : arity === 'optional' || equals > 0 || taken > 0
    const kind = isIdentity ? 'session' : arity === undefined && taken > 0 ? 'unclear' : 'flag'
    add(kind, args.slice(at, at + 1 + taken), flag, isComplete)
    at += 1 + taken
  }
  return groups
}

/** How many words after the flag are its arguments; one that begins with `-` is another flag. */
function argumentsAfter(args: readonly string[], at: number, arity: FlagArity): number {
  if (arity === 0) return 0
  const next = args.findIndex((word, place) => place > at && word.startsWith('-'))
  const words = (next === -1 ? args.length : next) - at - 1
  return arity === 'many' ? words : Math.min(words, 1)
}
