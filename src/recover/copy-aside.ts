/**
 * Copies the conversations that a recovery lets their agents write to: where it resumes more than one, and where a
 * resume may make an agent delete its own. A copy that fails stops nothing; the person is told.
 */
import { agentPlace } from '../agents/agent-place.js'
import { agentEnv } from '../agents/launch-env.js'
import type { AgentRow, AgentTable } from '../agents/row.js'
import { rowFor } from '../agents/table.js'
import type { Environment } from '../core/environment.js'
import { given } from '../core/given.js'
import { Folders } from '../probes/folders.js'
import { settingsValue } from '../probes/settings-value.js'
import { findTranscript } from '../probes/transcripts.js'
import { oneLine } from '../resume/reserve.js'
import { copyConversation } from '../store/conversations.js'
import type { PlanRow } from './plan.js'

interface CopyOptions {
  /** The view of the index: the copies are beside it. */
  readonly view: string
  readonly env: Environment
  readonly agents: AgentTable
  readonly now: number
  readonly tell: (line: string) => void
}

/** @param rows those that are to be resumed */
export async function copyAside(
  rows: readonly PlanRow[],
  { view, env, agents, now, tell }: CopyOptions
): Promise<void> {
  const folders = new Folders()
  const told = new Set<string>()
  let copied = 0
  for (const { entry, sessionId = entry?.sessionId } of rows) {
    const row = rowFor(entry?.agent, agents)
    if (row === undefined || entry === null || sessionId === undefined) continue
    const own = agentEnv(row, entry, env)
    const danger = dangerOf(row, entry.cwd, own)
    if (rows.length < 2 && danger === null) continue
    try {
      if (row.transcripts(sessionId, agentPlace(own, entry.cwd)).some(({ kind }) => kind === 'sqlite')) {
        told.add(`${row.name} keeps all its conversations in one database, which is not copied`)
        continue
      }
      const transcript = sessionId === entry.sessionId ? entry.transcript : undefined
      const query = { sessionId, ...given({ cwd: entry.cwd, transcript }) }
      const { state, path, why } = await findTranscript(row, query, { env: own, folders })
      if (state !== 'found' || path === undefined) throw new Error(why ?? 'it was not found')
      copyConversation(view, { sessionId, agent: entry.agent, path }, now)
      copied++
      if (danger !== null) told.add(danger)
    } catch (error) {
      told.add(`the conversation ${sessionId} is not copied: ${oneLine(error)}`)
    }
  }
  if (copied > 0) {
    const what = copied === 1 ? 'the conversation is' : `${copied} conversations are`
    tell(`${what} copied to ${view}.conversations first`)
  }
  for (const line of told) tell(line)
}

/** What the agent may do to a resumed conversation; null: nothing. The first settings file that has the value decides. */
function dangerOf({ name, deletesResumed }: AgentRow, cwd: string | undefined, env: Environment): string | null {
  if (deletesResumed === undefined) return null
  const { settings, field, safe } = deletesResumed
  const set = settingsValue(settings(agentPlace(env, cwd)), field)
  if (set.known && set.value === safe) return null
  return `${name} may delete a resumed conversation at its next start unless ${field.join('.')} is ${safe}`
}
