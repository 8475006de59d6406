/**
 * What may be done with a surface, and why: load, probe, decide. Nothing is written.
 *
 * Every question about a surface comes here: from the gate, a recovery pass, a plan, the status, `run`, and `why`. So
 * all of them give one answer for the same facts. A reservation decides again, inside the update (reserve.ts).
 */
import type { SpecOptions } from '../agents/command.js'
import { agentFacts } from '../agents/table.js'
import type { DecideOptions } from '../core/decide.js'
import { decideAt, type SurfaceOptions } from '../core/decide-at.js'
import type { Decision } from '../core/decision.js'
import { entryState, holdersOf } from '../core/entry.js'
import { type Evidence, type RunningAt, runningOf } from '../core/evidence.js'
import { given } from '../core/given.js'
import type { Entry, Index, LaunchFacts } from '../core/schema.js'
import { clock, type Now } from '../probes/clock.js'
import { fallbacksOf, type Probe, type ProbeOptions, type ProbeTarget, probeAgents } from '../probes/probe.js'
import type { Store } from '../store/store.js'

/** The surface that something is to be started on, and what is to be recorded of it. */
export interface SurfaceRequest extends LaunchFacts {
  readonly repo: string
  /** The session to resume, on your word, wherever it was. @default the surface's own */
  readonly sessionId?: string | undefined
  /** If no such session is known, a new one is to begin under that id. @default false */
  readonly orNew?: boolean | undefined
}

/** How long, how often and where a surface may be tried. */
export interface LimitOptions extends Omit<DecideOptions, 'now' | 'resumeBoundToCwd' | 'hazards'> {}

/** How a surface is looked at, and how often it may be tried. */
export interface PreviewOptions extends LimitOptions, SpecOptions, Omit<ProbeOptions, 'agents'> {
  /** Finds the evidence. @default the probes of this machine */
  readonly probe?: Probe | undefined
  /** @default the clock */
  readonly now?: Now | undefined
  /** A person's word for this pass: a session of which nothing tells whether it runs does not run. @default false */
  readonly notRunning?: boolean | undefined
  /** Once aborted, nothing more is probed, and its reason is thrown. */
  readonly signal?: AbortSignal | undefined
}

/** A decision with what it rests on. */
export interface Preview {
  /** Null: the index has none. */
  readonly entry: Entry | null | 'unreadable'
  readonly evidence: Evidence
  readonly decision: Decision
}

/**
 * What the gate would answer, without a reservation: for people, and for plans.
 * @param evidence what you know yourself; it counts instead of what the probes find
 * @throws only if the index cannot be read
 * @example
 * import { explain, openStore, preview } from 'crash-resume-index'
 * const { decision } = await preview(openStore(), { surfaceId: 'pane-1', repo: 'golems' }, { task: 'open' })
 * console.log(explain(decision))
 */
export async function preview(
  store: Store,
  request: SurfaceRequest,
  evidence: Evidence = {},
  options: PreviewOptions = {}
): Promise<Preview> {
  return previewOn(await store.load(), request, evidence, options, options.probe ?? probeAgents(options))
}

/** The same on a loaded index, with the probe of a pass. */
export async function previewOn(
  index: Index,
  request: SurfaceRequest,
  said: Evidence,
  options: PreviewOptions,
  probe: Probe
): Promise<Preview> {
  options.signal?.throwIfAborted()
  const { surfaceId, agent, repo, cwd } = request
  const entry = entryState(index, surfaceId)
  const limits = limitsFor(entry, request, options)
  if (entry === 'unreadable') return { entry, evidence: said, decision: decideAt(index, surfaceId, said, limits) }
  const target: ProbeTarget = { surfaceId, entry, index, repo, agent, cwd }
  const look = async (at: ProbeTarget): Promise<Evidence> => {
    const found = await probe(at)
    return options.notRunning ? assumeAbsent(found, at.entry) : found
  }
  const first = joined(joined(await look(target), await namedIn(target, request, look)), said)
  const decision = decideAt(index, surfaceId, first, limits)
  const fallbacks = entry === null ? [] : fallbacksOf(entry)
  const isGone = decision.reason === 'session_gone' || decision.reason === 'never_used'
  if (!isGone || fallbacks.length === 0) return { entry, evidence: first, decision }
  // Only now do the earlier sessions matter.
  options.signal?.throwIfAborted()
  const evidence = joined(joined(first, await look({ ...target, sessions: fallbacks })), said)
  return { entry, evidence, decision: decideAt(index, surfaceId, evidence, limits) }
}

/** What is found of a session that the caller names, where the surface itself does not hold it. */
async function namedIn(
  target: ProbeTarget,
  { sessionId, surfaceId }: SurfaceRequest,
  look: (target: ProbeTarget) => Promise<Evidence>
): Promise<Evidence> {
  if (sessionId === undefined || target.entry?.sessionId === sessionId) return {}
  const [entry = null] = holdersOf(target.index, sessionId, surfaceId)
  return look({ ...target, surfaceId: entry?.surfaceId ?? surfaceId, entry, sessions: [sessionId] })
}

/** The options of the decision, from the caller and from the table of agents. */
export function limitsFor(
  entry: Entry | null | 'unreadable',
  { agent, sessionId, orNew }: SurfaceRequest,
  options: PreviewOptions
): SurfaceOptions {
  const known = entry === 'unreadable' ? null : entry
  const { maxAgeMs, maxAttempts, attemptWindowMs, cooldownMs, elsewhere, left } = options
  return {
    ...given({ maxAgeMs, maxAttempts, attemptWindowMs, cooldownMs, elsewhere, left, sessionId, orNew }),
    ...agentFacts(known?.agent ?? agent, options, sessionId ?? known?.sessionId).decide,
    now: clock(options.now)
  }
}

/** What was found to run stays so: the word is on what is not known. */
function assumeAbsent(found: Evidence, entry: Entry | null): Evidence {
  const { candidates } = found
  const own = entry === null ? [] : [entry.sessionId, ...fallbacksOf(entry)]
  const sessions = [...own, ...Object.keys(found.transcript ?? {})]
  const asked = typeof candidates === 'object' ? [...sessions, ...candidates] : sessions
  const known = (id: string): RunningAt | 'no' => {
    const running = runningOf(found, id)
    return running === 'unknown' ? 'no' : running
  }
  return { ...found, running: Object.fromEntries(asked.map((id) => [id, known(id)])) }
}

/** Joins two pieces of evidence, session by session. `said` counts instead of `found`; silence changes nothing. */
function joined(found: Evidence, said: Evidence): Evidence {
  return {
    ...given(found),
    ...given(said),
    ...bySession(found, said, 'transcript'),
    ...bySession(found, said, 'retention'),
    ...bySession(found, said, 'running'),
    ...bySession(found, said, 'continued'),
    // Verdicts add up, because each is about one process.
    verdicts: [...(said.verdicts ?? []), ...(found.verdicts ?? [])]
  }
}

function bySession(
  found: Evidence,
  said: Evidence,
  field: 'transcript' | 'running' | 'retention' | 'continued'
): Evidence {
  const [before, after] = [found[field], said[field]]
  return typeof before === 'object' && typeof after === 'object' ? { [field]: { ...before, ...given(after) } } : {}
}
