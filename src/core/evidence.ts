/**
 * What a caller found out about the world, as data: a decision rests on this and the entry, and on nothing else.
 *
 * Whatever is omitted was not asked, and what was not asked is unknown, never absent. A session is proven absent
 * only as `provenAbsent` says; everything else about it is a guess, and nothing is started on a guess.
 */

import { verdictFor } from './owner.js'
import type { Entry, LastAttempt, Machine, Owner, Verdict, Verdicts } from './schema.js'

/** Where a session was found running: the surface, or any other place by a name that a person understands. */
export interface RunningAt {
  readonly at: string
}

/**
 * `found`: it is there and holds a message. `shrunk`: likewise, and it is smaller than at the last sighting, or begins
 * otherwise. `unused`: it is there, whole, and no message was ever in it.
 */
export type TranscriptState = 'found' | 'shrunk' | 'unused' | 'missing' | 'unknown'

/** The session under which a conversation went on, by what its agent left on disk. */
export interface ContinuedAs {
  readonly as: string
}

/** How long an agent keeps a conversation. */
export interface Retention {
  /** After its last use. */
  readonly days: number
  /** Its last use, ms since the epoch. */
  readonly since: number
}

/** A session that began when one was to begin, in the same folder. */
export interface PossibleSession {
  readonly sessionId: string
  /** For people: the id, when it began, and how its first message begins. */
  readonly note: string
}

/** What is known of the world for a decision. What is left out was not asked, and counts as unknown, never as absent. */
export interface Evidence {
  /** 'no' alone is the caller's word for all sessions; 'unknown': asked, without an answer. */
  readonly running?: 'no' | 'unknown' | Readonly<Record<string, RunningAt | 'no' | 'unknown'>> | undefined
  readonly verdicts?: Verdicts | undefined
  /** The machine and boot that the decision is made on. */
  readonly machine?: Machine | undefined
  /** By session id. */
  readonly transcript?: Readonly<Record<string, TranscriptState>> | undefined
  /** By session id: whether its conversation went on under another id. Left out, it did not. */
  readonly continued?: Readonly<Record<string, ContinuedAs | 'no' | 'unknown'>> | undefined
  /** Sessions that may belong here, with nothing that proves which: where an agent's choice of an id was not told. */
  readonly possible?: readonly PossibleSession[] | undefined
  /** Sessions whose transcripts match by identity, asked for where there is no entry or only a placeholder. */
  readonly candidates?: readonly string[] | 'unknown' | undefined
  /** How long its agent keeps the conversation, by session id. */
  readonly retention?: Readonly<Record<string, Retention>> | undefined
  readonly surface?: 'same' | 'recycled' | 'unknown' | undefined
  /** The terminal server that the surface was of. */
  readonly server?: 'gone' | 'unknown' | undefined
  /** The launch folder. */
  readonly cwd?: 'found' | 'missing' | 'unknown' | undefined
  /** The work that the session is for, where the caller has such a notion. */
  readonly task?: 'open' | 'closed' | 'unknown' | undefined
  readonly index?: 'whole' | 'damaged' | undefined
}

/** What the evidence says of a session that is asked for by its id. */
export function runningOf(evidence: Evidence, sessionId: string): RunningAt | 'no' | 'unknown' {
  const { running } = evidence
  if (running === undefined || running === 'unknown') return 'unknown'
  if (running === 'no') return 'no'
  return Object.hasOwn(running, sessionId) ? (running[sessionId] ?? 'unknown') : 'unknown'
}

export function transcriptOf(evidence: Evidence, sessionId: string): 'found' | 'missing' | 'unknown' {
  const state = transcriptState(evidence, sessionId)
  return state === 'shrunk' ? 'found' : state === 'unused' ? 'missing' : state
}

/** The same, with what a resume has to know besides. */
export function transcriptState({ transcript }: Evidence, sessionId: string): TranscriptState {
  return transcript && Object.hasOwn(transcript, sessionId) ? (transcript[sessionId] ?? 'unknown') : 'unknown'
}

/** Where a conversation is now, and through which sessions it went. */
export interface Conversation {
  /** The one that was asked for, and those under which it went on, in order. */
  readonly sessions: readonly string[]
  /** The last that has a transcript: one that moved without a turn is still in the session before. */
  readonly sessionId: string
  /** Set where it may be in a later one: all that it may be in. */
  readonly unclear?: readonly string[]
}

