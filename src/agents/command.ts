/**
 * What to run, as an argument vector first and as a line for a shell second.
 *
 * The program comes from the agents table or from the caller, never from the file; ids and launchers pass their
 * allow-list again when they are emitted. The environment names the surface, so that the agent's own hook reports the
 * surface that was meant, and what an outer agent left in it is unset.
 */

import type { Environment } from '../core/environment.js'
import { invalidInput } from '../core/errors.js'
import { given } from '../core/given.js'
import { checkAttemptId, checkSessionId, isLauncher, isPlaceholder, textProblem } from '../core/ids.js'
import { quoteArgv } from '../core/quote.js'
import type { Entry } from '../core/schema.js'
import { keepFlags } from './flags.js'
import { ANY_ID, takesId } from './ids.js'
import { launchEnv } from './launch-env.js'
import type { AgentRow, AgentTable } from './row.js'
import { AGENTS, agentMarks, DEFAULT_AGENT, rowFor } from './table.js'

/** What to start. */
export interface CommandSpec {
  readonly file: string
  readonly args: readonly string[]
  /** Where to start it; absent: anywhere. */
  readonly cwd?: string
  /** To be set beside the caller's own environment. */
  readonly env: Readonly<Record<string, string>>
  /** To be taken out of the caller's own environment. */
  readonly unsetEnv: readonly string[]
}

/** Launchers by repo, or a function; undefined: the established form. */
export type Launchers = Readonly<Record<string, string>> | ((repo: string) => string | undefined)

export interface SpecOptions {
  /** @default the table of this library */
  readonly agents?: AgentTable | undefined
  /** Launchers by repo, or a function, for entries without an agent. */
  readonly launchers?: Launchers | undefined
  /** Emit the entry's permission bypasses and settings paths too, on a person's word. @default false */
  readonly grants?: boolean | undefined
}

/** How a command that resumes a session is made. */
export interface CommandOptions extends SpecOptions {
  /** The attempt that the start belongs to. @default the entry's open one */
  readonly attemptId?: string | undefined
  /** Handed to the agent as its next message. */
  readonly prompt?: string | undefined
  /** Without a terminal; takes a prompt. @default false */
  readonly headless?: boolean | undefined
}

/**
 * The launcher that entries without an agent are started with: `<repo>Claude`, lowercased; `orchestrator` gives
 * `orcClaude`.
 * @throws ERR_INVALID_INPUT where the result is no safe program name
 */
export function launcherFor(repo: string, launchers?: CommandOptions['launchers']): string {
  const own = typeof launchers === 'function' ? launchers(repo) : ownValue(launchers, repo)
  const lower = repo.toLowerCase()
  const launcher = own ?? `${lower === 'orchestrator' ? 'orc' : lower}Claude`
  if (repo.trim() !== '' && isLauncher(launcher)) return launcher
  throw invalidInput('repo', `${JSON.stringify(repo)} gives no safe launcher name`, 'name one for it in launchers')
}

function ownValue<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined
}

/**
 * What resumes the entry's session, as an argument vector.
 * @throws ERR_INVALID_INPUT: the agent is not known, or would not take the id or the prompt
 */
export function resumeSpec(entry: Entry, options: CommandOptions = {}): CommandSpec {
  checkSessionId(entry.sessionId)
  const { prompt, headless = false } = options
  checkPrompt(prompt, headless)
  const row = rowOf(entry, options)
  // In a terminal a person sees what an odd id leads to; without one, an agent may start a new session and exit 0.
  if (headless) checkAgentId(row, entry.sessionId)
  return specOf(entry, row, resumeArgs(row, entry, options), options)
}

/**
 * What starts the minted session: under its id, or, for a placeholder, under an id of the agent's own choice.
 * @throws ERR_INVALID_INPUT
 */
export function spawnSpec(entry: Entry, options: CommandOptions = {}): CommandSpec {
  const { sessionId } = entry
  const isChosen = !isPlaceholder(sessionId)
  if (isChosen) checkSessionId(sessionId)
  const row = rowOf(entry, options)
  const kept = keptOf(row, entry, options)
  if (!isChosen) return specOf(entry, row, kept, options)
  if (row.pin === null) throw invalidInput('agent', `${row.name} cannot be given a session id`, 'mint with capture')
  checkAgentId(row, sessionId)
  return specOf(entry, row, [...row.pin(sessionId), ...kept], options)
}

/** The program that would be run to resume the entry. @throws as resumeSpec */
export function programOf(entry: Entry, options: SpecOptions): string {
  return resumeSpec(entry, options).file
}

/** The row that an entry is started by. @throws ERR_INVALID_INPUT where the table has none */
function rowOf({ agent, repo }: Entry, { agents = AGENTS, launchers }: SpecOptions): AgentRow {
  if (agent === undefined) {
    // A launcher may take other ids, and has flags of its own.
    const file = launcherFor(repo, launchers)
    return { ...AGENTS[DEFAULT_AGENT], file, sessionId: ANY_ID, keepFlags: {}, grantFlags: {} }
  }
  const row = rowFor(agent, agents)
  if (row !== undefined) return row
  const name = JSON.stringify(agent)
  const next = `give its row: agents: withAgents([{ name: ${name}, ... }])`
  throw invalidInput('agent', `${name} is not in the agents table`, next)
}

