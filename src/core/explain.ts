/**
 * A decision in words, for a log line or a person: what it is and why, and what to do next.
 *
 * The words name processes, surfaces and sessions. What a session said is in them only where a person is to choose among
 * several.
 */
import type { Decision, DecisionAction, DecisionReason } from './decision.js'
import type { Owner } from './schema.js'

/** How a decision is put into words. */
export interface ExplainOptions {
  /** Formats a point in time, given as ms since the epoch. @default the number itself */
  readonly moment?: ((time: number) => string) | undefined
}

/** A decision in words, like the fields of an error: none ends in a full stop. */
export interface Explanation {
  /** What was decided, and why. */
  readonly what: string
  /** The reason alone. */
  readonly why: string
  readonly next: string
}

/** Why, and what to do where that is more than the action itself says. */
type Words = readonly [why: string, next?: string]
type Say = (decision: Decision, moment: (time: number) => string) => Words

const SENTENCES: Record<DecisionReason, Say> = {
  ok: () => ['it is not running and nothing prevents it'],
  ok_unconfirmed: () => [
    'its start was never confirmed, but its transcript is there',
    'settle the attempt once it is up'
  ],
  ok_continued: () => ['the conversation went on under this id, it is not running, and nothing prevents it'],
  ok_from_previous: () => ["the transcript of the last one is missing, and this one's is there"],
  ok_from_transcript: () => ['the index has no session for this surface, and exactly this transcript belongs to it'],
  unknown_surface: () => ['nothing was ever recorded for this surface'],
  left: (d) => [`its person left ${session(d)}`, 'start a new one, or resume it by its id'],
  ended: (d) => [`${session(d)} was ended on purpose`, 'record it again to take it back'],
  spawn_failed: () => ['the last start on this surface failed, so there is nothing to resume'],
  never_started: () => ['the session that was meant for this surface never started'],
  too_stale: (d) => [`${session(d)} is older than the age limit that you gave`, 'leave the limit out to resume it'],
  never_used: (d) => [`no prompt was ever sent in ${session(d)}, so nothing is lost`],
  session_gone: (d) => [
    [`the transcript of ${session(d)} is gone, and no earlier session can be resumed`, ...d.notes].join('; ')
  ],
  index_damaged: () => [
    'the index lost an earlier state, which may have held this surface',
    'restore an earlier state, or accept the loss'
  ],
  probe_failed: (d) => [`${d.notes[0] ?? 'what was asked'} could not be found out`, 'fix that and decide again'],
  session_unclear: (d) => [
    `it is unclear which session the conversation is in (${(d.notes.length > 0 ? d.notes : (d.candidates ?? [])).join(' or ')})`,
    'record the right one, then decide again'
  ],
  liveness_unknown: (d) => [
    `nothing proves that ${session(d)} has stopped`,
    'check whether it is running, and decide again with what you found'
  ],
  cooldown: (d, moment) => ['the last attempt failed just now', `decide again ${after(d, moment)}`],
  start_unproven: () => [
    'a session was meant to start here, and nothing proves whether it did',
    'look for its transcript and decide again'
  ],
  entry_unreadable: () => [
    'the entry of this surface cannot be read',
    'fix it in the file, or record the surface again (its bytes are kept)'
  ],
  already_running: (d) => [`${session(d)} is already running${by(d.owner)}`, 'go to it instead of starting it twice'],
  running_elsewhere: (d) => [
    `${session(d)} is running on ${d.at ?? 'another surface'}`,
    'go there, or end it there first'
  ],
  claimed: (d) => [`an attempt${by(d.owner)} is under way and its owner is alive`, 'let it settle, then decide again'],
  owner_unverified: (d) => [
    `an attempt${by(d.owner)} is open, and it is unknown whether its owner is alive`,
    'look at that process, then decide again'
  ],
  task_closed: () => ['the task of this surface is closed', 'open it again if the work continues'],
  ambiguous: (d) => [
    `${(d.candidates ?? []).length} sessions may belong to this surface`,
    'record the right one, then decide again'
  ],
  moved: (d) => [`${session(d)} moved to ${d.at ?? 'another surface'}`, 'ask for that surface'],
  foreign_host: (d) => [
    `${session(d)} was last seen on another machine`,
    'resume it there, or confirm that it is not running and bring its transcript here'
  ],
  policy_off: () => ['the policy of this surface is off', 'set it to auto or manual to resume'],
  attempts_exhausted: (d) => [
    `${session(d)} was started as often as is allowed within the window`,
    'fix the cause, then set the policy again to clear the count'
  ],
  cwd_missing: (d) => [
    `the launch folder of ${session(d)} is gone, and its agent is started in no other one`,
    'bring the folder back'
  ]
}

/** What to do where a reason adds nothing to its action. */
const NEXT: Record<DecisionAction, string> = {
  resume: 'resume it',
  fresh: 'start a new session',
  wait: 'decide again later',
  refuse: 'leave it as it is'
}

/** A decision in words, with what to do next apart. */
export function explanation(decision: Decision, options: ExplainOptions = {}): Explanation {
  const [why, next = NEXT[decision.action]] = words(decision, options)
  return { what: `${answer(decision)}: ${why}${interruption(decision)}`, why, next }
}

/** A decision in one sentence, with what to do next; a second one where a step was interrupted. */
export function explain(decision: Decision, options: ExplainOptions = {}): string {
  // Without words of its own, a decision names what to do in its first word.
  return `${answer(decision)}: ${words(decision, options).join('; ')}${interruption(decision)}.`
}

/** The reasons that a sentence exists for; the type makes sure that it is all of them. */
export const EXPLAINED: readonly DecisionReason[] = Object.keys(SENTENCES) as DecisionReason[]

function words(decision: Decision, { moment = (time) => `${time} (ms since the epoch)` }: ExplainOptions): Words {
  return SENTENCES[decision.reason](decision, moment)
}

function answer(decision: Decision): string {
  if (decision.reason === 'ok_from_previous') return `Resume the earlier session ${decision.sessionId ?? ''}`
  return { resume: `Resume ${session(decision)}`, fresh: 'Start fresh', wait: 'Wait', refuse: 'Refused' }[
    decision.action
  ]
}

function interruption({ interrupted }: Decision): string {
  if (interrupted === undefined) return ''
  return `. The step ${JSON.stringify(interrupted)} was interrupted: its outcome is unknown, those before it are done`
}

function session(decision: Decision): string {
  return decision.sessionId === undefined ? 'the session' : `session ${decision.sessionId}`
}

function by(owner: Owner | undefined): string {
  if (owner === undefined) return ''
  return owner.start === undefined ? ` (process ${owner.pid})` : ` (process ${owner.pid}, started at ${owner.start})`
}

function after({ retryAt }: Decision, moment: (time: number) => string): string {
  return retryAt === undefined ? 'a little later' : `at or after ${moment(retryAt)}`
}
