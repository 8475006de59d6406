/**
 * The plan and the report of a recovery as people read them: pure, from rows to text.
 */
import { commandLineFor, explain, type PaneReport, type PlanRow, quoteArgv } from '../../index.js'
import { type Cell, count, type Look, painted, type Style, table } from './table.js'

type Row = PaneReport['rows'][number]

const OUTCOMES: Readonly<Record<Row['outcome'], Style>> = {
  resumed: 'green',
  pending: 'yellow',
  failed: 'red',
  skipped: 'dim'
}

/** What stands against it, where no decision does. */
const REASONS: Readonly<Record<string, string>> = {
  manual: 'its policy leaves it to a person',
  taken: 'it is on another surface by now, or was forgotten',
  aborted: 'the recovery was interrupted before',
  other_terminal: 'it was not in tmux; that terminal opens its panes itself',
  terminal_unknown: 'its terminal server does not answer',
  program_missing: 'its program is not on the PATH',
  timeout: 'it did not come up in time',
  exited: 'it ended at once',
  not_started: 'it could not be started',
  refused: 'the agent refused',
  other: 'it came up otherwise',
  error: 'an error came between'
}

/** A surface as short as it can be told apart: of tmux the socket's name and the pane. */
export function shortSurface(surfaceId: string): string {
  const [, socket, pane] = /^tmux:(?:.*\/)?([^/]+):\d+\.\w+:(%\d+)$/.exec(surfaceId) ?? []
  return socket === undefined ? surfaceId : `${socket} ${pane}`
}

/** What would be done, and what would not. */
export function renderRecoveryPlan(rows: readonly PlanRow[], look: Look): string {
  if (rows.length === 0) return 'nothing is recorded that this speaks of\n'
  const cells = rows.map((row) => [
    { text: shortSurface(row.surfaceId), style: 'bold' as const },
    cell(row.entry?.address),
    cell(row.sessionId ?? row.entry?.sessionId),
    cell(row.entry?.agent),
    actionOf(row),
    cell(row.reason === 'planned' ? placeOf(row) : whyOf(row))
  ])
  const head = ['SURFACE', 'WAS AT', 'SESSION', 'AGENT', 'DECISION', 'WHY']
  const planned = rows.filter(({ reason }) => reason === 'planned').length
  const foot = `${count(planned, 'conversation', 'conversations')} of ${rows.length} to be resumed`
  return `${table(head, cells, look)}${painted(foot, 'dim', look)}\n`
}

/** How it went: what was not done with the command that does it, then the sums. */
export function renderRecoveryReport({ rows, ...sums }: PaneReport, look: Look): string {
  const left = rows.filter(({ outcome }) => outcome !== 'resumed')
  const lines = left.map((row) => [
    { text: shortSurface(row.surfaceId), style: 'bold' as const },
    cell(row.address ?? row.entry?.address),
    { text: row.outcome, style: OUTCOMES[row.outcome] },
    cell(whyOf(row)),
    cell(byHand(row))
  ])
  const head = ['SURFACE', 'AT', 'OUTCOME', 'WHY', 'BY HAND']
  const { resumed, pending, failed, skipped, total } = sums
  const sum = `resumed ${resumed}, pending ${pending}, failed ${failed}, skipped ${skipped}, total ${total}`
  // The commands are there to be copied, so nothing is cut.
  const whole = { ...look, width: Number.POSITIVE_INFINITY }
  const style = failed > 0 ? 'red' : pending > 0 ? 'yellow' : 'green'
  return `${lines.length === 0 ? '' : table(head, lines, whole)}${painted(sum, style, look)}\n`
}

