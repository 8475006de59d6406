/** What agents take for a session id. */

/** Lower case as agents make them: an upper-case spelling can name another session. */
export const UUID: RegExp = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Not known: what any session id of ours may be. */
export const ANY_ID: RegExp = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/
