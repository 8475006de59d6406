/**
 * One row of the status: what the index says about a surface, and what is seen. If the two differ, also which of them
 * to trust, and what to do.
 *
 * Pure. The state follows from the decision alone: a session is crashed only if the decision is to resume it.
 */
import type { Decision, DecisionReason } from '../core/decision.js'
import { SHRUNK } from '../core/decision.js'
import type { Entry } from '../core/schema.js'
import { adviceFor, type Commands } from './advice.js'
import type { Seen, StatusBelief, StatusRow, StatusState } from './state.js'

/** That its agent removes its transcript by its age, which is the last note. */
function expiryOf({ warnings, notes }: Decision): readonly string[] {
  return warnings.includes('transcript_expires') ? notes.slice(-1) : []
}

/** @param commands writes the commands of the advice */
export function entryRow(entry: Entry, decision: Decision, seen: Seen, commands: Commands): StatusRow {
  const state = stateOf(entry, decision, seen)
  return {
    surfaceId: entry.surfaceId,
    address: seen.address ?? entry.address ?? null,
    sessionId: entry.sessionId,
    agent: entry.agent ?? null,
    repo: entry.repo,
    role: entry.role,
    lastActive: entry.last_active,
    state,
    reason: decision.reason,
    pid: seen.pid ?? seen.candidate,
    inside: null,
    interrupted: decision.interrupted ?? null,
    believed: believedOf(entry),
    seen: [seenOf(state, decision, seen), ...expiryOf(decision)].join('; '),
    believe: seen.also.length > 0 && state === 'alive' ? 'machine' : believeOf(entry, state, decision),
    advice: adviceFor(entry, state, decision, seen, commands)
  }
}

const STATES: Partial<Record<DecisionReason, StatusState>> = {
  cooldown: 'held',
  left: 'left',
  ended: 'ended',
  already_running: 'alive',
  running_elsewhere: 'alive',
  claimed: 'starting',
  owner_unverified: 'unknown',
  foreign_host: 'unknown',
  entry_unreadable: 'unknown',
  moved: 'ended'
}

function stateOf(entry: Entry, { action, reason }: Decision, { closed }: Seen): StatusState {
  const isGone = reason === 'session_gone' || reason === 'never_used'
  if (entry.state === 'ended' && (isGone || isMovedOn(entry, reason))) return 'ended'
  const defaults = { resume: closed ? 'closed' : 'crashed', wait: 'unknown', fresh: 'gone', refuse: 'held' } as const
  return STATES[reason] ?? defaults[action]
}

/** True if the session runs, and the index knows that it moved to another surface. */
function isMovedOn(entry: Entry, reason: DecisionReason): boolean {
  return entry.reason === 'moved' && reason === 'running_elsewhere'
}

function believedOf({ state, reason, moved_to, policy, attempt }: Entry): string {
  const why = moved_to === undefined ? reason : `moved to ${moved_to}`
  const words = {
    ready: attempt === undefined ? 'it runs' : `${attempt.kind === 'spawn' ? 'its start' : 'its resume'} is under way`,
    minted: 'it is being started',
    spawn_failed: 'its last start failed',
    ended: reason === 'left' ? 'its person left it' : `it ended${why ? ` (${why})` : ''}`
  }[state]
  return policy === 'auto' ? words : `${words}, policy ${policy}`
}

function seenOf(
  state: StatusState,
  { reason, at, owner, sessionId, warnings }: Decision,
  { pid, also, candidate, place }: Seen
): string {
  const running = (): string => {
    const process = pid ?? owner?.pid
    const words = process === undefined ? 'its session runs' : `process ${process} runs`
    if (also.length > 0) return `${words}, and so does ${also.join(', ')}, in the same session`
    return reason === 'running_elsewhere' && at !== undefined ? `${words}, on ${at}` : words
  }
  const unclear = (): string => {
    if (candidate !== null) return `process ${candidate} runs there; its session is unknown`
    return UNCLEAR[reason] ?? 'nothing proves whether it runs'
  }
  const words = {
    alive: running,
    starting: () => `process ${owner?.pid ?? 'unknown'} is starting it`,
    crashed: () =>
      reason === 'ok_from_previous'
        ? `its transcript is gone, but the one of the earlier session ${sessionId} exists`
        : `it does not run${warnings.includes('transcript_shrunk') ? `, and ${SHRUNK}` : ''}`,
    held: () => `it does not run${HELD[reason] === undefined ? '' : `, and ${HELD[reason]}`}`,
    closed: () => 'it does not run, and its pane was closed',
    left: () => 'it does not run',
    gone: () => GONE[reason] ?? 'nothing to resume is left',
    unknown: unclear,
    ended: () => (isRunning(reason) ? `its session runs on ${at ?? 'another surface'}` : 'it does not run'),
    nested: running,
    unrecorded: running,
    foreign: running
  }[state]()
  return place === null || state === 'closed' ? words : `${words}; ${place}`
}

function isRunning(reason: DecisionReason): boolean {
  return reason === 'already_running' || reason === 'running_elsewhere'
}

const UNCLEAR: Partial<Record<DecisionReason, string>> = {
  foreign_host: 'it was last seen on another machine',
  owner_unverified: 'an attempt is open, and it is unknown whether its owner is alive',
  start_unproven: 'it does not run, and it is unknown whether its session ever started',
  probe_failed: 'something that matters could not be checked'
}

const HELD: Partial<Record<DecisionReason, string>> = {
  policy_off: 'its policy is off',
  attempts_exhausted: 'it was started as often as allowed',
  cooldown: 'its last attempt failed just now',
  cwd_missing: 'its launch folder is gone',
  ambiguous: 'several transcripts may belong to it',
  task_closed: 'its task is closed'
}

const GONE: Partial<Record<DecisionReason, string>> = {
  session_gone: 'its transcript is gone',
  never_used: 'no prompt was ever sent in it, so nothing is lost',
  never_started: 'it never started',
  spawn_failed: 'it does not run',
  too_stale: 'it is older than the limit'
}

function believeOf({ state: known }: Entry, state: StatusState, { reason }: Decision): StatusBelief | null {
  if (state === 'alive') return known === 'ended' || known === 'spawn_failed' || isElsewhere(reason) ? 'machine' : null
  if (state === 'unknown') return reason === 'foreign_host' ? 'index' : 'neither'
  if (state === 'gone') return reason === 'spawn_failed' ? null : 'machine'
  return state === 'crashed' || state === 'closed' || state === 'held' ? 'machine' : null
}

function isElsewhere(reason: DecisionReason): boolean {
  return reason === 'running_elsewhere'
}
