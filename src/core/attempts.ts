/**
 * Write-ahead: what is about to be started is on disk before it is started, and how it went comes after it.
 *
 * `mint` chooses a session for a fresh start and `claim` reserves one for a resume; both decide once more on the
 * index at hand, so that of two callers with the same answer only one gets to act. The open attempt names its owner;
 * while that process may be alive, no other caller starts the session. `settle` closes the attempt, whether it worked or
 * not.
 * Calling sequence: decide, mint or claim (in one update), start the agent, settle.
 */

import { attemptsWithin, diedAtOnce } from './attempt-count.js'
import { decideAt, decideOn, type SurfaceOptions } from './decide-at.js'
import type { Decision } from './decision.js'
import { changeSession, entryAt, holdersOf, leftBehind, movedAway, putEntry, quoted, without } from './entry.js'
import { CrashResumeError, invalidInput } from './errors.js'
import { type Evidence, transcriptState } from './evidence.js'
import { checkExpected, checkOthersExpected } from './fingerprint.js'
import { given } from './given.js'
import { checkAttemptId, checkName, checkSessionId, checkSurfaceId, placeholderFor } from './ids.js'
import { join } from './join.js'
import { machineOf } from './owner.js'
import type { Entry, Index, LaunchFacts, Owner, PreviousReason } from './schema.js'
import { ENTRY_DEFAULTS } from './validate.js'

const DRAW_ANOTHER = 'draw another id'

interface AttemptInput extends LaunchFacts {
  /** Unique; settle names it again. */
  readonly attemptId: string
  /** The process that will start the agent and settle. */
  readonly owner: Owner
  readonly evidence: Evidence
  /** The fingerprint that an earlier decision rested on. */
  readonly expect?: string | undefined
}

/** What `mint` writes ahead of a fresh start. */
export interface MintInput extends AttemptInput {
  /** The id that the agent will be started with; absent with `capture`. */
  readonly sessionId?: string | undefined
  /** For agents that cannot be given an id: a placeholder until the session is seen. */
  readonly capture?: boolean | undefined
  readonly repo: string
}

/** What `claim` writes ahead of a resume. */
export interface ClaimInput extends AttemptInput {
  /** Needed where the index holds no entry yet. */
  readonly repo?: string | undefined
  /** The index that the evidence was gathered on: what other surfaces say of the session must not have changed since. */
  readonly since?: Index | undefined
}

/** The index with the attempt open, or as it was where the decision is another than the verb can act on. */
export interface Decided {
  readonly index: Index
  readonly decision: Decision
}

/**
 * Writes a session ahead of its start. Acts only where the decision is fresh; see there.
 * @param now is `options.now`, ms since the epoch
 * @throws ERR_INVALID_INPUT, ERR_CONFLICT (`expect` no longer holds, or another surface has this session)
 */
export function mint(index: Index, input: MintInput, options: SurfaceOptions): Decided {
  checkInput(index, input)
  checkName('repo', input.repo)
  const { surfaceId, attemptId, owner, evidence } = input
  const { now } = options
  const sessionId = input.capture ? placeholderFor(attemptId) : input.sessionId
  if (sessionId === undefined) throw invalidInput('sessionId', 'is missing', 'give one, or set capture: true')
  if (!input.capture) checkSessionId(sessionId)
  const entry = entryAt(index, surfaceId)
  const decided = options.sessionId === undefined ? decideOn : decideAt
  const decision = decided(index, surfaceId, evidence, options)
  if (decision.action !== 'fresh') return { index, decision }
  refuseKnown(index, sessionId)
  const before = entry ?? blank(surfaceId, sessionId, now)
  const diedYoung =
    before.state === 'ready' && before.last_attempt?.kind === 'spawn' && diedAtOnce(before, evidence, now)
  const retry = before.state === 'minted' || before.state === 'spawn_failed' || diedYoung
  const minted: Entry = {
    ...without(changeSession(before, sessionId, whyReplaced(before), now), 'withheld', ...leftBehind(before, input)),
    repo: input.repo,
    ...launchOf(input),
    last_active: now,
    state: 'minted',
    seen: machineOf(owner),
    attempt: { id: attemptId, kind: 'spawn', owner, at: now },
    attempts: entry !== null && retry ? attemptsWithin(before, evidence, options) + 1 : 0
  }
  return { index: putEntry(index, minted), decision: { ...decision, sessionId } }
}

