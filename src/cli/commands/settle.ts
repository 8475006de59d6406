/**
 * The commands that note a long step before it starts, and that say how something ended: begin, settle.
 */
import {
  type AttemptResult,
  beginDispatch,
  type FailureKind,
  isPlaceholder,
  settle,
  settleDispatch,
  verdictOf
} from '../../core.js'
import { CrashResumeError, type Entry, type Index, type Owner, openStore, ownerOf, verdictsFor } from '../../index.js'
import { arg, inline, json, mistake, number, type Task, text } from '../task.js'
import { stateOf } from '../text/entries.js'
import { EXIT } from '../text/report-error.js'
import { ownerFrom } from './caller-options.js'
import { readableIndex, reportWarnings } from './readable-index.js'

export async function runBegin(task: Task): Promise<number> {
  const surfaceId = arg(task, 0)
  const id = crypto.randomUUID()
  const owner = ownerFrom(task)
  const loaded = readableIndex(task, surfaceId)
  const written = await openStore(task.file).update((index) => {
    const open = Object.hasOwn(index.entries, surfaceId) ? index.entries[surfaceId]?.dispatch : undefined
    const verdicts = verdictsFor(open ? [open.owner] : [])
    return beginDispatch(index, { surfaceId, id, step: text(task, 'step') ?? '', owner }, verdicts, Date.now())
  })
  reportWarnings(task, written, loaded)
  task.out.print(task.json ? json({ surfaceId, dispatch: id }) : `dispatch ${id}\n`)
  return EXIT.ok
}

export async function runSettle(task: Task): Promise<number> {
  const [id, outcome] = [arg(task, 0), arg(task, 1)]
  if (outcome !== 'ok' && outcome !== 'failed') {
    throw mistake(`result ${JSON.stringify(outcome)} is unknown`, 'give ok or failed')
  }
  const why = text(task, 'why')
  // The agent's own process, where it lives.
  const owner = ownerOf(number(task, 'pid') ?? 0)
  const proc = owner === null || verdictOf(owner) === 'dead' ? undefined : owner
  const failed = { failed: (text(task, 'kind') ?? 'other') as FailureKind, why }
  const result: AttemptResult = outcome === 'ok' ? 'ok' : failed
  let settling: Settling | undefined
  const loaded = readableIndex(task)
  const written = await openStore(task.file).update((index) => {
    const before = holderOf(index, id)
    if (before === undefined) throw unknown(task, id)
    const now = Date.now()
    const attempt = { attemptId: id, result, proc, sessionId: text(task, 'sessionId') }
    const settled = settleDispatch(settle(index, attempt, now), { id, result: outcome, why }, now)
    settling = { id, result, before, after: holderOf(settled, id) ?? before }
    return settled
  })
  reportWarnings(task, written, loaded)
  if (settling === undefined) throw new TypeError('the store did not run the change')
  if (task.json) task.out.print(json(settling.after))
  else task.out.note(settledLine(task, settling))
  for (const line of leftOut(task, settling, proc)) task.out.note(line)
  return EXIT.ok
}

function holderOf(index: Index, id: string): Entry | undefined {
  return Object.values(index.entries).find(({ attempt, last_attempt: last, dispatch }) =>
    [attempt?.id, last?.id, dispatch?.id].includes(id)
  )
}

function unknown(task: Task, id: string): CrashResumeError {
  return new CrashResumeError('ERR_ENTRY_UNKNOWN', `no attempt or step has the id ${JSON.stringify(id)}`, {
    next: `${inline(task, { name: 'list' })} shows the open ones; the index keeps only the last one of a surface`
  })
}

/** The options that could not be used; a value that the entry has already is not missed. */
function leftOut(task: Task, settling: Settling, proc: Owner | undefined): string[] {
  const { id, result, before, after } = settling
  const [pid, sessionId] = [number(task, 'pid'), text(task, 'sessionId')]
  if (result !== 'ok' || before.attempt?.id !== id) {
    const options: string[] = []
    if (pid !== undefined && pid !== after.proc?.pid) options.push('--pid')
    if (sessionId !== undefined && sessionId !== after.sessionId) options.push('--session-id')
    const taken = `only the ok of an open attempt takes ${options.length > 1 ? 'them' : 'it'}`
    return options.length === 0 ? [] : [`warning: ${options.join(' and ')} left out: ${taken}`]
  }
  if (pid === undefined || proc !== undefined) return []
  const gone = inline(task, { name: 'settle', args: [id, 'failed'], options: { '--kind': 'exited' } })
  return [`warning: --pid ${pid} is not a living process, and was left out; if the agent has ended, run ${gone}`]
}

/** What was asked of settle, and the entry that it concerned. */
interface Settling {
  readonly id: string
  readonly result: AttemptResult
  readonly before: Entry
  readonly after: Entry
}

/** What settle did, in a sentence: from the entry before and after it. */
function settledLine(task: Task, settling: Settling): string {
  const { attempt, last_attempt: last } = settling.before
  return [attempt?.id, last?.id].includes(settling.id) ? attemptLine(task, settling) : stepLine(settling)
}

function stepLine({ id, result, before, after }: Settling): string {
  const { surfaceId, dispatch } = after
  const step = `the step ${JSON.stringify(dispatch?.step ?? '')} on ${surfaceId}`
  if (before.dispatch?.result === 'open') return `settled ${id} as ${result === 'ok' ? 'ok' : 'failed'}: ${step}`
  const why = dispatch?.why ? ` (${dispatch.why})` : ''
  return `nothing changed: ${id} was already settled as ${dispatch?.result}${why}: ${step}`
}

function attemptLine(task: Task, { id, result, before, after }: Settling): string {
  const now = `${after.surfaceId} is ${stateOf(after)}${after.state === 'ready' ? ` with session ${after.sessionId}` : ''}`
  const asked = result === 'ok' ? 'ok' : `failed (${result.failed})`
  if (before.attempt?.id === id) {
    const unknown = result === 'ok' && after.state === 'minted'
    const more = unknown ? '; its session is not known yet: its hook reports it, or you record it' : ''
    return `settled ${id} as ${asked}: ${now}${more}`
  }
  const earlier = before.last_attempt?.result
  const closed =
    earlier === 'seen'
      ? 'was already closed, when its session was seen'
      : `was already settled as ${earlier === 'ok' ? 'ok' : `failed (${earlier})`}`
  if (JSON.stringify(before) !== JSON.stringify(after)) {
    // The same failure reported again is newer: the wait for the next attempt starts again.
    if (result !== 'ok' && earlier === result.failed) return `settled ${id} as ${asked} again: ${now}`
    const newer = after.last_attempt?.seen_since ? ', and its session was seen since' : ''
    return `noted ${id} as ${asked}, which ${closed}${newer}: ${now}`
  }
  const line = `nothing changed: ${id} ${closed}; ${now}`
  if (result !== 'ok' || earlier === 'seen' || earlier === 'ok' || isPlaceholder(after.sessionId)) return line
  const record = inline(task, { name: 'record', args: [after.surfaceId, after.sessionId, after.repo] })
  return `${line}. If it did start, run ${record}`
}
