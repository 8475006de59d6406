/**
 * `recover`: it shows a plan, asks, resumes each conversation, and reports on every one.
 */
import { accountFor, type RecoveryProgress } from '../../admin.js'
import { type Entry, openStore } from '../../index.js'
import { type PaneReport, planRecovery, type RecoverPanesOptions, recoverPanes } from '../../tmux.js'
import { flag, json, number, type Task, text } from '../task.js'
import { byHand, recoveryRow, renderRecoveryPlan, renderRecoveryReport, shortSurface } from '../text/recovery.js'
import { EXIT } from '../text/report-error.js'
import { count } from '../text/table.js'
import { readableIndex } from './readable-index.js'

export async function runRecover(task: Task): Promise<number> {
  // Reports what is wrong with the file first.
  readableIndex(task)
  const store = openStore(task.file)
  const stop = new AbortController()
  const pattern = text(task, 'only')
  const chosen = chosenBy(pattern)
  const isNamed = ({ surfaceId, sessionId, address }: Entry): boolean =>
    [surfaceId, sessionId, address].some((name) => name !== undefined && name === pattern)
  const options: RecoverPanesOptions = {
    // A forwarding address holds no session.
    only: (entry) => entry.moved_to === undefined && chosen(entry),
    concurrency: number(task, 'atOnce') ?? 4,
    staggerMs: number(task, 'stagger') ?? 200,
    notRunning: flag(task, 'notRunning'),
    left: flag(task, 'left'),
    closed: (entry) => flag(task, 'closed') || isNamed(entry),
    ...(flag(task, 'retry') ? { maxAttempts: Number.POSITIVE_INFINITY, cooldownMs: 0 } : {}),
    signal: stop.signal,
    limitMs: number(task, 'limit'),
    grants: flag(task, 'grants'),
    shrunk: text(task, 'only') !== undefined
  }
  const plan = await planRecovery(store, options)
  const planned = plan.filter(({ reason }) => reason === 'planned').length
  const onlyPlan = flag(task, 'dryRun')
  const asData = (report: PaneReport): string =>
    json({ ...report, rows: report.rows.map((row) => recoveryRow(row, task.path)) })
  if (onlyPlan && task.json) task.out.print(asData(accountFor(plan)))
  if (!task.json) {
    // Nothing to resume: the commands to run by hand are worth more than the plan.
    const byHandOnly = planned === 0 && plan.some((row) => row.reason !== 'left' && byHand(row) !== '')
    const report = (): string => renderRecoveryReport(accountFor(plan), task.look, task.path)
    task.out.print(byHandOnly ? report() : renderRecoveryPlan(plan, task.look, options.grants))
  }
  if (onlyPlan || (planned === 0 && !task.json)) return EXIT.ok
  if (planned > 0 && !flag(task, 'yes')) {
    const asked = task.json ? null : task.out.ask
    if (asked === null) {
      if (task.json) task.out.print(asData(accountFor(plan)))
      task.out.note('nothing was started; add --yes to resume, or --dry-run to see the plan only')
      return EXIT.refused
    }
    if (!(await asked(`Resume ${count(planned, 'conversation', 'conversations')}?`))) {
      task.out.note('nothing was started')
      return EXIT.refused
    }
    const loose = plan.filter(({ reason, entry }) => reason === 'planned' && (entry?.withheld ?? []).length > 0)
    const grants = `Give ${count(loose.length, 'agent', 'agents')} back the flags that loosen what it may do?`
    if (options.grants && loose.length > 0 && !(await asked(grants))) {
      task.out.note('nothing was started; without --grants they start without these flags')
      return EXIT.refused
    }
  }
  const interrupt = (): void => {
    // A second one ends us at once; the next recovery finds out about open attempts.
    process.once('SIGINT', () => process.exit(130))
    task.out.note('stopping: starts under way finish, and nothing more is started')
    stop.abort()
  }
  process.once('SIGINT', interrupt)
  let begun = 0
  const places = new Map(plan.map(({ surfaceId, entry }) => [surfaceId, labelOf(surfaceId, entry)]))
  const report = await recoverPanes(store, {
    ...options,
    plan,
    tell: task.out.note,
    onProgress: (progress) => {
      if (progress.step === 'resuming') begun++
      const line = progressLine(progress, begun, places)
      if (line !== null) task.out.note(line)
    }
  })
  process.off('SIGINT', interrupt)
  if (task.json) task.out.print(asData(report))
  else task.out.print(renderRecoveryReport(report, task.look, task.path))
  if (stop.signal.aborted) return 130
  return report.failed > 0 ? EXIT.failed : EXIT.ok
}

function progressLine(
  { done, total, surfaceId, step, row }: RecoveryProgress,
  begun: number,
  labels: Map<string, string>
): string | null {
  const label = labels.get(surfaceId) ?? surfaceId
  if (step === 'resuming') return `${begun} of ${total}: resuming ${label}`
  if (step !== 'done' || row === undefined || row.outcome === 'resumed') return null
  return `${done} of ${total}: ${label}: ${row.outcome}, ${row.reason}${row.why === undefined ? '' : ` (${row.why})`}`
}

function labelOf(surfaceId: string, entry: Entry | null): string {
  const where = entry?.address ?? shortSurface(surfaceId)
  return entry === null ? where : `${entry.agent ?? entry.repo} ${entry.sessionId} in ${where}`
}

/** `*` and `?` mean what they mean in a shell; without them a part of the name is enough. */
function chosenBy(pattern: string | undefined): (entry: Entry) => boolean {
  if (pattern === undefined) return () => true
  const isGlob = /[*?]/.test(pattern)
  const source = pattern
    .replaceAll(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  const wanted = new RegExp(isGlob ? `^${source}$` : source, 'isu')
  return ({ surfaceId, sessionId, repo, role, agent, address, cwd }) =>
    [surfaceId, sessionId, repo, role, agent, address, cwd].some((name) => name != null && wanted.test(name))
}
