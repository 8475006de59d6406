/**
 * The status, once or repeatedly. A run starts only when the one before has ended.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore, type StatusReport, statusOf } from '../../index.js'
import { flag, json, type Task } from '../task.js'
import { EXIT, reportError } from '../text/report-error.js'
import { renderLine, renderStatus } from '../text/status.js'

const EVERY_MS = 2000
const SIGNALS = ['SIGINT', 'SIGTERM'] as const
/** To the corner; each line then clears its rest, and the last one what is below it, to avoid flicker. */
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

function rendered(report: StatusReport, task: Task, screen: Screen | null = null): string {
  if (task.json)
    return screen === null && task.options['watch'] === undefined ? json(report) : `${JSON.stringify(report)}\n`
  if (flag(task, 'line')) return renderLine(report)
  return renderStatus(report, { ...task.look, ...screen, now: report.at, path: task.path })
}

interface Screen {
  readonly width: number
  readonly height: number
}

/** Its size now: a window can be resized. Null: no terminal. */
function screenOf({ out }: Task): Screen | null {
  if (!Number.isFinite(out.width)) return null
  const { columns, rows } = process.stdout
  // The last line stays free: a line end there would scroll.
  return { width: columns || out.width, height: (rows || 25) - 1 }
}

/** Until Ctrl-C, or until the reader is gone. */
async function watch(task: Task, everyMs: number): Promise<number> {
  const stop = new AbortController()
  const end = (): void => stop.abort()
  for (const signal of SIGNALS) process.on(signal, end)
  try {
    for (let first = true; !stop.signal.aborted; first = false) {
      // A run that is cut off writes nothing that matters.
      const run = reportOf(task).catch((error: unknown) => ({ error }))
      const report = await orNull(run, stop.signal)
      if (report === null) break
      const screen = screenOf(task)
      if ('error' in report) {
        if (screen !== null) task.out.print(HOME + REST_OF_SCREEN)
        reportError(report.error, task.path)
      } else if (!show(task, rendered(report, task, screen), screen, first)) break
      await sleep(everyMs, undefined, { signal: stop.signal }).catch(() => {})
    }
  } finally {
    for (const signal of SIGNALS) process.off(signal, end)
  }
  return EXIT.ok
}

/** Null: aborted first. It keeps no listener after the run. */
function orNull<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const end = (): void => resolve(null)
    signal.addEventListener('abort', end)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end))
  })
}

/** False: the reader is gone. */
function show({ out, json: data }: Task, text: string, screen: Screen | null, first: boolean): boolean {
  if (screen === null || data) return out.print(text) !== false
  const page = text.replaceAll('\n', `${REST_OF_LINE}\n`)
  return out.print(`${first ? HOME + REST_OF_SCREEN : HOME}${page}${REST_OF_SCREEN}`) !== false
}
