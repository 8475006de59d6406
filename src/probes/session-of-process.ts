/**
 * The session of a running agent, as its process shows it: by the files that it holds open, or by a note that it writes
 * about itself. For agents that choose their own ids, and as a proof that the right session is running.
 */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { agentPlace } from '../agents/agent-place.js'
import type { AgentRow, ProcessNote } from '../agents/row.js'
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
export function showsSession(row: AgentRow, env: Environment): boolean {
  const { sessionFilePattern, processNote, showsWithPrompt } = row
  if (showsWithPrompt) return false
  const note = processNote?.path(process.pid, agentPlace(env)) ?? undefined
  return sessionFilePattern !== undefined || (note !== undefined && existsSync(dirname(note)))
}

/** Every session that the process shows: the one in its note, and those whose files it holds. Not seen is not none. */
export function sessionsShown(row: AgentRow, owner: Owner, env: Environment): readonly string[] {
  const [held, noted] = [heldSessions(row, owner.pid), notedSession(row, owner, env)]
  return [...(held.known ? held.value : []), ...(noted.known && noted.value !== null ? [noted.value] : [])]
}

/** The files of earlier sessions can stay open, so the session that started last counts. */
function heldSession(row: AgentRow, pid: number): Known<string | null> {
  const ids = heldSessions(row, pid)
  const at = (id: string): number => row.startedSince?.at(id) ?? 0
  return ids.known ? known(ids.value.toSorted((a, b) => at(b) - at(a))[0] ?? null) : ids
}

function heldSessions({ sessionFilePattern }: AgentRow, pid: number): Known<readonly string[]> {
  if (sessionFilePattern === undefined) return known([])
  if (process.platform !== 'linux') return unknown(`the open files of a process cannot be read on ${process.platform}`)
  const files = openFiles(pid)
  if (!files.known) return files
  return known(files.value.flatMap((path) => sessionFilePattern.exec(path)?.[1] ?? []))
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

function notedSession({ processNote }: AgentRow, owner: Owner, env: Environment): Known<string | null> {
  if (processNote === undefined) return known(null)
  const note = noteOf(processNote, owner, env)
  return note.known ? known(textIn(note.value, processNote.sessionId)) : note
}

/** The note that this very process keeps of itself; null: none. */
export function noteOf(
  { path, start }: ProcessNote,
  owner: Owner,
  env: Environment
): Known<Readonly<Record<string, unknown>> | null> {
  const file = path(owner.pid, agentPlace(env))
  if (file === null || owner.start === undefined) return unknown('the place of its note is unknown')
  const note = jsonIn(file)
  // It may be of an earlier process with this number.
  return note.known && String(note.value?.[start]) !== owner.start ? known(null) : note
}

/** The object in a JSON file; null: there is no such file. */
export function jsonIn(path: string): Known<Readonly<Record<string, unknown>> | null> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof value !== 'object' || value === null) return unknown(`${path} cannot be read`)
    return known({ ...value })
  } catch (error) {
    // The agent may be writing it right now.
    return isAbsence(error) ? known(null) : unknown(`${path} cannot be read: ${codeOf(error)}`)
  }
}

export function textIn(object: Readonly<Record<string, unknown>> | null, field: string): string | null {
  const value = object?.[field]
  return typeof value === 'string' && value !== '' ? value : null
}
