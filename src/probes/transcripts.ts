/**
 * Is there a transcript of this session, so that a resume would bring something back?
 *
 * Hooks announce sessions that have no transcript yet, and transcripts vanish by retention: what counts is the file,
 * found by the session's id alone. The answer is found, missing or unknown with the reason; it comes within the limit
 * and is never an error.
 */
import { join } from 'node:path'
import { isSessionId } from '../core/ids.js'
import { within } from './deadline.js'
import { claudeTranscript } from './transcript-claude.js'
import { codexTranscript } from './transcript-codex.js'
import {
  type Environment,
  type Finding,
  firstFound,
  homeOf,
  jsonLines,
  namesAtHome,
  namesIn,
  TOO_LATE,
  type TranscriptProbe,
  type TranscriptQuery,
  unknown
} from './transcript-files.js'
import { geminiTranscript } from './transcript-gemini.js'
import { opencodeTranscript } from './transcript-opencode.js'

export interface TranscriptOptions {
  /** @default process.env */
  readonly env?: Environment
  /** In ms. @default 1000 */
  readonly limitMs?: number
}

const LIMIT_MS = 1000

/** `session-state/<session id>/events.jsonl` in its home folder (seen with Copilot CLI 1.0.102). */
const copilotTranscript: TranscriptProbe = async ({ sessionId }, { env, home }) => {
  const sessions = join(env['COPILOT_HOME'] || join(home, '.copilot'), 'session-state')
  const names = namesAtHome(await namesIn(sessions), sessions)
  return 'state' in names ? names : jsonLines(join(sessions, sessionId, 'events.jsonl'), 'own')
}

/** `projects/<folder>/chats/<session id>.jsonl` (seen with Qwen Code 0.15.10). */
const qwenTranscript: TranscriptProbe = async ({ sessionId }, around) => {
  const { env, home } = around
  const projects = join(env['QWEN_RUNTIME_DIR'] || env['QWEN_HOME'] || join(home, '.qwen'), 'projects')
  const folders = namesAtHome(await namesIn(projects), projects)
  if ('state' in folders) return folders
  const places = folders.map((folder) => () => jsonLines(join(projects, folder, 'chats', `${sessionId}.jsonl`), 'own'))
  return firstFound(places, around, `no chat of this session under ${projects}`)
}

const PROBES: ReadonlyMap<string, TranscriptProbe> = new Map([
  ['claude', claudeTranscript],
  ['codex', codexTranscript],
  ['copilot', copilotTranscript],
  ['gemini', geminiTranscript],
  ['opencode', opencodeTranscript],
  ['qwen', qwenTranscript]
])

/** Looks for the transcript of a session of `agent`. */
export async function findTranscript(
  agent: string,
  query: TranscriptQuery,
  options: TranscriptOptions = {}
): Promise<Finding> {
  const probe = PROBES.get(agent)
  if (probe === undefined) return unknown(`where ${agent} keeps its transcripts is not known here`)
  // Before it becomes a part of a path.
  if (!isSessionId(query.sessionId)) return unknown('not a session id')
  const env = options.env ?? process.env
  try {
    return await within(options.limitMs ?? LIMIT_MS, TOO_LATE, (deadline) =>
      probe(query, { env, home: homeOf(env), deadline })
    )
  } catch (error) {
    return unknown(`looking for the transcript failed: ${error instanceof Error ? error.message : 'an error'}`)
  }
}
