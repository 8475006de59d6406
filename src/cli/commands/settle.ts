/**
 * The commands that write long work ahead and say how something ended: begin, settle.
 */
import {
  type AttemptResult,
  beginDispatch,
  CrashResumeError,
  type Entry,
  type FailureKind,
  given,
  type Index,
  type Owner,
  openStore,
  ownerOf,
  settle,
  settleDispatch,
  verdictOf,
  verdictsFor
} from '../../index.js'
import type { Task } from '../task.js'
import { arg, json, number, text } from '../task.js'
import { ownLine } from '../text/own-command.js'
import { EXIT } from '../text/report-error.js'
import { type Settling, settledLine } from '../text/settled.js'
import { ownerFrom } from './owner-option.js'
import { readableIndex, tellWarnings } from './readable-index.js'

export async function runBegin(task: Task): Promise<number> {
  const surfaceId = arg(task, 0)
  const id = crypto.randomUUID()
  const owner = ownerFrom(task)
  const loaded = readableIndex(task.file, surfaceId)
  const written = await openStore(task.file).update((index) => {
    const open = Object.hasOwn(index.entries, surfaceId) ? index.entries[surfaceId]?.dispatch : undefined
    const verdicts = verdictsFor(open ? [open.owner] : [])
    return beginDispatch(index, { surfaceId, id, step: text(task, 'step') ?? '', owner }, verdicts, Date.now())
  })
  tellWarnings(written, loaded)
  task.out.print(task.json ? json({ surfaceId, dispatch: id }) : `dispatch ${id}\n`)
  return EXIT.ok
}

export async function runSettle(task: Task): Promise<number> {
  const [id, outcome] = [arg(task, 0), arg(task, 1)]
  if (outcome !== 'ok' && outcome !== 'failed') {
    throw new CrashResumeError('ERR_INVALID_INPUT', `result must be ok or failed, not ${JSON.stringify(outcome)}`)
  }
  const why = text(task, 'why')
  const proc = processFrom(task)
  const failed = { failed: (text(task, 'kind') ?? 'other') as FailureKind, ...given({ why }) }
  const result: AttemptResult = outcome === 'ok' ? 'ok' : failed
  let settling: Settling | undefined
  const loaded = readableIndex(task.file)
  const written = await openStore(task.file).update((index) => {
    const before = holderOf(index, id)
    if (before === undefined) throw unknown(id)
    const now = Date.now()
    const attempts = { attemptId: id, result, ...given({ proc, sessionId: text(task, 'sessionId') }) }
    const settled = settleDispatch(settle(index, attempts, now), { id, result: outcome, ...given({ why }) }, now)
    settling = { id, result, before, after: holderOf(settled, id) ?? before }
    return settled
  })
  tellWarnings(written, loaded)
  if (settling === undefined) throw new TypeError('the store did not run the change')
  if (task.json) task.out.print(json(settling.after))
  else task.out.note(settledLine(settling, task.path))
  for (const line of leftOut(task, settling, proc)) task.out.note(line)
  return EXIT.ok
}

function holderOf(index: Index, id: string): Entry | undefined {
  return Object.values(index.entries).find(({ attempt, last_attempt: last, dispatch }) =>
    [attempt?.id, last?.id, dispatch?.id].includes(id)
  )
}

function unknown(id: string): CrashResumeError {
  const what = `no attempt or dispatch ${JSON.stringify(id)} is known`
  const advice = 'list shows those that are open; of a surface only the last one is kept'
  return new CrashResumeError('ERR_ENTRY_UNKNOWN', `${what}; ${advice}`)
}

/** The agent's own process, where it lives. */
function processFrom(task: Task): Owner | undefined {
  const owner = ownerOf(number(task, 'pid') ?? 0)
  return owner === null || verdictOf(owner) === 'dead' ? undefined : owner
}

/** What was given and could not be used; what stands there already is no loss. */
function leftOut(task: Task, settling: Settling, proc: Owner | undefined): string[] {
  const { id, result, before, after } = settling
  const [pid, sessionId] = [number(task, 'pid'), text(task, 'sessionId')]
  if (result !== 'ok' || before.attempt?.id !== id) {
    const options = [
      ...(pid === undefined || pid === after.proc?.pid ? [] : ['--pid']),
      ...(sessionId === undefined || sessionId === after.sessionId ? [] : ['--session-id'])
    ]
    if (options.length === 0) return []
    return [`warning: ${options.join(' and ')} left out: only the ok of an open attempt takes that`]
  }
  if (pid === undefined || proc !== undefined) return []
  const gone = ownLine({ name: 'settle', args: [id, 'failed'], options: ['--kind', 'exited'] }, task.path)
  return [
    `warning: --pid ${pid} is no living process, and was left out; if the agent is gone again, \`${gone}\` says so`
  ]
}
