/**
 * How an agent is told to run our hook, and what it tells that hook.
 */
import type { AgentPlace } from './agent-place.js'

/** Where an agent's hooks are configured, and which of its events tell of sessions. */
export type AgentHooks = {
  /** The settings file, or the file that our script becomes. */
  readonly path: (place: Required<AgentPlace>) => string
  /**
   * Only events that every supported version knows: one unknown name can disable all hooks of a file (seen with Claude
   * Code 1.0.128 and 2.0.77).
   */
  readonly events: readonly string[]
  /** What the agent still needs from the person. */
  readonly notes: readonly string[]
} & (
  | {
      /** Event names with groups of commands. */
      readonly format: 'json'
      /** How long the agent waits for a hook, in its own unit. */
      readonly timeout: number
    }
  | {
      /** A script of ours in a folder of the agent's. */
      readonly format: 'plugin'
      /** The script; `command` is the hook's command as a list of words. */
      readonly script: string
    }
)

/** The fields of a payload that are read, by the names that the agent gives them. Nothing else of it is looked at. */
export interface PayloadDialect {
  readonly event: string
  readonly sessionId: string
  readonly transcript: string
  /** The working folder at that moment. */
  readonly cwd: string
  /** Why a session ended. */
  readonly reason: string
  /** The events that say that a session is over. */
  readonly ends: readonly string[]
  /** The events that say that a person has sent a prompt. */
  readonly prompts?: readonly string[]
  /** The field that says how a session began, and its values for a new one, without a prompt. */
  readonly origin?: { readonly field: string; readonly fresh: readonly string[] }
  /**
   * A payload of another kind, where the field has the value: a turn of the thread in `sessionId` is complete. It may
   * be a thread that no person talks to.
   */
  readonly turn?: { readonly field: string; readonly value: string; readonly sessionId: string }
}

/** Claude Code's, which Codex, Gemini CLI and Qwen Code have adopted. */
export const COMMON_DIALECT: PayloadDialect = {
  event: 'hook_event_name',
  sessionId: 'session_id',
  transcript: 'transcript_path',
  cwd: 'cwd',
  reason: 'reason',
  ends: ['SessionEnd'],
  prompts: ['UserPromptSubmit', 'BeforeAgent', 'chat.message'],
  origin: { field: 'source', fresh: ['startup', 'clear'] }
}
