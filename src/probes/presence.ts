/**
 * Whether a session runs, judged by the processes of its agent. This is for entries without a recorded process.
 *
 * Pure: the processes are an argument. A session is absent if no process of its agent runs here, or if each of them
 * belongs to another surface by its identity, its arguments or its environment. One process that could be the session's
 * makes it unknown.
 */
import type { Entry, Index, Owner } from '../core/schema.js'
import { idsIn, type Processes, type RunningAgent } from './processes.js'

export type Presence = 'no' | 'unknown' | { readonly at: string }

/** Says whether a session runs. @param entry that holds it; null: none does, so that it may run on any surface */
export type PresenceOf = (sessionId: string, entry: Entry | null) => Presence

/**
 * What the processes of one agent say about the sessions in the index.
 * @param processes those of the agent in this namespace, and others that name a session in their arguments
 * @param mayShare whether a process may keep its sessions where ours are
 */
export function presencesOf(
  index: Index,
  processes: Processes,
  mayShare: (one: RunningAgent) => boolean = () => true
): PresenceOf {
  if (!processes.known) return () => 'unknown'
  const entries = Object.values(index.entries)
  const holders = new Map(entries.flatMap((entry) => (entry.proc ? [[keyOf(entry.proc), entry] as const] : [])))
  const seen = processes.value.map((one) => {
    const ids = new Set(idsIn(one.argv))
    return { one, ids, holder: one.namesSession ? null : holderOf(one, processes.value, holders) }
  })
  const namedBy = new Map(seen.map(({ one, ids }) => [one, entries.filter(({ sessionId }) => ids.has(sessionId))]))
  return (sessionId, entry) => {
    let unclear = false
    for (const { one, ids, holder } of seen) {
      // A background session runs below the agent that started its server, which need not be its own.
      if (one.shows?.includes(sessionId) && !holders.has(keyOf(one.owner))) {
        return { at: one.surfaceId ?? `process ${one.owner.pid}` }
      }
      if (one.namesSession) {
        unclear ||= ids.has(sessionId)
        continue
      }
      if (holder !== null) {
        if (holder.sessionId === sessionId) return { at: holder.surfaceId }
        continue
      }
      if (ids.has(sessionId)) return { at: one.surfaceId ?? `process ${one.owner.pid}` }
      const mayBeHere = entry === null ? mayShare(one) : one.surfaceId === null || one.surfaceId === entry.surfaceId
      const showsAnother = one.shows !== undefined && (entry === null || one.background)
      const another = namedBy.get(one)?.some(({ surfaceId }) => surfaceId !== entry?.surfaceId) ?? false
      if (mayBeHere && !showsAnother && !another && !one.otherUser) unclear = true
    }
    return unclear ? 'unknown' : 'no'
  }
}

/**
 * The entry that records this process or a process above it, because everything inside an agent belongs to that agent.
 * The launcher of a recorded process runs no session of its own.
 */
function holderOf(
  seen: RunningAgent,
  processes: readonly RunningAgent[],
  holders: ReadonlyMap<string, Entry>
): Entry | null {
  const key = keyOf(seen.owner)
  const started = processes.filter(({ ancestors: [parent] }) => parent !== undefined && keyOf(parent) === key)
  for (const owner of [seen.owner, ...seen.ancestors, ...started.map((child) => child.owner)]) {
    const holder = holders.get(keyOf(owner))
    if (holder !== undefined) return holder
  }
  return null
}

/** Equal if sameOwner calls them one process. */
function keyOf({ host, bootId, ns, pid, start }: Owner): string {
  return JSON.stringify([host, bootId, ns, pid, start])
}
