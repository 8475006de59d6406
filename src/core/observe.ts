/**
 * A sighting meets the index: on this surface, in this process, runs this session.
 *
 * What tells a new session of the same agent from an intruder is the agent's process: the same process, or a dead
 * one before it, is followed; while another one lives, nothing changes. One session is on one surface: seen on a new
 * one, its entry moves. A sighting proves life only; nothing is removed by one.
 */

import {
  attemptsAfterSight,
  changeSession,
  closeAttempt,
  entryAt,
  holdersOf,
  keepProcess,
  leftBehind,
  mergePrevious,
  movedAway,
  OVERTAKEN,
  putEntry,
  seenSince,
  without
} from './entry.js'
import { given } from './given.js'
import { checkName, checkNow, checkSessionId, checkSurfaceId, isPlaceholder } from './ids.js'
import { join } from './join.js'
import { machineOf, sameOwner, verdictFor } from './owner.js'
import type { Entry, Index, ObserveOutcome, Owner, PreviousReason, Sighting, Verdicts } from './schema.js'
import { ENTRY_DEFAULTS } from './validate.js'

/** The index after a sighting, and what the sighting changed. */
export interface Observed {
  readonly index: Index
  readonly outcome: ObserveOutcome
}

export interface ObserveOptions {
  /** A session seen alive this long after the last attempt clears the count, in ms. @default 300000 */
  readonly healthyAfterMs?: number | undefined
}

/**
 * Takes a sighting into the index.
 * @param verdicts on the processes that the index has recorded, and on the sighting's own, taken as late as possible: the
 *   report of a dead one is no sign of life. What is not listed is unknown.
 * @param now ms since the epoch
 * @throws ERR_INVALID_INPUT
 */
export function observe(
  index: Index,
  sighting: Sighting,
  verdicts: Verdicts,
  now: number,
  options: ObserveOptions = {}
): Observed {
  return applySighting(index, sighting, { verdicts, now, why: 'rotated', options })
}

export interface SightingContext {
  readonly verdicts: Verdicts
  readonly now: number
  /** 'replaced' is a record: it counts whatever process is known. */
  readonly why: Extract<PreviousReason, 'rotated' | 'replaced'>
  readonly options: ObserveOptions
}

export function applySighting(index: Index, sighting: Sighting, context: SightingContext): Observed {
  if (sighting.nested) return { index, outcome: 'nested' }
  const { surfaceId, sessionId } = sighting
  checkSurfaceId(surfaceId)
  checkSessionId(sessionId)
  checkName('repo', sighting.repo)
  checkNow(context.now)
  const entry = entryAt(index, surfaceId)
  if (isNested(index, sighting, entry)) return { index, outcome: 'nested' }
  const holders = holdersOf(index, sessionId, surfaceId)
  if (isLate(sighting, context) && (holders.length > 0 || (entry !== null && !isNewSession(entry, sessionId)))) {
    return applyLateReport(index, sighting, entry)
  }
  if (holders.some((holder) => isLiveElsewhere(holder, sighting, context))) return { index, outcome: 'duplicate' }
  if (entry !== null && entry.sessionId !== sessionId && !yieldsTo(entry, sighting, context)) {
    return { index: seenWhereHeld(index, sighting, holders, context), outcome: 'nested' }
  }
  if (holders.length > 0) return { index: move(index, sighting, holders, entry, context), outcome: 'moved' }
  if (entry === null) return { index: putEntry(index, captured(sighting, context.now)), outcome: 'captured' }
  const next = entry.sessionId === sessionId ? entry : changed(entry, sighting, context)
  return { index: putEntry(index, refreshed(next, entry, sighting, context)), outcome: outcomeOf(entry, sessionId) }
}

/** The process was gone before its report arrived. */
function isLate({ proc }: Sighting, { verdicts }: SightingContext): boolean {
  return proc !== undefined && verdictFor(verdicts, proc) === 'dead'
}

/** A session that the surface has not had yet, and that nothing under way here is to give way to. */
function isNewSession(entry: Entry, sessionId: string): boolean {
  if (entry.sessionId === sessionId || entry.previous.some((before) => before.sessionId === sessionId)) return false
  return entry.attempt === undefined || isPlaceholder(entry.sessionId)
}

