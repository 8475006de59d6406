/**
 * What the agents table says to a decision, to a start and to a resume; entries without an agent are started by their
 * repo's launcher, which is a Claude Code.
 */
import { AGENTS } from './agents/table.js'
import type { AgentTable } from './core/agent-row.js'
import {
  type CommandOptions,
  type CommandSpec,
  type Launchers,
  resumeSpec,
  spawnSpec,
  takesId
} from './core/command.js'
import type { DecideOptions } from './core/decide.js'
import type { Entry } from './core/schema.js'

export interface SpecOptions {
  /** @default the table of this library */
  readonly agents?: AgentTable
  readonly launchers?: Launchers
  /** Start with the permission bypasses and settings paths among the entry's flags, on a person's word. @default false */
  readonly grants?: boolean
}

export interface AgentFacts {
  readonly decide: Pick<DecideOptions, 'resumeBoundToCwd' | 'hazards'>
  /** The agent cannot be given a session id at its start. */
  readonly capture: boolean
}

/** @param sessionId the session in question, where there is one */
export function agentFacts(agent: string | undefined, options: SpecOptions, sessionId?: string): AgentFacts {
  const agents = options.agents ?? AGENTS
  const name = agent ?? 'claude'
  const row = Object.hasOwn(agents, name) ? agents[name] : undefined
  const odd = row && agent !== undefined && sessionId !== undefined && !takesId(row, sessionId)
  const hazards = odd ? [`${sessionId} is no id that ${name} makes: it may ask which session is meant`] : []
  return {
    decide: { resumeBoundToCwd: row?.resumeBoundToCwd ?? false, hazards: [...(row?.hazards ?? []), ...hazards] },
    capture: row?.pin === null
  }
}

export function specForResume(entry: Entry, options: SpecOptions): CommandSpec {
  return resumeSpec(entry, commandOptions(options))
}

/** The program that would be run for it. @throws as specForResume */
export function programOf(entry: Entry, options: SpecOptions): string {
  return specForResume(entry, options).file
}

export function specForSpawn(entry: Entry, options: SpecOptions): CommandSpec {
  return spawnSpec(entry, commandOptions(options))
}

function commandOptions({ agents = AGENTS, launchers, grants = false }: SpecOptions): CommandOptions {
  return { agents, grants, ...(launchers === undefined ? {} : { launchers }) }
}
