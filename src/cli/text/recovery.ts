/**
 * The plan and the report of a recovery for people. Pure.
 */
import { commandLineFor, type OwnCommand, ownCommand } from '../../admin.js'
import { explanation, quoteArgv } from '../../core.js'
import { explain } from '../../index.js'
import type { PaneReport, PlanRow } from '../../tmux.js'
import { expiryOf } from './entries.js'
import { type Cell, cell, count, type Look, painted, type Style, table } from './table.js'

type Row = PaneReport['rows'][number]

const OUTCOMES: Readonly<Record<Row['outcome'], Style>> = {
  resumed: 'green',
  pending: 'yellow',
  failed: 'red',
  skipped: 'dim'
}

/** Reasons that no decision gives. */
const REASONS: Readonly<Record<string, string>> = {
  manual: 'its policy leaves it to you',
  taken: 'it is on another surface now, or was forgotten',
  aborted: 'the recovery was interrupted before',
  other_terminal: 'it was not in tmux; its terminal opens the panes itself',
  terminal_unknown: 'its terminal server does not answer',
  program_missing: 'its program is not on the PATH',
  not_confirmed: 'started, not confirmed',
  timeout: 'it did not start in time',
  exited: 'it ended at once',
  not_started: 'it could not be started',
  refused: 'the agent refused',
  other: 'it started differently than expected',
  error: 'an error occurred',
  pane_closed: 'its pane was closed',
  left: 'its person left it',
  ended: 'it was ended on purpose',
  moved: 'its session is on another surface'
}

/** A short name of a surface: for tmux the socket's name and the pane. */
export function shortSurface(surfaceId: string): string {
  const [, socket, pane] = /^tmux:(?:.*\/)?([^/]+):\d+\.\w+:(%\d+)$/.exec(surfaceId) ?? []
  return socket === undefined ? surfaceId : `${socket} ${pane}`
}

/** What recover would do, and what not. */
export function renderRecoveryPlan(rows: readonly PlanRow[], look: Look, grants = false): string {
  if (rows.length === 0) return 'nothing to recover: no entry matches\n'
  const inOrder = rows.toSorted((a, b) => rankOf(a) - rankOf(b))
  const cells = inOrder.map((row) => ({
    SURFACE: cell(shortSurface(row.surfaceId), 'bold'),
    'WAS AT': cell(row.entry?.address),
    SESSION: cell(row.sessionId ?? row.entry?.sessionId),
    AGENT: cell(row.entry?.agent),
    DECISION: actionOf(row),
    WHY: cell(row.reason === 'planned' ? [placeOf(row) + looser(row, grants), ...expiry(row)].join('; ') : whyOf(row))
  }))
  const head = ['SURFACE', 'WAS AT', 'SESSION', 'AGENT', 'DECISION', 'WHY']
  const planned = rows.filter(({ reason }) => reason === 'planned').length
  const foot = `${planned} of ${count(rows.length, 'conversation', 'conversations')} to resume`
  return `${table(head, cells, look)}${painted([foot, ...setApart(rows)].join('; '), 'dim', look)}\n`
}

/** How it went: everything that was not resumed, with the command for it, then the sums. */
export function renderRecoveryReport({ rows, ...sums }: PaneReport, look: Look, path?: string): string {
  const left = rows.filter(({ outcome }) => outcome !== 'resumed').toSorted((a, b) => rankOf(a) - rankOf(b))
  const lines = left.map((row) => ({
    SURFACE: cell(shortSurface(row.surfaceId), 'bold'),
    AT: cell(row.address ?? row.entry?.address),
    OUTCOME: cell(row.outcome, OUTCOMES[row.outcome]),
    WHY: cell(whyOf(row)),
    'BY HAND': cell(byHand(row, path))
  }))
  const head = ['SURFACE', 'AT', 'OUTCOME', 'WHY', 'BY HAND']
  const { resumed, pending, failed, skipped, total } = sums
  const running = rows.filter(({ reason }) => reason === 'not_confirmed').length
  const which = running === 0 ? '' : ` (of these started, not confirmed: ${running})`
  const sum = `resumed ${resumed}, pending ${pending}${which}, failed ${failed}, skipped ${skipped}, total ${total}`
  // The commands are meant to be copied, so nothing is cut.
  const whole = { ...look, width: Number.POSITIVE_INFINITY }
  const style = failed > 0 ? 'red' : pending > 0 ? 'yellow' : 'green'
  const last = painted([sum, ...setApart(rows)].join('; '), style, look)
  return `${lines.length === 0 ? '' : table(head, lines, whole)}${last}\n`
}

/** What comes back on a word only, in the order of the rows. */
const APART: readonly (readonly [Row['reason'], words: string, option: string])[] = [
  ['pane_closed', 'in closed panes', '--closed'],
  ['left', 'left by their person', '--left']
]

function setApart(rows: readonly Pick<Row, 'reason'>[]): readonly string[] {
  return APART.flatMap(([apart, words, option]) => {
    const some = rows.filter(({ reason }) => reason === apart).length
    return some === 0 ? [] : [`${some} ${words} (${option} resumes them)`]
  })
}

