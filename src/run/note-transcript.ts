/**
 * Notes the mark of the transcript while its agent runs here, for agents whose hooks do not.
 */
import { agentEnv } from '../agents/launch-env.js'
import type { AgentRow } from '../agents/row.js'
import { entryAt } from '../core/entry.js'
import type { Environment } from '../core/environment.js'
import { given } from '../core/given.js'
import { isPlaceholder } from '../core/ids.js'
import { noteMark } from '../core/verbs.js'
import { markOf } from '../probes/transcript-mark.js'
import { findTranscript } from '../probes/transcripts.js'
import type { Store } from '../store/store.js'

interface Watched {
  readonly store: Store
  readonly row: AgentRow
  readonly surfaceId: string
  readonly env: Environment
}

/** Writes only what differs. */
export async function noteTranscript({ store, row, surfaceId, env }: Watched): Promise<void> {
  const entry = entryAt(await store.load(), surfaceId)
  if (entry === null || !row.transcriptGrows || isPlaceholder(entry.sessionId)) return
  const { sessionId, cwd, transcript } = entry
  const query = { sessionId, ...given({ cwd, transcript }) }
  const { state, path } = await findTranscript(row, query, { env: agentEnv(row, entry, env) })
  const mark = state === 'found' && path !== undefined ? markOf(path, sessionId, entry.mark) : undefined
  if (mark === undefined || mark.size === entry.mark?.size) return
  await store.update((index) => noteMark(index, { surfaceId, sessionId, mark }))
}
