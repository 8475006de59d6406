/**
 * Publishing: the view is a copy of the newest revision, put in place by rename, for people and other tools.
 *
 * It is always a file of its own, since people edit it in place. What stands there is looked at once more before it
 * is replaced: an older tool's write is left for the next reader to merge, other foreign bytes are kept aside.
 * A writer that publishes looks for a newer revision afterwards and publishes that too, so that the view is the newest
 * once all writers are done, whichever of them renamed last.
 * Known residue: an edit that lands between the look and the rename is lost.
 */
import type { StoreContext } from './context.js'
import { attempt, codeOf, list, rename, type Steps, syncDir, unlink, writeNew } from './files.js'
import { keepAside, moveAside } from './kept.js'
import { decode, isRevision, readRevision, revisionNumbers, sameBytes, stagedPath } from './revisions.js'
import { readView, type View } from './snapshot.js'

/** Publishes this revision, then every newer one that is found. `seen` is the view as the writer read it. */
export function* publish(ctx: StoreContext, number: number, bytes: Uint8Array, seen: View | null): Steps<void> {
  let revision = { number, bytes }
  for (;;) {
    yield* replaceView(ctx, revision.number, revision.bytes, seen)
    const newer = yield* newerRevision(ctx, revision.number)
    if (newer === null) return
    // It was linked by another, who may die before the sync: published is as good as acknowledged.
    yield* syncDir(ctx.paths.history)
    revision = newer
  }
}

function* replaceView(ctx: StoreContext, number: number, bytes: Uint8Array, seen: View | null): Steps<void> {
  const staged = stagedPath(ctx, number)
  try {
    yield* writeNew(staged, bytes)
    if (yield* clearTheWay(ctx, number, bytes, seen)) yield* rename(staged, ctx.paths.view)
    else yield* unlink(staged)
  } catch (error) {
    yield* attempt(unlink(staged))
    // The staged name was pruned, so newer revisions are there, and their writers publish.
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

/** Looks at the view once more; false: leave what is there. */
function* clearTheWay(ctx: StoreContext, number: number, bytes: Uint8Array, seen: View | null): Steps<boolean> {
  const there = yield* readView(ctx)
  if (there === null) return true
  if (there.bytes === null) {
    yield* moveAside(ctx, ctx.paths.view, 'unreadable-view')
    return true
  }
  if (sameBytes(there.bytes, bytes)) return false
  if (seen !== null && sameBytes(there.bytes, seen.bytes)) return true
  const index = decode(there.bytes)
  if (index !== null && index.revision === undefined) return false
  const shows = index?.revision ?? 0
  if (shows > 0 && (yield* isRevision(ctx, shows, there.bytes))) return shows < number
  yield* keepAside(ctx, there.bytes, index === null ? 'unreadable-view' : 'foreign-view')
  return true
}

/** The newest readable revision above `number`, or null. */
function* newerRevision(ctx: StoreContext, number: number): Steps<{ number: number; bytes: Uint8Array } | null> {
  for (;;) {
    const numbers = revisionNumbers(yield* list(ctx.paths.history)).filter((other) => other > number)
    let gone = false
    for (const candidate of numbers) {
      const revision = yield* readRevision(ctx, candidate)
      gone ||= revision === null
      if (revision?.index && revision.bytes) return { number: candidate, bytes: revision.bytes }
    }
    if (!gone) return null
  }
}