/** The row for a program. */
export function recoveryRow({
  entry,
  decision,
  spec: _spec,
  spot,
  why,
  error: _error,
  ...row
}: Row): Record<string, unknown> {
  const hand = row.outcome === 'resumed' ? undefined : byHand({ entry, decision, ...row, ...(spot && { spot }) } as Row)
  return {
    surfaceId: row.surfaceId,
    sessionId: row.sessionId ?? entry?.sessionId ?? null,
    agent: entry?.agent ?? null,
    was: entry?.address ?? null,
    socket: spot?.socket ?? null,
    outcome: row.outcome,
    reason: row.reason,
    action: decision?.action ?? null,
    ...(decision === undefined ? {} : { sentence: explain(decision) }),
    ...(row.place === undefined ? {} : { place: row.place }),
    ...(row.address === undefined ? {} : { address: row.address }),
    ...(why === undefined ? {} : { error: why }),
    ...(hand === undefined || hand === '' ? {} : { command: hand })
  }
}

/** The line that does it by hand, or looks into it; empty: there is nothing to be done. */
export function byHand({ entry, surfaceId, outcome, reason, decision, address, spot }: Row): string {
  const ours = (...words: string[]): string => quoteArgv(['crash-resume-index', ...words])
  if (entry === null) return ours('doctor')
  // It is there, and waits: an answer helps, and another start does not.
  if (reason === 'timeout' && address !== undefined && spot !== undefined) {
    return quoteArgv(['tmux', '-S', spot.socket, 'attach', '-t', address])
  }
  if (['ended', 'moved', 'taken', 'already_running', 'running_elsewhere'].includes(reason)) return ''
  if (decision?.action === 'fresh' || reason === 'session_gone') {
    return entry.agent === undefined ? ours('why', surfaceId) : ours('run', '--surface', surfaceId, '--', entry.agent)
  }
  if (reason === 'attempts_exhausted') return ours('policy', surfaceId, entry.policy)
  if (reason === 'policy_off') return ours('policy', surfaceId, 'auto')
  const stands = outcome === 'skipped' || decision?.action === 'wait' || decision?.action === 'refuse'
  if (stands) return ours('why', surfaceId)
  if (entry.agent !== undefined) return ours('run', '--surface', surfaceId, '--', entry.agent)
  try {
    return commandLineFor({ ...entry, sessionId: decision?.sessionId ?? entry.sessionId })
  } catch {
    return ours('why', surfaceId)
  }
}

function actionOf({ decision, reason, outcome }: PlanRow): Cell {
  if (reason === 'planned') return { text: 'resume', style: 'green' }
  if (reason === 'already_running' || reason === 'running_elsewhere') return { text: 'running', style: 'green' }
  if (decision !== undefined && decision.action !== 'resume') {
    return { text: decision.action, style: decision.action === 'refuse' ? 'dim' : 'yellow' }
  }
  return { text: reason === 'ended' || reason === 'moved' ? reason : outcome, style: OUTCOMES[outcome] }
}

function placeOf({ place, entry }: PlanRow): string {
  if (place === 'own pane') return 'in its own pane'
  if (place === 'old place') return 'in its old place'
  if (place === 'rebuilt') return `in ${entry?.address}, made anew`
  return 'in a new window'
}

/** The decision's sentence without what to do, which has a column of its own. */
function whyOf({ decision, reason, why: said, outcome }: Row | PlanRow): string {
  if (outcome === 'failed') return [REASONS[reason] ?? reason, ...(said === undefined ? [] : [said])].join(': ')
  if (reason === 'ended') return 'it was ended on purpose'
  if (reason === 'already_running') return `it runs${decision?.owner ? ` (process ${decision.owner.pid})` : ''}`
  if (reason === 'moved') return 'its session is on another surface'
  const own = REASONS[reason]
  if (own !== undefined) return said === undefined ? own : `${own} (${said})`
  if (decision === undefined) return reason
  return explain(decision)
    .replace(/^[A-Z][a-z ]+: /, '')
    .replace(/[;.] .*$|[.]$/, '')
}

function cell(text: string | null | undefined): Cell {
  return { text: text || '-' }
}
