/**
 * The one call before an agent is started on a surface: it probes, decides, reserves, and hands back what to do and how
 * to say afterwards how it went.
 *
 * Between the answer and `settle` the attempt is open on disk, in the name of the calling process: a second caller is
 * refused for as long as that process lives, and learns the truth when it does not.
 * Calling sequence: gate; on resume or fresh start what `spec` says; settle, whichever way it went.
 */

import { type CommandSpec, resumeSpec, spawnSpec } from '../agents/command.js'
import { agentFacts } from '../agents/table.js'
import type { Decision, DecisionReason } from '../core/decide.js'
import type { Evidence } from '../core/evidence.js'
import { explain } from '../core/explain.js'
import { given } from '../core/given.js'
import { isPlaceholder } from '../core/ids.js'
import type { Entry } from '../core/schema.js'
import { clock } from '../probes/clock.js'
import type { Store } from '../store/store.js'
import type { SurfaceRequest } from './preview.js'
import { oneLine, type ReserveOptions, reserve, type SettleMore, type SettleResult, settleAttempt } from './reserve.js'

export interface GateOptions extends ReserveOptions {
  /** Mint a placeholder, as for an agent that cannot be given an id. @default what the agent's row says */
  readonly capture?: boolean | undefined
}

interface Answer {
  readonly reason: DecisionReason
  readonly decision: Decision
  /** The decision in one sentence, with the next legal action. */
  readonly sentence: string
  /**
   * Says how the attempt went; may be called again, and does nothing where no attempt is open.
   * @returns the entry as it is then; null where there is none
   * @throws as store.update
   */
  settle(result: SettleResult, more?: SettleMore): Promise<Entry | null>
}

/** An attempt is open, in the name of the caller. */
export interface Allowed extends Answer {
  /** What to start. */
  readonly spec: CommandSpec
  readonly attempt: string
}

export type GateAnswer =
  | (Allowed & { readonly action: 'resume'; readonly sessionId: string })
  /** Without a session id the agent will choose its own. */
  | (Allowed & { readonly action: 'fresh'; readonly sessionId?: string })
  | NotAllowed

/** Nothing was reserved. */
export type NotAllowed = Answer & {
  readonly action: 'wait' | 'refuse'
  readonly sessionId?: string
  readonly spec?: never
  readonly attempt?: never
}

/** The decision is the other action than the one that was asked for; nothing was reserved. */
export type NotAsked = Omit<NotAllowed, 'action'> & { readonly action: 'resume' | 'fresh' }

/**
 * What may be done with this surface, reserved for the caller.
 * @param evidence what the caller knows itself; it stands over what the probes find
 * @throws ERR_INVALID_INPUT, ERR_CONFLICT (the entry changes all the time), and as store.update
 */
export function gate(
  store: Store,
  request: SurfaceRequest,
  evidence: Evidence = {},
  options: GateOptions = {}
): Promise<GateAnswer> {
  return answer(store, request, evidence, options, 'both') as Promise<GateAnswer>
}

/** The gate for one of the two actions alone; where the other one is right, it is answered without an attempt. */
export function gateFor(
  action: 'resume' | 'fresh',
  store: Store,
  request: SurfaceRequest,
  evidence: Evidence = {},
  options: GateOptions = {}
): Promise<GateAnswer | NotAsked> {
  return answer(store, request, evidence, options, action)
}

async function answer(
  store: Store,
  request: SurfaceRequest,
  evidence: Evidence,
  options: GateOptions,
  action: 'resume' | 'fresh' | 'both'
): Promise<GateAnswer | NotAsked> {
  const capture = options.capture ?? agentFacts(request.agent, options).capture
  const policy = { claim: action !== 'fresh', mint: action === 'resume' ? null : { capture } }
  const { decision, entry, attempt } = await reserve(store, request, evidence, options, policy)
  const { reason, sessionId } = decision
  const base = { reason, decision, sentence: explain(decision) }
  const known = sessionId === undefined || isPlaceholder(sessionId) ? {} : { sessionId }
  if (attempt === null || entry === null) {
    return { ...base, ...known, action: decision.action, settle: async () => entry } as NotAllowed | NotAsked
  }
  const settle: Answer['settle'] = (result, more = {}) =>
    settleAttempt(store, attempt, result, more, clock(options.now))
  try {
    // Its own folder is gone, and the caller has named another one.
    const there = decision.warnings.includes('cwd_missing') ? { ...entry, ...given({ cwd: request.cwd }) } : entry
    const spec = decision.action === 'resume' ? resumeSpec(there, options) : spawnSpec(there, options)
    return { ...base, ...known, action: decision.action, spec, attempt, settle } as GateAnswer
  } catch (error) {
    // Nothing can be started, and nobody is to wait for it.
    await settle({ failed: 'not_started', why: oneLine(error) })
    throw error
  }
}
