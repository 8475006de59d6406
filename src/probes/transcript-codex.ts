/**
 * Codex's transcripts: `sessions/YYYY/MM/DD/rollout-<local time>-<session id>.jsonl` in its home folder.
 *
 * The id is a UUID of version 7, whose first 48 bits are the time of the first start: the folder of that day, and its
 * neighbours for the time zone, are looked into before all others (seen with 0.171.0).
 */
import { basename, join } from 'node:path'
import {
  agentHome,
  type Environment,
  type Finding,
  firstFound,
  jsonLines,
  namesAtHome,
  namesIn,
  type Surroundings,
  TOO_LATE,
  type TranscriptProbe,
  unknown
} from './transcript-files.js'

const DAY_MS = 24 * 60 * 60 * 1000

export const codexTranscript: TranscriptProbe = async ({ sessionId, cwd, transcript }, around) => {
  // An id in capitals names the same session.
  const id = sessionId.toLowerCase()
  const home = codexHome(around.env, cwd, around.home)
  const places: (() => Promise<Finding>)[] = []
  if (transcript !== undefined && isRollout(basename(transcript), id)) {
    places.push(() => jsonLines(transcript, 'reported'))
  }
  if (home === null) {
    if (places.length === 0) places.push(async () => unknown('CODEX_HOME is relative, to a folder not known'))
    return firstFound(places, around, 'no rollout of this session')
  }
  const sessions = join(home, 'sessions')
  const known = places.length > 0
  places.push(...daysOf(id).map((day) => () => inFolder(join(sessions, day), id)))
  places.push(() => inAllDays(sessions, id, around, !known))
  places.push(() => inArchive(join(home, 'archived_sessions'), id))
  return firstFound(places, around, `no rollout of this session under ${sessions}`)
}

/** What becomes of an archived session, and whether it resumes, has not been seen. */
async function inArchive(folder: string, id: string): Promise<Finding> {
  const { state, path = folder } = await inFolder(folder, id)
  return state === 'found' ? { ...unknown('the session is archived'), path } : { state }
}

/** Codex's home folder; an empty variable counts as none. */
export function codexHome(env: Environment, cwd: string | undefined, home: string): string | null {
  return agentHome(env['CODEX_HOME'] || undefined, cwd, join(home, '.codex'))
}

function isRollout(name: string, id: string): boolean {
  return name.startsWith('rollout-') && name.toLowerCase().endsWith(`-${id}.jsonl`)
}

/** The day of a version 7 UUID as `YYYY/MM/DD`, the day after and the day before; none for another id. */
function daysOf(id: string): readonly string[] {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-7/.test(id)) return []
  const at = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
  return [0, DAY_MS, -DAY_MS].map((shift) => new Date(at + shift).toISOString().slice(0, 10).replaceAll('-', '/'))
}

async function inFolder(folder: string, id: string): Promise<Finding> {
  const names = await namesIn(folder)
  if ('state' in names) return names
  const name = names.find((one) => isRollout(one, id))
  if (name !== undefined) return jsonLines(join(folder, name), 'own')
  const odd = names.find((one) => one.toLowerCase().includes(id))
  return odd === undefined ? { state: 'missing' } : unknown(`${join(folder, odd)} is no rollout that is known here`)
}

/** `home`: there must be a folder, or the agent has another home. */
async function inAllDays(sessions: string, id: string, around: Surroundings, home: boolean): Promise<Finding> {
  const years = await namesIn(sessions)
  let folders = home ? namesAtHome(years, sessions) : years
  if ('state' in folders) return folders
  folders = numbered(sessions, folders)
  for (const _ of ['months', 'days']) {
    const below: string[] = []
    for (const folder of folders) {
      if (around.deadline.passed()) return TOO_LATE
      const names = await namesIn(folder)
      if (!('state' in names)) below.push(...numbered(folder, names))
      else if (names.state === 'unknown') return names
    }
    folders = below
  }
  const places = folders.map((folder) => () => inFolder(folder, id))
  return firstFound(places.reverse(), around, 'no such file')
}

function numbered(folder: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => /^\d+$/.test(name)).map((name) => join(folder, name))
}
