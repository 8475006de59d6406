/**
 * What is known of the agent programs, one row an agent, and how a caller adds or changes a row.
 */

export type { AgentPlace } from './agents/agent-place.js'
export { claudeProjectSlug } from './agents/claude-slug.js'
export type { Launchers } from './agents/command.js'
export type { KeepOptions } from './agents/flags.js'
export { keepFlags } from './agents/flags.js'
export type { AgentHooks, PayloadDialect } from './agents/hook-facts.js'
export type { AgentProgram } from './agents/program.js'
export type {
  AgentRow,
  AgentRowInput,
  AgentTable,
  ContinuedRule,
  DeletesResumed,
  FlagArity,
  FlagTable,
  HomeRule,
  LaunchFolderRule,
  MessageMark,
  Move,
  ProcessNote,
  RetentionRule,
  SharedServer,
  StartedSince,
  TranscriptFolder,
  TranscriptPlace
} from './agents/row.js'
export type { SeenAgent } from './agents/table.js'
export { AGENTS, saysSessionGone, withAgents } from './agents/table.js'
export type { Environment } from './core/environment.js'
