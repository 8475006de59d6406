/** Indexes in the states that a writer may find, each with the surfaces that are acknowledged in it. */
import { writeFileSync } from 'node:fs'
import type { Entry } from '../../src/core/schema.js'
import type { IndexFolder } from './index-folder.js'
import type { Job } from './jobs.js'

export interface Start {
  readonly name: string
  readonly make: (folder: IndexFolder) => Promise<readonly string[]>
  /** What the writer's job has besides its path and surfaces. */
  readonly job: Pick<Job, 'rival'>
}

export const firstEver: Start = { name: 'the first record ever', make: async () => [], job: {} }

export const ontoEight: Start = {
  name: 'a record onto eight revisions',
  make: async (folder) => {
    const surfaces = Array.from({ length: 8 }, (_, n) => `there-${n}`)
    await folder.record(...surfaces)
    return surfaces
  },
  job: {}
}

export const ontoForeign: Start = {
  name: "a record onto an older tool's write",
  make: async (folder) => {
    await folder.record('there-0', 'there-1')
    writeAsOldTool(folder, 'tool')
    return ['there-0', 'there-1', 'tool']
  },
  job: {}
}

/** The writer adopts what the older tool wrote, is beaten to its first commit, and takes the lock. */
export const ontoForeignBeaten: Start = {
  name: "a record onto an older tool's write, beaten by a faster writer",
  make: ontoForeign.make,
  job: { rival: 'rival' }
}

/** Rewrites the view as a tool does that knows only version and entries: with this one entry and no other. */
export function writeAsOldTool(folder: IndexFolder, surfaceId: string, fields: Partial<Entry> = {}): void {
  const now = Date.now()
  const entry = {
    surfaceId,
    sessionId: `session-of-${surfaceId}`,
    repo: 'demo',
    role: null,
    captured_at: now,
    last_active: now
  }
  writeFileSync(folder.path, JSON.stringify({ version: 1, entries: { [surfaceId]: { ...entry, ...fields } } }))
}

/** The place, from 0, of the operation that commits a job's own record: from there on it is read. */
export function commitOf(ops: readonly string[]): number {
  const place = ops.findLastIndex((op) => /^link staged -> \d+$|^rename \S+ -> \S+\.history$/.test(op))
  if (place < 0) throw new TypeError(`none of these commits: ${ops.join(', ')}`)
  return place
}

/** The place of the operation that acknowledges it: the last sync of a folder before the view is staged. */
export function acknowledgedBy(ops: readonly string[]): number {
  const commit = commitOf(ops)
  const published = ops.indexOf('create staged', commit)
  const place = ops.findLastIndex((op, at) => op.startsWith('syncDir ') && at > commit && at < published)
  if (place < 0) throw new TypeError(`nothing acknowledges this: ${ops.join(', ')}`)
  return place
}
