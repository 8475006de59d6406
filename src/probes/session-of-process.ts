/**
 * The session of a running agent, as its process shows it: by the files that it holds open, or by a note that it writes
 * about itself. For agents that choose their own ids, and as a proof that the right session is running.
 */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { agentPlace } from '../agents/agent-place.js'
import type { AgentRow } from '../agents/row.js'
import type { Environment } from '../core/environment.js'
import type { Owner } from '../core/schema.js'
import { type Known, known, unknown } from './known.js'
import { codeOf, isAbsence } from './transcript-files.js'

/** More open files than any agent has. */
const MAX_FILES = 4096

/** The session that the process shows now; null: none. */
export function sessionOfProcess(row: AgentRow, owner: Owner, env: Environment = process.env): Known<string | null> {
  const held = heldSession(row, owner.pid)
  const noted = notedSession(row, owner, env)
  if (held.known && held.value !== null) return held
  return noted.known && noted.value === null ? held : noted
}

/**
 * Whether a running agent is expected to show its session. A version that never wrote a note here, as an old one, is
 * not.
 */
export function showsSession({ sessionFilePattern, processNote }: AgentRow, env: Environment): boolean {
  const note = processNote?.path(process.pid, agentPlace(env)) ?? undefined
  return sessionFilePattern !== undefined || (note !== undefined && existsSync(dirname(note)))
}

/** The files of earlier sessions can stay open, so the session that started last counts. */
function heldSession({ sessionFilePattern, startedSince }: AgentRow, pid: number): Known<string | null> {
  if (sessionFilePattern === undefined) return known(null)
  if (process.platform !== 'linux') return unknown(`the open files of a process cannot be read on ${process.platform}`)
  const files = openFiles(pid)
  if (!files.known) return files
  const ids = files.value.flatMap((path) => sessionFilePattern.exec(path)?.[1] ?? [])
  const at = (id: string): number => startedSince?.at(id) ?? 0
  return known(ids.toSorted((a, b) => at(b) - at(a))[0] ?? null)
}

function openFiles(pid: number): Known<readonly string[]> {
  const folder = `/proc/${pid}/fd`
  try {
    const names = readdirSync(folder)
    if (names.length > MAX_FILES) return unknown(`process ${pid} has more than ${MAX_FILES} files open`)
    return known(names.flatMap((name) => linkOf(join(folder, name)) ?? []))
  } catch (error) {
    return unknown(`the open files of process ${pid} cannot be read: ${codeOf(error)}`)
  }
}

/** Null: it was closed meanwhile. */
function linkOf(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch (error) {
    if (isAbsence(error)) return null
    throw error
  }
}

function notedSession({ processNote }: AgentRow, { pid, start }: Owner, env: Environment): Known<string | null> {
  if (processNote === undefined) return known(null)
  const path = processNote.path(pid, agentPlace(env))
  if (path === null || start === undefined) return unknown('the place of its note is unknown')
  try {
    const note: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof note !== 'object' || note === null) return unknown('its note cannot be read')
    const [sessionId, started]: unknown[] = [processNote.sessionId, processNote.start].map((field) =>
      Reflect.get(note, field)
    )
    // The note may be of an earlier process with this number.
    return known(String(started) === start && typeof sessionId === 'string' ? sessionId : null)
  } catch (error) {
    // The agent may be writing it right now.
    return isAbsence(error) ? known(null) : unknown(`its note cannot be read: ${codeOf(error)}`)
  }
}
