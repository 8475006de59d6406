/**
 * An earlier index laid over the current one: the entries that differ say again what they said then.
 *
 * Only what people and callers told is brought back. What is known of a session's life (its process, the last sign
 * of it, its attempts, its dispatch) stays as it is known now, and follows the session where it has moved meanwhile;
 * of a session that the index no longer knows, no process is believed in. Nothing is removed: a surface that the
 * earlier index lacks stays, and the session that gives way is in `previous`.
 */

import { endEntry, entryAt, joinDispatch, joinPrevious, previousAfter, putEntry, quoted, without } from './entry.js'
import { CrashResumeError } from './errors.js'
import type { Entry, Index, Verdicts } from './schema.js'
import { verdictFor } from './verdicts.js'

/** What is the session's and not anybody's word. */
const LIFE = ['last_active', 'seen', 'proc', 'transcript', 'attempt', 'last_attempt', 'attempts', 'last_exit'] as const
type Life = Partial<Entry> & Pick<Entry, 'last_active' | 'attempts'>
/** What no comparison looks at. */
const NOT_TOLD: ReadonlySet<string> = new Set([...LIFE, 'captured_at', 'gen', 'dispatch', 'previous'])

/**
 * Lays `source` over `index`.
 * @param verdicts on the owners of open attempts; what is not listed is unknown.
 * @param now ms since the epoch
 * @returns the index itself where nothing differs
 * @throws ERR_IN_USE where a session would have to give way whose open attempt has an owner that is not proven dead
 */
export function restoreEntries(index: Index, source: Index, verdicts: Verdicts, now: number): Index {
  let restored = index
  for (const was of Object.values(source.entries)) restored = restoreEntry(restored, was, verdicts, now)
  for (const [surfaceId, bad] of Object.entries(source.unreadable ?? {})) {
    const known = entryAt(restored, surfaceId) !== null || Object.hasOwn(restored.unreadable ?? {}, surfaceId)
    if (known) continue
    const unreadable = Object.assign(Object.create(null), restored.unreadable)
    unreadable[surfaceId] = bad
    restored = { ...restored, unreadable }
  }
  return restored
}

function restoreEntry(index: Index, was: Entry, verdicts: Verdicts, now: number): Index {
  const is = entryAt(index, was.surfaceId)
  if (is !== null && saysTheSame(is, was)) return index
  // An ended entry holds no session, so it takes none from anybody.
  const holders = withSession(index, was).filter((entry) => was.state !== 'ended' || entry === is)
  const others = holders.filter((entry) => entry !== is)
  const known = holders[0]
  for (const loser of [is, ...others]) if (loser !== null && loser !== known) refuseClaimed(loser, verdicts)
  const next: Entry = {
    ...without(was, ...LIFE, 'dispatch'),
    ...lifeOf(known ?? { ...without(was, 'proc', 'attempt', 'last_attempt'), attempts: 0 }),
    ...joinDispatch([is, known, is === null && known === undefined ? was : null].filter((entry) => entry != null)),
    state: stateOf(was, is),
    captured_at: Math.min(was.captured_at, is?.captured_at ?? was.captured_at),
    gen: Math.max(was.gen, ...[is, ...others].map((entry) => entry?.gen ?? 0)) + 1,
    previous: joinPrevious(
      was.sessionId,
      is === null ? [] : previousAfter(is, was.sessionId, 'replaced', now),
      was.previous,
      ...others.map(({ previous }) => previous)
    )
  }
  const left = others.map((other) => (other.state === 'ended' ? other : endEntry(other, 'moved', was.surfaceId)))
  return [...left.map((other) => without(other, 'attempt', 'proc', 'dispatch')), next].reduce(putEntry, index)
}

/** The entries of this session: who holds it first, and of those that ended the latest. */
function withSession(index: Index, { sessionId }: Entry): readonly Entry[] {
  return Object.values(index.entries)
    .filter((entry) => entry.sessionId === sessionId)
    .sort((a, b) => Number(a.state === 'ended') - Number(b.state === 'ended') || b.last_active - a.last_active)
}

function saysTheSame(is: Entry, was: Entry): boolean {
  return toldText(is) === toldText({ ...was, state: stateOf(was, is) })
}

/** Everything that was told, in one order. */
function toldText(entry: Entry): string {
  const told = Object.entries(entry).filter(([field]) => !NOT_TOLD.has(field))
  return JSON.stringify(told.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** A session that has been seen alive since is not unstarted again. */
function stateOf(was: Entry, is: Entry | null): Entry['state'] {
  const started = is?.sessionId === was.sessionId && is.state === 'ready'
  return started && was.state !== 'ended' ? 'ready' : was.state
}

function lifeOf(entry: Life): Life {
  const known = LIFE.filter((field) => entry[field] !== undefined).map((field) => [field, entry[field]])
  return { ...Object.fromEntries(known), last_active: entry.last_active, attempts: entry.attempts }
}

function refuseClaimed({ surfaceId, attempt }: Entry, verdicts: Verdicts): void {
  if (attempt === undefined || verdictFor(verdicts, attempt.owner) === 'dead') return
  const what = `surface ${quoted(surfaceId)} has an open ${attempt.kind} by process ${attempt.owner.pid}, which is not proven dead`
  throw new CrashResumeError('ERR_IN_USE', what, { next: 'restore again once it has settled' })
}
