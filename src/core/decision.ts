/** What a decision may be: the actions, the reasons for each, and what else it says. */
import type { Owner, Policy } from './schema.js'

/** What may be done. */
export type DecisionAction = 'resume' | 'fresh' | 'wait' | 'refuse'

/** The reasons to resume. */
export const RESUME_REASONS = [
  'ok',
  'ok_unconfirmed',
  'ok_continued',
  'ok_from_previous',
  'ok_from_transcript'
] as const
/** The reasons to start a new session: nothing is there to be resumed. */
export const FRESH_REASONS = [
  'unknown_surface',
  'left',
  'ended',
  'spawn_failed',
  'never_started',
  'too_stale',
  'session_gone',
  'never_used'
] as const
/** The reasons to wait: something is unknown, or it is too soon. */
export const WAIT_REASONS = [
  'index_damaged',
  'probe_failed',
  'session_unclear',
  'liveness_unknown',
  'cooldown',
  'start_unproven'
] as const
/** The reasons to start nothing. */
export const REFUSE_REASONS = [
  'entry_unreadable',
  'already_running',
  'running_elsewhere',
  'claimed',
  'owner_unverified',
  'task_closed',
  'ambiguous',
  'moved',
  'foreign_host',
  'policy_off',
  'attempts_exhausted',
  'cwd_missing'
] as const

/** Why a decision is what it is; docs/decide.md explains each. */
export type DecisionReason =
  | (typeof RESUME_REASONS)[number]
  | (typeof FRESH_REASONS)[number]
  | (typeof WAIT_REASONS)[number]
  | (typeof REFUSE_REASONS)[number]

/** What may be done with a surface, and why. `action` says what: only `resume` and `fresh` allow a start. */
export type Decision = DecisionOutcome & DecisionFacts

/** The action with the reasons that it can have, and the session. */
export type DecisionOutcome =
  /** `sessionId`: the session to resume. */
  | { readonly action: 'resume'; readonly reason: (typeof RESUME_REASONS)[number]; readonly sessionId: string }
  /** `sessionId`: here and below the one in question, for display only. */
  | { readonly action: 'fresh'; readonly reason: (typeof FRESH_REASONS)[number]; readonly sessionId?: string }
  | { readonly action: 'wait'; readonly reason: (typeof WAIT_REASONS)[number]; readonly sessionId?: string }
  | { readonly action: 'refuse'; readonly reason: (typeof REFUSE_REASONS)[number]; readonly sessionId?: string }

/** What a decision says besides its action and its reason. */
export interface DecisionFacts {
  /** What the decision rests on; hand it back with the claim or the mint. */
  readonly expect: string
  /** The step of a dispatch that was open when its owner died. */
  readonly interrupted?: string
  /** For cooldown: when it is over, ms since the epoch. */
  readonly retryAt?: number
  /** For claimed and owner_unverified: who holds the attempt. */
  readonly owner?: Owner
  /** For running_elsewhere and moved: where. */
  readonly at?: string
  /** For ambiguous and session_unclear: the sessions that it may be. */
  readonly candidates?: readonly string[]
  /** 'manual': a recovery pass leaves it to a person. */
  readonly policy?: Policy
  readonly warnings: readonly DecisionWarning[]
  /** One line each, for people. */
  readonly notes: readonly string[]
}

/** What is worth a look and stops nothing. */
export type DecisionWarning =
  | 'surface_recycled'
  | 'cwd_missing'
  | 'transcript_unknown'
  /** A recovery pass leaves it to a person, as with policy manual. */
  | 'transcript_shrunk'
  /** Its agent removes it by its age: soon, or it has. */
  | 'transcript_expires'
  | 'agent_hazard'

/** The warning `transcript_shrunk` in words. */
export const SHRUNK = 'its transcript is smaller than when it was last seen, or begins otherwise'
