/**
 * Old revisions go, one a listing, and before each the staged names that could still aim at a freed slot.
 *
 * A writer that slept since revision n was the newest holds a staged name made from n and aims at n+1. Its name is
 * removed in the round that finds a lowest revision above n, that is, before n+1 itself can go: so its link finds
 * either n+1 taken or its own name gone, and can never land in the hole behind the newest revisions.
 */
import type { StoreContext } from './context.js'
import { list, orAbsent, type Steps, size, unlink } from './files.js'
import { revisionNumbers, revisionPath, stagedBase } from './revisions.js'

const ALWAYS_STAY = 2

/** @returns how many revisions are there now. */
export function* prune(ctx: StoreContext): Steps<number> {
  for (;;) {
    const names = yield* list(ctx.paths.history)
    const numbers = revisionNumbers(names)
    const lowest = numbers.at(-1)
    if (lowest === undefined || !(yield* tooMany(ctx, numbers))) return numbers.length
    for (const name of names) {
      const base = stagedBase(name)
      if (base !== null && base < lowest) yield* orAbsent(unlink(`${ctx.paths.history}/${name}`))
    }
    yield* orAbsent(unlink(revisionPath(ctx, lowest)))
  }
}

function* tooMany(ctx: StoreContext, numbers: readonly number[]): Steps<boolean> {
  if (numbers.length > ctx.limits.revisions) return true
  if (numbers.length <= ALWAYS_STAY) return false
  let bytes = 0
  for (const number of numbers) bytes += (yield* orAbsent(size(revisionPath(ctx, number)))) ?? 0
  return bytes > ctx.limits.historyBytes
}
