import { claim, mint } from '../../src/core/attempts.js'
import { decide } from '../../src/core/decide.js'
import { beginDispatch, settleDispatch } from '../../src/core/dispatch.js'
import { entryAt } from '../../src/core/entry.js'
import { CrashResumeError } from '../../src/core/errors.js'
import type { Evidence } from '../../src/core/evidence.js'
import { isPlaceholder } from '../../src/core/ids.js'
import { observe } from '../../src/core/observe.js'
import { forget, pruneStale } from '../../src/core/remove.js'
import type { Entry, FailureKind, Index, Machine, Owner, Verdict, Verdicts } from '../../src/core/schema.js'
import { type SettleInput, settle } from '../../src/core/settle.js'
import { emptyIndex, end, ownersOf, record, setPolicy, touch } from '../../src/core/verbs.js'
import { deepFreeze } from './samples.js'

export const SURFACES = ['s1', 's2', 's3'] as const
export const ACTORS = [0, 1, 2] as const
const MAX_ATTEMPTS = 2

/** An agent as the world has it, whether or not the index knows. */
export interface Agent {
  readonly proc: Owner
  readonly surfaceId: string
  readonly parent: Owner | null
  sessionId: string
  living: boolean
  /** Died in this boot; a hook of it may still be on its way. */
  late: boolean
}

/** What an actor saw, and has not acted on yet. */
interface Seen {
  readonly surfaceId: string
  readonly evidence: Evidence
  readonly index: Index
  readonly capture: boolean
}

/** What an actor was given, and has not settled yet. */
interface Pending {
  readonly attemptId: string
  readonly surfaceId: string
  readonly sessionId: string
  agent: Agent | null
}

interface Actor {
  boss: Owner
  seen: Seen | null
  pending: Pending | null
}

/** One bit a question: answered truthfully, or not at all. */
export interface Fidelity {
  readonly bits: number
  readonly capture: boolean
}

/**
 * What really runs, and an index that is told of it by the pure verbs: true when it is told anything at all, late and
 * incomplete as in life. Every rule that the index must keep is checked against what really runs.
 */
export class World {
  index: Index = emptyIndex()
  now = 100_000_000
  boot = 1
  readonly agents: Agent[] = []
  readonly actors: readonly Actor[]
  readonly transcripts: Map<string, string> = new Map()
  readonly counts: Record<string, number> = {}
  #pids = 100
  #names = 0
  readonly #dead = new Set<number>()

  constructor() {
    this.actors = ACTORS.map(() => ({ boss: this.#process(), seen: null, pending: null }))
  }

  get machine(): Machine {
    return { host: 'm', bootId: `boot-${this.boot}` }
  }

  #process(): Owner {
    this.#pids += 1
    return { ...this.machine, pid: this.#pids, start: '1' }
  }

  #name(prefix: string): string {
    this.#names += 1
    return `${prefix}-${this.#names}`
  }

  isAlive(owner: Owner): boolean {
    return owner.bootId === this.machine.bootId && !this.#dead.has(owner.pid)
  }

  living(): Agent[] {
    return this.agents.filter(({ living }) => living)
  }

  runs(sessionId: string): Agent | undefined {
    return this.living().find((agent) => agent.sessionId === sessionId)
  }

  /** Sessions that anybody ever heard of. */
  sessions(): string[] {
    const known = Object.values(this.index.entries).flatMap((entry) => [
      entry.sessionId,
      ...entry.previous.map(({ sessionId }) => sessionId)
    ])
    return [...new Set([...known, ...this.transcripts.keys(), ...this.agents.map(({ sessionId }) => sessionId)])]
  }

  verdicts(tells: (which: number) => boolean = () => true): Verdicts {
    const owners = Object.values(this.index.entries).flatMap((entry) => ownersOf(entry))
    return owners.map((owner, which) => {
      const truth: Verdict = this.isAlive(owner) ? 'alive' : 'dead'
      return { owner, verdict: tells(which) ? truth : 'unknown' }
    })
  }

  /** An actor that will start this session and lives. */
  isPending(sessionId: string): boolean {
    return this.actors.some(({ pending }) => pending?.sessionId === sessionId && pending.agent === null)
  }

  isAwaited(surfaceId: string): boolean {
    return this.actors.some(({ pending }) => pending?.surfaceId === surfaceId && pending.agent === null)
  }

  /** Runs a change of the index, and holds what it did against the rules. */
  #change(act: (index: Index) => Index, closes: { settles?: string; sights?: boolean } = {}): boolean {
    const before = this.index
    try {
      this.index = deepFreeze(act(before))
    } catch (error) {
      if (error instanceof CrashResumeError) return this.#count(error.code)
      throw error
    }
    this.#checkChange(before, closes)
    return true
  }

  #count(what: string): false {
    this.counts[what] = (this.counts[what] ?? 0) + 1
    return false
  }

