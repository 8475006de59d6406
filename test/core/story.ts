import { claim, mint } from '../../src/core/attempts.js'
import { type DecideOptions, decide } from '../../src/core/decide.js'
import type { Decision } from '../../src/core/decision.js'
import { entryAt, entryState } from '../../src/core/entry.js'
import type { Evidence } from '../../src/core/evidence.js'
import { fingerprint } from '../../src/core/fingerprint.js'
import { observe } from '../../src/core/observe.js'
import type {
  Entry,
  Index,
  Machine,
  ObserveOutcome,
  Owner,
  RecordInput,
  Sighting,
  Verdicts
} from '../../src/core/schema.js'
import { type SettleInput, settle } from '../../src/core/settle.js'
import { emptyIndex, noteExit, ownersOf, record } from '../../src/core/verbs.js'

const MINUTE = 60_000

/** What a gate reserved: the attempt, and the session that is to run. */
export interface Reserved {
  readonly decision: Decision
  readonly attemptId: string
  readonly sessionId: string
}

/**
 * One machine, its processes, and an index that is written by the pure verbs only. What the story knows of its
 * processes is what a caller's probes would find: a verdict on each owner that the index names.
 */
export class Story {
  index: Index = emptyIndex()
  now = 100_000_000
  #host: string
  #boot = 1
  #pids = 100
  readonly #living = new Set<Owner>()
  readonly #dead = new Set<Owner>()

  constructor(host = 'machine-1') {
    this.#host = host
  }

  get machine(): Machine {
    return { host: this.#host, bootId: `${this.#host}-boot-${this.#boot}`, ns: '1' }
  }

  /** A process that lives until it is killed or the machine goes down. */
  start(): Owner {
    this.#pids += 1
    const owner = { ...this.machine, pid: this.#pids, start: `${this.#pids}00` }
    this.#living.add(owner)
    return owner
  }

  kill(...owners: readonly Owner[]): void {
    for (const owner of owners) {
      this.#living.delete(owner)
      this.#dead.add(owner)
    }
  }

  reboot(): void {
    this.kill(...this.#living)
    this.#boot += 1
    this.pass(5)
  }

  /** The file as it is, on another machine. */
  carryTo(host: string): void {
    this.#host = host
    this.#boot = 1
    this.#living.clear()
    this.#dead.clear()
  }

  pass(minutes: number): void {
    this.now += minutes * MINUTE
  }

  /** What the probes find out about every process that the index names. */
  get verdicts(): Verdicts {
    const same = (a: Owner, b: Owner): boolean => a.pid === b.pid && a.host === b.host && a.bootId === b.bootId
    return Object.values(this.index.entries)
      .flatMap((entry) => ownersOf(entry))
      .map((owner) => {
        const has = (set: ReadonlySet<Owner>): boolean => [...set].some((each) => same(each, owner))
        return { owner, verdict: has(this.#living) ? 'alive' : has(this.#dead) ? 'dead' : 'unknown' }
      })
  }

  evidence(more: Evidence = {}): Evidence {
    return { machine: this.machine, verdicts: this.verdicts, ...more }
  }

  at(surfaceId = 's1'): Entry {
    const entry = entryAt(this.index, surfaceId)
    if (entry === null) throw new Error(`the story has no entry for ${surfaceId}`)
    return entry
  }

  /** As recordToFile does it: stamped with this machine. */
  record(sessionId: string, more: Partial<RecordInput> = {}): void {
    const input = { surfaceId: 's1', sessionId, repo: 'golems', seen: this.machine, ...more }
    this.index = record(this.index, input, this.now)
  }

  /** As an agent's own hook reports. */
  hook(sessionId: string, proc: Owner, more: Partial<Sighting> = {}): ObserveOutcome {
    const sighting = { surfaceId: 's1', sessionId, repo: 'golems', agent: 'claude', proc, ...more }
    const { index, outcome } = observe(this.index, sighting, this.verdicts, this.now)
    this.index = index
    return outcome
  }

  exit(sessionId: string, reason: string): void {
    this.index = noteExit(this.index, { surfaceId: 's1', sessionId, reason }, this.now)
  }

  decide(evidence: Evidence = {}, surfaceId = 's1', options: Partial<DecideOptions> = {}): Decision {
    return decide(entryState(this.index, surfaceId), this.evidence(evidence), { now: this.now, ...options })
  }

  /** `action reason` of what may be done now. */
  say(evidence: Evidence = {}, surfaceId = 's1'): string {
    const { action, reason } = this.decide(evidence, surfaceId)
    return `${action} ${reason}`
  }

  /** Decides, then mints or claims on what it decided, in the name of the owner. */
  gate(
    owner: Owner,
    evidence: Evidence = {},
    { surfaceId = 's1', capture = false }: { surfaceId?: string; capture?: boolean } = {}
  ): Reserved {
    const attemptId = `attempt-${this.index.revision ?? 0}-${this.#pids++}`
    const asked = this.decide(evidence, surfaceId)
    const base = {
      surfaceId,
      repo: 'golems',
      attemptId,
      owner,
      evidence: this.evidence(evidence),
      expect: fingerprint(entryAt(this.index, surfaceId))
    }
    const chosen = capture ? { capture: true } : { sessionId: `minted-by-${attemptId}` }
    const options = { now: this.now }
    const { index, decision } =
      asked.action === 'fresh' ? mint(this.index, { ...base, ...chosen }, options) : claim(this.index, base, options)
    this.index = index
    return { decision, attemptId, sessionId: entryAt(index, surfaceId)?.sessionId ?? '' }
  }

  settle(attemptId: string, result: SettleInput['result'], more: Partial<SettleInput> = {}): void {
    this.index = settle(this.index, { attemptId, result, ...more }, this.now)
  }
}
