/**
 * Follows what the agent's process shows of its session for as long as it runs: the id of an agent that chooses its own,
 * the next one where a /clear is not reported by a hook, and the one in the background that the conversation was handed
 * to.
 */
import type { Launch, NamedSession } from '../agents/launch-argv.js'
import { agentEnv } from '../agents/launch-env.js'
import type { AgentRow } from '../agents/row.js'
import { entryAt } from '../core/entry.js'
import type { Environment } from '../core/environment.js'
import { conversationOf } from '../core/evidence.js'
import { isPlaceholder } from '../core/ids.js'
import { observe } from '../core/observe.js'
import type { Entry, Owner } from '../core/schema.js'
import { ownersOf } from '../core/verbs.js'
import { agentBelow } from '../probes/agent-below.js'
import { ancestorsOf } from '../probes/ancestry.js'
import { conversationsOf, nextSession } from '../probes/continued.js'
import { thisMachine, verdictsFor } from '../probes/process.js'
import { sessionOfProcess } from '../probes/session-of-process.js'
import { oneLine } from '../resume/reserve.js'
import type { Store } from '../store/store.js'

const LOOK_MS = 1000

/** What was started, and where it is recorded. */
export interface Followed {
  readonly store: Store
  readonly launch: Launch
  readonly named: NamedSession
  readonly surfaceId: string
  readonly env: Environment
  readonly cwd: string
  readonly now: () => number
  readonly say: (line: string) => void
}

export interface Following {
  readonly stop: () => void
  /** A last look: whether the conversation went on in the background. */
  readonly handedOver: () => Promise<boolean>
}

/** @param started the program that was started */
export function followSession(start: Followed, started: Owner | null): Following {
  const { store, launch, named, surfaceId, env, cwd, now, say } = start
  const { row } = launch
  // Some versions leave an old note of themselves behind, so that only a change of it counts.
  let [last, handed]: [string | undefined, boolean] = [undefined, false]
  const look = async (): Promise<void> => {
    const proc = processOf(row, started)
    const entry = entryAt(await store.load(), surfaceId)
    const shown = proc && sessionOfProcess(row, proc, agentEnv(row, entry ?? {}, env))
    if (proc === undefined || !shown?.known || shown.value === null) return
    const sessionId = shown.value
    if (sessionId === last) {
      handed ||= await followContinued(start, entry, sessionId === entry?.sessionId ? proc : undefined)
      return
    }
    // What the agent has chosen is known from now on.
    const isChosen = named.by === 'agent' && entry?.attempt !== undefined
    const isNews = last !== undefined || isChosen || (entry !== null && isPlaceholder(entry.sessionId))
    if (isNews && entry !== null && (isChosen || entry.sessionId !== sessionId)) {
      const seen = { surfaceId, sessionId, repo: entry.repo, agent: row.name, cwd, seen: thisMachine() }
      const sighting = { ...seen, proc, ancestors: ancestorsOf(proc.pid) }
      await store.update((index) => observe(index, sighting, verdictsFor([proc]), now()).index)
    }
    last = sessionId
  }
  const shows = row.sessionFilePattern !== undefined || row.processNote !== undefined
  const timer = shows ? setInterval(() => void written(say, look), LOOK_MS).unref() : undefined
  return {
    stop: () => clearInterval(timer),
    handedOver: async () => {
      await written(say, async () => {
        if (await followContinued(start, entryAt(await store.load(), surfaceId), undefined)) handed = true
      })
      return handed
    }
  }
}

/**
 * @param proc the agent's process, where it is the one that shows the entry's session
 * @returns whether the conversation was handed over
 */
async function followContinued(
  { store, launch: { row }, env, now }: Followed,
  entry: Entry | null,
  proc: Owner | undefined
): Promise<boolean> {
  if (entry === null || row.continued === undefined) return false
  const own = agentEnv(row, entry, env)
  const { surfaceId, sessionId: continues, repo } = entry
  // Most of the time nothing was handed over: its transcript is not looked for each time.
  const next = proc === undefined ? null : await nextSession(row, { sessionId: continues, proc }, own)
  if (next?.known && next.value === null) return false
  const found = await conversationsOf(row, { ...entry, proc }, own)
  const { sessions, sessionId, unclear } = conversationOf(found, continues)
  if (unclear === undefined && sessionId !== continues) {
    const sighting = { surfaceId, sessionId, repo, agent: row.name, seen: thisMachine(), continues }
    await store.update((index) => observe(index, sighting, verdictsFor(ownersOf(entry)), now()).index)
  }
  return sessions.length > 1 || unclear !== undefined
}

/** The agent's own process below the started program; the program itself if none is known. */
export function processOf(row: AgentRow, started: Owner | null): Owner | undefined {
  const below = started === null ? null : agentBelow(row, started)
  return (below?.known ? below.value : null) ?? started ?? undefined
}

export async function written(say: Followed['say'], write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (error) {
    say(`not written down: ${oneLine(error)}`)
  }
}
