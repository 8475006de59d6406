/**
 * What someone else wrote into the view, taken onto ours: a person's edit of our current revision, or the write of an
 * older tool that knows only the first fields.
 *
 * Nothing of ours is lost by it: an entry that theirs lacks stays, an older entry never replaces a newer one, and the
 * fields that only we keep stay ours. Adopting the same text twice changes nothing the second time. Entries are taken
 * one by one; after that each session that something of theirs put on a second surface is settled on one.
 */
import { sameContent, sameEntry } from './codec.js'
import { Draft } from './draft.js'
import {
  changeSession,
  closeAttempt,
  endEntry,
  entryAt,
  keepProcess,
  movedAway,
  OVERTAKEN,
  RESERVED_REASONS,
  seenSince,
  without
} from './entry.js'
import { given } from './given.js'
import { isPlaceholder } from './ids.js'
import { FOUND_OUT, join } from './join.js'
import { reportedFields } from './observe.js'
import type { Entry, Index, Machine } from './schema.js'

/** `edit`: it carries the number of our newest revision. `older-tool`: it carries none, or one that is not ours. */
export type ForeignKind = 'edit' | 'older-tool'

/** Found out, and a person's to change anyway. */
const CORRECTED: readonly (keyof Entry)[] = ['last_active', 'transcript']
/** What is not a person's to change by hand: the library's bookkeeping, and the state, but for ending an entry. */
const BOOKKEEPING: readonly (keyof Entry)[] = [
  ...FOUND_OUT.filter((field) => !CORRECTED.includes(field)),
  'state',
  'reason',
  'moved_to'
]

/**
 * @param machine what entries of an older tool count as seen on: it saw them at the latest now. Undefined: nowhere.
 * @param now ms since the epoch
 * @returns ours itself where theirs changes nothing
 */
export function adoptForeign(
  ours: Index,
  theirs: Index,
  kind: ForeignKind,
  machine: Machine | undefined,
  now: number
): Index {
  const draft = new Draft(ours)
  const changed: string[] = []
  for (const [surfaceId, entry] of Object.entries(theirs.entries)) {
    const mine = entryAt(ours, surfaceId)
    const next = kind === 'edit' ? edited(mine, entry, now) : recorded(mine, entry, machine, now)
    if (next === null || (mine !== null && sameEntry(next, mine))) continue
    draft.put(next)
    changed.push(surfaceId)
  }
  settleHolders(draft, changed, kind, now)
  let merged = withUnreadable(draft.index(), theirs)
  if (theirs.extra !== undefined) merged = { ...merged, extra: { ...merged.extra, ...theirs.extra } }
  return sameContent(merged, ours) ? ours : merged
}

/**
 * One session, one surface: of several that claim a session the one with the newer sign of life holds it, with all that
 * the others know; the others say where it went. Surfaces that shared a session before are left as they are: no
 * change of theirs concerns them.
 * @param changed the surfaces whose entries came just now; where all else is equal, the last of them holds the session
 */
function settleHolders(draft: Draft, changed: readonly string[], kind: ForeignKind, now: number): void {
  for (const surfaceId of changed.toReversed()) {
    const entry = draft.at(surfaceId)
    if (entry === null || entry.state === 'ended') continue
    const rivals = draft.ofSession(entry.sessionId).filter((other) => other !== entry && other.state !== 'ended')
    const [holder = entry, ...others] = [entry, ...rivals.toReversed()].sort((a, b) => b.last_active - a.last_active)
    if (others.length > 0) hold(draft, holder, others, kind, now)
  }
}

function hold(draft: Draft, holder: Entry, others: readonly Entry[], kind: ForeignKind, now: number): void {
  const joined = join(holder, others, kind === 'edit' ? { words: holder } : {})
  draft.put(joined)
  for (const other of others) {
    // Two open attempts on one session: each must still be found by its owner.
    const attempt = other.attempt?.id === joined.attempt?.id ? undefined : other.attempt
    // An older copy of either must be seen to be older, whatever the clocks said.
    const last_active = Math.max(now, other.last_active, holder.last_active)
    draft.put({ ...movedAway(other, holder.surfaceId, now), ...given({ attempt }), last_active })
  }
}

/** An entry of theirs that cannot be read is kept, under a key that ours does not have. */
export function withUnreadable(merged: Index, theirs: Index): Index {
  const known = (surfaceId: string): boolean =>
    entryAt(merged, surfaceId) !== null || Object.hasOwn(merged.unreadable ?? {}, surfaceId)
  const added = Object.entries(theirs.unreadable ?? {}).filter(([surfaceId]) => !known(surfaceId))
  if (added.length === 0) return merged
  const unreadable = Object.assign(Object.create(null), merged.unreadable)
  for (const [surfaceId, bad] of added) unreadable[surfaceId] = bad
  return { ...merged, unreadable }
}

/** A person's edit of an entry; null where it is older than ours. */
function edited(mine: Entry | null, theirs: Entry, now: number): Entry | null {
  if (mine === null) return theirs
  if (theirs.last_active < mine.last_active) return null
  const kept = Object.fromEntries(BOOKKEEPING.filter((field) => field in mine).map((field) => [field, mine[field]]))
  const same = { ...without(theirs, ...BOOKKEEPING), ...kept, sessionId: mine.sessionId } as Entry
  const next = namesAnother(mine, theirs) ? replaced(same, mine, theirs, now) : same
  return theirs.state === 'ended' && next.state !== 'ended' ? endEntry(next, personsReason(theirs)) : next
}

/** Another session in its place. It was not seen: the machine that ours was seen on says nothing about it. */
function replaced(same: Entry, mine: Entry, theirs: Entry, now: number): Entry {
  const next = changeSession(closeAttempt(same, 'seen', now, OVERTAKEN), theirs.sessionId, 'replaced', now)
  const isNewPath = theirs.transcript !== undefined && theirs.transcript !== mine.transcript
  const transcript = isNewPath ? { transcript: theirs.transcript } : {}
  return { ...without(next, 'seen'), ...transcript, state: 'ready' } as Entry
}

/** An older tool's record; null where ours is as new. An open attempt stays: its owner settles it. */
function recorded(mine: Entry | null, theirs: Entry, machine: Machine | undefined, now: number): Entry | null {
  const seen = given({ seen: machine })
  if (mine === null) return theirs.seen === undefined ? { ...theirs, ...seen } : theirs
  if (theirs.last_active <= mine.last_active) return null
  const { repo, role, last_active } = theirs
  const isOther = namesAnother(mine, theirs)
  const before = isOther ? closeAttempt(mine, 'seen', now, OVERTAKEN) : seenSince(mine)
  const next = isOther ? changeSession(before, theirs.sessionId, 'replaced', now) : before
  const alive: Entry = {
    ...without(keepProcess(next, 'unknown'), 'seen', 'reason', 'moved_to'),
    // What a newer record lacks is kept.
    ...reportedFields(without(theirs, 'proc', 'seen')),
    repo,
    role,
    last_active,
    ...seen,
    state: 'ready'
  }
  // A tool that writes `ended` knows of states, and is no older tool.
  return theirs.state === 'ended' ? endEntry(alive, theirs.reason, theirs.moved_to) : alive
}

/** A placeholder names no session. */
function namesAnother(mine: Entry, theirs: Entry): boolean {
  return theirs.sessionId !== mine.sessionId && !isPlaceholder(theirs.sessionId)
}

/** The reserved reasons say what happened; a person's edit does not make it happen. */
function personsReason({ reason }: Entry): string | undefined {
  return reason !== undefined && RESERVED_REASONS.includes(reason) ? undefined : reason
}
