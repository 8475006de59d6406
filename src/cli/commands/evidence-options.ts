/** What the caller says on the command line of a surface; it stands over what is found out. */
import { type Entry, type Evidence, given, isPlaceholder } from '../../index.js'
import type { Task } from '../task.js'
import { text } from '../task.js'

/** The options and where the parser leaves them. */
const OPTIONS = {
  '--session': 'session',
  '--transcript': 'transcript',
  '--surface-state': 'surfaceState',
  '--task': 'task',
  '--cwd-state': 'cwdState'
} as const

type Transcript = 'found' | 'missing' | 'unknown'

/** @param entry of the surface; null: the index holds none, or cannot read it */
export function evidenceFrom(task: Task, surfaceId: string, entry: Entry | null): Evidence {
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
 * Where no session id is known, the word on its transcript or its life is one on whichever session it may be: there
 * is none, or there is one and nobody says which. That nothing was found of a surface without an entry is left to the
 * probes: an agent that runs there stands against it.
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

/** The same as words, for the next command to say again. */
export function evidenceWords(task: Task): readonly string[] {
  return Object.entries(OPTIONS).flatMap(([option, name]) => {
    const value = text(task, name)
    return value === undefined ? [] : [option, value]
  })
}
