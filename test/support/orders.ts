/** What a test asks of the fixture program `orchestrator`, and what it answers. */
import type { Evidence } from '../../src/core/evidence.js'
import type { Owner } from '../../src/core/schema.js'
import type { SettleResult } from '../../src/resume/reserve.js'

export type Order =
  /** Calls the gate. With `evidence` that stands for the probes; without, the processes of toy agents are looked at. */
  | {
      readonly do: 'gate'
      readonly path: string
      readonly surfaceId: string
      readonly evidence?: Evidence
      readonly often?: boolean
    }
  /** Starts what the last gate's answer says, and waits until it is up. */
  | { readonly do: 'spawn'; readonly silent?: boolean }
  | { readonly do: 'settle'; readonly result: SettleResult; readonly withProcess?: boolean }

export interface Answer {
  readonly pid: number
  /** Milliseconds of the clock that all processes share. */
  readonly began: number
  readonly ended: number
  readonly action?: string
  readonly reason?: string
  readonly sessionId?: string
  readonly attempt?: string
  /** Who holds the attempt, where it is refused for that. */
  readonly owner?: Owner
  readonly sentence?: string
  /** The agent that was started. */
  readonly agent?: number
  readonly error?: string
}
