/**
 * The status, once or again and again. A run begins when the one before has ended, however long that took.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore, quoteArgv, type StatusReport, statusOf } from '../../index.js'
import type { Task } from '../task.js'
import { flag, json } from '../task.js'
import { complain, EXIT } from '../text/report-error.js'
import { renderLine, renderStatus } from '../text/status.js'

const EVERY_MS = 2000
const SIGNALS = ['SIGINT', 'SIGTERM'] as const
/** To the corner; each line then clears its rest, and the last what is below it, so that nothing flickers. */
const HOME = '\u001b[H'
const REST_OF_LINE = '\u001b[K'
const REST_OF_SCREEN = '\u001b[J'

export async function runStatus(task: Task): Promise<number> {
  const every = task.options['watch']
  if (every !== undefined) return watch(task, typeof every === 'number' ? every : EVERY_MS)
  const report = await reportOf(task)
  for (const warning of report.warnings) task.out.note(`warning: ${warning}`)
  task.out.print(rendered(task.json ? report : { ...report, warnings: [] }, task))
  return EXIT.ok
}

function reportOf(task: Task): Promise<StatusReport> {
  const sockets = task.options['socket']
  return statusOf(openStore(task.file), {
    path: task.path,
    write: task.options['write'] !== false,
    sockets: Array.isArray(sockets) ? sockets : []
  })
}

/** What commands that are told need to speak of the index that this one does. */
function sameIndex({ path }: Task): readonly string[] {
  return path === undefined ? [] : ['--path', path]
}

function rendered(report: StatusReport, task: Task, screen: Screen | null = null): string {
  if (task.json)
    return screen === null && task.options['watch'] === undefined ? json(report) : `${JSON.stringify(report)}\n`
  if (flag(task, 'line')) return renderLine(report)
  const recover = quoteArgv(['crash-resume-index', 'recover', ...sameIndex(task)])
  return renderStatus(report, { ...task.look, ...screen, now: report.at, recover })
}

interface Screen {
  readonly width: number
  readonly height: number
}

/** Its size now: a person may draw the window larger meanwhile. Null: no terminal. */
function screenOf({ out }: Task): Screen | null {
  if (!Number.isFinite(out.width)) return null
  const { columns, rows } = process.stdout
  // The last line stays free: a line end there would move all up.
  return { width: columns || out.width, height: (rows || 25) - 1 }
}

/** Until Ctrl-C, or until nobody reads any more. */
async function watch(task: Task, everyMs: number): Promise<number> {
  const stop = new AbortController()
  const end = (): void => stop.abort()
  for (const signal of SIGNALS) process.on(signal, end)
  try {
    for (let first = true; !stop.signal.aborted; first = false) {
      // What is under way when the end comes writes nothing that would be missed.
      const run = reportOf(task).catch((error: unknown) => ({ error }))
      const report = await orNull(run, stop.signal)
      if (report === null) break
      const screen = screenOf(task)
      if ('error' in report) {
        if (screen !== null) task.out.print(HOME + REST_OF_SCREEN)
        complain(report.error)
      } else if (!show(task, rendered(report, task, screen), screen, first)) break
      await sleep(everyMs, undefined, { signal: stop.signal }).catch(() => {})
    }
  } finally {
    for (const signal of SIGNALS) process.off(signal, end)
  }
  return EXIT.ok
}

/** Null: it was aborted before. Nothing of a run is held on to after it, however many there will be. */
function orNull<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const end = (): void => resolve(null)
    signal.addEventListener('abort', end)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end))
  })
}

/** False: nobody reads. */
function show({ out, json: data }: Task, text: string, screen: Screen | null, first: boolean): boolean {
  if (screen === null || data) return out.print(text) !== false
  const page = text.replaceAll('\n', `${REST_OF_LINE}\n`)
  return out.print(`${first ? HOME + REST_OF_SCREEN : HOME}${page}${REST_OF_SCREEN}`) !== false
}
