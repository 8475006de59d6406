/**
 * What to run, as an argument vector first and as a line for a shell second.
 *
 * The program comes from the agents table or from the caller, never from the file; ids and launchers pass their
 * allow-list again when they are emitted. The environment names the surface, so that the agent's own hook reports the
 * surface that was meant, and what an outer agent left in it is unset.
 */

import { CrashResumeError, invalidInput } from '../core/errors.js'
import { checkAttemptId, checkSessionId, isLauncher, isPlaceholder } from '../core/ids.js'
import type { Entry } from '../core/schema.js'
import { claudeMessage } from './claude-message.js'
import { keepFlags } from './flags.js'
import type { AgentRow, AgentTable } from './row.js'

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
  /** Emit the entry's permission bypasses and settings paths too, on a person's word. @default false */
  readonly grants?: boolean
}

/**
 * What marks an agent that runs inside Claude Code 2.1.332, which would then not save its transcript; the kind and the
 * launchers are from its bundle. Any agent may be started from inside one, and may start one.
 */
const INHERITED_MARKS: readonly string[] = [
  'CLAUDECODE',
  'CLAUDE_CODE_CHILD_SESSION',
  'CLAUDE_CODE_CHILD_NOTES_DIR',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS',
  'CLAUDE_CODE_MESSAGING_SOCKET',
  'CLAUDE_CODE_MESSAGING_TOKEN',
  'CLAUDE_CODE_SESSION_ATTENDED',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_CODE_SESSION_KIND',
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
  if (repo.trim() !== '' && isLauncher(launcher)) return launcher
  throw invalidInput('repo', `${JSON.stringify(repo)} gives no safe launcher name; give one for it in launchers`)
}

/** The row of an agent. @throws ERR_INVALID_INPUT where the table has none */
export function rowOf(agent: string, agents: AgentTable): AgentRow {
  const row = ownValue(agents, agent)
  if (row !== undefined) return row
  throw invalidInput(
    'agent',
    `${JSON.stringify(agent)} is not in the agents table; give its row: agents: withAgents([{ name: ${JSON.stringify(agent)}, ... }])`
  )
}

/**
 * What resumes the entry's session.
 * @throws ERR_INVALID_INPUT: the id is no id of that agent, the agent is not known, or the prompt is no prompt
 */
export function resumeSpec(entry: Entry, options: CommandOptions): CommandSpec {
  const { sessionId, agent } = entry
  checkSessionId(sessionId)
  const { prompt, headless = false } = options
  checkPrompt(prompt, headless)
  if (agent === undefined) {
    const words = prompt === undefined ? [] : [headless ? prompt : claudeMessage(prompt)]
    const args = [...(headless ? ['-p'] : []), '--resume', sessionId, ...words]
    return spec(entry, launcherFor(entry.repo, options.launchers), args, [], options)
  }
  const row = rowOf(agent, options.agents)
  // In a terminal a person sees what an odd id leads to; without one, Codex 0.171.0 starts a new session and exits 0.
  if (headless) checkAgentId(row, sessionId)
  return spec(entry, row.file, resumeArgs(row, entry, options), row.unsetEnv, options)
}

/** The flags of the entry come last, or where the row puts them: a subcommand goes before its flags. */
function resumeArgs(row: AgentRow, { sessionId, flags = [] }: Entry, options: CommandOptions): readonly string[] {
  const { prompt, headless = false, grants = false } = options
  const kept = keepFlags(row, flags, { grants, headless })
  if (prompt === undefined) return [...row.resume(sessionId), ...kept]
  if (headless && row.resumeHeadless !== null) return row.resumeHeadless(sessionId, prompt, kept)
  if (!headless && row.promptArgs !== null) return [...row.resume(sessionId), ...row.promptArgs(prompt), ...kept]
  throw invalidInput('prompt', `cannot be given to ${row.name}${headless ? ' without a terminal' : ''}`)
}

function checkPrompt(prompt: string | undefined, headless: boolean): void {
  if (prompt === undefined) {
    if (headless) throw invalidInput('prompt', 'is missing; a headless resume takes one')
    return
  }
  if (prompt.trim() === '') throw invalidInput('prompt', 'is blank')
  if (prompt.startsWith('-')) throw invalidInput('prompt', 'begins with "-", which an agent would take for a flag')
  if (prompt.includes('\0')) throw invalidInput('prompt', 'holds a NUL, which no argument can')
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
  const keep = { grants: options.grants ?? false }
  return spec(entry, row.file, [...args, ...keepFlags(row, entry.flags ?? [], keep)], row.unsetEnv, options)
}

function spec(
  entry: Entry,
  file: string,
  args: readonly string[],
  unsetEnv: readonly string[],
  options: CommandOptions
): CommandSpec {
  const attempt = options.attemptId ?? entry.attempt?.id
  if (attempt !== undefined) checkAttemptId(attempt)
  return {
    file,
    args,
    ...(entry.cwd === undefined ? {} : { cwd: entry.cwd }),
    env: { CRASH_RESUME_SURFACE: entry.surfaceId, ...(attempt === undefined ? {} : { CRASH_RESUME_ATTEMPT: attempt }) },
    // Who started us may have an attempt of its own, which is not this start's.
    unsetEnv: [
      ...new Set([...INHERITED_MARKS, ...(attempt === undefined ? ['CRASH_RESUME_ATTEMPT'] : []), ...unsetEnv])
    ]
  }
}

/** Whether the agent would take this for an id of its own. */
export function takesId({ sessionId: ids }: AgentRow, sessionId: string): boolean {
  // Unlike test, search remembers nothing of the last call where a caller's expression is global.
  return sessionId.search(ids) !== -1
}

function checkAgentId(row: AgentRow, sessionId: string): void {
  if (takesId(row, sessionId)) return
  const message = `session ${sessionId} is no id that ${row.name} takes; it would start another session, or fail`
  throw new CrashResumeError('ERR_INVALID_INPUT', message)
}

function ownValue<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined
}
