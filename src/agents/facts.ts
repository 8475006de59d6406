/**
 * What the agents table says to a decision, to a start and to a resume; entries without an agent are started by their
 * repo's launcher, which is a Claude Code.
 */

import type { DecideOptions } from '../core/decide.js'
import type { Entry } from '../core/schema.js'
import { type CommandOptions, type CommandSpec, type Launchers, resumeSpec, spawnSpec, takesId } from './command.js'
import { commandLine } from './command-line.js'
import type { AgentTable } from './row.js'
import { AGENTS } from './table.js'

export interface SpecOptions {
  /** @default the table of this library */
  readonly agents?: AgentTable | undefined
  readonly launchers?: Launchers | undefined
  /** Start with the permission bypasses and settings paths among the entry's flags, on a person's word. @default false */
  readonly grants?: boolean | undefined
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

/** A spec of this library as a line, for the entry that it was made of. */
export function commandLineFor(entry: Entry, spec: CommandSpec = specForResume(entry, {})): string {
  return commandLine(entry, spec)
}

/** The environment to start a spec in: this process's, or the given one, with what the spec sets and without what it unsets. */
export function environmentFor(
  spec: CommandSpec,
  env: Readonly<Record<string, string | undefined>> = process.env
): Record<string, string | undefined> {
  const left = Object.entries(env).filter(([name]) => !spec.unsetEnv.includes(name))
  return { ...Object.fromEntries(left), ...spec.env }
}
