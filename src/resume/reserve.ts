/**
 * Probe, decide, and reserve what the decision allows, in one update: what the gate and the recovery pass share.
 *
 * The decision is taken once on what was loaded and once more inside the update, on the index as it is then. Where
 * the entry changed in between, everything is asked again, so that the answer names what is true now.
 */

import type { SpecOptions } from '../agents/facts.js'
import { claim, type Decided, mint } from '../core/attempts.js'
import type { DecideOptions, Decision } from '../core/decide.js'
import { decideAt } from '../core/decide-at.js'
import { entryAt, entryState } from '../core/entry.js'
import { CrashResumeError } from '../core/errors.js'
import type { Evidence } from '../core/evidence.js'
import { sameOwner } from '../core/owner.js'
import type { Entry, FailureKind, Index, Owner } from '../core/schema.js'
import { settle } from '../core/settle.js'
import { lookAtAgents } from '../probes/agent-look.js'
import type { Look } from '../probes/look.js'
import { ownerOf, thisMachine } from '../probes/process.js'
import type { Store } from '../store/store.js'

export interface SurfaceRequest {
  readonly surfaceId: string
  readonly repo: string
  readonly role?: string | null
  readonly agent?: string
  readonly cwd?: string
  readonly flags?: readonly string[]
}

export type LimitOptions = Omit<DecideOptions, 'now' | 'resumeBoundToCwd' | 'hazards'>

export interface ReserveOptions extends LimitOptions, SpecOptions {
  /** What finds the evidence out. @default the probes of this machine */
  readonly look?: Look
  /** The process that will settle. @default this one */
  readonly owner?: Owner
  /** Ms since the epoch. @default the clock */
  readonly now?: () => number
  /** Ids for attempts and minted sessions. @default random UUIDs */
  readonly newId?: () => string
}

export interface Reserved {
  readonly decision: Decision
  /** The entry as it is now; null where there is none. */
  readonly entry: Entry | null
  /** The open attempt; absent where the decision allows no act. */
  readonly attempt?: string
}

export type SettleResult = 'ok' | { readonly failed: FailureKind; readonly why?: string }

export interface SettleMore {
  readonly sessionId?: string
  /** The agent's own process. */
  readonly proc?: Owner
}

/** What is wanted of a surface, beyond the decision. */
export interface Wish {
  /** Claim where the decision is resume. */
  readonly claim: boolean
  /** Mint where the decision is fresh; null: leave fresh to the caller. */
  readonly mint: { readonly capture: boolean } | null
  readonly facts: Pick<DecideOptions, 'resumeBoundToCwd' | 'hazards'>
}

export interface Considered {
  /** Null: the index holds none. */
  readonly known: Entry | null | 'unreadable'
  readonly evidence: Evidence
  readonly decision: Decision
}

/** Probe and decide; nothing is written. */
export async function consider(
  store: Store,
  request: SurfaceRequest,
  given: Evidence,
  options: ReserveOptions,
  factsFor: (entry: Entry | null) => Wish['facts']
): Promise<Considered> {
  const index = await store.load()
  const known = entryState(index, request.surfaceId)
  const entry = known === 'unreadable' ? null : known
  const found = await gather(index, entry, request, given, options.look ?? lookAtAgents(options))
  const evidence = damagedToo(index, found)
  const now = (options.now ?? Date.now)()
  return {
    known,
    evidence,
    decision: decideAt(index, request.surfaceId, evidence, { ...options, ...factsFor(entry), now })
  }
}

/** Another writer's change under the decision is asked about again; this many in a row is a fault. */
const ROUNDS = 20

