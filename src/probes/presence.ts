/**
 * Whether a session runs, from the agent's processes that there are: for entries whose own process nobody recorded.
 *
 * Pure: the processes are an argument. A session is absent when no process of its agent runs here, or each of them
 * belongs to another surface: by its identity, its arguments or its environment. One process that could be the
 * session's makes it unknown.
 */

import { sameOwner } from '../core/owner.js'
import type { Entry, Index, Owner } from '../core/schema.js'

/** A running process of an agent. */
export interface AgentProcessSeen {
  readonly owner: Owner
  /** The processes above it, nearest first. */
  readonly ancestors: readonly Owner[]
  readonly argv: readonly string[]
  /** The surface that its environment binds it to; null: none, or it could not be read. */
  readonly surfaceId: string | null
  /** Not the agent's program, but one of its arguments is a session of the entry: a wrapper, or an agent by another name. */
  readonly stranger?: true
  /** Of another user, who cannot have the transcript open: it is readable for its own user alone. */
  readonly otherUser: boolean
}

export type Presence = 'no' | 'unknown' | { readonly at: string }

/**
 * Whether `sessionId`, a session of the entry, runs.
 * @param processes of the entry's agent, in this namespace; null: they could not be looked at
 */
export function presenceOf(
  sessionId: string,
  entry: Entry,
  index: Index,
  processes: readonly AgentProcessSeen[] | null
): Presence {
  if (processes === null) return 'unknown'
  const entries = Object.values(index.entries)
  let unclear = false
  for (const seen of processes) {
    if (seen.stranger) {
      unclear ||= names(seen, sessionId)
      continue
    }
    const holder = holderOf(seen, processes, entries)
    if (holder !== null) {
      if (holder.sessionId === sessionId) return { at: holder.surfaceId }
      continue
    }
    if (names(seen, sessionId)) return { at: seen.surfaceId ?? `process ${seen.owner.pid}` }
    const elsewhere = seen.surfaceId !== null && seen.surfaceId !== entry.surfaceId
    const another = entries.some((other) => other.surfaceId !== entry.surfaceId && names(seen, other.sessionId))
    if (!elsewhere && !another && !seen.otherUser) unclear = true
  }
  return unclear ? 'unknown' : 'no'
}

/**
 * The entry that has this process recorded, or one above it: what runs inside an agent belongs to it. The launcher of
 * a recorded process is above that one, and is no session of its own.
 */
function holderOf(
  seen: AgentProcessSeen,
  processes: readonly AgentProcessSeen[],
  entries: readonly Entry[]
): Entry | null {
  const started = processes.filter(({ ancestors }) => ancestors[0] !== undefined && sameOwner(ancestors[0], seen.owner))
  for (const owner of [seen.owner, ...seen.ancestors, ...started.map((child) => child.owner)]) {
    const holder = entries.find(({ proc }) => proc !== undefined && sameOwner(proc, owner))
    if (holder !== undefined) return holder
  }
  return null
}

/** True where one of the arguments is the session's id. After a change inside the agent they still name the old one. */
function names({ argv }: AgentProcessSeen, sessionId: string): boolean {
  return argv.some((arg) => arg === sessionId || arg.endsWith(`=${sessionId}`))
}
