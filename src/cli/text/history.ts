/**
 * The history of an index for people. Pure.
 */
import { type EntryChange, inlineCommand, type Past } from '../../admin.js'
import { printable } from './report-error.js'
import { age, cell, type Look, moment, painted, table } from './table.js'

/** So many changes are named, and the rest is counted. */
const CHANGES_SHOWN = 4
/** Fields that change with every other one: named only where nothing else changed. */
const ALONG: readonly string[] = ['last_active', 'gen', 'previous', 'seen', 'captured_at']

/** @param path the index that --path names */
export function renderHistory({ revisions, kept, conversations }: Past, look: Look, path?: string): string {
  if (revisions.length + kept.length + conversations.length === 0) return 'no revision yet: nothing was written\n'
  const past = revisions.map(({ revision, time, entries, changes }) => ({
    REVISION: cell(String(revision), 'bold'),
    WRITTEN: cell(moment(time)),
    AGE: cell(age(look.now - time)),
    ENTRIES: cell(entries?.toString()),
    CHANGED:
      entries === null
        ? cell('unreadable', 'red')
        : cell(changes === null ? 'unknown: the revision before it is gone or unreadable' : summary(changes))
  }))
  const copies = kept.map(({ name, time, entries, revision, reason }) => ({
    'KEPT COPY': cell(name, 'bold'),
    KEPT: cell(moment(time)),
    AGE: cell(age(look.now - time)),
    ENTRIES: cell(entries?.toString()),
    WHY: cell(`${reason.replaceAll('-', ' ')}${of(entries, revision)}`)
  }))
  const talks = conversations.map(({ name, time, agent, path, bytes }) => ({
    CONVERSATION: cell(name, 'bold'),
    COPIED: cell(moment(time)),
    AGE: cell(age(look.now - time)),
    AGENT: cell(agent),
    BYTES: cell(String(bytes)),
    FROM: cell(path)
  }))
  // restore needs the whole name.
  const whole = { ...look, width: Number.POSITIVE_INFINITY }
  const parts = [
    ...(past.length > 0 ? [table(['REVISION', 'WRITTEN', 'AGE', 'ENTRIES', 'CHANGED'], past, look)] : []),
    ...(copies.length > 0 ? [table(['KEPT COPY', 'KEPT', 'AGE', 'ENTRIES', 'WHY'], copies, whole)] : []),
    ...(talks.length > 0 ? [table(['CONVERSATION', 'COPIED', 'AGE', 'AGENT', 'BYTES', 'FROM'], talks, whole)] : [])
  ]
  const restore = inlineCommand({ name: 'restore', args: [{ blank: 'revision-or-copy' }] }, path)
  return `${parts.join('\n')}${painted(`${restore} restores one of them`, 'dim', look)}\n`
}

function of(entries: number | null, revision: number | null): string {
  if (entries === null) return ': no index'
  return revision === null ? '' : `: revision ${revision}`
}

function summary(changes: readonly EntryChange[]): string {
  if (changes.length === 0) return 'nothing'
  const shown = changes.slice(0, CHANGES_SHOWN).map(change)
  const more = changes.length - shown.length
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
}

const SIGNS = { added: '+', changed: '~', removed: '-' } as const

function change({ surfaceId, change: kind, fields }: EntryChange): string {
  const told = fields.filter((field) => !ALONG.includes(field))
  const named = told.length > 0 ? told : fields.slice(0, 1)
  return `${SIGNS[kind]}${surfaceId}${named.length > 0 ? ` (${named.join(', ')})` : ''}`
}

/** All changes, one a line. */
export function renderChanges(changes: readonly EntryChange[]): string {
  return changes.map((each) => `${printable(change(each))}\n`).join('')
}
