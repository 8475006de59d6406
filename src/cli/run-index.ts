/**
 * The commands on the whole index: list, forget, prune, history, restore, doctor.
 */
import {
  CrashResumeError,
  type Entry,
  fingerprint,
  forgetInFile,
  historyOf,
  inspectIndex,
  loadIndex,
  lookup,
  prunable,
  pruneInFile,
  restoreInFile
} from '../index.js'
import { EXIT, warnAbout } from './complain.js'
import { renderDoomed, renderFindings, renderHistory, renderList } from './render.js'
import type { Task } from './run.js'
import { arg, flag, json, number } from './task-values.js'

const WARN = { onWarning: warnAbout }

export async function runList(task: Task): Promise<number> {
  const index = loadIndex(task.file)
  const { status } = index
  for (const warning of status?.warnings ?? []) if (warning.code !== 'entry_unreadable') warnAbout(warning)
  const entries = Object.values(index.entries)
  const unreadable = Object.keys(index.unreadable ?? {})
  if (task.json) task.out.print(json(entries))
  else if (!status?.damaged) task.out.print(renderList(entries, unreadable, task.look))
  for (const [surfaceId, { reason }] of Object.entries(index.unreadable ?? {})) {
    task.out.note(`warning: the entry of ${JSON.stringify(surfaceId)} cannot be read: ${reason}`)
  }
  return status?.damaged ? EXIT.failed : EXIT.ok
}

export async function runForget(task: Task): Promise<number> {
  const surfaceId = arg(task, 0)
  const index = loadIndex(task.file)
  const unreadable = index.unreadable !== undefined && Object.hasOwn(index.unreadable, surfaceId)
  const entry = unreadable ? null : lookup(index, surfaceId)
  if (entry === null && !unreadable) {
    throw new CrashResumeError('ERR_ENTRY_UNKNOWN', `the index holds no surface ${JSON.stringify(surfaceId)}`)
  }
  if (!(await agreed(task, entry ? [entry] : [], 'forget'))) return EXIT.refused
  await forgetInFile(task.file, surfaceId, entry ? fingerprint(entry) : undefined, WARN)
  if (!task.json) task.out.note(`forgot ${surfaceId}; the revision before is kept (see history)`)
  return EXIT.ok
}

export async function runPrune(task: Task): Promise<number> {
  const maxAgeMs = number(task, 'maxAge') ?? Number.POSITIVE_INFINITY
  const doomed = prunable(loadIndex(task.file), maxAgeMs)
  if (doomed.length === 0) {
    if (task.json) task.out.print(json([]))
    else task.out.note('nothing to prune: no entry is that old, or what is may still be in use')
    return EXIT.ok
  }
  if (!(await agreed(task, doomed, 'prune'))) return EXIT.refused
  await pruneInFile(task.file, doomed, maxAgeMs, WARN)
  if (!task.json) task.out.note(`pruned ${doomed.length}; the revision before is kept (see history)`)
  return EXIT.ok
}

/** Shows what would go; goes on with --yes, or with a yes on a terminal. */
async function agreed(task: Task, doomed: readonly Entry[], verb: string): Promise<boolean> {
  if (task.json) task.out.print(json(doomed))
  else if (doomed.length > 0) task.out.print(renderDoomed(doomed, task.look))
  if (flag(task, 'yes')) return true
  if (task.out.ask && !task.json)
    return task.out.ask(`${verb} ${doomed.length === 1 ? 'this entry' : 'these entries'}?`)
  task.out.note(`nothing was removed; add --yes to ${verb} what is shown`)
  return false
}

export async function runHistory(task: Task): Promise<number> {
  const { revisions, kept } = historyOf(task.file)
  task.out.print(task.json ? json({ revisions, kept }) : renderHistory(revisions, kept, task.look))
  return EXIT.ok
}

export async function runRestore(task: Task): Promise<number> {
  const before = loadIndex(task.file)
  const index = await restoreInFile(task.file, arg(task, 0), WARN)
  const changed = Object.values(index.entries).filter((entry) => {
    const old = Object.hasOwn(before.entries, entry.surfaceId) ? before.entries[entry.surfaceId] : undefined
    return old === undefined || fingerprint(old) !== fingerprint(entry)
  })
  if (task.json) task.out.print(json(changed))
  else if (changed.length === 0) task.out.note('nothing to restore: its entries are as they are now')
  else {
    task.out.print(renderDoomed(changed, task.look))
    task.out.note(`restored ${changed.length} as revision ${index.revision}; entries that it lacked stay`)
  }
  return EXIT.ok
}

export async function runDoctor(task: Task): Promise<number> {
  const findings = inspectIndex(task.file)
  task.out.print(task.json ? json(findings) : renderFindings(findings, task.look))
  return findings.some(({ state }) => state === 'problem') ? EXIT.failed : EXIT.ok
}
