/**
 * The history and the findings of doctor as people read them: pure, from values to text.
 */
import type { EntryChange, Past } from '../../index.js'
import type { Finding } from './findings.js'
import { printable } from './report-error.js'
import { age, type Cell, count, type Look, moment, painted, table } from './table.js'

/** Of more changes than this the rest is counted. */
const CHANGES_SHOWN = 4
/** What changes along with everything else: named only where nothing else changed. */
const ALONG: readonly string[] = ['last_active', 'gen', 'previous', 'seen', 'captured_at']

export function renderHistory({ revisions, kept }: Past, look: Look): string {
  if (revisions.length + kept.length === 0) return 'no revision yet: nothing was written\n'
  const past = revisions.map(({ revision, time, entries, changes }): Cell[] => [
    { text: String(revision), style: 'bold' },
    { text: moment(time) },
    { text: age(look.now - time) },
    { text: entries === null ? '-' : String(entries) },
    entries === null
      ? { text: 'cannot be read', style: 'red' }
      : { text: changes === null ? 'not known: the revision before it is gone or unreadable' : summary(changes) }
  ])
  const copies = kept.map(({ name, time, entries, revision, reason }): Cell[] => [
    { text: name, style: 'bold' },
    { text: moment(time) },
    { text: age(look.now - time) },
    { text: entries === null ? '-' : String(entries) },
    { text: `${words(reason)}${of(entries, revision)}` }
  ])
  const parts = [
    ...(past.length > 0 ? [table(['REVISION', 'WRITTEN', 'AGE', 'ENTRIES', 'CHANGED'], past, look)] : []),
    // A name that was cut could not be given to restore.
    ...(copies.length > 0
      ? [table(['KEPT COPY', 'KEPT', 'AGE', 'ENTRIES', 'WHY'], copies, { ...look, width: Number.POSITIVE_INFINITY })]
      : [])
  ]
  const foot = '`crash-resume-index restore <revision or kept copy>` takes one back'
  return `${parts.join('\n')}${painted(foot, 'dim', look)}\n`
}

function words(reason: string): string {
  return reason.replaceAll('-', ' ')
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

/** All changes, a line each. */
export function renderChanges(changes: readonly EntryChange[]): string {
  return changes.map((each) => `${printable(change(each))}\n`).join('')
}

const STATES = { ok: 'green', note: 'yellow', problem: 'red' } as const

export function renderFindings(findings: readonly Finding[], look: Look): string {
  const lines = findings.map(({ check, state, detail, advice }) => {
    const mark = painted(state.padEnd(7), STATES[state], look)
    const line = `${mark}  ${check.padEnd(7)}  ${printable(detail)}\n`
    return advice === undefined ? line : `${line}${' '.repeat(18)}${painted('->', 'bold', look)} ${printable(advice)}\n`
  })
  const problems = findings.filter(({ state }) => state === 'problem').length
  const verdict = problems === 0 ? 'all is well' : `${count(problems, 'thing needs', 'things need')} attention`
  return `${lines.join('')}${painted(verdict, problems === 0 ? 'green' : 'red', look)}\n`
}
