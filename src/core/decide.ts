/**
 * The one door: what may be done with a surface, given what is known and what was seen.
 *
 * Total and pure: every entry and every evidence has an answer, nothing throws, nothing is looked up. The rules are
 * tried in order and the first that matches wins; docs/decide.md lists them as a table, tested against this
 * code. Resume needs proof that the session is absent, fresh needs proof that there is nothing to resume, and
 * whatever is not proven is wait or refuse.
 */

import { attemptsWithin, type CountOptions } from './attempt-count.js'
import type {
  Decision,
  DecisionFacts,
  DecisionOutcome,
  DecisionWarning,
  FRESH_REASONS,
  REFUSE_REASONS,
  RESUME_REASONS,
  WAIT_REASONS
} from './decision.js'
import { SHRUNK } from './decision.js'
import { DEFAULT_COOLDOWN_MS, DEFAULT_MAX_ATTEMPTS } from './defaults.js'
import { seenSince, without } from './entry.js'
import {
  conversationOf,
  type Evidence,
  interruptedStep,
  named,
  ownerVerdict,
  provenAbsent,
  runningOf,
  transcriptOf,
  transcriptState,
  wasUsed
} from './evidence.js'
import { fingerprint } from './fingerprint.js'
import { given } from './given.js'
import { isPlaceholder } from './ids.js'
import { retentionNote } from './retention.js'
import type { Entry, Policy } from './schema.js'

/** The moment, the limits, and what is known of the agent. */
export interface DecideOptions extends CountOptions {
  /** Older sessions than this are not resumed. @default no limit */
  readonly maxAgeMs?: number | undefined
  /** @default 2 */
  readonly maxAttempts?: number | undefined
  /** @default 60000 */
  readonly cooldownMs?: number | undefined
  /** The agent resumes only from its launch folder. @default false */
  readonly resumeBoundToCwd?: boolean | undefined
  /** The caller names another folder to start the agent in, where its own is gone. @default false */
  readonly elsewhere?: boolean | undefined
  /** Resume also what its person left. @default false */
  readonly left?: boolean | undefined
  /** What is known to go wrong with this agent's resume, one line each. */
  readonly hazards?: readonly string[] | undefined
}

type More = Partial<DecisionFacts> & { readonly sessionId?: string }
type Answer = DecisionOutcome & Partial<DecisionFacts>

/** What may be done with this surface. `null`: the index holds no entry for it. */
export function decide(entry: Entry | null | 'unreadable', evidence: Evidence, options: DecideOptions): Decision {
  const known = entry === 'unreadable' ? null : entry
  const interrupted = known === null ? undefined : interruptedStep(known, evidence)
  const answer = entry === 'unreadable' ? refuse('entry_unreadable') : answerFor(entry, evidence, options)
  const { warnings = [], notes = [] } = answer
  const note = retentionNote(answer, evidence, options.now)
  const base = { ...answer, warnings, notes, expect: fingerprint(known), ...given({ interrupted }) }
  return note === null ? base : { ...base, warnings: [...warnings, 'transcript_expires'], notes: [...notes, note] }
}

function answerFor(entry: Entry | null, evidence: Evidence, options: DecideOptions): Answer {
  if (entry === null) return evidence.index === 'damaged' ? wait('index_damaged') : withoutEntry(evidence, options)
  const before = aliveOrClaimed(entry, evidence) ?? taskClosed(evidence) ?? endedFor(entry, evidence, options)
  if (before !== null) return before
  const now = sessionNow(entry, evidence)
  if ('action' in now) return now
  const answer =
    notProven(now, evidence) ??
    notAllowed(now, evidence, options) ??
    notStarted(now, evidence, options) ??
    fromTranscript(now, evidence, options)
  return now !== entry && answer.action === 'resume' ? { ...answer, reason: 'ok_continued' } : answer
}

