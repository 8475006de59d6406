/**
 * The everyday verbs: index in, index out.
 *
 * None changes its argument, reads a clock or looks at the world; times, verdicts and machines are arguments. Only
 * `forget` and `pruneStale` remove an entry, and they spare whatever is not proven dead.
 */
import { checkEntry } from './entry-schema.js'
import { CrashResumeError, invalidInput } from './errors.js'
import { checkExpected } from './fingerprint.js'
import { checkMs, checkSessionId, checkSurfaceId, checkText, isPlaceholder } from './ids.js'
import { see } from './observe.js'
import {
  type Entry,
  INDEX_VERSION,
  type Index,
  type Machine,
  type Owner,
  type Policy,
  type RecordInput,
  type Verdicts
} from './schema.js'
import {
  attemptsAfterSight,
  endEntry,
  knownEntry,
  mergePrevious,
  putEntry,
  quoted,
  readableEntry,
  removeEntry,
  without
} from './transitions.js'
import { verdictFor } from './verdicts.js'

const RESERVED_REASONS = new Set(['moved', 'superseded', 'session_gone'])
const POLICIES: readonly Policy[] = ['auto', 'manual', 'off']

export function emptyIndex(): Index {
  return { version: INDEX_VERSION, entries: Object.create(null) }
}

/**
 * The entry of a surface, or null when the index holds none.
 * @throws ERR_ENTRY_UNREADABLE where it holds one that cannot be read
 */
export function lookup(index: Index, surfaceId: string): Entry | null {
  return readableEntry(index, surfaceId)
}

/**
 * This session is on this surface, on the caller's word: it replaces what was there, which goes to `previous`.
 * @param now ms since the epoch
 * @throws ERR_INVALID_INPUT
 */
export function record(index: Index, input: RecordInput, now: number): Index {
  checkMs('now', now)
  return see(index, input, { verdicts: [], now, why: 'replaced', options: {} }).index
}

/**
 * The session on this surface is alive. An unknown surface changes nothing.
 * @param seen the machine and boot that saw it; absent: unknown, and what an earlier one saw no longer holds.
 */
export function touch(index: Index, surfaceId: string, now: number, seen?: Machine): Index {
  checkMs('now', now)
  const entry = readableEntry(index, surfaceId)
  if (entry === null) return index
  return putEntry(index, {
    ...without(entry, 'seen'),
    last_active: now,
    attempts: attemptsAfterSight(entry, now),
    ...(seen === undefined ? {} : { seen })
  })
}

export interface EndInput {
  readonly surfaceId: string
  /** Free text; `moved`, `superseded` and `session_gone` are reserved. */
  readonly reason?: string
  readonly expect?: string
}

/**
 * Ended on purpose: kept on file, and not resumed any more.
 * @throws ERR_INVALID_INPUT, ERR_ENTRY_UNKNOWN, ERR_ENTRY_UNREADABLE, ERR_CONFLICT
 */
export function end(index: Index, { surfaceId, reason, expect }: EndInput): Index {
  if (reason !== undefined) {
    checkText('reason', reason)
    if (RESERVED_REASONS.has(reason))
      throw invalidInput('reason', `${quoted(reason)} is reserved; say it in other words`)
  }
  const entry = knownEntry(index, surfaceId)
  checkExpected(surfaceId, entry, expect)
  return putEntry(index, endEntry(entry, reason))
}

export interface ExitInput {
  readonly surfaceId: string
  readonly sessionId: string
  readonly reason: string
}

/** Notes what a hook said when the session ended. It proves nothing, and another session's exit is not noted. */
export function noteExit(index: Index, { surfaceId, sessionId, reason }: ExitInput, now: number): Index {
  checkText('reason', reason)
  checkMs('now', now)
  const entry = readableEntry(index, surfaceId)
  if (entry === null || entry.sessionId !== sessionId) return index
  return putEntry(index, { ...entry, last_exit: { at: now, reason } })
}

/**
 * Whether a recovery pass may resume this surface on its own, only on a person's word, or not at all. Clears the
 * count of attempts.
 * @throws ERR_INVALID_INPUT, ERR_ENTRY_UNKNOWN, ERR_ENTRY_UNREADABLE
 */
export function setPolicy(index: Index, surfaceId: string, policy: Policy): Index {
  if (!POLICIES.includes(policy)) throw invalidInput('policy', `must be one of ${POLICIES.join(', ')}`)
  const entry = knownEntry(index, surfaceId)
  return putEntry(index, { ...entry, policy, attempts: 0 })
}

