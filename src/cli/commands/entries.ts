/**
 * The commands on one entry: lookup, resume-cmd, end, policy, rename.
 */
import { commandLineFor, renameInFile, setPolicyInFile } from '../../admin.js'
import { type Entry, endInFile, lookup, type Policy, resumableFor, resumeSpec } from '../../index.js'
import { span } from '../options.js'
import { arg, json, mistake, type Task, text } from '../task.js'
import { EXIT, reportError, warner } from '../text/report-error.js'
import { readableIndex } from './readable-index.js'

export async function runLookup(task: Task): Promise<number> {
  const surfaceId = arg(task, 0)
  task.out.print(json(lookup(readableIndex(task, surfaceId), surfaceId)))
  return EXIT.ok
}

export async function runResumeCommand(task: Task): Promise<number> {
  const surfaceId = arg(task, 0)
  const index = readableIndex(task, surfaceId)
  const entry = lookup(index, surfaceId)
  const sessionId = resumableFor(index, surfaceId, { maxAgeMs: maxAge(task.args[1]) })
  if (entry === null || sessionId === null) {
    if (task.json) task.out.print(json(null))
    task.out.note(`nothing to resume on ${JSON.stringify(surfaceId)}: ${whyNothing(entry)}`)
    return EXIT.nothing
  }
  try {
    const spec = resumeSpec(entry)
    const command = commandLineFor(entry, spec)
    task.out.print(task.json ? json({ surfaceId, sessionId, command, ...spec }) : `${command}\n`)
    return EXIT.ok
  } catch (error) {
    // The entry cannot be resumed as it is: a failure, and not a mistake on the command line.
    reportError(error, task.path)
    return EXIT.failed
  }
}

function maxAge(given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  const ms = /^\d+$/.test(given) ? Number(given) : span(given)
  if (ms !== null) return ms
  const next = 'give a number of milliseconds, or one with a unit such as 12h'
  throw mistake(`maxAgeMs is not a span: ${JSON.stringify(given)}`, next)
}

function whyNothing(entry: Entry | null): string {
  if (entry === null) return 'nothing is recorded for it'
  const { state, reason, moved_to: movedTo, policy } = entry
  if (movedTo !== undefined) return `its session moved to ${JSON.stringify(movedTo)}`
  if (state === 'ended') return reason ? `its session ended (${reason})` : 'its session ended'
  if (state !== 'ready') return `its session has not been seen to start (${state})`
  if (policy === 'off') return 'its policy is off'
  return 'its session is older than the age that you gave'
}

export async function runEnd(task: Task): Promise<number> {
  const input = { surfaceId: arg(task, 0), reason: text(task, 'reason') }
  const entry = await endInFile(task.file, input, { onWarning: warner(task.path) })
  return answered(
    task,
    entry,
    `ended ${entry.surfaceId}: session ${entry.sessionId} stays in the index and is not resumed`
  )
}

export async function runPolicy(task: Task): Promise<number> {
  const input = { surfaceId: arg(task, 0), policy: arg(task, 1) as Policy }
  const entry = await setPolicyInFile(task.file, input, { onWarning: warner(task.path) })
  return answered(
    task,
    entry,
    `the policy of ${entry.surfaceId} is ${entry.policy} now; its count of attempts is cleared`
  )
}

export async function runRename(task: Task): Promise<number> {
  const from = arg(task, 0)
  const entry = await renameInFile(task.file, { from, to: arg(task, 1) }, { onWarning: warner(task.path) })
  return answered(task, entry, `renamed ${from} to ${entry.surfaceId}, with session ${entry.sessionId}`)
}

function answered(task: Task, entry: Entry, sentence: string): number {
  if (task.json) task.out.print(json(entry))
  else task.out.note(sentence)
  return EXIT.ok
}
