/**
 * The decision on a surface of an index: `decide` on its entry, and what other entries of the same session say.
 *
 * One session may stand on several surfaces, in a file that others wrote or after a move. A claim on any of them, and
 * a life on any of them, stands against a resume on all.
 */
import { type DecideOptions, decide } from './decide.js'
import type { Decision, DecisionReason } from './decision.js'
import { entryAt, entryState, holdersOf, isForwarding, whereNow, without } from './entry.js'
import { type Evidence, ownerVerdict, transcriptOf } from './evidence.js'
import { given } from './given.js'
import type { Entry, Index } from './schema.js'
import { ENTRY_DEFAULTS } from './validate.js'

/** A decision on a surface may be about a session that the caller names. */
export interface SurfaceOptions extends DecideOptions {
  /** The session, of this surface or not. @default the surface's own */
  readonly sessionId?: string | undefined
  /** If no such session is known, a new one is to begin under that id. @default false */
  readonly orNew?: boolean | undefined
}

/** What may be done with this surface, as a claim or a mint would find it. */
export function decideAt(index: Index, surfaceId: string, evidence: Evidence, options: SurfaceOptions): Decision {
  const { sessionId: named } = options
  if (named !== undefined) return decideNamed(index, surfaceId, evidence, options, named)
  const decision = decideOn(index, surfaceId, evidence, options)
  const { action, reason, expect, interrupted } = decision
  // A session that moved is asked for where it is now; a claim on it there is named anyway.
  if (action === 'fresh' || (action === 'refuse' && reason !== 'moved')) return decision
  const own = entryAt(index, surfaceId)?.sessionId
  const against = (sessionId: string | undefined): Decision | null => {
    const held = sessionId === undefined ? null : heldElsewhere(index, sessionId, surfaceId, evidence, options, expect)
    return held === null || interrupted === undefined ? held : { ...held, interrupted }
  }
  const taken = against(own)
  if (taken?.reason === 'claimed' || taken?.reason === 'owner_unverified') return taken
  return action === 'resume' ? (against(decision.sessionId) ?? decision) : decision
}

/** `decide` on the entry of this surface alone. */
export function decideOn(index: Index, surfaceId: string, evidence: Evidence, options: DecideOptions): Decision {
  const entry = entryState(index, surfaceId)
  const decision = decide(entry, indexStateIn(index, evidence), options)
  if (decision.reason !== 'moved' || entry === null || entry === 'unreadable') return decision
  return { ...decision, ...given({ at: whereNow(index, entry) }) }
}

function indexStateIn({ status }: Index, evidence: Evidence): Evidence {
  return status?.damaged || status?.incomplete ? { ...evidence, index: 'damaged' } : evidence
}

/** What stands against another session on the surface: its own runs, or may run. */
const STAYS: ReadonlySet<DecisionReason> = new Set([
  'already_running',
  'running_elsewhere',
  'claimed',
  'owner_unverified',
  'liveness_unknown',
  'session_unclear',
  'task_closed'
])

/**
 * The caller names the session: it is resumed wherever it was, once it is proven absent and the surface is free for it.
 * That it was ended, or left, is no answer to one who asks for it. Fresh: nothing is known of a session by that id.
 */
function decideNamed(
  index: Index,
  surfaceId: string,
  evidence: Evidence,
  options: SurfaceOptions,
  sessionId: string
): Decision {
  const entry = entryState(index, surfaceId)
  const own = decideOn(index, surfaceId, evidence, options)
  if (entry === 'unreadable') return own
  const { expect } = own
  const isHere = entry !== null && entry.sessionId === sessionId && !isForwarding(entry)
  if (!isHere && entry !== null && STAYS.has(own.reason)) return own
  const held = heldElsewhere(index, sessionId, surfaceId, evidence, options, expect)
  if (held !== null) return held
  const [holder] = isHere ? [entry] : holdersOf(index, sessionId, surfaceId)
  const known = holder ?? {
    ...ENTRY_DEFAULTS,
    surfaceId,
    sessionId,
    repo: '',
    captured_at: 0,
    last_active: options.now
  }
  const evident = indexStateIn(index, evidence)
  if (holder === undefined && evident.index === 'damaged') return { ...decide(null, evident, options), expect }
  const decision = decide(reopened(known), evident, options)
  const transcript = transcriptOf(evidence, sessionId)
  const isNew =
    holder === undefined && (transcript === 'missing' || (options.orNew === true && transcript === 'unknown'))
  if (decision.action !== 'resume' || (!isNew && decision.reason !== 'ok_from_previous')) return { ...decision, expect }
  return { action: 'fresh', reason: 'session_gone', sessionId, expect, warnings: [], notes: [] }
}

function reopened(entry: Entry): Entry {
  if (entry.state !== 'ended' || entry.reason === 'session_gone') return entry
  return { ...without(entry, 'reason', 'moved_to'), state: 'ready' }
}

/** What another entry of the session says against a resume here: a claim, its life there, or its own limits. */
function heldElsewhere(
  index: Index,
  sessionId: string,
  surfaceId: string,
  evidence: Evidence,
  options: DecideOptions,
  expect: string
): Decision | null {
  for (const other of Object.values(index.entries)) {
    if (other.sessionId !== sessionId || other.surfaceId === surfaceId) continue
    const base = { sessionId, expect, warnings: [], notes: [], at: other.surfaceId } as const
    if (other.attempt !== undefined) {
      const { owner } = other.attempt
      const verdict = ownerVerdict(evidence, owner)
      if (verdict === 'alive') return { ...base, action: 'refuse', reason: 'claimed', owner }
      if (verdict === 'unknown') return { ...base, action: 'refuse', reason: 'owner_unverified', owner }
    }
    const lives = other.proc && ownerVerdict(evidence, other.proc)
    if (other.proc && lives === 'alive') {
      return { ...base, action: 'refuse', reason: 'running_elsewhere', owner: other.proc }
    }
    if (other.state === 'ended') continue
    // A statement about the session may be older than this process of it, which was not looked at.
    if (lives === 'unknown') return { ...base, action: 'wait', reason: 'liveness_unknown' }
    const there = decide(other, evidence, options)
    if (there.action === 'wait' || there.action === 'refuse') return { ...there, expect, at: other.surfaceId }
  }
  return null
}
