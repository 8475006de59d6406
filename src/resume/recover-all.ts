/**
 * A recovery pass after a crash. It probes, decides, claims, resumes and settles each entry on its own, and its report
 * has a row for each.
 *
 * A failure of one entry is in that entry's row only. The pass starts no new session: where fresh is right, the row
 * says so and leaves it to the caller. An aborted or killed pass leaves at worst claims of a dead owner, and the next
 * pass recognises those.
 */

import { type CommandSpec, resumeSpec } from '../agents/command.js'
import type { Decision } from '../core/decision.js'
import { entryState } from '../core/entry.js'
import { given } from '../core/given.js'
import type { Entry, Index } from '../core/schema.js'
import { clock } from '../probes/clock.js'
import { probeAgents } from '../probes/probe.js'
import type { Store } from '../store/store.js'
import { asError, inTurn, type PassOptions } from './in-turn.js'
import { previewOn, type SurfaceRequest } from './preview.js'
import { accountFor, type RecoveryReport, type RecoveryRow } from './report.js'
import { oneLine, reserve, type SettleMore, type SettleResult, settleAttempt } from './reserve.js'

/** One session for the caller to resume. */
export interface ResumeTask {
  readonly entry: Entry
  readonly decision: Decision
  readonly attempt: string
  readonly spec: CommandSpec
  /** Aborted when the pass is. */
  readonly signal: AbortSignal
}

/** `ok`: the agent runs in that session. If the session turned out to be gone: { failed: 'session_gone' }. */
export type ResumeOutcome =
  | SettleResult
  /** `unconfirmed`: it runs, and nothing shows that it came up; why that may be, for a person. */
  | ({ readonly result: SettleResult; readonly unconfirmed?: string } & SettleMore)

/** How a recovery pass goes, and what starts the agents. */
export interface RecoverOptions extends PassOptions {
  /** Starts the agent and says how it went. If it throws, the entry failed, and the error is the cause. */
  readonly resume: (task: ResumeTask) => Promise<ResumeOutcome>
  /** Only decide; claim and resume nothing. @default false */
  readonly dryRun?: boolean | undefined
  /** Once aborted, no further entry starts. Those under way finish. */
  readonly signal?: AbortSignal | undefined
  /** Which surfaces to recover. @default all */
  readonly only?: ((entry: Entry) => boolean) | undefined
}

/**
 * Resumes every session that may be resumed.
 * @returns one row for each entry, unreadable ones included; resumed + pending + failed + skipped = total
 * @throws only if the index itself cannot be read
 * @example
 * import { openStore, recoverAll } from 'crash-resume-index'
 * const report = await recoverAll(openStore(), {
 *   resume: async ({ spec }) => {
 *     console.log([spec.file, ...spec.args].join(' ')) // start it here, and wait until it is up
 *     return 'ok'
 *   }
 * })
 * console.log(`${report.resumed} of ${report.total} resumed`)
 */
export async function recoverAll(store: Store, options: RecoverOptions): Promise<RecoveryReport> {
  const index = await store.load()
  const preview = previewer(index, options)
  const rows = await inTurn(surfacesOf(index, options.only), options, async (surfaceId, begin) => {
    const row = await preview(surfaceId)
    return row.reason === 'planned' && options.dryRun !== true
      ? begin((started) => resumeOne(store, surfaceId, options, started))
      : row
  })
  return accountFor(rows)
}

/** What a pass would do with each entry, by one look at the machine. Nothing changes. */
export async function previewAll(
  index: Index,
  options: Omit<PassOptions, 'onProgress'> & Pick<RecoverOptions, 'only'>
): Promise<readonly RecoveryRow[]> {
  const preview = previewer(index, options)
  return inTurn(surfacesOf(index, options.only), { ...options, concurrency: PREVIEWS }, preview)
}

/** Resumes the surfaces of a plan. Each is decided again in its turn, by a look of its own. */
export async function resumeAll(
  store: Store,
  surfaces: readonly string[],
  options: RecoverOptions
): Promise<readonly RecoveryRow[]> {
  return inTurn(surfaces, options, (surfaceId, begin) =>
    begin((started) => resumeOne(store, surfaceId, options, started))
  )
}

/** How many entries are previewed at the same time; each reads transcripts. */
const PREVIEWS = 8

function surfacesOf(index: Index, only: RecoverOptions['only']): readonly string[] {
  const wanted = Object.values(index.entries).filter((entry) => only?.(entry) ?? true)
  return [...wanted.map(({ surfaceId }) => surfaceId), ...Object.keys(index.unreadable ?? {})]
}

