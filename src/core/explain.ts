/**
 * A decision in one sentence, with the next legal action, for a log line or a person.
 *
 * The sentence names processes, surfaces and sessions, never what a session said.
 */
import type { Decision, DecisionReason } from './decide.js'
import type { Owner } from './schema.js'

export interface ExplainOptions {
  /** Says a point in time, given as ms since the epoch. @default the number itself */
  readonly moment?: (time: number) => string
}

type Say = (decision: Decision, moment: (time: number) => string) => string

const SENTENCES: Record<DecisionReason, Say> = {
  ok: (d) => `Resume ${session(d)}: it is not running and nothing stands against it.`,
  ok_unconfirmed: (d) =>
    `Resume ${session(d)}: its start was never confirmed, but its transcript is there; settle the attempt once it is up.`,
  ok_from_previous: (d) =>
    `Resume the earlier session ${d.sessionId ?? ''}: the last one's transcript is missing, and this one's is there.`,
  ok_from_transcript: (d) =>
    `Resume ${session(d)}: the index has no session for this surface, and exactly this transcript belongs to it.`,
  unknown_surface: () => 'Start fresh: nothing was ever recorded for this surface.',
  ended: (d) => `Start fresh: ${session(d)} was ended on purpose; record it again to take it back.`,
  spawn_failed: () => 'Start fresh: the last start on this surface failed, so there is nothing to resume.',
  never_started: () => 'Start fresh: the session that was meant for this surface never started.',
  too_stale: (d) =>
    `Start fresh: ${session(d)} is older than the age limit that was asked for; leave the limit out to resume it.`,
  session_gone: (d) => `Start fresh: the transcript of ${session(d)} is gone, and no earlier one can be proven free.`,
  index_damaged: () =>
    'Wait: the index, or a part of it, was lost, so nobody knows what ran here; restore a kept copy (see history), or accept the loss (doctor --accept-loss).',
  probe_failed: (d) => `Wait: it could not be found out ${d.notes[0] ?? 'what was asked'}; mend that and decide again.`,
  liveness_unknown: (d) =>
    `Wait: nothing proves that ${session(d)} has stopped; look whether it runs and decide again with what you saw.`,
  cooldown: (d, moment) => `Wait: the last attempt failed just now; decide again ${after(d, moment)}.`,
  start_unproven: () =>
    'Wait: a session was meant to start here and nobody saw whether it did; look for its transcript and decide again.',
  entry_unreadable: () =>
    'Refused: the entry of this surface cannot be read; mend it in the file, or record the surface again (its bytes are kept).',
  already_running: (d) =>
    `Refused: ${session(d)} is running already${by(d.owner)}; go to it instead of starting it twice.`,
  running_elsewhere: (d) =>
    `Refused: ${session(d)} is running on ${d.at ?? 'another surface'}; go there, or end it there first.`,
  claimed: (d) =>
    `Refused: an attempt${by(d.owner)} is under way and its owner lives; let it settle, then decide again.`,
  owner_unverified: (d) =>
    `Refused: an attempt${by(d.owner)} is open and nobody could tell whether its owner lives; look at that process, then decide again.`,
  task_closed: () => 'Refused: the task this surface worked on is closed; open it again if the work goes on.',
  ambiguous: (d) =>
    `Refused: ${(d.candidates ?? []).length} sessions may belong to this surface; record the right one, then decide again.`,
  moved: (d) => `Refused: ${session(d)} moved to ${d.at ?? 'another surface'}; ask for that surface.`,
  foreign_host: (d) =>
    `Refused: ${session(d)} was last seen on another machine; resume it there, or say that it is not running and bring its transcript here.`,
  policy_off: () => 'Refused: the policy of this surface is off; set it to auto or manual to resume.',
  attempts_exhausted: (d) =>
    `Refused: ${session(d)} was started as often as is allowed within the window; mend the cause, then set the policy again to clear the count.`,
  cwd_missing: (d) =>
    `Refused: the launch folder of ${session(d)} is gone and its agent resumes only from there; bring the folder back.`
}

/** One sentence (two where a step was interrupted): what to do, why, and what would change the answer. */
export function explain(decision: Decision, { moment = inNumbers }: ExplainOptions = {}): string {
  const sentence = SENTENCES[decision.reason](decision, moment)
  if (decision.interrupted === undefined) return sentence
  return `${sentence} The step ${JSON.stringify(decision.interrupted)} was interrupted: its outcome is unknown, those before it are done.`
}

/** The reasons that a sentence exists for; the type makes sure that it is all of them. */
export const EXPLAINED: readonly DecisionReason[] = Object.keys(SENTENCES) as DecisionReason[]

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

function inNumbers(time: number): string {
  return `${time} (ms since the epoch)`
}
