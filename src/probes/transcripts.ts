/**
 * Does this session have a transcript, so that a resume brings something back?
 *
 * Hooks report sessions that have no transcript yet, and agents delete old transcripts. So only the file counts, found
 * by the session's id alone. The path that the agent reported comes first, then the places of its row, for each
 * spelling of the launch folder. The answer is found, missing, or unknown with the reason. It comes within the limit,
 * and is never an error.
 */
import { homedir } from 'node:os'
import type { AgentRow, TranscriptPlace } from '../agents/row.js'
import { isSessionId } from '../core/ids.js'
import { within } from './deadline.js'
import { Folders } from './folders.js'
import { busyness } from './patience.js'
import { type Finding, firstFound, TOO_LATE, unknown } from './transcript-files.js'
import { around, lookAtReported, lookInto, type PlaceQuestion, placeOf } from './transcript-places.js'

export interface TranscriptQuery {
  readonly sessionId: string
  /** The launch folder. */
  readonly cwd?: string
  /** The path that the agent itself reported. */
  readonly transcript?: string
}

export interface TranscriptOptions {
  /** @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** In ms of a quiet machine. @default 1000 */
  readonly limitMs?: number
  /** The folders as the pass sees them. @default a pass of its own */
  readonly folders?: Folders
}

const LIMIT_MS = 1000

/** Looks for the transcript of a session of the agent. */
export async function findTranscript(
  row: Pick<AgentRow, 'name' | 'transcripts'>,
  query: TranscriptQuery,
  options: TranscriptOptions = {}
): Promise<Finding> {
  // Before it becomes a part of a path.
  if (!isSessionId(query.sessionId)) return unknown('not a session id')
  const { env = process.env, limitMs = LIMIT_MS, folders = new Folders() } = options
  try {
    return await within(limitMs * busyness(), TOO_LATE, (deadline) => find(row, query, env, { deadline, folders }))
  } catch (error) {
    return unknown(`looking for the transcript failed: ${error instanceof Error ? error.message : 'an error'}`)
  }
}

async function find(
  row: Pick<AgentRow, 'name' | 'transcripts'>,
  { sessionId, cwd, transcript }: TranscriptQuery,
  env: Readonly<Record<string, string | undefined>>,
  { deadline, folders }: Pick<PlaceQuestion, 'deadline' | 'folders'>
): Promise<Finding> {
  const home = env['HOME'] || homedir()
  const spelled = cwd === undefined ? [{}] : (await folders.spellings(cwd)).map((path) => ({ cwd: path }))
  const all = distinct(spelled.flatMap((folder) => row.transcripts(sessionId, { home, env, ...folder })))
  // Look at the file of every spelling before any search.
  const places = all.toSorted((one, other) => Number(one.kind === 'folder') - Number(other.kind === 'folder'))
  if (places.length === 0) return unknown(`the place of this ${row.name} session is unknown`)
  const looks: (() => Promise<Finding>)[] = []
  const reported = transcript === undefined ? null : placeOf(transcript, places)
  const question = { sessionId, deadline, folders, known: reported !== null }
  if (transcript !== undefined && reported !== null) {
    looks.push(async () => named(await lookAtReported(transcript, reported, question), 'reported'))
    const besides = around(transcript, places)
    looks.push(...besides.map((place) => async () => named(await lookInto(place, question), whereIs(place, places))))
  }
  looks.push(...places.map((place) => async () => named(await lookInto(place, question), whereIs(place, places))))
  return firstFound(looks, deadline, `no transcript of this session where ${row.name} keeps them`)
}

/** If the launch folder leads to a file of its own, a file that a search finds is another folder's. */
function whereIs(place: TranscriptPlace, places: readonly TranscriptPlace[]): 'own' | 'elsewhere' {
  return place.kind === 'folder' && places.some(({ kind }) => kind === 'file') ? 'elsewhere' : 'own'
}

function named(finding: Finding, where: NonNullable<Finding['where']>): Finding {
  return finding.state === 'found' ? { ...finding, where } : finding
}

function distinct(places: readonly TranscriptPlace[]): readonly TranscriptPlace[] {
  const seen = new Set<string>()
  return places.filter((place) => {
    const key = JSON.stringify(place, (_, value) => (value instanceof RegExp ? value.source : value))
    return !seen.has(key) && seen.add(key)
  })
}
