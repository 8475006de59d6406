/**
 * The changes to one entry, shared by every verb: look up, put, change the session, close an attempt, end.
 *
 * Invariants kept here: a session that is replaced is in `previous` (a placeholder never is), `gen` grows with every
 * change of session, what belonged to the old session (transcript, exit) goes with it, an index is never changed in
 * place, and no entry is put into one that could not be read back from a file.
 */

import { DEFAULT_HEALTHY_AFTER_MS } from './defaults.js'
import { CrashResumeError } from './errors.js'
import { given } from './given.js'
import { isPlaceholder } from './ids.js'
import { inlineCommand } from './own-command.js'
import {
  type Attempt,
  type Entry,
  type Index,
  type LastAttempt,
  PREVIOUS_LIMIT,
  PREVIOUS_REASONS,
  type Previous,
  type PreviousReason,
  type Verdict
} from './schema.js'
import { checkEntry } from './validate.js'

/** Why an entry ended, where it is not a caller's word. */
export const RESERVED_REASONS: readonly string[] = ['moved', 'superseded', 'session_gone', 'left']
/** Why an attempt was closed by the sight of another session on its surface. */
export const OVERTAKEN = 'another session took the surface'

/** The entry under this key, never one from a prototype; null when there is none or it could not be read. */
export function entryAt(index: Index, surfaceId: string): Entry | null {
  return Object.hasOwn(index.entries, surfaceId) ? (index.entries[surfaceId] ?? null) : null
}

/** True where the index holds an entry under this key that could not be read. */
export function isUnreadable(index: Index, surfaceId: string): boolean {
  return index.unreadable !== undefined && Object.hasOwn(index.unreadable, surfaceId)
}

/** What a decision is taken on: the entry, null where there is none, unreadable where it could not be read. */
export function entryState(index: Index, surfaceId: string): Entry | null | 'unreadable' {
  return isUnreadable(index, surfaceId) ? 'unreadable' : entryAt(index, surfaceId)
}

/** @throws ERR_ENTRY_UNREADABLE */
export function readableEntry(index: Index, surfaceId: string): Entry | null {
  if (!isUnreadable(index, surfaceId)) return entryAt(index, surfaceId)
  const what = `the entry of surface ${quoted(surfaceId)} cannot be read (${index.unreadable?.[surfaceId]?.reason})`
  const next = 'fix it in the file, or record the surface again; its bytes are kept'
  throw new CrashResumeError('ERR_ENTRY_UNREADABLE', what, { next })
}

/** @throws ERR_ENTRY_UNREADABLE, ERR_ENTRY_UNKNOWN */
export function knownEntry(index: Index, surfaceId: string): Entry {
  const entry = readableEntry(index, surfaceId)
  if (entry !== null) return entry
  throw new CrashResumeError('ERR_ENTRY_UNKNOWN', `the index holds no surface ${quoted(surfaceId)}`, {
    next: (path) => `${inlineCommand({ name: 'list' }, path)} shows the known surfaces`
  })
}

/**
 * The index with this entry under its surface, in place of what was there, readable or not.
 * @throws ERR_INVALID_INPUT naming the field that a file must not hold
 */
export function putEntry(index: Index, entry: Entry): Index {
  return putEntries(index, [entry])
}

/** The same for several, with one copy of the map. */
export function putEntries(index: Index, made: readonly Entry[]): Index {
  const entries: Record<string, Entry> = Object.assign(Object.create(null), index.entries)
  for (const entry of made) entries[entry.surfaceId] = checkEntry(entry)
  const surfaces = made.map(({ surfaceId }) => surfaceId)
  return { ...withoutUnreadable(index, surfaces), entries }
}

export function removeEntries(index: Index, surfaceIds: readonly string[]): Index {
  const entries: Record<string, Entry> = Object.assign(Object.create(null), index.entries)
  for (const surfaceId of surfaceIds) delete entries[surfaceId]
  return withoutUnreadable({ ...index, entries }, surfaceIds)
}

function withoutUnreadable(index: Index, surfaceIds: readonly string[]): Index {
  if (!surfaceIds.some((surfaceId) => isUnreadable(index, surfaceId))) return index
  const { unreadable, ...rest } = index
  const left = Object.assign(Object.create(null), unreadable)
  for (const surfaceId of surfaceIds) delete left[surfaceId]
  return Object.keys(left).length === 0 ? rest : { ...rest, unreadable: left }
}

/** The other entries that hold this session: more than one only in a file that others wrote. */
export function holdersOf(index: Index, sessionId: string, exceptSurfaceId: string): readonly Entry[] {
  return Object.values(index.entries).filter(
    (entry) =>
      entry.sessionId === sessionId &&
      entry.surfaceId !== exceptSurfaceId &&
      (entry.state !== 'ended' || entry.reason === 'left')
  )
}

/** The entry without these fields, whatever else it holds. */
export function without<Field extends keyof Entry>(entry: Entry, ...fields: readonly Field[]): Omit<Entry, Field> {
  const rest = { ...entry }
  for (const field of fields) delete rest[field]
  return rest
}