/** Rules 2 and 3. */
function aliveOrClaimed(entry: Entry, evidence: Evidence): Answer | null {
  const running = runsAt(entry.sessionId, entry.surfaceId, evidence)
  const isAlive = entry.proc !== undefined && ownerVerdict(evidence, entry.proc) === 'alive'
  if (running !== null && !(isAlive && running.reason === 'already_running')) return running
  if (isAlive) {
    const at = running === null ? {} : { at: entry.surfaceId }
    return refuse('already_running', { sessionId: entry.sessionId, ...at, owner: entry.proc })
  }
  if (entry.attempt === undefined) return null
  const { owner } = entry.attempt
  const verdict = ownerVerdict(evidence, owner)
  if (verdict === 'dead') return null
  return refuse(verdict === 'alive' ? 'claimed' : 'owner_unverified', { sessionId: entry.sessionId, owner })
}

function runsAt(sessionId: string, surfaceId: string | null, evidence: Evidence): Answer | null {
  const running = runningOf(evidence, sessionId)
  if (running === 'no' || running === 'unknown') return null
  return refuse(running.at === surfaceId ? 'already_running' : 'running_elsewhere', { sessionId, at: running.at })
}

/**
 * Rules 2 and 7, for a conversation that went on under other ids: the entry as if it held the one that it is in now. What
 * is known of the entry's process, and of its last attempt, says nothing about a later session.
 */
function sessionNow(entry: Entry, evidence: Evidence): Entry | Answer {
  const { sessions, sessionId, unclear } = conversationOf(evidence, entry.sessionId)
  const [running] = sessions.slice(1).flatMap((id) => runsAt(id, entry.surfaceId, evidence) ?? [])
  if (running !== undefined) return running
  if (unclear !== undefined) return wait('session_unclear', { sessionId, candidates: unclear })
  return sessionId === entry.sessionId ? entry : { ...without(seenSince(entry), 'proc'), sessionId, state: 'ready' }
}

/** Rule 4. */
function taskClosed(evidence: Evidence): Answer | null {
  if (evidence.task === 'closed') return refuse('task_closed')
  return evidence.task === 'unknown' ? wait('probe_failed', { notes: ['whether the task is still open'] }) : null
}

/** Rule 5: all that is known are transcripts that match by identity. */
function withoutEntry(evidence: Evidence, options: DecideOptions): Answer {
  const { candidates } = evidence
  const only = Array.isArray(candidates) && candidates.length === 1 ? (candidates[0] as string) : null
  const running = only === null ? null : runsAt(only, null, evidence)
  return running ?? taskClosed(evidence) ?? byCandidates(evidence, options, 'unknown_surface')
}

function byCandidates(evidence: Evidence, options: DecideOptions, none: 'unknown_surface' | 'never_started'): Answer {
  const { candidates, possible = [] } = evidence
  if (candidates === 'unknown' && possible.length > 0) return wait('session_unclear', named(possible))
  if (candidates === 'unknown') return wait('probe_failed', { notes: ['which sessions belong to this surface'] })
  if (candidates === undefined || candidates.length === 0) return fresh(none)
  if (candidates.length > 1) return refuse('ambiguous', { candidates })
  const sessionId = candidates[0] as string
  if (runningOf(evidence, sessionId) !== 'no') return wait('liveness_unknown', { sessionId })
  return resume('ok_from_transcript', sessionId, evidence, options)
}

/** Rule 6. */
function endedFor(entry: Entry, evidence: Evidence, { left }: DecideOptions): Answer | null {
  if (entry.state !== 'ended' || entry.reason === 'session_gone') return null
  const { sessionId } = entry
  // One that was handed to the background was not left.
  const isHandedOver = conversationOf(evidence, sessionId).sessions.length > 1
  if (entry.reason === 'left') return left || isHandedOver ? null : fresh('left', { sessionId })
  if (entry.reason !== 'moved') return fresh('ended', { sessionId })
  return refuse('moved', { sessionId, ...given({ at: entry.moved_to }) })
}

/** Rules 7 and 8. */
function notProven(entry: Entry, evidence: Evidence): Answer | null {
  const { sessionId, seen } = entry
  if (seen && evidence.machine && seen.host !== evidence.machine.host) {
    const here = runningOf(evidence, sessionId) === 'no' && transcriptOf(evidence, sessionId) === 'found'
    if (!here) return refuse('foreign_host', { sessionId, at: seen.host })
  }
  return provenAbsent(entry, evidence) ? null : wait('liveness_unknown', { sessionId })
}