/** -1: it is not set apart. */
function rankOf({ reason }: Pick<Row, 'reason'>): number {
  return APART.findIndex(([apart]) => apart === reason)
}

/** The row as data. @param path the index that --path names */
export function recoveryRow(row: Row, path: string | undefined): Record<string, unknown> {
  const { entry, decision, spot, why, place, address } = row
  return {
    surfaceId: row.surfaceId,
    sessionId: row.sessionId ?? entry?.sessionId ?? null,
    agent: entry?.agent ?? null,
    was: entry?.address ?? null,
    socket: spot?.socket ?? null,
    outcome: row.outcome,
    reason: row.reason,
    action: decision?.action ?? null,
    // What is undefined is left out of the JSON.
    sentence: decision && explain(decision),
    place,
    withheld: entry?.withheld,
    address,
    error: why,
    command: (row.outcome !== 'resumed' && byHand(row, path)) || undefined
  }
}

/**
 * The line that does it by hand, or shows more about it; empty: there is nothing to do.
 * @param path the index that --path names
 */
export function byHand({ entry, surfaceId, outcome, reason, decision, address, spot }: Row, path?: string): string {
  const ours = (command: OwnCommand): string => ownCommand(command, path)
  const why = ours({ name: 'why', args: [surfaceId] })
  if (entry === null) return ours({ name: 'doctor' })
  const { agent } = entry
  const apart = APART.find(([one]) => one === reason)?.[2]
  if (apart !== undefined) return ours({ name: 'recover', options: { [apart]: true, '--only': surfaceId } })
  // It runs and waits for an answer, so another start does not help.
  if ((reason === 'timeout' || reason === 'not_confirmed') && address !== undefined && spot !== undefined) {
    return quoteArgv(['tmux', '-S', spot.socket, 'attach', '-t', address])
  }
  if (['ended', 'moved', 'taken', 'already_running', 'running_elsewhere'].includes(reason)) return ''
  const run = agent && ours({ name: 'run', args: [agent], options: { '--surface': surfaceId } })
  if (decision?.action === 'fresh' || reason === 'session_gone') return run ?? why
  if (reason === 'attempts_exhausted') return ours({ name: 'policy', args: [surfaceId, entry.policy] })
  if (reason === 'transcript_shrunk') return ours({ name: 'recover', options: { '--only': surfaceId } })
  if (reason === 'policy_off') return ours({ name: 'policy', args: [surfaceId, 'auto'] })
  if (outcome === 'skipped' || decision?.action === 'wait' || decision?.action === 'refuse') return why
  if (run !== undefined) return run
  try {
    return commandLineFor({ ...entry, sessionId: decision?.sessionId ?? entry.sessionId })
  } catch {
    return why
  }
}

function actionOf({ decision, reason, outcome }: PlanRow): Cell {
  if (reason === 'planned') return cell('resume', 'green')
  if (reason === 'already_running' || reason === 'running_elsewhere') return cell('running', 'green')
  if (reason === 'left' || reason === 'pane_closed')
    return cell(reason === 'left' ? 'left' : 'closed', OUTCOMES[outcome])
  if (decision !== undefined && decision.action !== 'resume') {
    return cell(decision.action, decision.action === 'refuse' ? 'dim' : 'yellow')
  }
  return cell(reason === 'ended' || reason === 'moved' ? reason : outcome, OUTCOMES[outcome])
}

function placeOf({ place, entry }: PlanRow): string {
  if (place === 'own pane' || place === 'old place') return `in its ${place}`
  if (place === 'rebuilt') return `in ${entry?.address}, rebuilt`
  return 'in a new window'
}

/** The flags that a start gives back on the person's word alone. */
function looser({ entry }: PlanRow, grants: boolean): string {
  const { withheld = [] } = entry ?? {}
  return withheld.length === 0 ? '' : `, ${grants ? 'with' : 'without'} ${withheld.join(' ')}`
}

function expiry({ decision }: Pick<PlanRow, 'decision'>): readonly string[] {
  return decision === undefined ? [] : expiryOf(decision)
}

/** The reason; what to do has a column of its own. */
function whyOf(row: Row | PlanRow): string {
  return [reasonOf(row), ...expiry(row)].join('; ')
}

function reasonOf({ decision, reason, why: problem, outcome }: Row | PlanRow): string {
  const own = Object.hasOwn(REASONS, reason) ? REASONS[reason] : undefined
  if (outcome === 'failed') return [own ?? reason, ...(problem === undefined ? [] : [problem])].join(': ')
  if (reason === 'transcript_shrunk') {
    const { notes = [] } = decision ?? {}
    return notes.slice(0, decision?.warnings.includes('transcript_expires') ? -1 : undefined).join('; ')
  }
  if (reason === 'already_running') return `it runs${decision?.owner ? ` (process ${decision.owner.pid})` : ''}`
  if (own !== undefined) return problem === undefined ? own : `${own} (${problem})`
  return decision === undefined ? reason : explanation(decision).why
}