/** The fields that belong to a folder or to an agent, where another one is reported now. */
export function leftBehind(
  entry: Entry,
  { cwd, agent }: { readonly cwd?: string | undefined; readonly agent?: string | undefined }
): readonly ('worktree' | 'env')[] {
  const isOther = (now: string | undefined, before: string | undefined): boolean => now !== undefined && now !== before
  return [
    ...(isOther(cwd, entry.cwd) ? (['worktree'] as const) : []),
    ...(isOther(agent, entry.agent) ? (['env'] as const) : [])
  ]
}

/** The sessions before the next one: the current one first, none twice, and no placeholder. */
export function previousAfter(entry: Entry, next: string, why: PreviousReason, now: number): readonly Previous[] {
  const left: Previous = { sessionId: entry.sessionId, until: now, why: whyLeft(entry, why) }
  return mergePrevious(next, [left, ...entry.previous])
}

/** What the entry's state says about its session goes before the event that replaces it. */
function whyLeft(entry: Entry, why: PreviousReason): PreviousReason {
  if (entry.state === 'minted' || entry.state === 'spawn_failed') return 'never_started'
  if (entry.state !== 'ended') return why
  return PREVIOUS_REASONS.find((reason) => reason === entry.reason && RESERVED_REASONS.includes(reason)) ?? 'ended'
}

/** Each session once, the first of it, without the current one and placeholders, and no more than the limit. */
export function mergePrevious(current: string, candidates: readonly Previous[]): readonly Previous[] {
  const met = new Set([current])
  const kept: Previous[] = []
  for (const previous of candidates) {
    if (met.has(previous.sessionId) || isPlaceholder(previous.sessionId)) continue
    met.add(previous.sessionId)
    kept.push(previous)
  }
  return kept.slice(0, PREVIOUS_LIMIT)
}

/** What is known of one session, and not of its surface. */
const OF_ONE_SESSION = [
  ...(['transcript', 'mark', 'prompted', 'last_exit', 'attempt', 'proc', 'proc_unknown'] as const),
  ...(['reason', 'moved_to'] as const)
]

/** Another session in the entry's place. State, activity and process are the caller's to set. */
export function changeSession(entry: Entry, sessionId: string, why: PreviousReason, now: number): Entry {
  if (sessionId === entry.sessionId) return entry
  return {
    ...without(seenSince(entry), ...OF_ONE_SESSION),
    sessionId,
    gen: entry.gen + 1,
    previous: previousAfter(entry, sessionId, why, now)
  }
}

/** The open attempt becomes the last one; an entry without one stays as it is. */
export function closeAttempt(entry: Entry, result: LastAttempt['result'], now: number, why?: string): Entry {
  const { attempt } = entry
  if (attempt === undefined) return entry
  return { ...without(entry, 'attempt'), last_attempt: lastAttempt(attempt, result, now, why) }
}

/** A session was seen alive, or another one is here: the last attempt's result says nothing about it. */
export function seenSince(entry: Entry): Entry {
  const { last_attempt: last } = entry
  return last === undefined ? entry : { ...entry, last_attempt: { ...last, seen_since: true } }
}

/**
 * The session was seen without its process being named. One that lives stays what it was, a dead one is not the one that
 * was seen; of any other nothing is forgotten, but its death proves no more that the session is gone.
 * @param verdict on the recorded process; without one it may always be an older one
 */
export function keepProcess(entry: Entry, verdict: Verdict): Entry {
  if (entry.proc === undefined || verdict === 'alive') return entry
  return verdict === 'dead' ? without(entry, 'proc') : { ...entry, proc: { ...entry.proc, seen_since: true } }
}

/** A source that was closed before began when it says so; what is open began when it was opened. */
export function lastAttempt(
  source: Attempt | LastAttempt,
  result: LastAttempt['result'],
  at: number,
  why?: string
): LastAttempt {
  const { id, kind, owner } = source
  const began = 'result' in source ? source.began : source.at
  return { id, kind, at, ...(began === at ? {} : given({ began })), result, ...given({ why, owner }) }
}

/** Ended, kept on file. An open attempt stays open: its owner settles it. */
export function endEntry(entry: Entry, reason: string | undefined, movedTo?: string): Entry {
  return { ...without(entry, 'reason', 'moved_to'), state: 'ended', ...given({ reason, moved_to: movedTo }) }
}

/** What stays where a session was: that it moved. Its history, attempt and processes went with it. */
export function movedAway(entry: Entry, to: string, now: number): Entry {
  const left = without(entry, 'attempt', 'last_attempt', 'proc', 'proc_unknown', 'dispatch')
  return { ...endEntry({ ...left, attempts: 0, previous: [] }, 'moved', to), last_active: now }
}

/** It holds no session any more: it says where the session of this surface is now. */
export function isForwarding({ state, reason, moved_to }: Entry): boolean {
  return state === 'ended' && reason === 'moved' && moved_to !== undefined
}

/** Where the session of a surface is now, over all its moves; undefined where that is not on record. */
export function whereNow(index: Index, from: Entry): string | undefined {
  const met = new Set([from.surfaceId])
  let at = from.moved_to
  for (let next = from; isForwarding(next); ) {
    at = next.moved_to
    if (at === undefined || met.has(at)) break
    met.add(at)
    const there = entryAt(index, at)
    if (there === null) break
    next = there
  }
  return at
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
