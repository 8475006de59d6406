/**
 * What someone else wrote into the view, taken onto ours: a person's edit of our current revision, or the write of an
 * older tool that knows only the first fields.
 *
 * Nothing of ours is lost by it: an entry that theirs lacks stays, an older entry never replaces a newer one, and the
 * fields that only we keep stay ours. Adopting the same text twice changes nothing the second time.
 */
import { sameContent } from './codec.js'
import type { Entry, Index, Machine } from './schema.js'
import { changeSession, endEntry, entryAt, holderOf, putEntry, seenSince, without } from './transitions.js'

/** `edit`: it carries the number of our newest revision. `older-tool`: it carries none, or one that is not ours. */
export type ForeignKind = 'edit' | 'older-tool'

/** What a person may change by hand; the rest of an entry is the library's bookkeeping. */
const BOOKKEEPING = [
  'gen',
  'captured_at',
  'attempt',
  'attempts',
  'dispatch',
  'previous',
  'last_attempt',
  'last_exit',
  'proc',
  'seen',
  'state',
  'reason',
  'moved_to'
] as const satisfies readonly (keyof Entry)[]

/**
 * @param machine what entries of an older tool count as seen on: it saw them at the latest now. Undefined: nowhere.
 * @param now ms since the epoch
 * @returns ours itself where nothing of theirs is news
 */
export function adoptForeign(
  ours: Index,
  theirs: Index,
  kind: ForeignKind,
  machine: Machine | undefined,
  now: number
): Index {
  let merged = ours
  for (const [surfaceId, entry] of Object.entries(theirs.entries)) {
    const mine = entryAt(merged, surfaceId)
    const next = kind === 'edit' ? edited(mine, entry, now) : recorded(mine, entry, machine, now)
    if (next !== null && next !== mine) merged = settleHolder(putEntry(merged, next), next)
  }
  for (const [surfaceId, bad] of Object.entries(theirs.unreadable ?? {})) {
    const known = entryAt(merged, surfaceId) !== null || Object.hasOwn(merged.unreadable ?? {}, surfaceId)
    if (known) continue
    const unreadable = Object.assign(Object.create(null), merged.unreadable)
    unreadable[surfaceId] = bad
    merged = { ...merged, unreadable }
  }
  if (theirs.extra !== undefined) merged = { ...merged, extra: { ...merged.extra, ...theirs.extra } }
  return sameContent(merged, ours) ? ours : merged
}

/** A person's word on an entry; null where it is older than ours or says the same. */
function edited(mine: Entry | null, theirs: Entry, now: number): Entry | null {
  if (mine === null) return theirs
  if (theirs.last_active < mine.last_active) return null
  const kept = Object.fromEntries(BOOKKEEPING.filter((field) => field in mine).map((field) => [field, mine[field]]))
  const words = { ...without(theirs, ...BOOKKEEPING), sessionId: mine.sessionId, surfaceId: mine.surfaceId }
  const same = { ...words, ...kept } as Entry
  if (theirs.sessionId !== mine.sessionId) {
    return { ...changeSession(same, theirs.sessionId, 'replaced', now), state: 'ready' }
  }
  return theirs.state === 'ended' && mine.state !== 'ended' ? endEntry(same, theirs.reason) : same
}

/** An older tool's record, which knows the first fields only; null where ours is as new. */
function recorded(mine: Entry | null, theirs: Entry, machine: Machine | undefined, now: number): Entry | null {
  const seen = machine === undefined ? {} : { seen: machine }
  if (mine === null) return theirs.seen === undefined ? { ...theirs, ...seen } : theirs
  if (theirs.last_active <= mine.last_active) return null
  const { sessionId, repo, role, last_active } = theirs
  const next = changeSession(seenSince(mine), sessionId, 'replaced', now)
  const alive = { ...without(next, 'proc', 'seen', 'reason', 'moved_to'), repo, role, last_active, ...seen }
  return { ...alive, state: 'ready' }
}

/** One session, one surface: whoever else held it has given it up to this entry. */
function settleHolder(index: Index, entry: Entry): Index {
  if (entry.state === 'ended') return index
  const holder = holderOf(index, entry.sessionId, entry.surfaceId)
  if (holder === null) return index
  // Of two claims the one with the newer sign of life stands.
  const [stays, goes] = holder.last_active > entry.last_active ? [holder, entry] : [entry, holder]
  return putEntry(index, endEntry(goes, 'moved', stays.surfaceId))
}
