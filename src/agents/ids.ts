/** What agents take for a session id. */
import type { AgentRow } from './row.js'

/** In either case: agents make lower-case ones, `uuidgen` of macOS makes upper-case ones, and people pin those. */
export const UUID: RegExp = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Not known: what any session id of ours may be. */
export const ANY_ID: RegExp = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

/** Whether the agent would take this for an id of its own. */
export function takesId({ sessionId: ids }: Pick<AgentRow, 'sessionId'>, sessionId: string): boolean {
  // Unlike test, search remembers nothing of the last call where a caller's expression is global.
  return sessionId.search(ids) !== -1
}
