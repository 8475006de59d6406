/**
 * Whether a start of an agent is one without a person: with a prompt from a program, often from another agent in whose
 * pane it then runs.
 */
import type { Environment } from '../core/environment.js'
import { groupArguments } from './flags.js'
import { parseArgv, runsAgent } from './program.js'
import type { AgentRow } from './row.js'

const HELP_FLAGS: ReadonlySet<string> = new Set(['--help', '--version', '-V', '-h', '-v'])

/** @param argv of the agent's process; empty where it is not known */
export function isHeadless(row: AgentRow, env: Environment, argv: readonly string[]): boolean {
  return row.isUnattended(env) || isHeadlessForm(row, parseArgv(argv).args)
}

/** A start that begins no conversation of a person's: without one, a chore, or a question about the program. */
export function isNoConversation(row: AgentRow, args: readonly string[]): boolean {
  return isHeadlessForm(row, args) || args.some((arg) => HELP_FLAGS.has(arg)) || choreOf(row, args) !== undefined
}

/**
 * True for a process of the agent that may run a session. A chore runs none as long as it lives, unless it is one that
 * can open a session in its own process.
 */
export function runsSession(row: AgentRow, argv: readonly string[]): boolean {
  if (!runsAgent(argv, row)) return false
  const chore = choreOf(row, parseArgv(argv).args)
  return chore === undefined || row.openers.includes(chore)
}

function choreOf(row: AgentRow, args: readonly string[]): string | undefined {
  const groups = groupArguments(row, args)
  // A flag that is not known may have the word after it for its value, or as its first message.
  const first = groups.find(({ kind }) => kind !== 'flag')
  return row.chores.find((chore) => first?.kind === 'word' && first.words[0] === chore)
}

function isHeadlessForm({ headlessWords, headlessFlags }: AgentRow, args: readonly string[]): boolean {
  // The first word may be the value of a flag.
  const words = args.filter((arg) => !arg.startsWith('-')).slice(0, 2)
  if (words.some((word) => headlessWords.includes(word))) return true
  return args.some((arg) => headlessFlags.includes(arg.split('=', 1)[0] ?? ''))
}
