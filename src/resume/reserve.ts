/**
 * Reserves what the decision allows, in one update. The gate and the recovery pass share this.
 *
 * It decides once on the loaded index, and once more inside the update, on the index as it is then. If the entry
 * changed in between, it starts again, so the answer says what is true now. The attempt is open on disk before anything
 * starts, in the name of its owner, until `settleAttempt` closes it.
 */
import { claim, type Decided, mint } from '../core/attempts.js'
import type { Decision } from '../core/decision.js'
import { entryAt, holdersOf } from '../core/entry.js'
import { CrashResumeError } from '../core/errors.js'
import type { Evidence } from '../core/evidence.js'
import { given } from '../core/given.js'
import { sameOwner } from '../core/owner.js'
import type { Entry, FailureKind, Index, Owner } from '../core/schema.js'
import { settle } from '../core/settle.js'
import { probeAgents } from '../probes/probe.js'
import { ownerOf } from '../probes/process.js'
import type { Store } from '../store/store.js'
import { limitsFor, type PreviewOptions, previewOn, type SurfaceRequest } from './preview.js'

export interface ReserveOptions extends PreviewOptions {
  /** The process that will settle. @default this one */
  readonly owner?: Owner | undefined
  /** Ids for attempts and minted sessions. @default random UUIDs */
  readonly newId?: (() => string) | undefined
}

/** The decisions that the caller will act on. */
export interface ReservePolicy {
  /** Claim if the decision is resume, and this one. */
  readonly claim: (decision: Decision) => boolean
  /** Mint if the decision is fresh; null: leave fresh to the caller. */
  readonly mint: { readonly capture: boolean } | null
}

export interface Reserved {
  readonly decision: Decision
  /** The entry as it is now; null: there is none. */
  readonly entry: Entry | null
  /** The open attempt; null: the decision allows nothing. */
  readonly attempt: string | null
}

/** How a start went: the agent came up in its session, or what kind of failure it was. */
export type SettleResult = 'ok' | { readonly failed: FailureKind; readonly why?: string | undefined }

/** What a start showed besides its result: the session that the agent chose, and its process. */
export interface SettleMore {
  readonly sessionId?: string | undefined
  /** The agent's own process. */
  readonly proc?: Owner | undefined
}

/** If another writer changes the entry under the decision, it is decided again. This many times in a row is a fault. */
const ROUNDS = 20

/** @param said what the caller itself knows */
export async function reserve(
  store: Store,
  request: SurfaceRequest,
  said: Evidence,
  options: ReserveOptions,
  policy: ReservePolicy
): Promise<Reserved> {
  const newId = options.newId ?? (() => crypto.randomUUID())
  for (let round = 1; ; round++) {
    const index = await store.load()
    const seen = await previewOn(index, request, said, options, options.probe ?? probeAgents(options))
    const { evidence, decision } = seen
    const entry = seen.entry === 'unreadable' ? null : seen.entry
    const limits = limitsFor(seen.entry, request, options)
    const { expect } = decision
    const attempt = {
      surfaceId: request.surfaceId,
      attemptId: newId(),
      owner: options.owner ?? self(),
      evidence,
      expect
    }
    let change: (current: Index) => Decided
    if (decision.action === 'resume' && policy.claim(decision)) {
      // Without an entry of the session, the request fills the new one.
      const { sessionId: named = entry?.sessionId, orNew: _orNew, ...launch } = request
      const isHeld = named !== undefined && holdersOf(index, named, '').length > 0
      const asked = isHeld ? {} : given(launch)
      change = (current) => claim(current, { ...asked, ...attempt, since: index }, limits)
    } else if (decision.action === 'fresh' && policy.mint !== null) {
      const session = policy.mint.capture ? { capture: true } : { sessionId: request.sessionId ?? newId() }
      change = (current) =>
        mint(current, { ...given({ ...request }), repo: request.repo, ...attempt, ...session }, limits)
    } else return { decision, entry, attempt: null }
    try {
      const { written, decided } = await changed(store, change)
      if (unlookedAt(decided, evidence) && round < ROUNDS) continue
      const after = entryAt(written, request.surfaceId)
      const open = after?.attempt?.id === attempt.attemptId
      return { decision: decided, entry: after, attempt: open ? attempt.attemptId : null }
    } catch (error) {
      const again = error instanceof CrashResumeError && error.code === 'ERR_CONFLICT' && round < ROUNDS
      if (!again) throw error
    }
  }
}

async function changed(
  store: Store,
  change: (current: Index) => Decided
): Promise<{ readonly written: Index; readonly decided: Decision }> {
  let decided: Decision | undefined
  const written = await store.update((current) => {
    const next = change(current)
    decided = next.decision
    return next.index
  })
  if (decided === undefined) throw new TypeError('the store did not run the change')
  return { written, decided }
}

/** Stores how an attempt went, and returns its entry; null: no entry has it. */
export async function settleAttempt(
  store: Store,
  attemptId: string,
  result: SettleResult,
  more: SettleMore,
  now: number
): Promise<Entry | null> {
  const outcome = result === 'ok' ? result : { failed: result.failed, ...given({ why: result.why }) }
  const written = await store.update((index) => settle(index, { attemptId, result: outcome, ...given(more) }, now))
  return Object.values(written.entries).find(({ last_attempt: last }) => last?.id === attemptId) ?? null
}

/** A cause in one line, as it may be stored. */
export function oneLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.replace(/\p{C}+/gu, ' ').slice(0, 500)
}

/** True if it was refused because of an owner that the evidence does not cover: look at it and decide again. */
function unlookedAt({ reason, owner }: Decision, evidence: Evidence): boolean {
  if (reason !== 'owner_unverified' || owner === undefined) return false
  return !(evidence.verdicts ?? []).some((known) => sameOwner(known.owner, owner))
}

function self(): Owner {
  const owner = ownerOf(process.pid)
  if (owner === null) throw new TypeError('this process cannot be identified; give an owner')
  return owner
}
