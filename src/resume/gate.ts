/**
 * The one call for whoever is about to start an agent on a surface: it probes, decides, reserves, and hands back what
 * to do and how to say afterwards how it went.
 *
 * Between the answer and `settle` the attempt is open on disk, in the name of the calling process: a second caller is
 * refused for as long as that process lives, and learns the truth when it does not.
 * Calling sequence: gate; on resume or fresh start what `spec` says; settle, whichever way it went.
 */

import { type CommandSpec, resumeSpec, spawnSpec } from '../agents/command.js'
import { agentFacts } from '../agents/table.js'
import type { Decision, DecisionAction, DecisionReason } from '../core/decide.js'
import type { Evidence } from '../core/evidence.js'
import { explain } from '../core/explain.js'
import { isPlaceholder } from '../core/ids.js'
import type { Entry } from '../core/schema.js'
import type { Store } from '../store/store.js'
import {
  type Considered,
  consider,
  oneLine,
  type ReserveOptions,
  reserve,
  type SettleMore,
  type SettleResult,
  type SurfaceRequest,
  settleAttempt
} from './reserve.js'

export interface GateOptions extends ReserveOptions {
  /** Reserve only for this; the other action is answered without an attempt. @default both */
  readonly only?: 'resume' | 'fresh'
  /** Mint a placeholder, as for an agent that cannot be given an id. @default what the agent's row says */
  readonly capture?: boolean
}

export interface GateAnswer {
  readonly action: DecisionAction
  readonly reason: DecisionReason
  readonly decision: Decision
  /** The decision in one sentence, with the next legal action. */
  readonly sentence: string
  /** The session to resume, or the one that was minted; absent where the agent will choose it. */
  readonly sessionId?: string
  /** What to start; only for resume and fresh. */
  readonly spec?: CommandSpec
  /** The open attempt; only for resume and fresh. */
  readonly attempt?: string
  /**
   * Says how the attempt went; may be called again, and does nothing where no attempt is open.
   * @returns the entry as it is then; null where there is none
   * @throws as store.update
   */
  settle(result: SettleResult, more?: SettleMore): Promise<Entry | null>
}

/**
 * What may be done with this surface, reserved for the caller.
 * @param evidence what the caller knows itself; it stands over what the probes find
 * @throws ERR_INVALID_INPUT, ERR_CONFLICT (the entry changes all the time), and as store.update
 */
export async function gate(
  store: Store,
  request: SurfaceRequest,
  evidence: Evidence = {},
  options: GateOptions = {}
): Promise<GateAnswer> {
  const capture = options.capture ?? agentFacts(request.agent, options).capture
  const reserved = await reserve(store, request, evidence, options, (entry) => ({
    facts: agentFacts(entry?.agent ?? request.agent, options, entry?.sessionId).decide,
    claim: options.only !== 'fresh',
    mint: options.only === 'resume' ? null : { capture }
  }))
  const { decision, entry, attempt } = reserved
  const { action, reason, sessionId } = decision
  const answer = { action, reason, decision, sentence: explain(decision) }
  if (attempt === undefined || entry === null) return { ...answer, settle: async () => entry }
  const now = options.now ?? Date.now
  let spec: CommandSpec
  try {
    spec = action === 'resume' ? resumeSpec(entry, options) : spawnSpec(entry, options)
  } catch (error) {
    // Nothing can be started, and nobody is to wait for it.
    await settleAttempt(store, attempt, { failed: 'not_started', why: oneLine(error) }, {}, now())
    throw error
  }
  const known = sessionId === undefined || isPlaceholder(sessionId) ? {} : { sessionId }
  return {
    ...answer,
    ...known,
    spec,
    attempt,
    settle: (result, more = {}) => settleAttempt(store, attempt, result, more, now())
  }
}

/**
 * The same answer without reserving anything: for people, and for plans.
 * @throws only where the index cannot be read
 */
export function weigh(
  store: Store,
  request: SurfaceRequest,
  evidence: Evidence = {},
  options: GateOptions = {}
): Promise<Considered> {
  return consider(
    store,
    request,
    evidence,
    options,
    (entry) => agentFacts(entry?.agent ?? request.agent, options, entry?.sessionId).decide
  )
}
