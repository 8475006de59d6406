/**
 * Gemini CLI's transcripts: `tmp/<project>/chats/session-<minute>-<first 8 of the id>.jsonl` in its folder.
 *
 * The first line says whose file it is. A start and every resume write a stub, without a message of the person, at
 * once: a session with nothing but stubs has no conversation (seen with 0.61.0).
 */
import { join } from 'node:path'
import {
  type Finding,
  firstFound,
  headOf,
  missing,
  namesAtHome,
  namesIn,
  type TranscriptProbe,
  unknown
} from './transcript-files.js'

/** A stub is below 1 kB for each start; a file that is longer than this holds a conversation. */
const STUB_BYTES = 64 * 1024

export const geminiTranscript: TranscriptProbe = async ({ sessionId }, around) => {
  // Stands for the home folder, not for `.gemini` in it.
  const root = join(around.env['GEMINI_CLI_HOME'] || around.home, '.gemini', 'tmp')
  const projects = namesAtHome(await namesIn(root), root)
  if ('state' in projects) return projects
  const short = `-${sessionId.slice(0, 8)}.jsonl`
  const places = projects.map((project) => async (): Promise<Finding> => {
    const chats = join(root, project, 'chats')
    const names = await namesIn(chats)
    if ('state' in names) return names
    const files = names.filter((name) => name.startsWith('session-') && name.endsWith(short))
    const looks = files.map((name) => () => conversation(join(chats, name), sessionId))
    return firstFound(looks, around, 'no such file')
  })
  return firstFound(places, around, `no chat of this session under ${root}, or none with a message in it`)
}

async function conversation(path: string, sessionId: string): Promise<Finding> {
  const head = await headOf(path, STUB_BYTES)
  if (typeof head !== 'string') return head
  const lines = head.split('\n').map(parse)
  const first = lines[0]
  if (first === null || first === undefined) return { ...unknown('the chat does not begin as one'), path }
  if (first['sessionId'] !== sessionId) return missing('another session')
  const spoken = lines.some((line) => line !== null && (line['type'] === 'user' || line['type'] === 'gemini'))
  if (spoken || head.length === STUB_BYTES) return { state: 'found', path, where: 'own' }
  return { ...missing('the chat holds no message'), path }
}

function parse(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}
