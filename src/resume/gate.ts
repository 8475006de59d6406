/**
 * The one call before you start an agent on a surface. It probes, decides and reserves, and returns what to start and a
 * function that says how it went.
 *
 * Calling sequence: gate; on resume or fresh start what `spec` says; settle, whichever way it went.
 * Between the answer and `settle` the attempt is open on disk, in the name of the calling process. A second caller is
 * refused while that process lives. If it dies, the next caller decides by what is true then.
 */

import { type CommandSpec, resumeSpec, spawnSpec } from '../agents/command.js'
import { agentFacts } from '../agents/table.js'
import type { Decision, DecisionReason } from '../core/decision.js'
import type { Evidence } from '../core/evidence.js'
import { explain } from '../core/explain.js'
import { given } from '../core/given.js'
import { isPlaceholder } from '../core/ids.js'
import type { Entry } from '../core/schema.js'
import { clock } from '../probes/clock.js'
import type { Store } from '../store/store.js'
import type { SurfaceRequest } from './preview.js'
import { oneLine, type ReserveOptions, reserve, type SettleMore, type SettleResult, settleAttempt } from './reserve.js'

/** How the gate looks, what it reserves with, and how often a surface may be tried. */
export interface GateOptions extends ReserveOptions {
  /** Mint a placeholder, for an agent that chooses its own ids. @default as the agent's row says */
  readonly capture?: boolean | undefined
}

/**
 * What may be done with the surface. On resume and on fresh an attempt is open, in the name of the caller, and `spec` is
 * what to start; otherwise nothing was reserved.
 */
export type GateAnswer = {
  readonly reason: DecisionReason
  readonly decision: Decision
  /** The decision in one sentence, with what to do next. */
  readonly sentence: string
  /**
   * Says how the attempt went. You may call it again; without an open attempt it does nothing.
   * @returns the entry as it is then; null: there is none
   * @throws as store.update
   */
  settle(result: SettleResult, more?: SettleMore): Promise<Entry | null>
} & (
  | {
      readonly action: 'resume'
      readonly sessionId: string
      readonly spec: CommandSpec
      readonly attempt: string
    }
  | {
      readonly action: 'fresh'
      /** Absent: the agent will choose its own. */
      readonly sessionId?: string
      readonly spec: CommandSpec
      readonly attempt: string
    }
  | {
      readonly action: 'wait' | 'refuse'
      readonly sessionId?: string
      readonly spec?: never
      readonly attempt?: never
    }
)

/** Reserved: an attempt is open, in the name of the caller. */
export type Allowed = Extract<GateAnswer, { readonly action: 'resume' | 'fresh' }>

type NotAllowed = Exclude<GateAnswer, Allowed>

/** The decision is not the action that you asked for. Nothing was reserved. */
export type NotAsked = Omit<Exclude<GateAnswer, { readonly attempt: string }>, 'action'> & {
  readonly action: 'resume' | 'fresh'
}

/**
 * Decides what may be done with this surface, and reserves it for you.
 * @param evidence what you know yourself; it counts instead of what the probes find
 * @throws ERR_INVALID_INPUT, ERR_CONFLICT (the entry changes all the time), and as store.update
 * @example
 * import { gate, openStore } from 'crash-resume-index'
 * const answer = await gate(openStore(), { surfaceId: 'pane-1', repo: 'golems', agent: 'claude' })
 * if (answer.action === 'resume' || answer.action === 'fresh') {
 *   const { file, args, cwd } = answer.spec // start it, then say how that went
 *   await answer.settle('ok')
 * } else console.log(answer.sentence)
 */
export function gate(
  store: Store,
  request: SurfaceRequest,
  evidence: Evidence = {},
  options: GateOptions = {}
): Promise<GateAnswer> {
  return answer(store, request, evidence, options, 'both') as Promise<GateAnswer>
}

/** The gate for one action only. If the other one is right, the answer says so, without an attempt. */
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
  const policy = { claim: () => action !== 'fresh', mint: action === 'resume' ? null : { capture } }
  const { decision, entry, attempt } = await reserve(store, request, evidence, options, policy)
  const { reason, sessionId } = decision
  const base = { reason, decision, sentence: explain(decision) }
  const known = sessionId === undefined || isPlaceholder(sessionId) ? {} : { sessionId }
  if (attempt === null || entry === null) {
    return { ...base, ...known, action: decision.action, settle: async () => entry } as NotAllowed | NotAsked
  }
  const settle: GateAnswer['settle'] = (result, more = {}) =>
    settleAttempt(store, attempt, result, more, clock(options.now))
  try {
    // Its own folder is gone, and the caller has named another one.
    const there = decision.warnings.includes('cwd_missing') ? { ...entry, ...given({ cwd: request.cwd }) } : entry
    const spec = decision.action === 'resume' ? resumeSpec(there, options) : spawnSpec(there, options)
    return { ...base, ...known, action: decision.action, spec, attempt, settle } as GateAnswer
  } catch (error) {
    // Nothing can be started, so no later caller must wait for it.
    await settle({ failed: 'not_started', why: oneLine(error) })
    throw error
  }
}
