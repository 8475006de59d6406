/**
 * The decision on a surface of an index: `decide` on its entry, and what other entries of the same session say.
 *
 * One session may stand on several surfaces, in a file that others wrote or after a move. A claim on any of them, and
 * a life on any of them, stands against a resume on all.
 */
import { type DecideOptions, type Decision, decide } from './decide.js'
import { entryAt, entryState, whereNow } from './entry.js'
import { type Evidence, ownerVerdict } from './evidence.js'
import { given } from './given.js'
import type { Index } from './schema.js'

/** What may be done with this surface, as a claim or a mint would find it. */
export function decideAt(index: Index, surfaceId: string, evidence: Evidence, options: DecideOptions): Decision {
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
  const { damaged, incomplete } = index.status ?? {}
  const known: Evidence = damaged || incomplete ? { ...evidence, index: 'damaged' } : evidence
  const entry = entryState(index, surfaceId)
  const decision = decide(entry, known, options)
  if (decision.reason !== 'moved' || entry === null || entry === 'unreadable') return decision
  return { ...decision, ...given({ at: whereNow(index, entry) }) }
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
