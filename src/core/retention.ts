/** When an agent removes a conversation by itself, in words. */

import type { Evidence, Retention } from './evidence.js'

const DAY_MS = 24 * 60 * 60 * 1000
/** So early it is said. */
const SOON_MS = 7 * DAY_MS
/** Answers about a conversation that does not wait, or was never there. */
const NOT_WAITING: ReadonlySet<string> = new Set([
  ...['already_running', 'running_elsewhere', 'claimed', 'moved', 'ended'],
  ...['never_started', 'never_used', 'spawn_failed', 'too_stale']
])

/** What its age means for the conversation of an answer; null: nothing worth saying. */
export function retentionNote(
  { reason, sessionId }: { readonly reason: string; readonly sessionId?: string },
  { retention }: Evidence,
  now: number
): string | null {
  if (sessionId === undefined || NOT_WAITING.has(reason) || !retention || !Object.hasOwn(retention, sessionId))
    return null
  const { days, since } = retention[sessionId] as Retention
  const left = since + days * DAY_MS - now
  if (reason === 'session_gone') {
    if (left > 0) return null
    const ago = Math.floor((now - since) / DAY_MS)
    return `its agent removes a conversation ${days} days after its last use, and the last sign of this one is ${ago} days old`
  }
  if (left > SOON_MS) return null
  const when = left <= 0 ? 'at any time' : left <= DAY_MS ? 'within a day' : `in ${Math.ceil(left / DAY_MS)} days`
  return `its agent removes it ${when}, because it keeps a conversation for ${days} days after its last use`
}