export async function reserve(
  store: Store,
  request: SurfaceRequest,
  given: Evidence,
  options: ReserveOptions,
  wishFor: (entry: Entry | null) => Wish
): Promise<Reserved> {
  const now = options.now ?? Date.now
  const newId = options.newId ?? (() => crypto.randomUUID())
  for (let round = 1; ; round++) {
    const index = await store.load()
    const { surfaceId } = request
    const known = entryState(index, surfaceId)
    const entry = known === 'unreadable' ? null : known
    const wish = wishFor(entry)
    const evidence = await gather(index, entry, request, given, options.look ?? lookAtAgents(options))
    const limits: DecideOptions = { ...options, ...wish.facts, now: now() }
    const first = decideAt(index, surfaceId, evidence, limits)
    const acts = (first.action === 'resume' && wish.claim) || (first.action === 'fresh' && wish.mint !== null)
    if (!acts) return { decision: first, entry }
    const attemptId = newId()
    const base = { surfaceId, attemptId, owner: options.owner ?? self(), evidence, expect: first.expect }
    const change =
      first.action === 'resume'
        ? (current: Index): Decided =>
            claim(current, { ...base, since: index, ...(entry === null ? request : {}) }, limits)
        : (current: Index): Decided => mint(current, { ...request, ...base, ...chosen(wish, newId) }, limits)
    let decided: Decided | undefined
    try {
      const written = await store.update((current) => {
        decided = change(current)
        return decided.index
      })
      if (decided === undefined) throw new TypeError('the store did not run the change')
      if (unlookedAt(decided.decision, evidence) && round < ROUNDS) continue
      const after = entryAt(written, surfaceId)
      const open = after?.attempt?.id === attemptId
      return { decision: decided.decision, entry: after, ...(open ? { attempt: attemptId } : {}) }
    } catch (error) {
      const again = error instanceof CrashResumeError && error.code === 'ERR_CONFLICT' && round < ROUNDS
      if (!again) throw error
    }
  }
}

/** Writes down how an attempt went, and returns its entry. */
export async function settleAttempt(
  store: Store,
  attemptId: string,
  result: SettleResult,
  more: SettleMore,
  now: number
): Promise<Entry | null> {
  const written = await store.update((index) => settle(index, { attemptId, result, ...more }, now))
  return Object.values(written.entries).find(({ last_attempt: last }) => last?.id === attemptId) ?? null
}

/** A cause as it may be stored. */
export function oneLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.replace(/\p{C}+/gu, ' ').slice(0, 500)
}

/** The caller's word stands over the probes'; what it says of one session leaves what was found of the others. */
async function gather(
  index: Index,
  entry: Entry | null,
  request: SurfaceRequest,
  given: Evidence,
  look: Look
): Promise<Evidence> {
  const { surfaceId, agent, repo, cwd } = request
  const seen = await look({
    surfaceId,
    entry,
    index,
    repo,
    ...(agent === undefined ? {} : { agent }),
    ...(cwd === undefined ? {} : { cwd })
  })
  return {
    machine: thisMachine(),
    ...seen,
    ...given,
    ...bySession(seen, given, 'transcript'),
    ...bySession(seen, given, 'running'),
    // Verdicts add up: each is on one process.
    verdicts: [...(given.verdicts ?? []), ...(seen.verdicts ?? [])]
  }
}

function bySession(seen: Evidence, given: Evidence, field: 'transcript' | 'running'): Evidence {
  const [found, said] = [seen[field], given[field]]
  return typeof found === 'object' && typeof said === 'object' ? { [field]: { ...found, ...said } } : {}
}

function damagedToo(index: Index, evidence: Evidence): Evidence {
  return index.status?.damaged || index.status?.incomplete ? { ...evidence, index: 'damaged' } : evidence
}

function chosen(wish: Wish, newId: () => string): { capture: true } | { sessionId: string } {
  return wish.mint?.capture ? { capture: true } : { sessionId: newId() }
}

/** Refused for an owner that was not there yet when the evidence was gathered: look at it and decide again. */
function unlookedAt({ reason, owner }: Decision, evidence: Evidence): boolean {
  if (reason !== 'owner_unverified' || owner === undefined) return false
  return !(evidence.verdicts ?? []).some((known) => sameOwner(known.owner, owner))
}

function self(): Owner {
  const owner = ownerOf(process.pid)
  if (owner === null) throw new TypeError('this process cannot be identified; give an owner')
  return owner
}
