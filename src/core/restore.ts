/**
 * An earlier index laid over the current one: the entries that differ say again what they said then.
 *
 * Only what people and callers stated comes back. What is known of a session's life (its process, the last sign
 * of it, its attempts, its dispatch) stays as it is known now, and follows the session where it has moved meanwhile;
 * for a session that the index no longer knows, no process is assumed. Nothing is removed: a surface that the
 * earlier index lacks stays, and a session that is replaced is in `previous`.
 */

import { Draft } from './draft.js'
import { endEntry, quoted, without } from './entry.js'
import { CrashResumeError } from './errors.js'
import { byStrength, FOUND_OUT, join } from './join.js'
import { withUnreadable } from './merge.js'
import { verdictFor } from './owner.js'
import type { Entry, Index, Verdicts } from './schema.js'

/**
 * Lays `source` over `index`.
 * @param verdicts on the owners of open attempts; what is not listed is unknown.
 * @param now ms since the epoch
 * @returns the index itself where nothing differs
 * @throws ERR_IN_USE where a session would be replaced whose open attempt has an owner that is not proven dead
 */
export function restoreEntries(index: Index, source: Index, verdicts: Verdicts, now: number): Index {
  const draft = new Draft(index)
  for (const was of Object.values(source.entries)) restoreEntry(draft, was, verdicts, now)
  return withUnreadable(draft.index(), source)
}

function restoreEntry(draft: Draft, was: Entry, verdicts: Verdicts, now: number): void {
  const is = draft.at(was.surfaceId)
  if (is !== null && saysTheSame(is, was)) return
  // An ended entry holds no session, so it takes none from another surface.
  const holders = [...draft.ofSession(was.sessionId)]
    .filter((entry) => was.state !== 'ended' || entry === is)
    .sort(byStrength)
  const others = holders.filter((entry) => entry !== is)
  const [known = lifeless(was, is)] = holders
  const losers = [is, ...others].filter((entry): entry is Entry => entry !== null && entry !== known)
  for (const loser of losers) refuseClaimed(loser, verdicts)
  const next = join(known, losers, { at: was.surfaceId, words: was, changed: true, now })
  for (const other of others) {
    const left = other.state === 'ended' ? other : endEntry(other, 'moved', was.surfaceId)
    draft.put(without(left, 'attempt', 'proc', 'dispatch'))
  }
  draft.put({ ...next, state: stateOf(was, is) })
}

/** For a session that the index no longer knows, no process is assumed; a dispatch is the surface's as it is now. */
function lifeless(was: Entry, is: Entry | null): Entry {
  const gone = is === null ? ([] as const) : (['dispatch'] as const)
  return { ...without(was, 'proc', 'attempt', 'last_attempt', ...gone), attempts: 0 }
}

function saysTheSame(is: Entry, was: Entry): boolean {
  return statedText(is) === statedText({ ...was, state: stateOf(was, is) })
}

/** Everything that was stated, in one order. */
function statedText(entry: Entry): string {
  const stated = Object.entries(without(entry, ...FOUND_OUT))
  return JSON.stringify(stated.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** A session that has been seen alive since is not unstarted again. */
function stateOf(was: Entry, is: Entry | null): Entry['state'] {
  const started = is?.sessionId === was.sessionId && is.state === 'ready'
  return started && was.state !== 'ended' ? 'ready' : was.state
}

function refuseClaimed({ surfaceId, attempt }: Entry, verdicts: Verdicts): void {
  if (attempt === undefined || verdictFor(verdicts, attempt.owner) === 'dead') return
  const what = `surface ${quoted(surfaceId)} has an open ${attempt.kind} by process ${attempt.owner.pid}, which is not proven dead`
  throw new CrashResumeError('ERR_IN_USE', what, { next: 'restore again once it has settled' })
}
