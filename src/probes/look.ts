/**
 * The evidence that can be had on this machine without being told anything: the machine and its boot, the verdicts on
 * the processes that the index names, and whether the launch folder is there.
 *
 * Never throws: what could not be found out is left out, and what is left out is unknown.
 */
import { statSync } from 'node:fs'
import type { Evidence } from '../core/evidence.js'
import type { Entry, Index } from '../core/schema.js'
import { ownersOf } from '../core/verbs.js'
import { thisMachine, verdictsFor } from './process.js'

/** What is to be found out. */
export interface Question {
  readonly surfaceId: string
  /** Null: the index holds none. */
  readonly entry: Entry | null
  readonly index: Index
  readonly agent?: string
  readonly repo?: string
  readonly cwd?: string
}

export type Look = (question: Question) => Evidence | Promise<Evidence>

export const lookAround: Look = ({ entry, index, cwd }) => {
  // Another entry may hold an attempt on the same session, or on one before it; without an entry it may be any.
  const sessions = entry === null ? null : [entry.sessionId, ...entry.previous.map(({ sessionId }) => sessionId)]
  const concerned = Object.values(index.entries).filter(({ sessionId }) => sessions?.includes(sessionId) ?? true)
  const folder = entry?.cwd ?? cwd
  return {
    machine: thisMachine(),
    verdicts: verdictsFor(concerned.flatMap(ownersOf)),
    ...(folder === undefined ? {} : { cwd: folderState(folder) })
  }
}

function folderState(path: string): 'found' | 'missing' | 'unknown' {
  try {
    return statSync(path).isDirectory() ? 'found' : 'missing'
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unknown'
  }
}
