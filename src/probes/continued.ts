/**
 * Whether a conversation went on under another id, by what its agent leaves on disk: the note of a process that handed it
 * to a background job, the state of that job, and the end of its transcript.
 */
import { statSync } from 'node:fs'
import { type AgentPlace, agentPlace } from '../agents/agent-place.js'
import type { AgentRow, ContinuedRule } from '../agents/row.js'
import type { Environment } from '../core/environment.js'
import type { ContinuedAs, Evidence, Retention, TranscriptState } from '../core/evidence.js'
import { given } from '../core/given.js'
import { isPlaceholder } from '../core/ids.js'
import type { Entry, Owner, TranscriptMark } from '../core/schema.js'
import { Folders } from './folders.js'
import { type Known, known, unknown } from './known.js'
import { jsonIn, noteOf, textIn } from './session-of-process.js'
import { settingsValue } from './settings-value.js'
import { type Finding, lastLines } from './transcript-files.js'
import { hasShrunkSince } from './transcript-mark.js'
import { findTranscript } from './transcripts.js'

/** What is known of a session's conversation. */
export interface ConversationPlace {
  readonly sessionId: string
  /** The process that it was seen in. */
  readonly proc?: Owner | undefined
  /** The path of its transcript; absent: it has none. */
  readonly transcript?: string | undefined
}

/**
 * Whether these sessions have transcripts, and those under which the entry's own conversation went on.
 * @param sessions the entry's own, if it is followed
 */
export async function conversationsOf(
  row: AgentRow,
  entry: ConversationPlace & Pick<Entry, 'agent' | 'cwd' | 'mark'> & { readonly last_active?: number | undefined },
  env: Environment,
  sessions: readonly string[] = [entry.sessionId],
  folders: Folders = new Folders()
): Promise<{ readonly [Field in 'transcript' | 'continued' | 'retention']: NonNullable<Evidence[Field]> }> {
  const transcript: Record<string, TranscriptState> = Object.create(null)
  const continued: Record<string, ContinuedAs | 'no' | 'unknown'> = Object.create(null)
  const retention: Record<string, Retention> = Object.create(null)
  const days = keptDays(row, agentPlace(env, entry.cwd))
  const asked = new Set(sessions.filter((id) => !isPlaceholder(id)))
  const followed = new Set([entry.sessionId])
  for (const sessionId of asked) {
    const own = sessionId === entry.sessionId ? entry : undefined
    const query = { sessionId, ...given({ cwd: entry.cwd, transcript: own?.transcript }) }
    const finding = await findTranscript(row, query, { env, folders })
    const state = row.transcriptGrows ? sinceMark(finding, own?.mark) : finding.state
    // A launcher may keep its sessions anywhere: without a recorded agent, not found does not mean gone.
    const isHere = state === 'found' || state === 'shrunk'
    transcript[sessionId] = isHere || entry.agent !== undefined ? state : 'unknown'
    const since = usedAt(finding) ?? (finding.state === 'missing' ? own?.last_active : undefined)
    if (days !== null && since !== undefined) retention[sessionId] = { days, since }
    if (row.continued === undefined || !followed.has(sessionId)) continue
    const place = { sessionId, proc: own?.proc, transcript: finding.state === 'found' ? finding.path : undefined }
    const next = await nextSession(row, place, env)
    if (next.known && next.value !== null) for (const ids of [asked, followed]) ids.add(next.value)
    continued[sessionId] = !next.known ? 'unknown' : next.value === null ? 'no' : { as: next.value }
  }
  return { transcript, continued, retention }
}

/** Null: it removes none, or that is not known. */
function keptDays({ retention }: AgentRow, place: AgentPlace): number | null {
  if (retention === undefined) return null
  const set = settingsValue(retention.settings(place), retention.field)
  if (!set.known) return null
  const days = set.value ?? retention.days
  return typeof days === 'number' && days >= 0 ? days : null
}

/** When the transcript was last changed. */
function usedAt({ state, path }: Finding): number | undefined {
  if (state !== 'found' || path === undefined) return undefined
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs
}

/** What the file is against its mark. One without a message was never used if it has lost nothing. */
function sinceMark({ state, path, unused }: Finding, mark: TranscriptMark | undefined): TranscriptState {
  const hasLost = mark !== undefined && path !== undefined && hasShrunkSince(path, mark)
  // What is left may hold a message, even if none can be read.
  if (state !== 'missing' && hasLost) return 'shrunk'
  return unused && !hasLost ? 'unused' : state
}

/** The session that comes next; null: the conversation did not leave this one. */
export async function nextSession(
  row: AgentRow,
  { sessionId, proc, transcript }: ConversationPlace,
  env: Environment
): Promise<Known<string | null>> {
  const { continued: rule, processNote } = row
  if (rule === undefined) return known(null)
  const note = proc === undefined || processNote === undefined ? known(null) : noteOf(processNote, proc, env)
  if (!note.known) return note
  const parked = textIn(note.value, rule.noteField)
  if (parked !== null && textIn(note.value, processNote?.sessionId ?? '') !== sessionId) {
    return unknown('its process handed another session to the background')
  }
  for (const job of [parked, rule.jobOf(sessionId)]) {
    if (job === null) continue
    const path = rule.jobState(job, agentPlace(env))
    const state = path === null ? unknown(`the state of its job ${job} is unknown`) : jsonIn(path)
    if (!state.known) return state
    const now = textIn(state.value, rule.now)
    if (job === parked && now === null) return unknown(`the session of its job ${job} is unknown`)
    const isItsJob = job === parked || textIn(state.value, rule.first) === sessionId
    if (isItsJob && now !== null && now !== sessionId) return known(now)
  }
  return transcript === undefined ? known(null) : namedAtTheEnd(transcript, rule.line)
}

async function namedAtTheEnd(transcript: string, line: ContinuedRule['line']): Promise<Known<string | null>> {
  const { field, value, next, messages } = line
  const lines = await lastLines(transcript)
  if ('state' in lines) return unknown(lines.why ?? 'its transcript cannot be read')
  const last = lines.find((one) => one[field] === value || messages.includes(String(one[field])))
  return known(last?.[field] === value ? textIn(last, next) : null)
}
