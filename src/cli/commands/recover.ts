/**
 * `recover`: a plan first, a question, then everyone back, with a report that accounts for each.
 */
import {
  accountFor,
  type Entry,
  given,
  openStore,
  type PaneReport,
  planRecovery,
  type RecoverPanesOptions,
  type RecoveryProgress,
  recoverPanes
} from '../../index.js'
import type { Task } from '../task.js'
import { flag, json, number, text } from '../task.js'
import { byHand, recoveryRow, renderRecoveryPlan, renderRecoveryReport, shortSurface } from '../text/recovery.js'
import { EXIT } from '../text/report-error.js'
import { count } from '../text/table.js'
import { readableIndex } from './readable-index.js'

export async function runRecover(task: Task): Promise<number> {
  // Says what is wrong with the file before anything else.
  readableIndex(task.file)
  const store = openStore(task.file)
  const stop = new AbortController()
  const options: RecoverPanesOptions = {
    only: chosenBy(text(task, 'only')),
    concurrency: number(task, 'atOnce') ?? 4,
    staggerMs: number(task, 'stagger') ?? 200,
    signal: stop.signal,
    ...given({ limitMs: number(task, 'limit') })
  }
  const plan = await planRecovery(store, options)
  const planned = plan.filter(({ reason }) => reason === 'planned').length
  const onlyPlan = flag(task, 'dryRun')
  const asReport = (): PaneReport => accountFor(plan)
  if (onlyPlan && task.json) task.out.print(json({ ...asReport(), rows: plan.map(recoveryRow) }))
  if (!task.json) {
    // Nothing will be done: what can be done by hand is worth more than the plan.
    const byHandOnly = planned === 0 && plan.some((row) => byHand(row) !== '')
    task.out.print(byHandOnly ? renderRecoveryReport(asReport(), task.look) : renderRecoveryPlan(plan, task.look))
  }
  if (onlyPlan || (planned === 0 && !task.json)) return EXIT.ok
  if (planned > 0 && !flag(task, 'yes')) {
    const asked = task.json ? null : task.out.ask
    if (asked === null) {
      if (task.json) task.out.print(json({ ...asReport(), rows: plan.map(recoveryRow) }))
      task.out.note('nothing was started; --yes does it, --dry-run shows the plan alone')
      return EXIT.refused
    }
    if (!(await asked(`Resume ${count(planned, 'conversation', 'conversations')}?`))) {
      task.out.note('nothing was started')
      return EXIT.refused
    }
  }
  const interrupt = (): void => {
    // A second one ends us at once; what is claimed then is found out by the next recovery.
    process.once('SIGINT', () => process.exit(130))
    task.out.note('stopping: what is under way is finished, nothing more is begun')
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
  if (task.json) task.out.print(json({ ...report, rows: report.rows.map(recoveryRow) }))
  else task.out.print(renderRecoveryReport(report, task.look))
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

/** `*` and `?` stand for what they stand for in a shell; without them a part of the name will do. */
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
