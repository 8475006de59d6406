/**
 * The everyday verbs: index in, index out.
 *
 * None changes its argument, reads a clock or looks at the world; times and machines are arguments. None removes an
 * entry (remove.ts) or gives it another key (rename.ts).
 */

import {
  attemptsAfterSight,
  endEntry,
  knownEntry,
  putEntry,
  quoted,
  RESERVED_REASONS,
  readableEntry,
  seenSince,
  without
} from './entry.js'
import { invalidInput } from './errors.js'
import { checkExpected } from './fingerprint.js'
import { given } from './given.js'
import { checkMs, checkNow, checkSessionId, checkText, isPlaceholder } from './ids.js'
import { applySighting } from './observe.js'
import { verdictFor } from './owner.js'
import {
  type Entry,
  INDEX_VERSION,
  type Index,
  type Machine,
  type Owner,
  POLICIES,
  type Policy,
  type RecordInput,
  type Sighting,
  type TranscriptMark,
  type Verdicts
} from './schema.js'

/** An index without entries. */
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
 * The caller says that this session is on this surface: it replaces what was there, which goes to `previous`.
 * @param now ms since the epoch
 * @param verdicts on the recorded processes: one that lives stays what it was to this session
 * @throws ERR_INVALID_INPUT
 */
export function record(index: Index, input: RecordInput, now: number, verdicts: Verdicts = []): Index {
  // A caller that passes a sighting gets a record anyway.
  const { proc: _proc, proc_unknown: _unknown, ancestors: _ancestors, nested: _nested, ...words }: Sighting = input
  return applySighting(index, words, { verdicts, now, why: 'replaced', options: {} }).index
}

/**
 * The session on this surface is alive. An unknown surface changes nothing.
 * @param seen the machine and boot that saw it; absent: unknown, and what an earlier one saw no longer holds.
 * @param verdicts on the recorded process: a dead one is not the process that is alive now, and proves nothing any more.
 */
export function touch(index: Index, surfaceId: string, now: number, seen?: Machine, verdicts: Verdicts = []): Index {
  checkNow(now)
  const entry = readableEntry(index, surfaceId)
  if (entry === null) return index
  const isDead = entry.proc !== undefined && verdictFor(verdicts, entry.proc) === 'dead'
  return putEntry(index, {
    ...without(seenSince(entry), 'seen', ...(isDead ? (['proc'] as const) : [])),
    last_active: now,
    attempts: attemptsAfterSight(entry, now),
    ...given({ seen })
  })
}

/** Which surface ends, and why. */
export interface EndInput {
  readonly surfaceId: string
  /** Free text; `moved`, `superseded`, `session_gone` and `left` are reserved. */
  readonly reason?: string | undefined
  readonly expect?: string | undefined
}

/**
 * Ended on purpose: kept on file, and not resumed any more.
 * @throws ERR_INVALID_INPUT, ERR_ENTRY_UNKNOWN, ERR_ENTRY_UNREADABLE, ERR_CONFLICT
 */
export function end(index: Index, { surfaceId, reason, expect }: EndInput, now: number): Index {
  checkNow(now)
  if (reason !== undefined) {
    checkText('reason', reason)
    if (RESERVED_REASONS.includes(reason)) {
      throw invalidInput('reason', `${quoted(reason)} is reserved`, 'use other words')
    }
  }
  return ended(index, { surfaceId, reason, expect }, now)
}

/**
 * Ends the session on this surface so that a new one can take it; the old one stays on file.
 * @throws as end
 */
export function endForNewSession(index: Index, { surfaceId, expect }: Omit<EndInput, 'reason'>, now: number): Index {
  checkNow(now)
  return ended(index, { surfaceId, reason: 'superseded', expect }, now)
}

/**
 * The person left the session: it is resumed where somebody asks for it, and by no pass on its own.
 * @throws ERR_INVALID_INPUT, ERR_ENTRY_UNKNOWN, ERR_ENTRY_UNREADABLE
 */
export function noteLeft(index: Index, surfaceId: string, now: number): Index {
  checkNow(now)
  return ended(index, { surfaceId, reason: 'left' }, now)
}

function ended(index: Index, { surfaceId, reason, expect }: EndInput, now: number): Index {
  const entry = knownEntry(index, surfaceId)
  checkExpected(surfaceId, entry, expect)
  // An older copy of the entry that is written back must be recognised as older.
  return putEntry(index, { ...endEntry(entry, reason), last_active: now })
}

/** What an agent's hook said of an exit. */
export interface ExitInput {
  readonly surfaceId: string
  readonly sessionId: string
  readonly reason: string
}

/** Notes what a hook said when the session ended. It proves nothing, and another session's exit is not noted. */
export function noteExit(index: Index, { surfaceId, sessionId, reason }: ExitInput, now: number): Index {
  checkText('reason', reason)
  checkNow(now)
  const entry = readableEntry(index, surfaceId)
  if (entry === null || entry.sessionId !== sessionId) return index
  return putEntry(index, { ...entry, last_exit: { at: now, reason } })
}

/** What was seen of a session's transcript. */
export interface MarkInput {
  readonly surfaceId: string
  readonly sessionId: string
  readonly mark: TranscriptMark
}

/** Notes what the transcript is now. It says nothing of the session's life; another session's is not noted. */
export function noteMark(index: Index, { surfaceId, sessionId, mark }: MarkInput): Index {
  const entry = readableEntry(index, surfaceId)
  return entry?.sessionId === sessionId ? putEntry(index, { ...entry, mark }) : index
}

/** Where a surface is now. */
export interface AddressInput {
  readonly surfaceId: string
  /** The position as a person says it, such as `work:2.1`. */
  readonly address: string
  /** The life of the server that the position belongs to. */
  readonly scope: string
}

/** Notes where the surface is now. It says nothing of the session; an unknown surface changes nothing. */
export function noteAddress(index: Index, { surfaceId, address, scope }: AddressInput): Index {
  checkText('address', address)
  checkText('scope', scope)
  const entry = readableEntry(index, surfaceId)
  if (entry === null || (entry.address === address && entry.scope === scope)) return index
  return putEntry(index, { ...entry, address, scope })
}

/**
 * Whether a recovery pass may resume this surface on its own, only when a person says so, or not at all. Clears the
 * count of attempts.
 * @throws ERR_INVALID_INPUT, ERR_ENTRY_UNKNOWN, ERR_ENTRY_UNREADABLE
 */
export function setPolicy(index: Index, surfaceId: string, policy: Policy): Index {
  if (!POLICIES.includes(policy)) throw invalidInput('policy', `must be one of ${POLICIES.join(', ')}`)
  return putEntry(index, { ...knownEntry(index, surfaceId), policy, attempts: 0 })
}

/** The processes whose verdicts decide whether an entry may be removed, started or resumed. */
export function ownersOf(entry: Entry): readonly Owner[] {
  return [entry.proc, entry.attempt?.owner, entry.dispatch?.owner].filter((owner) => owner !== undefined)
}

export interface ResumableOptions {
  /** Opt-in: older sessions are not answered. */
  readonly maxAgeMs?: number | undefined
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
  checkNow(now)
  if (maxAgeMs !== undefined) {
    checkMs('maxAgeMs', maxAgeMs)
    if (now - entry.last_active > maxAgeMs) return null
  }
  checkSessionId(entry.sessionId)
  return entry.sessionId
}
