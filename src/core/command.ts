/**
 * What to run, as an argument vector first and as a line for a shell second.
 *
 * The program comes from the agents table or from the caller, never from the file; ids and launchers pass their
 * allow-list again when they are emitted. The environment names the surface, so that the agent's own hook reports the
 * surface that was meant, and what an outer agent left in it is unset.
 */
import type { AgentRow, AgentTable } from './agent-row.js'
import { CrashResumeError, invalidInput } from './errors.js'
import { checkSessionId, isLauncher, isPlaceholder, textProblem } from './ids.js'
import { quote, quoteArgv } from './quote.js'
import type { Entry } from './schema.js'

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

export interface CommandOptions {
  readonly agents: AgentTable
  readonly launchers?: Launchers
  /** The attempt that the start belongs to. @default the entry's open one */
  readonly attemptId?: string
  /** Handed to the agent as its next message. */
  readonly prompt?: string
  /** Without a terminal; takes a prompt. @default false */
  readonly headless?: boolean
}

/** What marks an agent that runs inside another one, seen with Claude Code 2.1.332: it would not save transcripts. */
const INHERITED_MARKS: readonly string[] = [
  'CLAUDECODE',
  'CLAUDE_CODE_CHILD_SESSION',
  'CLAUDE_CODE_CHILD_NOTES_DIR',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_MESSAGING_SOCKET',
  'CLAUDE_CODE_MESSAGING_TOKEN',
  'CLAUDE_CODE_SESSION_ATTENDED',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_ENV_FILE',
  'CLAUDE_JOB_DIR',
  'CLAUDE_PID'
]

/** The launcher that entries without an agent are started with: `<repo>Claude`, lowercased; `orchestrator` is `orc`.
 * @throws ERR_INVALID_INPUT where the result is no safe program name
 */
export function launcherFor(repo: string, launchers?: Launchers): string {
  const given = typeof launchers === 'function' ? launchers(repo) : ownValue(launchers, repo)
  const lower = repo.toLowerCase()
  const launcher = given ?? `${lower === 'orchestrator' ? 'orc' : lower}Claude`
  if (isLauncher(launcher)) return launcher
  throw invalidInput('repo', `${JSON.stringify(repo)} gives no safe launcher name; give one for it in launchers`)
}

/** The row of an agent. @throws ERR_INVALID_INPUT where the table has none */
export function rowOf(agent: string, agents: AgentTable): AgentRow {
  const row = ownValue(agents, agent)
  if (row !== undefined) return row
  throw invalidInput('agent', `${JSON.stringify(agent)} is not in the agents table; give a row for it in agents`)
}

/**
 * What resumes the entry's session.
 * @throws ERR_INVALID_INPUT: the id is no id of that agent, the agent is not known, or the prompt is no prompt
 */
export function resumeSpec(entry: Entry, options: CommandOptions): CommandSpec {
  const { sessionId, agent } = entry
  checkSessionId(sessionId)
  const { prompt, headless = false } = options
  if (prompt !== undefined && (prompt.startsWith('-') || prompt.includes('\0'))) {
    throw invalidInput('prompt', 'begins with "-" or holds a NUL, which an agent would not take as a message')
  }
  if (headless && prompt === undefined) throw invalidInput('prompt', 'is missing; a headless resume takes one')
  if (agent === undefined) {
    const args = [...(headless ? ['-p'] : []), '--resume', sessionId, ...(prompt === undefined ? [] : [prompt])]
    return spec(entry, launcherFor(entry.repo, options.launchers), args, [], options)
  }
  const row = rowOf(agent, options.agents)
  // In a terminal a person sees what an odd id leads to; without one, Codex 0.171.0 starts a new session and exits 0.
  if (headless) checkAgentId(row, sessionId)
  const args = [...resumeArgs(row, sessionId, prompt, headless), ...keptFlags(row, entry.flags)]
  return spec(entry, row.file, args, row.unsetEnv, options)
}

