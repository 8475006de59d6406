/**
 * The known agents by name, and the defaults of a row. A caller adds or replaces rows by passing a table of its own;
 * nothing is registered globally.
 */

import type { DecideOptions } from '../core/decide.js'
import { given } from '../core/given.js'
import { claude } from './claude.js'
import { codex } from './codex.js'
import { copilot } from './copilot.js'
import { gemini } from './gemini.js'
import { COMMON_DIALECT } from './hook-facts.js'
import { ANY_ID, takesId } from './ids.js'
import { opencode } from './opencode.js'
import { programName } from './program.js'
import { qwen } from './qwen.js'
import type { AgentRow, AgentRowInput, AgentTable } from './row.js'
import { unverifiedAgents } from './unverified.js'

/** The agents that were run and looked at. */
export type SeenAgent = 'claude' | 'codex' | 'copilot' | 'gemini' | 'opencode' | 'qwen'

/** What a row need not say. Where an agent's behaviour is not known, the safe answer is the default. */
const DEFAULTS = {
  resume: (sessionId: string) => ['--resume', sessionId],
  resumeHeadless: null,
  promptArgs: null,
  pin: null,
  sessionId: ANY_ID,
  keepFlags: {},
  grantFlags: {},
  strictValues: {},
  terminalFlags: [],
  identityFlags: {},
  startFlags: [],
  sessionWords: [],
  headlessWords: [],
  headlessFlags: [],
  chores: [],
  openers: [],
  resumeBoundToCwd: true,
  hazards: [],
  homeVariables: [],
  marks: [],
  hookMarks: [],
  foreignMarks: [],
  backgroundVariables: [],
  isUnattended: () => false,
  transcripts: () => [],
  moves: [],
  transcriptGrows: false,
  payload: COMMON_DIALECT,
  ownExits: []
} satisfies Partial<AgentRow>

/** The agents that this library knows, by name. */
export const AGENTS: AgentTable & Readonly<Record<SeenAgent, AgentRow>> = Object.assign(
  Object.create(null),
  byName([claude, codex, gemini, opencode, copilot, qwen, ...unverifiedAgents])
)

/** The program of an entry without an agent: its repo's launcher is one of these. */
export const DEFAULT_AGENT: SeenAgent = 'claude'

/** The agents whose hooks can be installed. */
export const HOOK_AGENTS: readonly string[] = Object.values(AGENTS).flatMap(({ name, hooks }) => (hooks ? [name] : []))

/**
 * The known agents, with these rows added or in place of those of the same name.
 * @example
 * import { AGENTS, withAgents } from 'crash-resume-index/agents'
 * const agents = withAgents([{ ...AGENTS.claude, name: 'my-claude', file: '/opt/claude' }])
 */
export function withAgents(rows: readonly AgentRowInput[]): AgentTable {
  return Object.assign(Object.create(null), AGENTS, byName(rows))
}

function byName(rows: readonly AgentRowInput[]): AgentTable {
  const table: Record<string, AgentRow> = Object.create(null)
  for (const row of rows) table[row.name] = completeRow(row)
  return table
}

/** The row with the defaults of what it does not say. */
export function completeRow(row: AgentRowInput): AgentRow {
  const file = row.file ?? row.name
  const resumeFlags = (row.resume ?? DEFAULTS.resume)('x').flatMap((word) => /^-[^=]+/.exec(word) ?? [])
  return { ...DEFAULTS, file, programs: [programName(file)], resumeFlags, ...given(row), name: row.name }
}

/**
 * The row of an entry's agent; undefined: the table has none.
 * @param agent undefined: of the agent that entries without one have
 */
export function rowFor(agent: string | undefined, agents: AgentTable = AGENTS): AgentRow | undefined {
  const name = agent ?? DEFAULT_AGENT
  return Object.hasOwn(agents, name) ? agents[name] : undefined
}

/** The variables that any of the agents has in this list. */
export function unionOf(
  agents: AgentTable,
  list: 'backgroundVariables' | 'foreignMarks' | 'hookMarks' | 'homeVariables' | 'marks'
): readonly string[] {
  return [...new Set(Object.values(agents).flatMap((row) => row[list]))]
}

/** The variables by which an agent marks what it starts. Any agent may be started from inside any other. */
export function agentMarks(agents: AgentTable = AGENTS): readonly string[] {
  const lists = (['marks', 'hookMarks', 'foreignMarks'] as const).flatMap((list) => unionOf(agents, list))
  return [...new Set(lists)]
}

/**
 * True where an agent's output says that the session which it was to resume is not there: to be settled as
 * `session_gone`, and not tried again.
 */
export function saysSessionGone(agent: string, output: string, agents: AgentTable = AGENTS): boolean {
  return rowFor(agent, agents)?.sessionGone?.test(output) ?? false
}

export interface AgentFacts {
  readonly decide: Pick<DecideOptions, 'resumeBoundToCwd' | 'hazards'>
  /** The agent cannot be given a session id at its start. */
  readonly capture: boolean
}

/**
 * What the table says to a decision.
 * @param sessionId the session in question, where there is one
 */
export function agentFacts(
  agent: string | undefined,
  { agents = AGENTS }: { readonly agents?: AgentTable | undefined },
  sessionId?: string
): AgentFacts {
  const row = rowFor(agent, agents)
  const isOdd = row !== undefined && agent !== undefined && sessionId !== undefined && !takesId(row, sessionId)
  const odd = isOdd ? [`${agent} may ask which session is meant: ${sessionId} is not an id of its own`] : []
  return {
    decide: { resumeBoundToCwd: row?.resumeBoundToCwd ?? false, hazards: [...(row?.hazards ?? []), ...odd] },
    capture: row?.pin === null
  }
}
