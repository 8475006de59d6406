/**
 * After the crash: every entry on its own is probed, decided, claimed, resumed and settled, and every one is accounted
 * for in the report.
 *
 * One entry's failure is that entry's row and nobody else's. Nothing is spawned fresh: where fresh is right, the row
 * says so and waits for the caller. A pass that is aborted or killed leaves claims of a dead owner at worst, which the
 * next pass sees through.
 */

import { type CommandSpec, resumeSpec } from '../agents/command.js'
import { agentFacts } from '../agents/table.js'
import type { Decision } from '../core/decide.js'
import { decideAt } from '../core/decide-at.js'
import { entryState } from '../core/entry.js'
import type { Entry } from '../core/schema.js'
import { lookAtAgents } from '../probes/agent-look.js'
import type { Look } from '../probes/look.js'
import type { Store } from '../store/store.js'
import { oneLine, type ReserveOptions, reserve, type SettleMore, type SettleResult, settleAttempt } from './reserve.js'

/** What the caller is asked to resume. */
export interface ResumeTask {
  readonly entry: Entry
  readonly decision: Decision
  readonly attempt: string
  readonly spec: CommandSpec
  /** Aborted when the pass is. */
  readonly signal: AbortSignal
}

/** `ok`: it came up in that session. A session that turned out to be gone is { failed: 'session_gone' }. */
export type ResumeOutcome = SettleResult | ({ readonly result: SettleResult } & SettleMore)

export interface RecoverOptions extends Omit<ReserveOptions, 'look'> {
  /** Finds the evidence out. @default the probes of this machine */
  readonly observe?: Look
  /** Starts the agent and says how it went; what it throws is a failure with its cause. */
  readonly resume: (task: ResumeTask) => Promise<ResumeOutcome>
  /** Resumes under way at once. @default 4 */
  readonly concurrency?: number
  /** Between the starts of two resumes, in ms. @default 0 */
  readonly staggerMs?: number
  /** Decide only; claim and resume nothing. @default false */
  readonly dryRun?: boolean
  /** No further entry is begun once aborted; those under way end as they end. */
  readonly signal?: AbortSignal
  /** Which surfaces to recover. @default all */
  readonly only?: (entry: Entry) => boolean
  readonly onProgress?: (progress: RecoveryProgress) => void
}

export type RecoveryOutcome = 'resumed' | 'pending' | 'failed' | 'skipped'

export interface RecoveryRow {
  readonly surfaceId: string
  readonly sessionId?: string
  readonly outcome: RecoveryOutcome
  /** A decision's reason, or manual, aborted, planned (dry run), not_resumed, or error. */
  readonly reason: string
  readonly decision?: Decision
  readonly spec?: CommandSpec
  /** What was thrown, or why the caller says it failed. */
  readonly error?: unknown
}

export interface RecoveryReport {
  readonly rows: readonly RecoveryRow[]
  readonly resumed: number
  readonly pending: number
  readonly failed: number
  readonly skipped: number
  readonly total: number
}

export interface RecoveryProgress {
  readonly done: number
  readonly total: number
  readonly surfaceId: string
  readonly step: 'probing' | 'resuming' | 'done'
  readonly row?: RecoveryRow
}

/**
 * Brings back what may be brought back.
 * @returns one row an entry, those that cannot be read included; resumed + pending + failed + skipped = total
 * @throws only where the index itself cannot be read
 */
export async function recoverAll(store: Store, options: RecoverOptions): Promise<RecoveryReport> {
  const index = await store.load()
  const wanted = Object.values(index.entries).filter((entry) => options.only?.(entry) ?? true)
  const surfaces = [...wanted.map(({ surfaceId }) => surfaceId), ...Object.keys(index.unreadable ?? {})]
  const rows = new Map<string, RecoveryRow>()
  const turn = staggered(options.staggerMs ?? 0)
  const waiting = surfaces.values()
  const tell = (step: RecoveryProgress['step'], surfaceId: string, row?: RecoveryRow): void => {
    // A progress line that throws is the caller's loss, not an entry's.
    try {
      options.onProgress?.({ done: rows.size, total: surfaces.length, surfaceId, step, ...(row && { row }) })
    } catch {}
  }
  const worker = async (): Promise<void> => {
    for (const surfaceId of waiting) {
      tell('probing', surfaceId)
      const row = await rowFor(store, surfaceId, options, turn, tell)
      rows.set(surfaceId, row)
      tell('done', surfaceId, row)
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, options.concurrency ?? 4) }, worker))
  return accountFor(surfaces.flatMap((surfaceId) => rows.get(surfaceId) ?? []))
}

/** The rows with their sums. */
export function accountFor<Row extends RecoveryRow>(
  rows: readonly Row[]
): RecoveryReport & { readonly rows: readonly Row[] } {
  const count = (outcome: RecoveryOutcome): number => rows.filter((row) => row.outcome === outcome).length
  return {
    rows,
    resumed: count('resumed'),
    pending: count('pending'),
    failed: count('failed'),
    skipped: count('skipped'),
    total: rows.length
  }
}

