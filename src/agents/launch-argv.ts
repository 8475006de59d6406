/**
 * A command line that starts an agent, taken apart and put together again for a session that is ours to choose.
 *
 * What a person typed stays as it is typed, but for what names a session, which gives way to ours. For a resume the
 * first message goes too: sent again it would do its work a second time. Whatever is left out is named, so that it can
 * be said.
 */

import { takesId } from './command.js'
import { running, runsAgent } from './program.js'
import type { AgentRow, AgentTable, FlagArity } from './row.js'

/** A start of an agent, as typed. */
export interface Launch {
  readonly row: AgentRow
  /** The program, with what stands before the agent's own arguments: an interpreter, a wrapper. */
  readonly program: readonly [string, ...string[]]
  readonly args: readonly string[]
}

export interface Composed {
  readonly argv: readonly [string, ...string[]]
  /** What was typed and is not in it. */
  readonly leftOut: readonly string[]
}

/** Of the flags that choose a session, those without a value; the rest take the word that follows. */
const ALONE: ReadonlySet<string> = new Set([
  '--all',
  '--background',
  '--bg',
  '--continue',
  '--fork',
  '--fork-session',
  '--last',
  '--no-session-persistence',
  '-c'
])

/**
 * @param agent the agent's name, where the command does not tell it
 * @returns null where the command is no agent's, or the name is not in the table
 */
export function launchOf(argv: readonly string[], agents: AgentTable, agent?: string): Launch | null {
  const [first] = argv
  if (first === undefined) return null
  const rows = agent === undefined ? Object.values(agents) : Object.hasOwn(agents, agent) ? [agents[agent]] : []
  for (const row of rows) {
    if (row === undefined) continue
    if (runsAgent(argv, row)) return split(row, argv, argv.length - running(argv).args.length)
  }
  const [named] = agent === undefined ? [] : rows
  if (named === undefined) return null
  // A wrapper: its own arguments end where the agent's program stands.
  const at = argv.findIndex((word) => runsAgent([word], named))
  return split(named, argv, Math.max(at, 0) + 1)
}

function split(row: AgentRow, argv: readonly string[], at: number): Launch {
  const [first = row.file, ...rest] = argv.slice(0, at)
  return { row, program: [first, ...rest], args: argv.slice(at) }
}

/** The session that the command itself names: an id, or '' where it leaves the choice to the agent; null: none. */
export function namedSession({ row, args }: Launch): string | null {
  const { identity } = sorted(row, args)
  if (identity.length === 0) return null
  const words = identity.flatMap((word) => [word, word.slice(word.indexOf('=') + 1)])
  return words.find((word) => takesId(row, word)) ?? ''
}

/** The start of a new session, under this id; null: under one that the agent chooses. */
export function freshArgv({ row, program, args }: Launch, sessionId: string | null): Composed {
  const pinned = sessionId !== null && row.pin !== null ? row.pin(sessionId) : []
  const { identity, rest } = sorted(row, args)
  return { argv: [...program, ...pinned, ...rest.flatMap(({ words }) => words)], leftOut: identity }
}

/** The resume of a session, with the flags that were typed. */
export function resumeArgv({ row, program, args }: Launch, sessionId: string): Composed {
  const { identity, rest } = sorted(row, args)
  const kept = rest.filter(({ kind }) => kind === 'flag').flatMap(({ words }) => words)
  const dropped = rest.filter(({ kind }) => kind !== 'flag').flatMap(({ words }) => words)
  return { argv: [...program, ...row.resume(sessionId), ...kept], leftOut: [...identity, ...dropped] }
}

/** `unclear`: a flag that is not known with a word after it, which may be its value or the first message. */
interface Group {
  readonly kind: 'flag' | 'unclear' | 'word'
  readonly words: readonly string[]
}

function sorted(row: AgentRow, args: readonly string[]): { identity: readonly string[]; rest: readonly Group[] } {
  const identity: string[] = []
  const rest: Group[] = []
  let left = [...args]
  // A subcommand that resumes names the session in the next word.
  const [form] = row.resume('x')
  if (form !== undefined && !form.startsWith('-') && left[0] === form) {
    const at = left.findIndex((word, index) => index > 0 && !word.startsWith('-'))
    identity.push(form, ...(at === -1 ? [] : [left[at] ?? '']))
    left = left.filter((_, index) => index !== 0 && index !== at)
  }
  for (let at = 0; at < left.length; ) {
    const word = left[at] ?? ''
    if (word === '--') {
      rest.push({ kind: 'word', words: left.slice(at) })
      break
    }
    const { flag, joined } = taken(word)
    const follows = wordsAfter(left, at)
    if (row.identityFlags.includes(flag)) {
      const count = joined || ALONE.has(flag) ? 0 : Math.min(follows, 1)
      identity.push(...left.slice(at, at + 1 + count))
      at += 1 + count
      continue
    }
    if (!word.startsWith('-') || word === '-') {
      rest.push({ kind: 'word', words: [word] })
      at++
      continue
    }
    const arity = arityOf(row, flag)
    const count = joined ? 0 : valuesOf(arity, follows)
    rest.push({ kind: arity === undefined && count > 0 ? 'unclear' : 'flag', words: left.slice(at, at + 1 + count) })
    at += 1 + count
  }
  return { identity, rest }
}

function taken(word: string): { flag: string; joined: boolean } {
  const equals = word.indexOf('=')
  return word.startsWith('-') && equals > 0
    ? { flag: word.slice(0, equals), joined: true }
    : { flag: word, joined: false }
}

function wordsAfter(args: readonly string[], at: number): number {
  const rest = args.slice(at + 1)
  const next = rest.findIndex((word) => word.startsWith('-'))
  return next === -1 ? rest.length : next
}

function arityOf({ keepFlags, grantFlags = {} }: AgentRow, flag: string): FlagArity | undefined {
  return [keepFlags, grantFlags].find((table) => Object.hasOwn(table, flag))?.[flag]
}

/** A flag that is not known may have the word after it for its value. */
function valuesOf(arity: FlagArity | undefined, follows: number): number {
  if (arity === 0) return 0
  return arity === 'many' ? follows : Math.min(follows, 1)
}
