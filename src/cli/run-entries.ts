/**
 * The commands on one entry: record, touch, lookup, resume-cmd, end, policy, rename.
 */
import {
  CrashResumeError,
  endInFile,
  loadIndex,
  lookup,
  type Policy,
  recordToFile,
  renameInFile,
  resumeCommand,
  setPolicyInFile,
  touchInFile
} from '../index.js'
import { EXIT, warnAbout } from './complain.js'
import type { Task } from './run.js'
import { arg, given, json, text } from './task-values.js'

const WARN = { onWarning: warnAbout }

export async function runRecord(task: Task): Promise<number> {
  const role = task.args[3]
  const entry = await recordToFile(
    task.file,
    {
      surfaceId: arg(task, 0),
      sessionId: arg(task, 1),
      repo: arg(task, 2),
      ...given({
        role,
        agent: text(task, 'agent'),
        cwd: text(task, 'cwd'),
        policy: text(task, 'policy') as Policy | undefined
      })
    },
    WARN
  )
  if (task.json) task.out.print(json(entry))
  return EXIT.ok
}

export async function runTouch(task: Task): Promise<number> {
  const entry = await touchInFile(task.file, arg(task, 0), WARN)
  if (task.json) task.out.print(json(entry))
  return EXIT.ok
}

export async function runLookup(task: Task): Promise<number> {
  task.out.print(json(lookup(loadIndex(task.file), arg(task, 0))))
  return EXIT.ok
}

export async function runResumeCommand(task: Task): Promise<number> {
  const surfaceId = arg(task, 0)
  const index = loadIndex(task.file)
  if (index.status?.damaged) {
    throw new CrashResumeError(
      'ERR_INDEX_UNREADABLE',
      `${task.file} is there and cannot be read, so nobody knows what ran on this surface`
    )
  }
  const line = resumeCommand(index, surfaceId, given({ maxAgeMs: maxAge(task.args[1]) }))
  if (line === null) {
    task.out.note(`nothing to resume on ${surfaceId}: ${whyNothing(task, index)}`)
    if (task.json) task.out.print(json(null))
    return EXIT.nothing
  }
  task.out.print(task.json ? json({ surfaceId, command: line }) : `${line}\n`)
  return EXIT.ok
}

function maxAge(given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  const ms = Number(given)
  if (given.trim() !== '' && ms >= 0) return ms
  throw new CrashResumeError(
    'ERR_INVALID_INPUT',
    `maxAgeMs must be a number of milliseconds, 0 or more, not ${JSON.stringify(given)}`
  )
}

function whyNothing(task: Task, index: ReturnType<typeof loadIndex>): string {
  const entry = lookup(index, arg(task, 0))
  if (entry === null) return 'nothing was recorded for it'
  if (entry.policy === 'off') return 'its policy is off'
  if (entry.state === 'ended') return `its session ended${entry.reason ? ` (${entry.reason})` : ''}`
  if (entry.state !== 'ready') return 'its session was never seen to start'
  return 'its session is older than the given age'
}

export async function runEnd(task: Task): Promise<number> {
  const entry = await endInFile(
    task.file,
    { surfaceId: arg(task, 0), ...given({ reason: text(task, 'reason') }) },
    WARN
  )
  if (task.json) task.out.print(json(entry))
  else task.out.note(`ended ${entry.surfaceId}: session ${entry.sessionId} stays on file and is not resumed any more`)
  return EXIT.ok
}

export async function runPolicy(task: Task): Promise<number> {
  const entry = await setPolicyInFile(task.file, arg(task, 0), arg(task, 1) as Policy, WARN)
  if (task.json) task.out.print(json(entry))
  else task.out.note(`policy of ${entry.surfaceId} is ${entry.policy}; its count of attempts is cleared`)
  return EXIT.ok
}

export async function runRename(task: Task): Promise<number> {
  const entry = await renameInFile(task.file, arg(task, 0), arg(task, 1), WARN)
  if (task.json) task.out.print(json(entry))
  else task.out.note(`${arg(task, 0)} is ${entry.surfaceId} now, with session ${entry.sessionId}`)
  return EXIT.ok
}
