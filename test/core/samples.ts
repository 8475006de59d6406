import { CrashResumeError } from '../../src/core/errors.js'
import type { Entry, Index, Owner } from '../../src/core/schema.js'

/** The six fields that the first users' files have. */
export const SIX = {
  surfaceId: 's1',
  sessionId: 'session-a',
  repo: 'golems',
  role: null,
  captured_at: 1000,
  last_active: 2000
} as const

export function entryOf(fields: Partial<Entry> = {}): Entry {
  return { ...SIX, state: 'ready', gen: 1, attempts: 0, policy: 'auto', previous: [], ...fields }
}

export function ownerOf(pid: number, fields: Partial<Owner> = {}): Owner {
  return { host: 'machine-1', bootId: 'boot-1', ns: '4026531836', pid, start: `${pid}00`, ...fields }
}

/** Freezes everything below, so that a verb that changes its input throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const item of Object.values(value)) deepFreeze(item)
  }
  return value
}

/** An index as parseIndex makes it, frozen. */
export function indexOf(...entries: readonly Partial<Entry>[]): Index {
  const record: Record<string, Entry> = Object.create(null)
  for (const fields of entries) {
    const entry = entryOf(fields)
    record[entry.surfaceId] = entry
  }
  return deepFreeze({ version: 1, entries: record })
}

/** Sessions that gave way to another, newest first. */
export function earlier(...ids: readonly string[]): Entry['previous'] {
  return ids.map((sessionId) => ({ sessionId, until: 1, why: 'rotated' }))
}

export function thrownBy(act: () => unknown): CrashResumeError {
  try {
    act()
  } catch (error) {
    if (error instanceof CrashResumeError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