/**
 * Reserves a session ahead of its resume. Acts only where the decision is resume; see there.
 * @throws ERR_INVALID_INPUT, ERR_CONFLICT (`expect` or `since` no longer holds)
 */
export function claim(index: Index, input: ClaimInput, options: SurfaceOptions): Decided {
  checkInput(index, input)
  const { surfaceId, attemptId, owner, evidence } = input
  const { now } = options
  const entry = entryAt(index, surfaceId)
  const decision = decideAt(index, surfaceId, evidence, options)
  const { sessionId } = decision
  if (decision.action !== 'resume' || sessionId === undefined) return { index, decision }
  if (input.since !== undefined) checkOthersExpected(input.since, index, sessionId, surfaceId)
  const holders = holdersOf(index, sessionId, surfaceId)
  if (entry === null && holders.length === 0 && input.repo === undefined)
    throw invalidInput('repo', 'is missing, and the index has none for this surface', 'give the repo')
  const before = reserved({ entry, holders, sessionId, surfaceId }, options)
  const isShrunk = transcriptState(evidence, sessionId) === 'shrunk'
  const claimed: Entry = {
    // The caller takes a smaller transcript as it is.
    ...without(before, 'reason', 'moved_to', ...(isShrunk ? (['mark'] as const) : [])),
    ...given({ repo: input.repo }),
    ...launchOf(input),
    // An id that was taken from a transcript or from `previous` has been started before.
    state: entry?.state === 'minted' && sessionId === entry.sessionId ? 'minted' : 'ready',
    attempt: { id: attemptId, kind: 'resume', owner, at: now },
    attempts: Math.max(...[before, ...holders].map((known) => attemptsWithin(known, evidence, options))) + 1
  }
  const freed = holders.reduce((left, holder) => putEntry(left, movedAway(holder, surfaceId, now)), index)
  return { index: putEntry(freed, claimed), decision }
}

function launchOf({ role, agent, cwd, flags, withheld, env }: AttemptInput): Partial<Entry> {
  return given({ role, agent, cwd, flags, withheld, env })
}

/** The session as the surface is to hold it, with all that is known of it. */
function reserved(
  {
    entry,
    holders,
    sessionId,
    surfaceId
  }: {
    readonly entry: Entry | null
    readonly holders: readonly Entry[]
    readonly sessionId: string
    readonly surfaceId: string
  },
  { now, sessionId: named }: SurfaceOptions
): Entry {
  const at = { at: surfaceId, now }
  const [holder, ...more] = holders
  if (entry === null) return join(holder ?? blank(surfaceId, sessionId, now), more, at)
  const changed = entry.sessionId !== sessionId
  const own = changeSession(entry, sessionId, whyReplaced(entry), now)
  if (named === undefined || !changed) return join(own, holders, at)
  // Of a session that the caller names, what the surface held before knows nothing.
  if (holder === undefined) return without(own, 'flags', 'withheld') as Entry
  return join(holder, [...more, entry], { ...at, changed, why: whyReplaced(entry) })
}

function checkInput(index: Index, input: AttemptInput): void {
  checkSurfaceId(input.surfaceId)
  checkAttemptId(input.attemptId)
  for (const entry of Object.values(index.entries)) {
    if (![entry.attempt?.id, entry.last_attempt?.id].includes(input.attemptId)) continue
    throw invalidInput('attemptId', `${quoted(input.attemptId)} was used before`, DRAW_ANOTHER)
  }
  checkExpected(input.surfaceId, entryAt(index, input.surfaceId), input.expect)
}

/** A session is started once: an id that any surface holds, or held, is not minted again. */
function refuseKnown(index: Index, sessionId: string): void {
  for (const entry of Object.values(index.entries)) {
    if (entry.sessionId !== sessionId && !entry.previous.some((before) => before.sessionId === sessionId)) continue
    const what = `session ${sessionId} is already known on surface ${quoted(entry.surfaceId)}`
    throw new CrashResumeError('ERR_CONFLICT', what, { next: DRAW_ANOTHER, found: entry })
  }
}

function whyReplaced(entry: Entry): PreviousReason {
  if (entry.state !== 'ended') return 'replaced'
  return entry.reason === 'session_gone' || entry.reason === 'moved' ? entry.reason : 'ended'
}

function blank(surfaceId: string, sessionId: string, now: number): Entry {
  return { ...ENTRY_DEFAULTS, surfaceId, sessionId, repo: '', captured_at: now, last_active: now, state: 'minted' }
}