async function rowFor(
  store: Store,
  surfaceId: string,
  options: RecoverOptions,
  turn: Turn,
  tell: (step: RecoveryProgress['step'], surfaceId: string) => void
): Promise<RecoveryRow> {
  if (options.signal?.aborted) return { surfaceId, outcome: 'pending', reason: 'aborted' }
  try {
    const plan = await planFor(store, surfaceId, options)
    if (plan.row !== null) return plan.row
    const began = await turn()
    try {
      if (options.signal?.aborted) return { surfaceId, outcome: 'pending', reason: 'aborted' }
      tell('resuming', surfaceId)
      return await resumeOne(store, plan.entry, options, began)
    } finally {
      began()
    }
  } catch (error) {
    return { surfaceId, outcome: 'failed', reason: 'error', error }
  }
}

type Plan = { readonly row: RecoveryRow } | { readonly row: null; readonly entry: Entry }

/** The decision without a claim: what need not be written is answered here. */
async function planFor(store: Store, surfaceId: string, options: RecoverOptions): Promise<Plan> {
  const index = await store.load()
  const known = entryState(index, surfaceId)
  const entry = known === 'unreadable' ? null : known
  if (entry?.state === 'ended' && entry.reason !== 'session_gone') {
    const reason = entry.reason === 'moved' ? 'moved' : 'ended'
    return { row: { surfaceId, sessionId: entry.sessionId, outcome: 'skipped', reason } }
  }
  const look = options.observe ?? lookAtAgents(options)
  const evidence = entry === null ? {} : await look({ surfaceId, entry, index, repo: entry.repo })
  const limits = {
    ...options,
    ...agentFacts(entry?.agent, options, entry?.sessionId).decide,
    now: (options.now ?? Date.now)()
  }
  const decision = decideAt(index, surfaceId, evidence, limits)
  const row = rowOf(surfaceId, decision, options.dryRun ?? false)
  if (row !== null || entry === null) return { row: row ?? { surfaceId, outcome: 'failed', reason: 'error' } }
  return { row: null, entry }
}

/** The row of a decision that is not acted on; null: resume. */
function rowOf(surfaceId: string, decision: Decision, dryRun: boolean): RecoveryRow | null {
  const { action, reason, sessionId, policy } = decision
  const base = { surfaceId, decision, ...(sessionId === undefined ? {} : { sessionId }) }
  if (action === 'refuse') return { ...base, outcome: 'skipped', reason }
  if (action === 'wait' || action === 'fresh') return { ...base, outcome: 'pending', reason }
  if (policy === 'manual') return { ...base, outcome: 'pending', reason: 'manual' }
  return dryRun ? { ...base, outcome: 'pending', reason: 'planned' } : null
}

async function resumeOne(
  store: Store,
  planned: Entry,
  options: RecoverOptions,
  began: () => void
): Promise<RecoveryRow> {
  const { surfaceId, repo, agent } = planned
  const request = { surfaceId, repo, ...(agent === undefined ? {} : { agent }) }
  const { observe, ...rest } = options
  const reserved = await reserve(store, request, {}, { ...rest, ...(observe && { look: observe }) }, (entry) => ({
    facts: agentFacts(entry?.agent, options, entry?.sessionId).decide,
    claim: true,
    mint: null
  }))
  const { decision, entry, attempt } = reserved
  if (attempt === undefined || entry === null) {
    const row = rowOf(surfaceId, decision, false)
    return row ?? { surfaceId, decision, outcome: 'failed', reason: 'error' }
  }
  const { sessionId } = entry
  const now = options.now ?? Date.now
  const base = { surfaceId, sessionId, decision }
  let outcome: { readonly result: SettleResult } & SettleMore
  let thrown: { readonly error: unknown } | null = null
  let spec: CommandSpec | undefined
  try {
    const command = resumeSpec(entry, options)
    spec = command
    began()
    const said = await options.resume({
      entry,
      decision,
      attempt,
      spec: command,
      signal: options.signal ?? new AbortController().signal
    })
    outcome = typeof said === 'object' && 'result' in said ? said : { result: said }
  } catch (error) {
    thrown = { error }
    // Without a command nothing was started; after that nobody knows.
    const kind = spec === undefined ? 'not_started' : 'other'
    outcome = { result: { failed: kind, why: oneLine(error) } }
  }
  const { result, ...more } = outcome
  try {
    await settleAttempt(store, attempt, result, more, now())
  } catch (error) {
    thrown ??= { error }
  }
  const details = { ...base, ...(spec && { spec }), ...(thrown ?? {}) }
  if (result === 'ok') return { ...details, outcome: 'resumed', reason: decision.reason }
  if (result.failed === 'session_gone') return { ...details, outcome: 'pending', reason: 'session_gone' }
  const why = result.why === undefined || thrown ? {} : { error: result.why }
  return { ...details, ...why, outcome: 'failed', reason: thrown ? 'error' : result.failed }
}

/** Waits for its turn; the next one comes so long after this one has begun. */
type Turn = () => Promise<() => void>

function staggered(ms: number): Turn {
  let next: Promise<void> = Promise.resolve()
  return async () => {
    const mine = next
    let began = (): void => undefined
    const beginning = new Promise<void>((resolve) => {
      began = resolve
    })
    if (ms > 0) next = beginning.then(() => new Promise((wake) => setTimeout(wake, ms)))
    await mine
    return began
  }
}