  #checkChange(before: Index, { settles, sights }: { settles?: string; sights?: boolean }): void {
    const entries = Object.values(this.index.entries)
    const open = new Set(entries.map(({ attempt }) => attempt?.id))
    for (const old of Object.values(before.entries)) {
      const now = entryAt(this.index, old.surfaceId)
      if (now !== null) {
        must(now.gen >= old.gen, `gen of ${old.surfaceId} fell from ${old.gen} to ${now.gen}`)
        must(now.captured_at === old.captured_at, `captured_at of ${old.surfaceId} changed`)
      }
      if (old.attempt === undefined || open.has(old.attempt.id)) continue
      const ended = settles === old.attempt.id || sights || !this.isAlive(old.attempt.owner)
      must(ended === true, `the attempt ${old.attempt.id} of a living owner was closed by somebody else`)
    }
    const held = entries.filter(({ state }) => state !== 'ended').map(({ sessionId }) => sessionId)
    must(new Set(held).size === held.length, `a session is on two surfaces: ${held.join(' ')}`)
    for (const { surfaceId, attempts, previous, sessionId, state } of entries) {
      must(attempts <= MAX_ATTEMPTS, `${attempts} attempts on ${surfaceId}`)
      const ids = previous.map((each) => each.sessionId)
      must(new Set(ids).size === ids.length && ids.length <= 8, `previous of ${surfaceId}: ${ids.join(' ')}`)
      must(!ids.some(isPlaceholder), `a placeholder in previous of ${surfaceId}`)
      must(state === 'ended' || !ids.includes(sessionId), `${sessionId} is its own previous`)
    }
  }

  /** An actor looks at a surface; bits decide what it finds out. */
  look(which: number, surfaceId: string, { bits, capture }: Fidelity): void {
    const bit = (at: number): boolean => ((bits >> (at % 16)) & 1) === 1
    const sessions = this.sessions()
    const running = Object.fromEntries(
      sessions.map((sessionId, at) => {
        const agent = this.runs(sessionId)
        return [sessionId, bit(3 + at) ? 'unknown' : agent === undefined ? 'no' : { at: agent.surfaceId }]
      })
    )
    const transcript = Object.fromEntries(
      sessions.map((sessionId, at) => [
        sessionId,
        bit(7 + at) ? 'unknown' : this.transcripts.has(sessionId) ? 'found' : 'missing'
      ])
    )
    const entry = entryAt(this.index, surfaceId)
    const asked = entry === null || isPlaceholder(entry.sessionId)
    const candidates = [...this.transcripts].filter(([, at]) => at === surfaceId).map(([sessionId]) => sessionId)
    const none = this.living().length === 0 && bit(2) ? ({ running: 'no' } as const) : { running }
    const evidence: Evidence = {
      verdicts: this.verdicts((at) => !bit(11 + at)),
      ...(bit(0) ? { machine: this.machine } : {}),
      ...(bit(1) ? {} : none),
      ...(bit(5) ? {} : { transcript }),
      ...(asked && !bit(6) ? { candidates: bit(9) ? 'unknown' : candidates } : {})
    } as Evidence
    const actor = this.#actor(which)
    if (actor.pending === null) actor.seen = { surfaceId, evidence, index: this.index, capture }
  }

  #actor(which: number): Actor {
    return this.actors[which % this.actors.length] as Actor
  }

  /** It acts on what it saw, however long ago that was. */
  reserve(which: number): void {
    const actor = this.#actor(which)
    const { seen, boss } = actor
    if (seen === null || actor.pending !== null) return
    actor.seen = null
    const { surfaceId, evidence } = seen
    const looked = decide(entryAt(seen.index, surfaceId), evidence, { now: this.now })
    const before = entryAt(this.index, surfaceId)
    const attemptId = this.#name('a')
    const base = {
      surfaceId,
      repo: 'golems',
      attemptId,
      owner: boss,
      evidence,
      expect: looked.expect,
      since: seen.index
    }
    const chosen = seen.capture ? { capture: true } : { sessionId: this.#name('minted') }
    const options = { now: this.now, maxAttempts: MAX_ATTEMPTS }
    let reason = ''
    const old = this.index
    this.#change((index) => {
      const decided =
        looked.action === 'fresh' ? mint(index, { ...base, ...chosen }, options) : claim(index, base, options)
      reason = `${decided.decision.action} ${decided.decision.reason}`
      return decided.index
    })
    if (reason !== '') this.#count(reason)
    if (this.index === old) return
    const entry = entryAt(this.index, surfaceId) as Entry
    must(entry.attempt?.id === attemptId, 'what was reserved is open')
    if (entry.attempt?.kind === 'resume') this.#checkResume(entry.sessionId, reason)
    else if (before !== null && before.state !== 'ended') {
      must(this.runs(before.sessionId) === undefined, `fresh (${reason}) over the live ${before.sessionId}`)
    }
    actor.pending = { attemptId, surfaceId, sessionId: entry.sessionId, agent: null }
  }

  #checkResume(sessionId: string, reason: string): void {
    must(this.runs(sessionId) === undefined, `resume (${reason}) of the live ${sessionId}`)
    must(!this.isPending(sessionId), `resume (${reason}) of ${sessionId}, which another actor is about to start`)
  }

  spawn(which: number): void {
    const { pending, boss } = this.#actor(which)
    if (pending === null || pending.agent !== null) return
    const { surfaceId } = pending
    const sessionId = isPlaceholder(pending.sessionId) ? this.#name('captured') : pending.sessionId
    must(this.runs(sessionId) === undefined, `a second process of ${sessionId}`)
    pending.agent = this.#agent(surfaceId, sessionId, boss)
    this.#count('spawned')
  }

  #agent(surfaceId: string, sessionId: string, parent: Owner | null): Agent {
    const agent: Agent = { proc: this.#process(), surfaceId, sessionId, parent, living: true, late: false }
    this.agents.push(agent)
    return agent
  }

  settleOk(which: number, withProc: boolean, withSession: boolean): void {
    const actor = this.#actor(which)
    const { pending } = actor
    if (pending === null || pending.agent === null) return
    const { proc, sessionId, living } = pending.agent
    actor.pending = null
    this.#settle(pending.attemptId, 'ok', {
      ...(withProc ? { proc } : {}),
      ...(withSession && living ? { sessionId } : {})
    })
  }

  settleFailed(which: number, vague: FailureKind): void {
    const actor = this.#actor(which)
    const { pending } = actor
    if (pending === null) return
    const { agent, sessionId } = pending
    const gone = !this.transcripts.has(sessionId) && vague === 'other'
    const known: FailureKind = agent === null ? (gone ? 'session_gone' : 'not_started') : 'exited'
    const kind = agent?.living || vague === 'timeout' ? vague : known
    actor.pending = null
    this.#settle(pending.attemptId, { failed: kind })
    this.#count(kind)
  }

  #settle(attemptId: string, result: SettleInput['result'], more: Partial<SettleInput> = {}): void {
    // A session that turned out to be another one is a sighting as well.
    this.#change((index) => settle(index, { attemptId, result, ...more }, this.now), {
      settles: attemptId,
      sights: more.sessionId !== undefined
    })
  }

  /** The agent's own hook, or one of a dead agent that was still on its way. */
  hook(which: number, withVerdicts: boolean): void {
    const agent = pick(
      this.agents.filter(({ living, late }) => living || late),
      which
    )
    if (agent === undefined) return
    // A hook looks whether its agent still lives as it writes; without that look only living ones report here.
    if (!agent.living && !withVerdicts) return
    agent.late = false
    const { surfaceId, sessionId, proc, parent } = agent
    if (this.isAwaited(surfaceId) && entryAt(this.index, surfaceId)?.sessionId !== sessionId) return
    const ancestors = parent === null ? [] : [parent]
    const sighting = { surfaceId, sessionId, repo: 'golems', seen: this.machine, proc, ancestors }
    const own = { owner: proc, verdict: agent.living ? 'alive' : 'dead' } as const
    const verdicts = [own, ...this.verdicts()]
    this.#change(
      (index) => {
        const { index: next, outcome } = observe(index, sighting, withVerdicts ? verdicts : [], this.now)
        this.#count(outcome)
        return next
      },
      { sights: true }
    )
  }

  nested(which: number): void {
    const agent = pick(this.living(), which)
    if (agent === undefined) return
    const { surfaceId, proc } = agent
    const sighting = { surfaceId, sessionId: this.#name('nested'), repo: 'golems', nested: true, ancestors: [proc] }
    const before = this.index
    this.#change((index) => observe(index, { ...sighting, proc: this.#process() }, [], this.now).index)
    must(this.index === before, 'a nested agent changed something')
  }

  record(which: number): void {
    const agent = pick(this.living(), which)
    if (agent === undefined || this.isAwaited(agent.surfaceId)) return
    const { surfaceId, sessionId } = agent
    const words = { surfaceId, sessionId, repo: 'golems', seen: this.machine }
    this.#change((index) => record(index, words, this.now), { sights: true })
  }

  touch(surfaceId: string, withVerdicts: boolean): void {
    const entry = entryAt(this.index, surfaceId)
    if (entry === null || this.runs(entry.sessionId) === undefined) return
    const verdicts = withVerdicts ? this.verdicts() : []
    this.#change((index) => touch(index, surfaceId, this.now, this.machine, verdicts))
  }

  /** /clear, or /resume of another session inside the agent; its hook says so at once. */
  change(which: number, to: number | null): void {
    const agent = pick(this.living(), which)
    if (agent === undefined || this.isAwaited(agent.surfaceId)) return
    const free = [...this.transcripts.keys()].filter((id) => this.runs(id) === undefined && !this.isPending(id))
    const next = to === null ? this.#name('cleared') : pick(free, to)
    if (next === undefined) return
    agent.sessionId = next
    this.hook(this.agents.filter(({ living, late }) => living || late).indexOf(agent), true)
  }

  /** A person starts an agent in a pane without one, by hand. */
  byHand(surfaceId: string, to: number | null): void {
    if (this.isAwaited(surfaceId) || this.living().some((agent) => agent.surfaceId === surfaceId)) return
    const free = [...this.transcripts.keys()].filter((id) => this.runs(id) === undefined && !this.isPending(id))
    const sessionId = to === null ? this.#name('by-hand') : pick(free, to)
    if (sessionId === undefined) return
    const agent = this.#agent(surfaceId, sessionId, null)
    this.hook(this.agents.filter(({ living, late }) => living || late).indexOf(agent), true)
  }

  prompt(which: number): void {
    const agent = pick(this.living(), which)
    if (agent !== undefined) this.transcripts.set(agent.sessionId, agent.surfaceId)
  }

  lose(which: number): void {
    const sessionId = pick([...this.transcripts.keys()], which)
    if (sessionId !== undefined && this.runs(sessionId) === undefined) this.transcripts.delete(sessionId)
  }

  killAgent(which: number): void {
    const agent = pick(this.living(), which)
    if (agent === undefined) return
    this.#dead.add(agent.proc.pid)
    agent.living = false
    agent.late = true
  }

  killBoss(which: number): void {
    const actor = this.#actor(which)
    this.#dead.add(actor.boss.pid)
    Object.assign(actor, { boss: this.#process(), seen: null, pending: null })
  }

  reboot(): void {
    this.boot += 1
    for (const agent of this.agents) Object.assign(agent, { living: false, late: false })
    for (const actor of this.actors) Object.assign(actor, { boss: this.#process(), seen: null, pending: null })
  }

  end(surfaceId: string): void {
    this.#change((index) => end(index, { surfaceId, reason: 'done' }, this.now))
  }

  forget(surfaceId: string): void {
    this.#change((index) => forget(index, surfaceId, this.verdicts()))
  }

  prune(maxAgeMs: number): void {
    this.#change((index) => pruneStale(index, maxAgeMs, this.now, this.verdicts()))
  }

  policy(surfaceId: string): void {
    this.#change((index) => setPolicy(index, surfaceId, 'auto'))
  }

  begin(which: number, surfaceId: string): void {
    const { boss } = this.#actor(which)
    const before = entryAt(this.index, surfaceId)?.dispatch
    const begun = this.#change((index) =>
      beginDispatch(index, { surfaceId, id: this.#name('d'), step: 'work', owner: boss }, this.verdicts(), this.now)
    )
    must(
      !begun || before?.result !== 'open' || !this.isAlive(before.owner),
      'a dispatch of a living owner was replaced'
    )
  }

  finish(surfaceId: string): void {
    const id = entryAt(this.index, surfaceId)?.dispatch?.id
    if (id !== undefined) this.#change((index) => settleDispatch(index, { id, result: 'ok' }, this.now))
  }

  pass(ms: number): void {
    this.now += ms
  }
}

function pick<T>(items: readonly T[], which: number): T | undefined {
  return items.length === 0 ? undefined : items[which % items.length]
}

function must(holds: boolean, rule: string): void {
  if (!holds) throw new Error(rule)
}
