/**
 * A command line that starts an agent, taken apart and put together again for a session that is ours to choose.
 *
 * What a person typed stays as it is typed, and a session that it names is the person's word. Where ours is resumed, the
 * first message goes: sent again it would do its work a second time. The caller is told what is left out.
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

type Argv = readonly [string, ...string[]]

export interface Composed {
  readonly argv: Argv
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

/** What a command says about its session. */
export type NamedSession =
  | { readonly by: 'none' }
  /** `resume`: the one of this id goes on. `pin`: a new one begins under it. */
  | { readonly by: 'resume' | 'pin'; readonly sessionId: string }
  /** The agent chooses, or asks its person: the newest one, a copy, one out of a list. */
  | { readonly by: 'agent' }

export function namedSession({ row, args }: Launch): NamedSession {
  const groups = groupArguments(row, args).filter((group) => isChoice(row, group))
  if (groups.length === 0) return { by: 'none' }
  const [word = '', ...more] = wordsOf(groups)
  const equals = word.startsWith('-') ? word.indexOf('=') : -1
  const [flag, sessionId = '', ...rest] =
    equals > 0 ? [word.slice(0, equals), word.slice(equals + 1), ...more] : [word, ...more]
  if (rest.length > 0 || !takesId(row, sessionId)) return { by: 'agent' }
  if (row.resumeFlags.includes(flag) || row.resume('x')[0] === flag) return { by: 'resume', sessionId }
  return row.pin?.('x')[0] === flag ? { by: 'pin', sessionId } : { by: 'agent' }
}

/** The command as it was typed. @param own further words of ours, which a subcommand comes before */
export function typedArgv({ row, program, args }: Launch, own: readonly string[] = []): Argv {
  const subcommands = [...row.resume('x').slice(0, 1), ...row.sessionWords].filter((word) => !word.startsWith('-'))
  const at = args.findIndex((word) => subcommands.includes(word)) + 1
  return [...program, ...args.slice(0, at), ...own, ...args.slice(at)]
}

/**
 * The start of a new session, under this id; null: under one that the agent chooses.
 * @param own further words of ours
 */
export function freshArgv({ row, program, args }: Launch, sessionId: string | null, own: readonly string[] = []): Argv {
  const pinned = sessionId !== null && row.pin !== null ? row.pin(sessionId) : []
  return [...program, ...own, ...pinned, ...args]
}

/** The resume of a session, with the flags that were typed, in place of one that they name. */
export function resumeArgv({ row, program, args }: Launch, sessionId: string, own: readonly string[] = []): Composed {
  const rest = groupArguments(row, args).filter((group) => !isChoice(row, group))
  const kept = wordsOf(rest.filter(({ kind }) => kind === 'flag'))
  const leftOut = wordsOf(rest.filter(({ kind }) => kind !== 'flag'))
  return { argv: [...program, ...row.resume(sessionId), ...own, ...kept], leftOut }
}

/** It says which session, and not only how a new one is to be. */
function isChoice({ startFlags }: AgentRow, { kind, flag }: ArgumentGroup): boolean {
  return kind === 'session' && !startFlags.includes(flag)
}

function wordsOf(groups: readonly ArgumentGroup[]): readonly string[] {
  return groups.flatMap(({ words }) => words)
}
