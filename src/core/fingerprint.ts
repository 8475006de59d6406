/**
 * What a decision rested on, as a short text: a verb that is given one acts only where it still holds.
 */
import { CrashResumeError } from './errors.js'
import type { Entry } from './schema.js'

/** Generation, activity, and the open and the last attempt; 'none' where there is no entry. */
export function fingerprint(entry: Entry | null | 'unreadable'): string {
  if (entry === null) return 'none'
  if (entry === 'unreadable') return entry
  const { gen, last_active, state, attempt, last_attempt: last } = entry
  return [
    `gen ${gen}`,
    state,
    `active ${last_active}`,
    ...(attempt ? [`open ${attempt.id}`] : []),
    ...(last ? [`last ${last.id} ${last.result}`] : [])
  ].join(', ')
}

/**
 * @throws ERR_CONFLICT with what is there in `found`, where that is not what the caller saw
 */
export function checkExpected(surfaceId: string, entry: Entry | null | 'unreadable', expect: string | undefined): void {
  if (expect === undefined || expect === fingerprint(entry)) return
  throw new CrashResumeError(
    'ERR_CONFLICT',
    `surface ${JSON.stringify(surfaceId)} changed since it was looked at (now: ${fingerprint(entry)}); look again and decide anew`,
    { found: entry === 'unreadable' ? null : entry }
  )
}