/** The flags of the entry come last, or where the row puts them: a subcommand goes before its flags. */
function resumeArgs(row: AgentRow, entry: Entry, options: CommandOptions): readonly string[] {
  const { sessionId } = entry
  const { prompt, headless = false } = options
  const kept = keptOf(row, entry, options)
  if (prompt === undefined) return [...row.resume(sessionId), ...kept]
  if (headless && row.resumeHeadless !== null) return row.resumeHeadless(sessionId, prompt, kept)
  if (!headless && row.promptArgs !== null) return [...row.resume(sessionId), ...row.promptArgs(prompt), ...kept]
  throw invalidInput('prompt', `cannot be given to ${row.name}${headless ? ' without a terminal' : ''}`)
}

function keptOf(row: AgentRow, { flags = [], withheld = [] }: Entry, options: CommandOptions): readonly string[] {
  const { grants, headless } = options
  return keepFlags(row, grants ? [...flags, ...withheld] : flags, { grants, headless })
}

function checkPrompt(prompt: string | undefined, headless: boolean): void {
  if (prompt === undefined) {
    if (headless) throw invalidInput('prompt', 'is missing', 'give one: a headless resume takes it')
    return
  }
  if (prompt.trim() === '') throw invalidInput('prompt', 'is blank')
  if (prompt.startsWith('-')) throw invalidInput('prompt', 'begins with "-", which an agent would take for a flag')
  if (prompt.includes('\0')) throw invalidInput('prompt', 'holds a NUL, which no argument can')
}

function checkAgentId(row: AgentRow, sessionId: string): void {
  if (takesId(row, sessionId)) return
  throw invalidInput(`session ${sessionId}`, `is not an id that ${row.name} takes, and would start another one or fail`)
}

function specOf(entry: Entry, row: AgentRow, args: readonly string[], options: CommandOptions): CommandSpec {
  const attempt = options.attemptId ?? entry.attempt?.id
  if (attempt !== undefined) checkAttemptId(attempt)
  // The process that starts this may have an attempt of its own.
  const ours = attempt === undefined ? ['CRASH_RESUME_ATTEMPT'] : []
  const { set, unset } = launchEnv(row, entry)
  return {
    file: row.file,
    args,
    ...given({ cwd: entry.cwd }),
    env: { ...set, CRASH_RESUME_SURFACE: entry.surfaceId, ...given({ CRASH_RESUME_ATTEMPT: attempt }) },
    unsetEnv: [...agentMarks(options.agents), ...unset, ...ours]
  }
}

/** The environment to start a spec in: this process's, or the given one, with what the spec sets and without what it unsets. */
export function environmentFor(
  spec: CommandSpec,
  env: Readonly<Record<string, string | undefined>> = process.env
): Record<string, string | undefined> {
  return { ...without(env, spec.unsetEnv), ...spec.env }
}

/** The environment without what says that something was started by an agent, or on a surface that it is not on. */
export function withoutMarks(env: Environment, agents: AgentTable = AGENTS): Record<string, string | undefined> {
  return without(env, [...agentMarks(agents), 'CRASH_RESUME_ATTEMPT', 'CRASH_RESUME_SURFACE'])
}

function without(env: Environment, names: readonly string[]): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)))
}

/**
 * A spec of this entry as one line, safe to type and to pass to a POSIX shell.
 *
 * A line never holds a control character, and so never a second line: an argument that has one is refused, and the
 * argument vector is there for it. An entry without an agent gives the established line, which is a launcher and its
 * arguments, after the variables that the entry was recorded with, and nothing else; one with an agent gives `cd`, the environment and the program, joined so that the program
 * does not run anywhere but in its folder.
 * @throws ERR_INVALID_INPUT where an argument, the folder or a value cannot stand in a line
 */
export function commandLineFor(entry: Entry, spec: CommandSpec = resumeSpec(entry)): string {
  const { file, args, cwd, env, unsetEnv } = spec
  const values = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  for (const word of [file, ...args, cwd ?? '', ...values]) {
    const problem = textProblem(word)
    if (problem === null) continue
    throw invalidInput('the line', `cannot be made: an argument ${problem}`, 'start the program by its argument vector')
  }
  if (entry.agent === undefined) {
    // A launcher may be a function of the shell, which env could not run.
    const homes = Object.entries(launchEnv(AGENTS[DEFAULT_AGENT], entry).set)
    const words = homes.map(([name, value]) => `${name}=${quoteArgv([value])}`)
    return [...words, quoteArgv([file, ...args])].join(' ')
  }
  // env would take it for a variable to set, or for an option.
  if (file.includes('=') || file.startsWith('-')) {
    throw invalidInput('file', `${JSON.stringify(file)} cannot be run through env`, 'start it by its argument vector')
  }
  const unset = unsetEnv.flatMap((name) => ['-u', name])
  const run = quoteArgv(['env', ...unset, ...values, file, ...args])
  if (cwd === undefined) return run
  // `cd -` goes back, `cd +1` to another folder of the stack, `cd x` to where CDPATH says.
  return `${quoteArgv(['cd', '--', cwd.startsWith('/') ? cwd : `./${cwd}`])} && ${run}`
}
