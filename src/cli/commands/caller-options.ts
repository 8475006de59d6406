/** What the caller states on the command line: the evidence, which counts instead of what is probed, and the owner. */

import { given, type OwnOptions } from '../../admin.js'
import { isPlaceholder, verdictOf } from '../../core.js'
import { type Entry, type Evidence, type Owner, ownerOf } from '../../index.js'
import { mistake, number, type Parsed, text } from '../task.js'

const OPTIONS = {
  '--session': 'session',
  '--transcript': 'transcript',
  '--surface-state': 'surfaceState',
  '--task': 'task',
  '--cwd-state': 'cwdState'
} as const

type Transcript = 'found' | 'missing' | 'unknown'

/** @param entry of the surface; null: the index holds none, or cannot read it */
export function evidenceFrom(task: Parsed, surfaceId: string, entry: Entry | null): Evidence {
  const session = text(task, 'session')
  const here = entry === null ? {} : { [entry.sessionId]: { at: surfaceId } }
  const running = { running: here, not_running: 'no', unknown: 'unknown' } as const
  const transcript = text(task, 'transcript') as Transcript | undefined
  return given({
    running: session === undefined ? undefined : running[session as keyof typeof running],
    transcript: transcript && entry ? { [entry.sessionId]: transcript } : undefined,
    candidates: candidatesFrom(session, transcript, entry),
    surface: text(task, 'surfaceState') as Evidence['surface'],
    task: text(task, 'task') as Evidence['task'],
    cwd: text(task, 'cwdState') as Evidence['cwd']
  })
}

/**
 * Where no session id is known, a statement on its transcript or its life is about any session that it may be: there is
 * none, or there is one without a name. That nothing was found of a surface without an entry is left to the probes: an
 * agent that runs there contradicts it.
 */
function candidatesFrom(
  session: string | undefined,
  transcript: Transcript | undefined,
  entry: Entry | null
): Evidence['candidates'] {
  if (entry === null) return transcript === 'found' || session === 'running' ? 'unknown' : undefined
  if (!isPlaceholder(entry.sessionId) || transcript === undefined) return undefined
  return transcript === 'missing' ? [] : 'unknown'
}

/** The evidence as options, for the next command to state again. */
export function statedEvidence(task: Parsed): OwnOptions {
  return Object.fromEntries(Object.entries(OPTIONS).map(([option, name]) => [option, text(task, name)]))
}

/** The process that --owner names. A dead owner is permission for the next gate, so only a living process may be one. */
export function ownerFrom(task: Parsed): Owner {
  const pid = number(task, 'owner') ?? 0
  const owner = ownerOf(pid)
  if (owner !== null && verdictOf(owner) === 'alive') return owner
  throw mistake(`--owner ${pid} is not a living process`, 'name the one that will call settle; in a shell `--owner $$`')
}
