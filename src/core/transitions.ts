/**
 * The moves that entries make, shared by every verb: look up, put, change the session, close an attempt, end.
 *
 * Invariants kept here: a session that gives way is in `previous` (a placeholder never is), `gen` grows with every
 * change of session, what belonged to the old session (transcript, exit) goes with it, and an index is never changed
 * in place.
 */
import { DEFAULT_HEALTHY_AFTER_MS } from './defaults.js'
import { CrashResumeError } from './errors.js'
import { isPlaceholder } from './ids.js'
import {
  type Attempt,
  type Entry,
  type Index,
  type LastAttempt,
  PREVIOUS_LIMIT,
  type Previous,
  type PreviousReason
} from './schema.js'

/** The entry under this key, never one from a prototype; null when there is none or it could not be read. */
export function entryAt(index: Index, surfaceId: string): Entry | null {
  return Object.hasOwn(index.entries, surfaceId) ? (index.entries[surfaceId] ?? null) : null
}

/** What a decision is taken on: the entry, null where there is none, 'unreadable' where it could not be read. */
export function entryState(index: Index, surfaceId: string): Entry | null | 'unreadable' {
  const unreadable = index.unreadable !== undefined && Object.hasOwn(index.unreadable, surfaceId)
  return unreadable ? 'unreadable' : entryAt(index, surfaceId)
}

/** @throws ERR_ENTRY_UNREADABLE */
export function readableEntry(index: Index, surfaceId: string): Entry | null {
  const bad = index.unreadable && Object.hasOwn(index.unreadable, surfaceId) ? index.unreadable[surfaceId] : undefined
  if (bad === undefined) return entryAt(index, surfaceId)
  throw new CrashResumeError(
    'ERR_ENTRY_UNREADABLE',
    `the entry of surface ${quoted(surfaceId)} cannot be read (${bad.reason}); mend it in the file or record the surface again`
  )
}

/** @throws ERR_ENTRY_UNREADABLE, ERR_ENTRY_UNKNOWN */
export function knownEntry(index: Index, surfaceId: string): Entry {
  const entry = readableEntry(index, surfaceId)
  if (entry !== null) return entry
  throw new CrashResumeError(
    'ERR_ENTRY_UNKNOWN',
    `the index holds no surface ${quoted(surfaceId)}; list shows those it holds`
  )
}

export function putEntry(index: Index, entry: Entry): Index {
  const entries: Record<string, Entry> = Object.assign(Object.create(null), index.entries)
  entries[entry.surfaceId] = entry
  return { ...withoutUnreadable(index, entry.surfaceId), entries }
}

export function removeEntry(index: Index, surfaceId: string): Index {
  const entries: Record<string, Entry> = Object.assign(Object.create(null), index.entries)
  delete entries[surfaceId]
  return { ...withoutUnreadable(index, surfaceId), entries }
}

function withoutUnreadable(index: Index, surfaceId: string): Index {
  if (index.unreadable === undefined || !Object.hasOwn(index.unreadable, surfaceId)) return index
  const { unreadable, ...rest } = index
  const left = Object.assign(Object.create(null), unreadable)
  delete left[surfaceId]
  return Object.keys(left).length === 0 ? rest : { ...rest, unreadable: left }
}

/** Another entry that holds this session and has not ended. */
export function holderOf(index: Index, sessionId: string, exceptSurfaceId: string): Entry | null {
  for (const entry of Object.values(index.entries)) {
    if (entry.sessionId === sessionId && entry.surfaceId !== exceptSurfaceId && entry.state !== 'ended') return entry
  }
  return null
}

/** The entry without these fields, whatever else it holds. */
export function without<Field extends keyof Entry>(entry: Entry, ...fields: readonly Field[]): Omit<Entry, Field> {
  const rest = { ...entry }
  for (const field of fields) delete rest[field]
  return rest
}

/** The sessions before the next one: the current one first, none twice, and no placeholder. */
export function previousAfter(entry: Entry, next: string, why: PreviousReason, now: number): readonly Previous[] {
  const left: Previous[] =
    isPlaceholder(entry.sessionId) || entry.sessionId === next ? [] : [{ sessionId: entry.sessionId, until: now, why }]
  return mergePrevious(next, [...left, ...entry.previous])
}

/** Newest first, each session once, without the current one, and no more than the limit. */
export function mergePrevious(current: string, candidates: readonly Previous[]): readonly Previous[] {
  const met = new Set([current])
  const kept: Previous[] = []
  for (const previous of candidates) {
    if (met.has(previous.sessionId)) continue
    met.add(previous.sessionId)
    kept.push(previous)
  }
  return kept.slice(0, PREVIOUS_LIMIT)
}

/** Another session in the entry's place. State, activity and process are the caller's to set. */
export function changeSession(entry: Entry, sessionId: string, why: PreviousReason, now: number): Entry {
  if (sessionId === entry.sessionId) return entry
  const reason = entry.state === 'minted' || entry.state === 'spawn_failed' ? 'never_started' : why
  return {
    ...without(entry, 'transcript', 'last_exit', 'attempt', 'proc', 'reason', 'moved_to'),
    sessionId,
    gen: entry.gen + 1,
    previous: previousAfter(entry, sessionId, reason, now)
  }
}

/** The open attempt becomes the last one; an entry without one stays as it is. */
export function closeAttempt(entry: Entry, result: LastAttempt['result'], now: number, why?: string): Entry {
  const { attempt } = entry
  if (attempt === undefined) return entry
  return { ...without(entry, 'attempt'), last_attempt: lastAttempt(attempt, result, now, why) }
}

export function lastAttempt(
  { id, kind, owner }: Pick<Attempt, 'id' | 'kind'> & { readonly owner?: Attempt['owner'] },
  result: LastAttempt['result'],
  at: number,
  why?: string
): LastAttempt {
  return { id, kind, at, result, ...(why === undefined ? {} : { why }), ...(owner === undefined ? {} : { owner }) }
}

/** Ended, kept on file. An open attempt stays open: its owner settles it. */
export function endEntry(entry: Entry, reason: string | undefined, movedTo?: string): Entry {
  return {
    ...without(entry, 'reason', 'moved_to'),
    state: 'ended',
    ...(reason === undefined ? {} : { reason }),
    ...(movedTo === undefined ? {} : { moved_to: movedTo })
  }
}

/** The count of attempts after the session was seen alive: none once it has come through. */
export function attemptsAfterSight(
  entry: Entry,
  now: number,
  healthyAfterMs: number = DEFAULT_HEALTHY_AFTER_MS
): number {
  const last = Math.max(entry.attempt?.at ?? 0, entry.last_attempt?.at ?? 0)
  return now - last >= healthyAfterMs ? 0 : entry.attempts
}

export function quoted(surfaceId: string): string {
  return JSON.stringify(surfaceId)
}
