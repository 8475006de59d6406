/**
 * A sighting meets the index: this session runs on this surface, in this process.
 *
 * What tells a new session of the same agent from an intruder is the agent's process: the same process, or a dead
 * one before it, is followed; while another one lives, nothing changes. One session is on one surface: seen on a new
 * one, its entry moves. A sighting proves life only; nothing is removed by one.
 */
import { DEFAULT_HEALTHY_AFTER_MS } from './defaults.js'
import { checkEntry } from './entry-schema.js'
import { checkName, checkSessionId, checkSurfaceId, isPlaceholder } from './ids.js'
import type { Entry, Index, ObserveOutcome, PreviousReason, Sighting, Verdicts } from './schema.js'
import {
  attemptsAfterSight,
  changeSession,
  closeAttempt,
  endEntry,
  entryAt,
  holderOf,
  mergePrevious,
  previousAfter,
  putEntry,
  without
} from './transitions.js'
import { machineOf, sameOwner, verdictFor } from './verdicts.js'

export interface Observed {
  readonly index: Index
  readonly outcome: ObserveOutcome
}

export interface ObserveOptions {
  /** A session seen alive this long after the last attempt clears the count, in ms. @default 300000 */
  readonly healthyAfterMs?: number
}

/**
 * Takes a sighting into the index.
 * @param verdicts on the processes that the index has recorded; what is not listed is unknown.
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
  return see(index, sighting, { verdicts, now, why: 'rotated', options })
}

export interface Look {
  readonly verdicts: Verdicts
  readonly now: number
  /** 'replaced' is a record: its word stands, whatever process is recorded. */
  readonly why: Extract<PreviousReason, 'rotated' | 'replaced'>
  readonly options: ObserveOptions
}

export function see(index: Index, sighting: Sighting, look: Look): Observed {
  checkSurfaceId(sighting.surfaceId)
  checkSessionId(sighting.sessionId)
  checkName('repo', sighting.repo)
  if (sighting.nested || isNested(index, sighting)) return { index, outcome: 'nested' }
  const entry = entryAt(index, sighting.surfaceId)
  const holder = holderOf(index, sighting.sessionId, sighting.surfaceId)
  if (holder !== null) return move(index, sighting, holder, entry, look)
  if (entry === null) return { index: putEntry(index, captured(sighting, look.now)), outcome: 'captured' }
  if (entry.sessionId === sighting.sessionId) {
    return { index: putEntry(index, refreshed(entry, sighting, look)), outcome: 'refreshed' }
  }
  if (isCapture(entry, sighting)) {
    const started = closeAttempt(entry, 'seen', look.now)
    const last = started.last_attempt
    const known = {
      ...changeSession(started, sighting.sessionId, look.why, look.now),
      ...(last && { last_attempt: last })
    }
    return { index: putEntry(index, refreshed(known, sighting, look)), outcome: 'captured' }
  }
  if (!gives(entry, sighting, look)) return { index, outcome: 'nested' }
  const next = changeSession(entry, sighting.sessionId, look.why, look.now)
  return {
    // The count is taken from the entry as it was, whose attempt may still be open.
    index: putEntry(index, { ...refreshed(next, sighting, look), attempts: attemptsAfter(entry, look) }),
    outcome: 'rotated'
  }
}

/** An agent below another agent that the index knows, other than the session's own launcher. */
function isNested(index: Index, sighting: Sighting): boolean {
  const { ancestors, proc, sessionId } = sighting
  if (ancestors === undefined || ancestors.length === 0) return false
  return Object.values(index.entries).some(
    (entry) =>
      entry.proc !== undefined &&
      entry.sessionId !== sessionId &&
      !(proc && sameOwner(entry.proc, proc)) &&
      ancestors.some((ancestor) => entry.proc && sameOwner(ancestor, entry.proc))
  )
}

/** The first session below the owner of a start that could not choose its id. */
function isCapture(entry: Entry, { ancestors }: Sighting): boolean {
  const { attempt } = entry
  return (
    isPlaceholder(entry.sessionId) &&
    attempt !== undefined &&
    (ancestors ?? []).some((ancestor) => sameOwner(ancestor, attempt.owner))
  )
}

/** Whether what the surface holds gives way to another session. */
function gives(entry: Entry, { proc }: Sighting, { verdicts, why }: Look): boolean {
  if (why === 'replaced') return true
  if (entry.proc && proc && sameOwner(entry.proc, proc)) return true
  if (entry.state === 'minted' && entry.attempt && verdictFor(verdicts, entry.attempt.owner) === 'alive') return false
  const verdict = entry.proc === undefined ? 'unknown' : verdictFor(verdicts, entry.proc)
  return verdict === 'dead' || (verdict === 'unknown' && proc !== undefined)
}

function move(index: Index, sighting: Sighting, holder: Entry, here: Entry | null, look: Look): Observed {
  const { surfaceId, sessionId, proc } = sighting
  const same = holder.proc !== undefined && proc !== undefined && sameOwner(holder.proc, proc)
  if (holder.proc && !same && verdictFor(look.verdicts, holder.proc) === 'alive') return { index, outcome: 'duplicate' }
  if (here !== null && here.state !== 'ended' && !gives(here, sighting, look)) return { index, outcome: 'nested' }
  const arrived: Entry = {
    ...without(holder, 'address', 'scope'),
    surfaceId,
    captured_at: here?.captured_at ?? look.now,
    gen: here === null ? holder.gen : Math.max(here.gen, holder.gen) + 1,
    previous: mergePrevious(sessionId, [
      ...(here === null
        ? []
        : previousAfter(here, sessionId, here.state === 'minted' ? 'never_started' : look.why, look.now)),
      ...holder.previous
    ])
  }
  const left = endEntry(without(holder, 'attempt', 'proc', 'dispatch') as Entry, 'moved', surfaceId)
  return { index: putEntry(putEntry(index, left), refreshed(arrived, sighting, look)), outcome: 'moved' }
}

function captured(sighting: Sighting, now: number): Entry {
  const { surfaceId, sessionId, repo, role } = sighting
  const entry: Entry = {
    surfaceId,
    sessionId,
    repo,
    role: role ?? null,
    captured_at: now,
    last_active: now,
    state: 'ready',
    gen: 1,
    attempts: 0,
    policy: 'auto',
    previous: []
  }
  return checkEntry({ ...entry, ...told(sighting) })
}

/** The entry after its own session was seen alive. */
function refreshed(entry: Entry, sighting: Sighting, look: Look): Entry {
  const seen = closeAttempt(entry, 'seen', look.now)
  return checkEntry({
    // A process that the sighting does not name may be an older one: it must not pass for this session's.
    ...without(seen, 'reason', 'moved_to', 'proc', 'seen'),
    repo: sighting.repo,
    ...(sighting.role === undefined ? {} : { role: sighting.role }),
    ...told(sighting),
    last_active: look.now,
    state: 'ready',
    attempts: attemptsAfter(entry, look)
  })
}

/** What the sighting says beyond the first fields. */
function told(sighting: Sighting): Partial<Entry> {
  const { agent, cwd, transcript, flags, scope, address, meta, proc } = sighting
  const seen = sighting.seen ?? (proc && machineOf(proc))
  const all = { agent, cwd, transcript, flags, scope, address, meta, seen, proc }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

function attemptsAfter(entry: Entry, { now, options }: Look): number {
  return attemptsAfterSight(entry, now, options.healthyAfterMs ?? DEFAULT_HEALTHY_AFTER_MS)
}
