/**
 * A command line that starts an agent, taken apart and put together again for a session that is ours to choose.
 *
 * What a person typed stays as it is typed, but for what names a session, which gives way to ours. For a resume the
 * first message goes too: sent again it would do its work a second time. The caller is told what is left out.
 */

import { type ArgumentGroup, groupArguments } from './flags.js'
import { takesId } from './ids.js'
import { parseArgv, runsAgent } from './program.js'
import type { AgentRow, AgentTable } from './row.js'
import { rowFor } from './table.js'

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

/**
 * @param agent the agent's name, where the command does not tell it
 * @returns null where the command is no agent's, or the name is not in the table
 */
export function launchOf(argv: readonly string[], agents: AgentTable, agent?: string): Launch | null {
  if (argv.length === 0) return null
  const named = agent === undefined ? undefined : rowFor(agent, agents)
  const rows = agent === undefined ? Object.values(agents) : named === undefined ? [] : [named]
  const row = rows.find((one) => runsAgent(argv, one))
  if (row !== undefined) return split(row, argv, argv.length - parseArgv(argv).args.length)
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
  const { session } = parts(row, args)
  if (session.length === 0) return null
  const words = session.flatMap((word) => [word, word.slice(word.indexOf('=') + 1)])
  return words.find((word) => takesId(row, word)) ?? ''
}

/**
 * The start of a new session, under this id; null: under one that the agent chooses.
 * @param own further words of ours
 */
export function freshArgv(
  { row, program, args }: Launch,
  sessionId: string | null,
  own: readonly string[] = []
): Composed {
  const pinned = sessionId !== null && row.pin !== null ? row.pin(sessionId) : []
  const { session, rest } = parts(row, args)
  return { argv: [...program, ...own, ...pinned, ...wordsOf(rest)], leftOut: session }
}

/** The resume of a session, with the flags that were typed. */
export function resumeArgv({ row, program, args }: Launch, sessionId: string, own: readonly string[] = []): Composed {
  const { session, rest } = parts(row, args)
  const kept = wordsOf(rest.filter(({ kind }) => kind === 'flag'))
  const dropped = wordsOf(rest.filter(({ kind }) => kind !== 'flag'))
  return { argv: [...program, ...row.resume(sessionId), ...own, ...kept], leftOut: [...session, ...dropped] }
}

/** `session`: the words that name one. */
function parts(row: AgentRow, args: readonly string[]): { session: readonly string[]; rest: readonly ArgumentGroup[] } {
  const groups = groupArguments(row, args)
  return {
    session: wordsOf(groups.filter(({ kind }) => kind === 'session')),
    rest: groups.filter(({ kind }) => kind !== 'session')
  }
}

function wordsOf(groups: readonly ArgumentGroup[]): readonly string[] {
  return groups.flatMap(({ words }) => words)
}