/** From a process that is gone: that the session was started once, and nothing about what runs now. */
function applyLateReport(index: Index, { sessionId, transcript }: Sighting, entry: Entry | null): Observed {
  if (entry?.sessionId !== sessionId) return { index, outcome: 'nested' }
  const state = entry.state === 'ended' ? 'ended' : 'ready'
  const known = { ...entry, state, ...given({ transcript }) } as const
  return { index: putEntry(index, known), outcome: 'refreshed' }
}

/** It is alive where its surface cannot take it: the surface that holds it must at least not take it for dead. */
function seenWhereHeld(index: Index, sighting: Sighting, holders: readonly Entry[], context: SightingContext): Index {
  const { sessionId, seen, proc } = sighting
  return holders.reduce((left, holder) => {
    const { surfaceId, repo } = holder
    return putEntry(left, refreshed(holder, holder, { surfaceId, sessionId, repo, seen, proc }, context))
  }, index)
}

function outcomeOf(entry: Entry, sessionId: string): ObserveOutcome {
  if (entry.sessionId === sessionId) return 'refreshed'
  return isPlaceholder(entry.sessionId) ? 'captured' : 'rotated'
}

/**
 * Below another agent that the index knows. What the surface itself started or holds is none: its own session, its
 * own process, a process whose nearest known ancestor is the owner of the surface's attempt, and the first session
 * below a launcher whose session was not known.
 */
function isNested(index: Index, { ancestors, proc, sessionId, continues }: Sighting, entry: Entry | null): boolean {
  // A background session runs below the agent that started its server, which need not be its own.
  if (entry !== null && continues === entry.sessionId) return false
  if (entry !== null && entry.state !== 'ended' && entry.sessionId === sessionId) return false
  if (entry?.proc && proc && sameOwner(entry.proc, proc)) return false
  const agents = Object.values(index.entries).filter((other) => other.sessionId !== sessionId)
  for (const ancestor of ancestors ?? []) {
    if (entry?.attempt && sameOwner(entry.attempt.owner, ancestor)) return false
    const agent = agents.find((other) => other.proc && sameOwner(other.proc, ancestor))
    if (agent !== undefined) return !(agent === entry && isPlaceholder(entry.sessionId))
  }
  return false
}

/** The session runs in another process than the one seen now. */
function isLiveElsewhere(holder: Entry, { proc }: Sighting, { verdicts, why }: SightingContext): boolean {
  if (why === 'replaced' || holder.proc === undefined || (proc && sameOwner(holder.proc, proc))) return false
  return verdictFor(verdicts, holder.proc) === 'alive'
}

/** Whether what the surface holds gives way to another session. */
function yieldsTo(entry: Entry, sighting: Sighting, { verdicts, why }: SightingContext): boolean {
  const { proc, ancestors, continues } = sighting
  if (why === 'replaced' || continues === entry.sessionId) return true
  const { attempt } = entry
  const isBelow = (owner: Owner): boolean =>
    [proc, ...(ancestors ?? [])].some((process) => process !== undefined && sameOwner(process, owner))
  if (entry.state === 'minted' && attempt !== undefined && verdictFor(verdicts, attempt.owner) === 'alive') {
    return isPlaceholder(entry.sessionId) && isBelow(attempt.owner)
  }
  const launchers = isPlaceholder(entry.sessionId) ? [attempt?.owner, entry.proc] : []
  if (launchers.some((owner) => owner && isBelow(owner))) return true
  if (entry.proc && proc && sameOwner(entry.proc, proc)) return true
  const known = entry.proc === undefined ? 'unknown' : verdictFor(verdicts, entry.proc)
  const verdict = known === 'dead' && entry.proc?.seen_since ? 'unknown' : known
  return verdict === 'dead' || (verdict === 'unknown' && (proc !== undefined || entry.state === 'ended'))
}