/** Rule 9. */
function notAllowed(entry: Entry, evidence: Evidence, options: DecideOptions): Answer | null {
  const { sessionId, last_attempt: last } = entry
  if (entry.policy === 'off') return refuse('policy_off', { sessionId })
  if (attemptsWithin(entry, evidence, options) >= (options.maxAttempts ?? DEFAULT_MAX_ATTEMPTS)) {
    return refuse('attempts_exhausted', { sessionId })
  }
  // A session that is gone is no reason to wait, and one that started did not fail, even if a person had to help.
  const started = last?.result === 'ok' || last?.result === 'seen' || last?.seen_since === true
  if (last === undefined || started || last.result === 'session_gone') return null
  const retryAt = last.at + (options.cooldownMs ?? DEFAULT_COOLDOWN_MS)
  return options.now < retryAt ? wait('cooldown', { sessionId, retryAt }) : null
}

/** Rules 10 and 11. */
function notStarted(entry: Entry, evidence: Evidence, options: DecideOptions): Answer | null {
  const { sessionId } = entry
  if (entry.state === 'spawn_failed') return fresh('spawn_failed', { sessionId })
  if (entry.state !== 'minted') return null
  if (isPlaceholder(sessionId)) {
    // Not asked is not none: the agent may have started a session whose id was never reported.
    return evidence.candidates === undefined ? wait('start_unproven') : byCandidates(evidence, options, 'never_started')
  }
  const transcript = transcriptOf(evidence, sessionId)
  if (transcript === 'missing') return fresh('never_started', { sessionId })
  if (transcript === 'unknown') return wait('start_unproven', { sessionId })
  return resume('ok_unconfirmed', sessionId, evidence, options, entry.policy)
}

/** Rules 12 to 15. */
function fromTranscript(entry: Entry, evidence: Evidence, options: DecideOptions): Answer {
  const { sessionId } = entry
  if (options.maxAgeMs !== undefined && options.now - entry.last_active > options.maxAgeMs) {
    return fresh('too_stale', { sessionId })
  }
  const transcript = transcriptOf(evidence, sessionId)
  // An agent's word that it is gone does not stand against its transcript.
  const gone =
    transcript === 'missing' || (entry.state === 'ended' && entry.reason !== 'left' && transcript !== 'found')
  if (!gone) return resume('ok', sessionId, evidence, options, entry.policy)
  const before = entry.previous.find(
    ({ sessionId: id, why }) =>
      (why === 'rotated' || why === 'replaced') &&
      transcriptOf(evidence, id) === 'found' &&
      runningOf(evidence, id) === 'no'
  )
  if (before === undefined) return fresh(wasUsed(entry, evidence) ? 'session_gone' : 'never_used', { sessionId })
  return resume('ok_from_previous', before.sessionId, evidence, options, entry.policy)
}

/** With rule 14. */
function resume(
  reason: (typeof RESUME_REASONS)[number],
  sessionId: string,
  evidence: Evidence,
  options: DecideOptions,
  policy?: Policy
): Answer {
  const inFolder = evidence.cwd !== 'missing'
  // It must not start in a folder that nobody named.
  if (!inFolder && (options.resumeBoundToCwd || !options.elsewhere)) return refuse('cwd_missing', { sessionId })
  const warnings: DecisionWarning[] = []
  if (evidence.surface === 'recycled') warnings.push('surface_recycled')
  if (transcriptOf(evidence, sessionId) === 'unknown') warnings.push('transcript_unknown')
  const isShrunk = transcriptState(evidence, sessionId) === 'shrunk'
  if (isShrunk) warnings.push('transcript_shrunk')
  const hazards = options.hazards ?? []
  if (hazards.length > 0) warnings.push('agent_hazard')
  if (!inFolder) warnings.push('cwd_missing')
  const notes = isShrunk ? [...hazards, SHRUNK] : hazards
  return { action: 'resume', reason, sessionId, warnings, notes, ...given({ policy }) }
}

function fresh(reason: (typeof FRESH_REASONS)[number], more: More = {}): Answer {
  return { action: 'fresh', reason, ...more }
}

function wait(reason: (typeof WAIT_REASONS)[number], more: More = {}): Answer {
  return { action: 'wait', reason, ...more }
}

function refuse(reason: (typeof REFUSE_REASONS)[number], more: More = {}): Answer {
  return { action: 'refuse', reason, ...more }
}