/**
 * The same entry under another surface id. Onto one that holds the same session it merges.
 * @throws ERR_INVALID_INPUT, ERR_ENTRY_UNKNOWN, ERR_ENTRY_UNREADABLE, ERR_CONFLICT with the entry in the way
 */
export function rename(index: Index, from: string, to: string): Index {
  checkSurfaceId(to)
  const entry = knownEntry(index, from)
  const there = readableEntry(index, to)
  if (from === to) return index
  if (there !== null && there.sessionId !== entry.sessionId) {
    const message = `surface ${quoted(to)} holds another session (${there.sessionId}); forget it first, or choose another id`
    throw new CrashResumeError('ERR_CONFLICT', message, { found: there })
  }
  const renamed = there === null ? { ...entry, surfaceId: to } : merged(entry, there)
  return putEntry(removeEntry(index, from), checkEntry(renamed))
}

/** The renamed entry, with what only the one in its place knew. */
function merged(entry: Entry, there: Entry): Entry {
  return {
    ...there,
    ...entry,
    surfaceId: there.surfaceId,
    captured_at: Math.min(entry.captured_at, there.captured_at),
    last_active: Math.max(entry.last_active, there.last_active),
    gen: Math.max(entry.gen, there.gen),
    attempts: Math.max(entry.attempts, there.attempts),
    previous: mergePrevious(entry.sessionId, [...entry.previous, ...there.previous])
  }
}

/**
 * Removes an entry.
 * @param verdicts on its processes; one that is not proven dead is spared.
 * @throws ERR_ENTRY_UNKNOWN, ERR_CONFLICT; ERR_IN_USE where a process, an attempt or a dispatch may still live
 */
export function forget(index: Index, surfaceId: string, verdicts: Verdicts = [], expect?: string): Index {
  if (index.unreadable && Object.hasOwn(index.unreadable, surfaceId)) return removeEntry(index, surfaceId)
  const entry = knownEntry(index, surfaceId)
  checkExpected(surfaceId, entry, expect)
  const user = userOf(entry, verdicts)
  if (user === null) return removeEntry(index, surfaceId)
  throw new CrashResumeError(
    'ERR_IN_USE',
    `surface ${quoted(surfaceId)} may be in use by process ${user.pid}, which is not proven dead; end that process first`,
    { found: entry }
  )
}

/**
 * Removes entries whose last sign of life is more than `maxAgeMs` ago; those in use stay.
 * @throws ERR_INVALID_INPUT
 */
export function pruneStale(index: Index, maxAgeMs: number, now: number, verdicts: Verdicts = []): Index {
  checkMs('maxAgeMs', maxAgeMs)
  checkMs('now', now)
  return staleEntries(index, maxAgeMs, now, verdicts).reduce(
    (left, { surfaceId }) => removeEntry(left, surfaceId),
    index
  )
}

/** What pruneStale would remove. */
export function staleEntries(index: Index, maxAgeMs: number, now: number, verdicts: Verdicts = []): readonly Entry[] {
  return Object.values(index.entries).filter(
    (entry) => now - entry.last_active > maxAgeMs && userOf(entry, verdicts) === null
  )
}

/** A process that may still use the entry. */
function userOf(entry: Entry, verdicts: Verdicts): Owner | null {
  const dispatch = entry.dispatch?.result === 'open' ? entry.dispatch.owner : undefined
  const users = [entry.proc, entry.attempt?.owner, dispatch]
  return users.find((owner) => owner !== undefined && verdictFor(verdicts, owner) !== 'dead') ?? null
}

/** The processes whose verdicts decide whether an entry may be removed, started or resumed. */
export function ownersOf(entry: Entry): readonly Owner[] {
  return [entry.proc, entry.attempt?.owner, entry.dispatch?.owner].filter((owner) => owner !== undefined)
}

export interface ResumableOptions {
  /** Opt-in: older sessions are not answered. */
  readonly maxAgeMs?: number
  readonly now: number
}

/**
 * The session to resume on this surface, without evidence: whether it runs already is not asked. Null: none is known,
 * it ended or never started, it is too old, or its policy is off.
 * @throws ERR_ENTRY_UNREADABLE
 */
export function resumableFor(index: Index, surfaceId: string, { maxAgeMs, now }: ResumableOptions): string | null {
  const entry = readableEntry(index, surfaceId)
  if (entry === null || entry.state !== 'ready' || entry.policy === 'off' || isPlaceholder(entry.sessionId)) return null
  if (maxAgeMs !== undefined) {
    checkMs('maxAgeMs', maxAgeMs)
    if (now - entry.last_active > maxAgeMs) return null
  }
  checkSessionId(entry.sessionId)
  return entry.sessionId
}
