/**
 * Which session a running agent is in, by what its process itself shows: the files that it holds open, or a note that
 * it keeps of itself. For agents that choose their own ids, and as a proof that the right session is up.
 */

import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { agentPlace } from '../agents/agent-place.js'
import type { AgentRow } from '../agents/row.js'
import type { Environment } from '../core/environment.js'
import type { Owner } from '../core/schema.js'

/** More open files than any agent has. */
const MAX_FILES = 4096

/** Null: it shows nothing, or may not be looked at. */
export function sessionOfProcess(row: AgentRow, owner: Owner, env: Environment = process.env): string | null {
  return heldSession(row, owner.pid) ?? notedSession(row, owner, env)
}

/** The files of earlier sessions can stay open; of several sessions the one that started last counts. */
function heldSession({ sessionFilePattern, startedSince }: AgentRow, pid: number): string | null {
  if (sessionFilePattern === undefined || process.platform !== 'linux') return null
  const ids = openFiles(pid).flatMap((path) => sessionFilePattern.exec(path)?.[1] ?? [])
  const at = (id: string): number => startedSince?.at(id) ?? 0
  return ids.toSorted((a, b) => at(b) - at(a))[0] ?? null
}

function openFiles(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder)
      .slice(0, MAX_FILES)
      .flatMap((name) => linkOf(join(folder, name)) ?? [])
  } catch {
    return []
  }
}

/** Null: it was closed meanwhile. */
function linkOf(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

function notedSession({ processNote }: AgentRow, { pid, start }: Owner, env: Environment): string | null {
  const path = processNote?.path(pid, agentPlace(env))
  if (processNote === undefined || path === undefined || path === null) return null
  try {
    const note: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof note !== 'object' || note === null) return null
    const [sessionId, started]: unknown[] = [processNote.sessionId, processNote.start].map((field) =>
      Reflect.get(note, field)
    )
    // A note that an earlier process of this number has left.
    return start !== undefined && String(started) === start && typeof sessionId === 'string' ? sessionId : null
  } catch {
    return null
  }
}
