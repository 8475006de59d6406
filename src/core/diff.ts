/**
 * What changed between two indexes, entry by entry, for people who look at the history.
 */

import type { Index } from './schema.js'
import { isRecord } from './validate.js'

/** What changed in one entry. */
export interface EntryChange {
  readonly surfaceId: string
  readonly change: 'added' | 'changed' | 'removed'
  /** The fields that differ; none for an entry that came or went as a whole, 'entry' where one was no object. */
  readonly fields: readonly string[]
}

/** The changes, in the order of the entries; what went away comes last. */
export function diffIndexes(before: Index, after: Index): readonly EntryChange[] {
  const old = everything(before)
  const young = everything(after)
  const changes: EntryChange[] = []
  for (const [surfaceId, now] of young) {
    const fields = old.has(surfaceId) ? differing(old.get(surfaceId), now) : []
    if (!old.has(surfaceId)) changes.push({ surfaceId, change: 'added', fields })
    else if (fields.length > 0) changes.push({ surfaceId, change: 'changed', fields })
  }
  for (const surfaceId of old.keys()) {
    if (!young.has(surfaceId)) changes.push({ surfaceId, change: 'removed', fields: [] })
  }
  return changes
}

/** All entries by surface, those that could not be read as they are in the file. */
function everything({ entries, unreadable }: Index): ReadonlyMap<string, unknown> {
  const bad = Object.entries(unreadable ?? {}).map(([surfaceId, { raw }]): [string, unknown] => [surfaceId, raw])
  return new Map<string, unknown>([...Object.entries(entries), ...bad])
}

function differing(was: unknown, now: unknown): readonly string[] {
  if (!isRecord(was) || !isRecord(now)) return JSON.stringify(was) === JSON.stringify(now) ? [] : ['entry']
  return [...new Set([...Object.keys(now), ...Object.keys(was)])].filter(
    (field) => textOf(was, field) !== textOf(now, field)
  )
}

function textOf(record: Record<string, unknown>, field: string): string | undefined {
  return Object.hasOwn(record, field) ? JSON.stringify(record[field]) : undefined
}
