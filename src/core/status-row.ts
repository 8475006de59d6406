/**
 * One line of the status: what the index believes of a surface, what is seen of it, and, where the two differ, which
 * of them to believe and what to do.
 *
 * Pure. The state is the decision's and nobody else's: only where it says resume is a session shown as crashed.
 */
import type { Decision, DecisionReason } from './decide.js'
import type { Entry } from './schema.js'
import { adviceFor, type Commands } from './status-advice.js'

export const STATUS_STATES = [
  /** Its session is seen running. */
  'alive',
  /** An attempt on it is under way. */
  'starting',
  /** Proven not to run, and may be resumed. */
  'crashed',
  /** Proven not to run, and something stands against a resume. */
  'held',
  /** Proven not to run, and there is nothing to resume. */
  'gone',
  /** Nothing is proven. */
  'unknown',
  'ended',
  /** An agent that runs inside of another one. */
  'nested',
  /** An agent that runs and that the index does not know. */
  'unrecorded',
  /** An agent that runs and whose environment names another index. */
  'foreign'
] as const

export type StatusState = (typeof STATUS_STATES)[number]

/** Which to believe where the index and the machine differ; `neither`: nobody knows, look. */
export type StatusBelief = 'index' | 'machine' | 'neither'

export interface StatusRow {
  /** Null: a process that no surface is known of. */
  readonly surfaceId: string | null
  /** The position as a person says it: as listed now, else as it was recorded. */
  readonly address: string | null
  readonly sessionId: string | null
  readonly agent: string | null
  readonly repo: string | null
  readonly role: string | null
  /** Ms since the epoch. */
  readonly lastActive: number | null
  readonly state: StatusState
  /** The decision's reason, where there is an entry. */
  readonly reason: DecisionReason | null
  /** The agent's process. */
  readonly pid: number | null
  /** Of a nested agent: whose it is, as a surface or as `process <pid>`. */
  readonly inside: string | null
  /** The step that was interrupted, as with the decision. */
  readonly interrupted: string | null
  readonly believed: string
  readonly seen: string
  /** Null: they agree. */
  readonly believe: StatusBelief | null
  /** One sentence with the next command; null: nothing is to be done. */
  readonly advice: string | null
}

/** What is seen of an entry besides the evidence of its decision. */
export interface Seen {
  readonly address: string | null
  /** The agent's process, if it is known. */
  readonly pid: number | null
  /** Further processes that run its session. */
  readonly also: readonly number[]
  /** A process of an agent on the surface that nothing says the session of. */
  readonly candidate: number | null
  /** Of its pane or of its server, in a few words; null: nothing is known of them. */
  readonly place: string | null
  /** Its server could not be reached. */
  readonly unreachable: boolean
}

/** @param commands how the commands of the advice are written */
export function entryRow(entry: Entry, decision: Decision, seen: Seen, commands: Commands): StatusRow {
  const state = stateOf(entry, decision)
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
    seen: seenOf(state, decision, seen),
    believe: seen.also.length > 0 && state === 'alive' ? 'machine' : believeOf(entry, state, decision),
    advice: adviceFor(entry, state, decision, seen, commands)
  }
}

const STATES: Partial<Record<DecisionReason, StatusState>> = {
  cooldown: 'held',
  ended: 'ended',
  already_running: 'alive',
  running_elsewhere: 'alive',
  claimed: 'starting',
  owner_unverified: 'unknown',
  foreign_host: 'unknown',
  entry_unreadable: 'unknown',
  moved: 'ended'
}

function stateOf(entry: Entry, { action, reason }: Decision): StatusState {
  if (entry.state === 'ended' && (reason === 'session_gone' || isMovedOn(entry, reason))) return 'ended'
  const defaults = { resume: 'crashed', wait: 'unknown', fresh: 'gone', refuse: 'held' } as const
  return STATES[reason] ?? defaults[action]
}

/** The session runs, and the index knows that it does so on another surface. */
function isMovedOn(entry: Entry, reason: DecisionReason): boolean {
  return entry.reason === 'moved' && reason === 'running_elsewhere'
}

function believedOf({ state, reason, moved_to, policy, attempt }: Entry): string {
  const why = moved_to === undefined ? reason : `moved to ${moved_to}`
  const words = {
    ready: attempt === undefined ? 'it runs' : `${attempt.kind === 'spawn' ? 'its start' : 'its resume'} is under way`,
    minted: 'it is being started',
    spawn_failed: 'its last start failed',
    ended: `it ended${why ? ` (${why})` : ''}`
  }[state]
  return policy === 'auto' ? words : `${words}, policy ${policy}`
}

function seenOf(
  state: StatusState,
  { reason, at, owner, sessionId }: Decision,
  { pid, also, candidate, place }: Seen
): string {
  const running = (): string => {
    const process = pid ?? owner?.pid
    const words = process === undefined ? 'its session runs' : `process ${process} runs`
    if (also.length > 0) return `${words}, and so does ${also.join(', ')}, in one session`
    return reason === 'running_elsewhere' && at !== undefined ? `${words}, on ${at}` : words
  }
  const unclear = (): string => {
    if (candidate !== null) return `process ${candidate} runs there, in which session nobody knows`
    return UNCLEAR[reason] ?? 'nothing proves that it runs or that it does not'
  }
  const words = {
    alive: running,
    starting: () => `process ${owner?.pid ?? 'unknown'} is at it`,
    crashed: () =>
      reason === 'ok_from_previous'
        ? `its transcript is gone, and that of ${sessionId} before it is there`
        : 'it does not run',
    held: () => `it does not run${HELD[reason] === undefined ? '' : `, and ${HELD[reason]}`}`,
    gone: () => GONE[reason] ?? 'nothing to resume is left',
    unknown: unclear,
    ended: () => (isRunning(reason) ? `its session runs on ${at ?? 'another surface'}` : 'it does not run'),
    nested: running,
    unrecorded: running,
    foreign: running
  }[state]()
  return place === null ? words : `${words}; ${place}`
}

function isRunning(reason: DecisionReason): boolean {
  return reason === 'already_running' || reason === 'running_elsewhere'
}

const UNCLEAR: Partial<Record<DecisionReason, string>> = {
  foreign_host: 'it was last seen on another machine',
  owner_unverified: 'an attempt is open, and whether its owner lives cannot be told',
  start_unproven: 'it does not run, and whether its session ever began cannot be told',
  probe_failed: 'not all that matters could be looked at'
}

const HELD: Partial<Record<DecisionReason, string>> = {
  policy_off: 'its policy is off',
  attempts_exhausted: 'it was started as often as is allowed',
  cooldown: 'its last attempt failed just now',
  cwd_missing: 'its launch folder is gone',
  ambiguous: 'several transcripts may be its own',
  task_closed: 'its task is closed'
}

const GONE: Partial<Record<DecisionReason, string>> = {
  session_gone: 'its transcript is gone',
  never_started: 'it never started',
  spawn_failed: 'it does not run',
  too_stale: 'it is older than the limit'
}

function believeOf({ state: known }: Entry, state: StatusState, { reason }: Decision): StatusBelief | null {
  if (state === 'alive') return known === 'ended' || known === 'spawn_failed' || isElsewhere(reason) ? 'machine' : null
  if (state === 'unknown') return reason === 'foreign_host' ? 'index' : 'neither'
  if (state === 'gone') return reason === 'spawn_failed' ? null : 'machine'
  return state === 'crashed' || state === 'held' ? 'machine' : null
}

function isElsewhere(reason: DecisionReason): boolean {
  return reason === 'running_elsewhere'
}
