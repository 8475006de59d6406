/**
 * The shape of a line of the status, and the states that it may be in.
 */
import type { DecisionReason } from '../core/decide.js'

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
