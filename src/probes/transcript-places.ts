/**
 * Looks for a session's transcript in the places that the agent's row names.
 *
 * If the agent's whole folder is missing, a variable that is not set here must have named another one. Then the
 * transcript is unknown, not missing.
 */
import { basename, dirname, join } from 'node:path'
import type { TranscriptFolder, TranscriptPlace } from '../agents/row.js'
import type { Deadline } from './deadline.js'
import type { Folders } from './folders.js'
import {
  conversation,
  type Finding,
  firstFound,
  headOf,
  missing,
  stronger,
  TOO_LATE,
  unknown
} from './transcript-files.js'

const SQLITE_WAIT_MS = 200

export interface PlaceQuestion {
  readonly sessionId: string
  readonly deadline: Deadline
  readonly folders: Folders
  /** True if the agent itself reported its folder, so that a missing folder says something. */
  readonly known: boolean
}

export async function lookInto(place: TranscriptPlace, question: PlaceQuestion): Promise<Finding> {
  switch (place.kind) {
    case 'file': {
      const look = (path: string): Promise<Finding> => conversation(path, question.sessionId, place)
      const finding = await fileIn(dirname(place.path), basename(place.path), question, look)
      if (finding.state !== 'missing' || place.root === undefined || question.known) return finding
      const root = await question.folders.list(place.root)
      return 'state' in root ? atHome(root, place.root) : finding
    }
    case 'folder':
      return lookBelow(place, question)
    case 'sqlite':
      return lookInDatabase(place.path, place.query, question.sessionId)
    case 'opaque':
      return unknown('its sessions cannot be read here', place.path)
  }
}

function atHome(finding: Finding, folder: string): Finding {
  if (finding.state !== 'missing') return finding
  return unknown(`no folder ${folder}; the agent may keep its sessions elsewhere`, folder)
}

async function lookBelow(place: TranscriptFolder, question: PlaceQuestion): Promise<Finding> {
  const { folder, depth, likely = [], archived = false } = place
  const { deadline } = question
  let doubt: Finding | undefined
  for (const near of likely) {
    const finding = await lookIn(join(folder, near), place, question)
    if (finding.state !== 'missing') return finding
    doubt = stronger(doubt, finding)
  }
  const root = await question.folders.list(folder)
  if ('state' in root) return question.known || archived ? root : atHome(root, folder)
  let level: readonly string[] = [folder]
  for (let down = 0; down <= depth; down++) {
    const next: string[] = []
    for (const one of level) {
      if (deadline.passed()) return TOO_LATE
      const finding = await lookIn(one, place, question)
      if (finding.state === 'found') return archived ? unknown('the session is archived', finding.path) : finding
      doubt = stronger(doubt, finding)
      if (down === depth) continue
      const names = await question.folders.list(one)
      if (!('state' in names)) next.push(...names.folders)
      else doubt = stronger(doubt, names)
    }
    level = next
  }
  return doubt ?? missing(`no file of this session under ${folder}`)
}

/** The session's file in this folder, not below it. */
async function lookIn(folder: string, place: TranscriptFolder, question: PlaceQuestion): Promise<Finding> {
  const { name } = place
  if (typeof name === 'string')
    return fileIn(folder, name, question, (path) => conversation(path, question.sessionId, place))
  const names = await question.folders.list(folder)
  if ('state' in names) return names
  const fitting = names.files.filter((file) => name.test(file))
  const looks = fitting.map((file) => () => conversation(join(folder, file), question.sessionId, place))
  return firstFound(looks, question.deadline, 'no such file')
}

/** A file of this name in a folder. It is opened only if the folder's list has it. */
async function fileIn(
  folder: string,
  name: string,
  { folders }: PlaceQuestion,
  look: (path: string) => Promise<Finding>
): Promise<Finding> {
  const names = await folders.list(folder)
  if ('state' in names) {
    // A folder that cannot be listed may still hold the file.
    return names.state === 'missing' ? names : look(join(folder, name))
  }
  const path = join(folder, name)
  return names.files.includes(name) || names.folders.includes(path) ? look(path) : missing('no such file', path)
}

/** The place that a reported path belongs to; null: it cannot be this session's transcript. */
export function placeOf(path: string, places: readonly TranscriptPlace[]): TranscriptPlace | null {
  const file = basename(path)
  const fitting = places.find((place) => {
    if (place.kind === 'file') return basename(place.path) === file
    if (place.kind !== 'folder') return false
    return typeof place.name === 'string' ? place.name === file : place.name.test(file)
  })
  return fitting ?? null
}

/** Looks at the file that the agent reported, in the way of its place. */
export function lookAtReported(path: string, place: TranscriptPlace, { sessionId }: PlaceQuestion): Promise<Finding> {
  return conversation(path, sessionId, place.kind === 'file' || place.kind === 'folder' ? place : {})
}

/** The same search under the folder of the reported path: the agent may have had another configuration then. */
export function around(path: string, places: readonly TranscriptPlace[]): readonly TranscriptFolder[] {
  return places
    .filter((place) => place.kind === 'folder' && place.archived !== true)
    .map((place) => ({ ...(place as TranscriptFolder), folder: above(path, (place as TranscriptFolder).depth + 1) }))
}

function above(path: string, levels: number): string {
  return levels === 0 ? path : above(dirname(path), levels - 1)
}

/** The used part of node:sqlite, which Node 20 does not have. */
interface Sqlite {
  readonly DatabaseSync: new (
    path: string,
    options: { readonly readOnly: boolean; readonly timeout: number }
  ) => {
    prepare(sql: string): { get(value: string): unknown }
    close(): void
  }
}

async function lookInDatabase(path: string, query: string, sessionId: string): Promise<Finding> {
  const head = await headOf(path, 16)
  if (typeof head !== 'string') return head.state === 'missing' ? atHome(head, dirname(path)) : head
  const sqlite: unknown = process.getBuiltinModule('node:sqlite')
  if (!isSqlite(sqlite)) return unknown('its sessions are in SQLite, which this version of Node cannot read', path)
  try {
    const database = new sqlite.DatabaseSync(path, { readOnly: true, timeout: SQLITE_WAIT_MS })
    try {
      const row = database.prepare(query).get(sessionId)
      return row === undefined ? missing('no message of this session', path) : { state: 'found', path }
    } finally {
      database.close()
    }
  } catch (error) {
    return unknown(`reading the sessions failed: ${error instanceof Error ? error.message : 'an error'}`, path)
  }
}

function isSqlite(value: unknown): value is Sqlite {
  return typeof value === 'object' && value !== null && 'DatabaseSync' in value
}
