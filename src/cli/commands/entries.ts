/**
 * The commands on one entry: record, touch, lookup, resume-cmd, end, policy, rename.
 */
import { resolve } from 'node:path'
import {
  CrashResumeError,
  commandLineFor,
  type Entry,
  endInFile,
  given,
  lookup,
  type Policy,
  recordToFile,
  renameInFile,
  resumableFor,
  resumeSpec,
  setPolicyInFile,
  touchInFile
} from '../../index.js'
import type { Task } from '../task.js'
import { arg, json, text } from '../task.js'
import { complain, EXIT, warnAbout } from '../text/report-error.js'
import { span } from '../text/span.js'
import { readableIndex } from './readable-index.js'

const WARN = { onWarning: warnAbout }

export async function runRecord(task: Task): Promise<number> {
  const cwd = text(task, 'cwd')
  const told = given({
    role: task.args[3],
    agent: text(task, 'agent'),
    cwd: cwd === undefined ? undefined : resolve(cwd),
    policy: text(task, 'policy') as Policy | undefined
  })
  const input = { surfaceId: arg(task, 0), sessionId: arg(task, 1), repo: arg(task, 2), ...told }
  const entry = await recordToFile(task.file, input, WARN)
  if (task.json) task.out.print(json(entry))
  return EXIT.ok
}

export async function runTouch(task: Task): Promise<number> {
  const entry = await touchInFile(task.file, arg(task, 0), WARN)
  if (task.json) task.out.print(json(entry))
  return EXIT.ok
}

export async function runLookup(task: Task): Promise<number> {
  const surfaceId = arg(task, 0)
  task.out.print(json(lookup(readableIndex(task.file, surfaceId), surfaceId)))
  return EXIT.ok
}

export async function runResumeCommand(task: Task): Promise<number> {
  const surfaceId = arg(task, 0)
  const index = readableIndex(task.file, surfaceId)
  const entry = lookup(index, surfaceId)
  const sessionId = resumableFor(index, surfaceId, given({ maxAgeMs: maxAge(task.args[1]) }))
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
    // What is on file cannot be resumed as it is: a failure, and nothing that was wrong on the command line.
    complain(error)
    return EXIT.failed
  }
}

function maxAge(given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  const ms = /^\d+$/.test(given) ? Number(given) : span(given)
  if (ms !== null) return ms
  const problem = `maxAgeMs must be a number of milliseconds, or one with a unit such as 12h, not ${JSON.stringify(given)}`
  throw new CrashResumeError('ERR_INVALID_INPUT', problem)
}

function whyNothing(entry: Entry | null): string {
  if (entry === null) return 'nothing was recorded for it'
  const { state, reason, moved_to: movedTo, policy } = entry
  if (movedTo !== undefined) return `its session moved to ${JSON.stringify(movedTo)}`
  if (state === 'ended') return reason ? `its session ended (${reason})` : 'its session ended'
  if (state !== 'ready') return `its session was never seen to start (${state})`
  if (policy === 'off') return 'its policy is off'
  return 'its session is older than the given age'
}

export async function runEnd(task: Task): Promise<number> {
  const input = { surfaceId: arg(task, 0), ...given({ reason: text(task, 'reason') }) }
  const entry = await endInFile(task.file, input, WARN)
  if (task.json) task.out.print(json(entry))
  else task.out.note(`ended ${entry.surfaceId}: session ${entry.sessionId} stays on file and is not resumed any more`)
  return EXIT.ok
}

export async function runPolicy(task: Task): Promise<number> {
  const entry = await setPolicyInFile(task.file, { surfaceId: arg(task, 0), policy: arg(task, 1) as Policy }, WARN)
  if (task.json) task.out.print(json(entry))
  else task.out.note(`the policy of ${entry.surfaceId} is ${entry.policy}; its count of attempts is cleared`)
  return EXIT.ok
}

export async function runRename(task: Task): Promise<number> {
  const from = arg(task, 0)
  const entry = await renameInFile(task.file, { from, to: arg(task, 1) }, WARN)
  if (task.json) task.out.print(json(entry))
  else task.out.note(`${from} is ${entry.surfaceId} now, with session ${entry.sessionId}`)
  return EXIT.ok
}