/** Turns the decision on one entry into a row, with the one probe of the pass. */
function previewer(
  index: Index,
  options: Omit<PassOptions, 'onProgress'>
): (surfaceId: string) => Promise<RecoveryRow> {
  const probe = options.probe ?? probeAgents(options)
  return async (surfaceId) => {
    const { decision } = await previewOn(index, requestFor(index, surfaceId), {}, options, probe)
    return rowOf(surfaceId, decision, options)
  }
}

function requestFor({ entries }: Index, surfaceId: string): SurfaceRequest {
  const { repo = '', agent } = (Object.hasOwn(entries, surfaceId) ? entries[surfaceId] : undefined) ?? {}
  return { surfaceId, repo, agent }
}

/** `planned`: it may be resumed now. */
function rowOf(surfaceId: string, decision: Decision, { shrunk }: Pick<PassOptions, 'shrunk'>): RecoveryRow {
  const base = { surfaceId, decision, ...given({ sessionId: decision.sessionId }) }
  if (decision.action === 'resume') {
    const isLeft = !shrunk && decision.warnings.includes('transcript_shrunk')
    const reason = decision.policy === 'manual' ? 'manual' : isLeft ? 'transcript_shrunk' : 'planned'
    return { ...base, outcome: 'pending', reason }
  }
  if (decision.action === 'refuse') return { ...base, outcome: 'skipped', reason: decision.reason }
  const { reason } = decision
  if (reason === 'ended' || reason === 'left') return { ...base, outcome: 'skipped', reason }
  return { ...base, outcome: 'pending', reason }
}

/** @param started called when the agent is about to start */
async function resumeOne(
  store: Store,
  surfaceId: string,
  options: RecoverOptions,
  started: () => void
): Promise<RecoveryRow> {
  const index = await store.load()
  if (entryState(index, surfaceId) === null) return { surfaceId, outcome: 'skipped', reason: 'taken' }
  const request = requestFor(index, surfaceId)
  const isPlanned = (decision: Decision): boolean => rowOf(surfaceId, decision, options).reason === 'planned'
  const { decision, entry, attempt } = await reserve(store, request, {}, options, { claim: isPlanned, mint: null })
  if (attempt === null || entry === null || decision.action !== 'resume') {
    const row = rowOf(surfaceId, decision, options)
    // Between decision and claim it moved, or was forgotten.
    return row.reason === 'planned' ? { ...row, outcome: 'failed', reason: 'error', why: 'it changed meanwhile' } : row
  }
  const base = { surfaceId, sessionId: entry.sessionId, decision }
  const settle = async (result: SettleResult, more: SettleMore): Promise<Error | null> => {
    try {
      await settleAttempt(store, attempt, result, more, clock(options.now))
      return null
    } catch (error) {
      return asError(error)
    }
  }
  let spec: CommandSpec
  try {
    spec = resumeSpec(entry, options)
  } catch (error) {
    await settle({ failed: 'not_started', why: oneLine(error) }, {})
    return { ...base, outcome: 'failed', reason: 'error', why: oneLine(error), error: asError(error) }
  }
  const begun = { ...base, spec }
  started()
  try {
    const signal = options.signal ?? new AbortController().signal
    const said = await options.resume({ entry, decision, attempt, spec, signal })
    const outcome = typeof said === 'object' && 'result' in said ? said : { result: said }
    const { result, unconfirmed, ...more } = { unconfirmed: undefined, ...outcome }
    const unwritten = await settle(result, more)
    const row = { ...begun, ...(unwritten && { why: oneLine(unwritten), error: unwritten }) }
    if (result === 'ok' && unconfirmed !== undefined) {
      return { why: unconfirmed, ...row, outcome: 'pending', reason: 'not_confirmed' }
    }
    if (result === 'ok') return { ...row, outcome: 'resumed', reason: decision.reason }
    if (result.failed === 'session_gone') return { ...row, outcome: 'pending', reason: 'session_gone' }
    return { ...row, ...given({ why: result.why }), outcome: 'failed', reason: unwritten ? 'error' : result.failed }
  } catch (error) {
    // The state of the agent is unknown.
    await settle({ failed: 'other', why: oneLine(error) }, {})
    return { ...begun, outcome: 'failed', reason: 'error', why: oneLine(error), error: asError(error) }
  }
}
