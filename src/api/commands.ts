/**
 * Commands as they are asked for from outside: with the agents that are known here, and the present.
 */

import { type CommandSpec, type Launchers, launcherFor as launcher, resumeSpec as specOf } from '../agents/command.js'
import { commandLine } from '../agents/command-line.js'
import type { AgentTable } from '../agents/row.js'
import { AGENTS } from '../agents/table.js'
import { entryAt } from '../core/entry.js'
import type { Entry, Index } from '../core/schema.js'
import { resumableFor } from '../core/verbs.js'
import { clock } from '../probes/clock.js'

export interface CommandChoices {
  /** @default the agents of this library */
  readonly agents?: AgentTable
  /** Launchers by repo, or a function, for entries without an agent. */
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

/** The launcher of entries without an agent: `<repo>Claude`, lowercased; `orchestrator` gives `orcClaude`.
 * @throws ERR_INVALID_INPUT where the result is no safe program name
 */
export function launcherFor(repo: string, launchers?: Launchers): string {
  return launcher(repo, launchers)
}

/**
 * What resumes this entry's session, as an argument vector.
 * @throws ERR_INVALID_INPUT: the agent is not known, or would not take the id or the prompt
 */
export function resumeSpec(entry: Entry, choices: CommandChoices = {}): CommandSpec {
  return specOf(entry, { ...choices, agents: choices.agents ?? AGENTS })
}

/**
 * The line that resumes what is on this surface, safe to type and to hand to a POSIX shell. Null exactly where
 * `resumableFor` is. It rests on no evidence: whether the session runs already is not asked.
 * @throws ERR_ENTRY_UNREADABLE, ERR_INVALID_INPUT
 * @example
 * resumeCommand(index, 'pane-1') // 'golemsClaude --resume a1b2'
 */
export function resumeCommand(
  index: Index,
  surfaceId: string,
  choices: CommandChoices & { readonly maxAgeMs?: number; readonly now?: number } = {}
): string | null {
  const { maxAgeMs, now = clock(), ...rest } = choices
  if (resumableFor(index, surfaceId, { now, ...(maxAgeMs === undefined ? {} : { maxAgeMs }) }) === null) return null
  const entry = entryAt(index, surfaceId)
  return entry && commandLine(entry, resumeSpec(entry, rest))
}