/** Where the conversation of this session is now. */
export function conversationOf(evidence: Evidence, sessionId: string): Conversation {
  const { continued = {} } = evidence
  const sessions = [sessionId]
  let next: ContinuedAs | 'no' | 'unknown' | undefined
  for (let at = sessionId; ; at = next.as) {
    if (at !== sessionId) sessions.push(at)
    next = Object.hasOwn(continued, at) ? continued[at] : undefined
    if (next === undefined || typeof next === 'string' || sessions.includes(next.as)) break
  }
  const at = sessions.findLastIndex((id, place) => place === 0 || transcriptOf(evidence, id) === 'found')
  const later = sessions.slice(at + 1).filter((id) => transcriptOf(evidence, id) === 'unknown')
  const now = { sessions, sessionId: sessions[at] ?? sessionId }
  return later.length > 0 || next === 'unknown' ? { ...now, unclear: [now.sessionId, ...later] } : now
}

/** The verdict on this owner; without one, a process of an earlier boot of this machine is dead anyway. */
export function ownerVerdict(evidence: Evidence, owner: Owner): Verdict {
  const verdict = verdictFor(evidence.verdicts ?? [], owner)
  return verdict === 'unknown' && isEarlierBoot(owner, evidence.machine) ? 'dead' : verdict
}

/** Both boots are known, of one machine, and differ. */
export function isEarlierBoot(then: Machine, now: Machine | undefined): boolean {
  if (then.bootId === undefined || now?.bootId === undefined) return false
  return then.host === now.host && then.bootId !== now.bootId
}

/** False only with proof that no prompt was ever sent: its transcript says so, or its hooks, and nothing against it. */
export function wasUsed({ sessionId, prompted, mark }: Entry, evidence: Evidence): boolean {
  if (prompted) return true
  const transcript = transcriptState(evidence, sessionId)
  return transcript !== 'unused' && !(transcript === 'missing' && prompted === false && mark === undefined)
}

/** What a decision says of sessions that a person is to choose among. */
export function named(possible: readonly PossibleSession[]): {
  readonly candidates: readonly string[]
  readonly notes: readonly string[]
} {
  return { candidates: possible.map(({ sessionId }) => sessionId), notes: possible.map(({ note }) => note) }
}

/** The step of a dispatch that was open when its owner died. */
export function interruptedStep(entry: Entry, evidence: Evidence): string | undefined {
  const { dispatch } = entry
  if (dispatch?.result !== 'open') return undefined
  return ownerVerdict(evidence, dispatch.owner) === 'dead' ? dispatch.step : undefined
}

/** The failures that say that the attempt's process is gone. */
export const PROVES_GONE: ReadonlySet<LastAttempt['result']> = new Set(['not_started', 'exited', 'session_gone'])

/**
 * Whether the entry's own session is proven not to run.
 *
 * A process that died, or a sighting in an earlier boot, proves nothing about what an attempt has started since:
 * the attempt's owner may have died, or given up, after the spawn. Only an attempt that ended with its process
 * known to be gone, or one of an earlier boot itself, leaves the older proofs standing.
 */
export function provenAbsent(entry: Entry, evidence: Evidence): boolean {
  const running = runningOf(evidence, entry.sessionId)
  if (running !== 'unknown') return running === 'no'
  if (entry.proc !== undefined && ownerVerdict(evidence, entry.proc) === 'alive') return false
  const { attempt, last_attempt: failed } = entry
  const isLast = attempt === undefined && failed !== undefined && PROVES_GONE.has(failed.result)
  // A tool that does not know `seen_since` moves only the last activity.
  if (isLast && !failed.seen_since && entry.last_active <= failed.at) return true
  if (mayHaveStarted(entry, evidence)) return false
  if (entry.seen !== undefined && isEarlierBoot(entry.seen, evidence.machine)) return true
  return entry.proc !== undefined && !entry.proc.seen_since && ownerVerdict(evidence, entry.proc) === 'dead'
}

/** An attempt that nothing saw the outcome of may have left a running session behind, unless a reboot ended it. */
function mayHaveStarted({ attempt, last_attempt: last, last_active }: Entry, evidence: Evidence): boolean {
  if (attempt !== undefined && !isEarlierBoot(attempt.owner, evidence.machine)) return true
  if (last === undefined || last.result === 'ok' || last.result === 'seen' || PROVES_GONE.has(last.result)) return false
  // What was seen alive after the attempt is newer knowledge than the attempt.
  if (last.seen_since || last_active > last.at) return false
  return last.owner === undefined || !isEarlierBoot(last.owner, evidence.machine)
}