/** The entry with the sighted session in place of its own. An open attempt was for the old one, unless that had no id. */
function changed(entry: Entry, { sessionId, agent }: Sighting, { why, now }: SightingContext): Entry {
  const isFirst = isPlaceholder(entry.sessionId)
  const closed = closeAttempt(entry, 'seen', now, isFirst ? undefined : OVERTAKEN)
  const { last_attempt: last } = closed
  const changedTo = changeSession(closed, sessionId, why, now)
  // An attempt that could not name its session was for the first one that is seen.
  const next = isFirst && entry.attempt && last ? { ...changedTo, last_attempt: last } : changedTo
  // Another agent's launch flags mean nothing to this one.
  return agent === undefined || agent === entry.agent ? next : (without(next, 'flags') as Entry)
}

/**
 * The session's entry comes here with its history and its attempt; where it was, an ended one says so. What this
 * surface held goes to the history, and what is the surface's own stays: first sight, position, the stricter policy.
 */
function move(
  index: Index,
  sighting: Sighting,
  holders: readonly Entry[],
  here: Entry | null,
  context: SightingContext
): Index {
  const { surfaceId, sessionId } = sighting
  const { now, why } = context
  const [holder, ...others] = here === null ? holders : [...holders, here]
  if (holder === undefined) return index
  const changed = here !== null && here.sessionId !== sessionId
  const arrived = join(holder, others, { at: surfaceId, now, why, changed })
  return holders.reduce(
    (left, from) => putEntry(left, movedAway(from, surfaceId, now)),
    putEntry(index, refreshed(arrived, arrived, sighting, context, true))
  )
}

function captured(sighting: Sighting, now: number): Entry {
  const { surfaceId, sessionId, repo, role = null } = sighting
  const times = { captured_at: now, last_active: now }
  return { ...ENTRY_DEFAULTS, surfaceId, sessionId, repo, role, ...times, ...reportedFields(sighting) }
}

/** The entry after its session was seen alive. `before`: whose attempts count, an open one included. */
function refreshed(entry: Entry, before: Entry, sighting: Sighting, context: SightingContext, hasMoved = false): Entry {
  const seen = before.attempt === undefined ? seenSince(entry) : outcomeSeen(entry, sighting, context)
  const known = sighting.proc === undefined ? [] : (['proc_unknown'] as const)
  return {
    ...without(
      unnamed(seen, sighting, context, hasMoved),
      'reason',
      'moved_to',
      'seen',
      ...known,
      ...leftBehind(entry, sighting)
    ),
    repo: sighting.repo,
    ...given({ role: sighting.role }),
    ...reportedFields(sighting),
    ...(entry.prompted ? { prompted: true } : {}),
    last_active: context.now,
    state: 'ready',
    // A session that was called gone, and is here after all, is not its own predecessor.
    previous: mergePrevious(entry.sessionId, entry.previous),
    attempts: attemptsAfterSight(before, context.now, context.options.healthyAfterMs)
  }
}

/** A process that the sighting does not name may be an older one, above all where the session was on another surface. */
function unnamed(entry: Entry, { proc }: Sighting, { verdicts }: SightingContext, hasMoved: boolean): Entry {
  if (entry.proc === undefined || proc !== undefined) return entry
  const verdict = verdictFor(verdicts, entry.proc)
  return keepProcess(entry, hasMoved && verdict === 'alive' ? 'unknown' : verdict)
}

/** A late report from the process that an attempt is to replace says nothing about the attempt, which stays open. */
function outcomeSeen(entry: Entry, { proc }: Sighting, { now }: SightingContext): Entry {
  const isOlder = proc !== undefined && entry.proc !== undefined && sameOwner(proc, entry.proc)
  return isOlder ? entry : closeAttempt(entry, 'seen', now)
}

/** What a sighting may say beyond the first fields. */
const REPORTED = [
  ...(['agent', 'cwd', 'worktree', 'transcript', 'mark', 'prompted', 'flags', 'withheld', 'env'] as const),
  ...(['scope', 'address', 'meta', 'proc', 'proc_unknown'] as const)
]

/** What the sighting says beyond the first fields. */
export function reportedFields(sighting: Sighting): Partial<Entry> {
  const seen = sighting.seen ?? (sighting.proc && machineOf(sighting.proc))
  return given({ ...Object.fromEntries(REPORTED.map((field) => [field, sighting[field]])), seen })
}
