/** The shape of a row of the status, and its states. */
import type { DecisionReason } from '../core/decision.js'

/** What is known of a session now, in the order in which the states are counted. */
export const STATUS_STATES = [
  /** Its session is seen running. */
  'alive',
  /** An attempt on it is under way. */
  'starting',
  /** Proven not to run, and can be resumed. */
  'crashed',
  /** The same, but its pane was closed while its terminal server lives on: it is resumed on a word. */
  'closed',
  /** Proven not to run, and something prevents a resume. */
  'held',
  /** Proven not to run, with nothing to resume. */
  'gone',
  /** Its person left it: it does not run, and can be resumed on a word. */
  'left',
  /** Nothing is proven. */
  'unknown',
  'ended',
  /** An agent inside another one. */
  'nested',
  /** A running agent that is not in the index. */
  'unrecorded',
  /** A running agent whose environment names another index. */
  'foreign'
] as const

/** What is known of a session now. */
export type StatusState = (typeof STATUS_STATES)[number]

/** Which to trust if the index and the machine differ; `neither`: nothing is proven. */
export type StatusBelief = 'index' | 'machine' | 'neither'

/** One line of the status: an entry, or an agent that runs and that no entry holds. */
export interface StatusRow {
  /** Null: a process whose surface is unknown. */
  readonly surfaceId: string | null
  /** The position, such as `work:2.1`: as listed now, else as recorded. */
  readonly address: string | null
  readonly sessionId: string | null
  readonly agent: string | null
  readonly repo: string | null
  readonly role: string | null
  /** Ms since the epoch. */
  readonly lastActive: number | null
  readonly state: StatusState
  /** The decision's reason, if there is an entry. */
  readonly reason: DecisionReason | null
  /** The agent's process. */
  readonly pid: number | null
  /** The agent around a nested one, as a surface or as `process <pid>`. */
  readonly inside: string | null
  /** The interrupted step, as in the decision. */
  readonly interrupted: string | null
  readonly believed: string
  readonly seen: string
  /** Null: they agree. */
  readonly believe: StatusBelief | null
  /** One sentence with the next command; null: nothing to do. */
  readonly advice: string | null
}

/** What is seen of an entry, besides the evidence of its decision. */
export interface Seen {
  readonly address: string | null
  /** The agent's process; null: unknown. */
  readonly pid: number | null
  /** Other processes that run its session. */
  readonly also: readonly number[]
  /** An agent's process on the surface whose session is unknown. */
  readonly candidate: number | null
  /** Its pane or its server, in a few words; null: unknown. */
  readonly place: string | null
  /** Its pane was closed, and its server lives on. */
  readonly closed: boolean
  /** Its server does not answer. */
  readonly unreachable: boolean
}