function resumeArgs(
  row: AgentRow,
  sessionId: string,
  prompt: string | undefined,
  headless: boolean
): readonly string[] {
  if (prompt === undefined) return row.resume(sessionId)
  const args = headless ? row.resumeHeadless?.(sessionId, prompt) : row.promptArgs?.(prompt)
  if (args == null)
    throw invalidInput('prompt', `cannot be given to ${row.name}${headless ? ' without a terminal' : ''}`)
  return headless ? args : [...row.resume(sessionId), ...args]
}

/**
 * What starts the minted session afresh: under its id, or, for a placeholder, under an id of the agent's own choice.
 * @throws ERR_INVALID_INPUT
 */
export function spawnSpec(entry: Entry, options: CommandOptions): CommandSpec {
  const { sessionId, agent } = entry
  const chosen = !isPlaceholder(sessionId)
  if (chosen) checkSessionId(sessionId)
  if (agent === undefined) {
    const args = chosen ? ['--session-id', sessionId] : []
    return spec(entry, launcherFor(entry.repo, options.launchers), args, [], options)
  }
  const row = rowOf(agent, options.agents)
  if (chosen && row.pin === null)
    throw invalidInput('agent', `${agent} cannot be given a session id; mint with capture`)
  if (chosen) checkAgentId(row, sessionId)
  const args = chosen && row.pin ? row.pin(sessionId) : []
  return spec(entry, row.file, [...args, ...keptFlags(row, entry.flags)], row.unsetEnv, options)
}

/**
 * The line form, safe to type and to hand to a POSIX shell. An entry without an agent gives the established line, which
 * is a launcher's name and its arguments, nothing else.
 */
export function commandLine(entry: Entry, command: CommandSpec): string {
  const run = [command.file, ...command.args]
  for (const word of [...run, command.cwd ?? '', ...Object.values(command.env)]) {
    const problem = textProblem(word)
    if (problem !== null) throw invalidInput('command', `${problem}; a line holds none: use the argument vector`)
  }
  if (entry.agent === undefined) return quoteArgv(run)
  const env = [
    ...command.unsetEnv.flatMap((name) => ['-u', name]),
    ...Object.entries(command.env).map(([name, value]) => `${name}=${quote(value)}`)
  ]
  const there = command.cwd === undefined ? '' : `cd -- ${quote(command.cwd)} && `
  return `${there}env ${env.join(' ')} ${quoteArgv(run)}`
}

function spec(
  entry: Entry,
  file: string,
  args: readonly string[],
  unsetEnv: readonly string[],
  options: CommandOptions
): CommandSpec {
  const attempt = options.attemptId ?? entry.attempt?.id
  return {
    file,
    args,
    ...(entry.cwd === undefined ? {} : { cwd: entry.cwd }),
    env: { CRASH_RESUME_SURFACE: entry.surfaceId, ...(attempt === undefined ? {} : { CRASH_RESUME_ATTEMPT: attempt }) },
    unsetEnv: [...new Set([...INHERITED_MARKS, ...unsetEnv])]
  }
}

/** Flags of the file, once more through the allow-list. */
/** Those of a program's arguments that the row keeps; never a prompt, which is no flag. */
export function keptFlags(row: AgentRow, flags: readonly string[] = []): readonly string[] {
  const kept: string[] = []
  for (let at = 0; at < flags.length; at++) {
    const flag = flags[at] ?? ''
    const arity = ownValue(row.keepFlags, flag.split('=', 1)[0] ?? '')
    if (arity === undefined) continue
    const joined = flag.includes('=')
    if (arity === 0 && !joined) kept.push(flag)
    else if (arity === 1 && joined) kept.push(flag)
    else if (arity === 1 && at + 1 < flags.length) kept.push(flag, flags[++at] ?? '')
  }
  return kept
}

function checkAgentId(row: AgentRow, sessionId: string): void {
  if (row.sessionId.test(sessionId)) return
  const message = `session ${sessionId} is no id that ${row.name} takes; it would start another session, or fail`
  throw new CrashResumeError('ERR_INVALID_INPUT', message)
}

function ownValue<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined
}
