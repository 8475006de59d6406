/**
 * Whether a session runs, from the agent's processes that there are: for entries whose own process nobody recorded.
 *
 * Pure: the processes are an argument. A session is absent when no process of its agent runs here, or each of them
 * belongs to another surface: by its identity, its arguments or its environment. One process that could be the
 * session's makes it unknown.
 */
import type { Entry, Index, Owner } from '../core/schema.js'
import { idsIn, type Processes, type RunningAgent } from './processes.js'

export type Presence = 'no' | 'unknown' | { readonly at: string }

/** Whether a session of an entry runs. */
export type PresenceOf = (sessionId: string, entry: Entry) => Presence

/**
 * What the processes of one agent say of the sessions in the index.
 * @param processes of the entries' agent, in this namespace, and others that have a session among their arguments
 */
export function presencesOf(index: Index, processes: Processes): PresenceOf {
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
      if (one.namesSession) {
        unclear ||= ids.has(sessionId)
        continue
      }
      if (holder !== null) {
        if (holder.sessionId === sessionId) return { at: holder.surfaceId }
        continue
      }
      if (ids.has(sessionId)) return { at: one.surfaceId ?? `process ${one.owner.pid}` }
      const elsewhere = one.surfaceId !== null && one.surfaceId !== entry.surfaceId
      const another = namedBy.get(one)?.some(({ surfaceId }) => surfaceId !== entry.surfaceId) ?? false
      if (!elsewhere && !another && !one.otherUser) unclear = true
    }
    return unclear ? 'unknown' : 'no'
  }
}

/**
 * The entry that has this process recorded, or one above it: what runs inside an agent belongs to it. The launcher of
 * a recorded process is above that one, and is no session of its own.
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

/** Equal for what sameOwner calls one process. */
function keyOf({ host, bootId, ns, pid, start }: Owner): string {
  return JSON.stringify([host, bootId, ns, pid, start])
}
