/**
 * What a decision rested on, as a short text: a verb that is given one acts only where it still holds.
 */
import { CrashResumeError } from './errors.js'
import type { Entry, Index } from './schema.js'

const LOOK_AGAIN = 'look at it again and decide again'

/** Generation, activity, process, and the open and the last attempt; 'none' where there is no entry. */
export function fingerprint(entry: Entry | null | 'unreadable'): string {
  if (entry === null) return 'none'
  if (entry === 'unreadable') return entry
  const { gen, last_active, state, proc, attempt, last_attempt: last } = entry
  return [
    `gen ${gen}`,
    state,
    `active ${last_active}`,
    // Two sightings may be of one moment.
    ...(proc ? [`process ${proc.pid} ${proc.start ?? ''}`] : []),
    ...(attempt ? [`open ${attempt.id}`] : []),
    ...(last ? [`last ${last.id} ${last.result}${last.seen_since ? ' seen since' : ''}`] : [])
  ].join(', ')
}

/**
 * @throws ERR_CONFLICT with what is there in `found`, where that is not what the caller saw
 */
export function checkExpected(surfaceId: string, entry: Entry | null | 'unreadable', expect: string | undefined): void {
  if (expect === undefined || expect === fingerprint(entry)) return
  const what = `surface ${JSON.stringify(surfaceId)} changed since you looked at it (now: ${fingerprint(entry)})`
  throw new CrashResumeError('ERR_CONFLICT', what, { next: LOOK_AGAIN, found: entry === 'unreadable' ? null : entry })
}

/**
 * That a session does not run was found out at some time; since then another surface may have started it.
 * @throws ERR_CONFLICT with the other surface's entry in `found`
 */
export function checkOthersExpected(then: Index, now: Index, sessionId: string, surfaceId: string): void {
  const surfaces = new Set([...Object.keys(then.entries), ...Object.keys(now.entries)])
  surfaces.delete(surfaceId)
  for (const other of surfaces) {
    const [before, found] = [holding(then, other, sessionId), holding(now, other, sessionId)]
    if (fingerprint(before) === fingerprint(found)) continue
    const what = `surface ${JSON.stringify(other)}, which holds session ${sessionId} too, changed since you looked at it`
    throw new CrashResumeError('ERR_CONFLICT', what, { next: LOOK_AGAIN, found })
  }
}

function holding(index: Index, surfaceId: string, sessionId: string): Entry | null {
  const entry = Object.hasOwn(index.entries, surfaceId) ? index.entries[surfaceId] : undefined
  return entry?.sessionId === sessionId ? entry : null
}
