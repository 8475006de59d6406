/**
 * The removals: forget and prune. They first show what they would remove, and remove nothing else.
 */

import { forgetInFile, historyOf, prunable, pruneInFile } from '../../admin.js'
import { fingerprint } from '../../core.js'
import { type Entry, lookup } from '../../index.js'
import { arg, flag, inline, json, number, type Task } from '../task.js'
import { byActivity, renderPlan, type Unreadable, unreadableIn } from '../text/entries.js'
import { EXIT, warner } from '../text/report-error.js'
import { count } from '../text/table.js'
import { readableIndex } from './readable-index.js'

export async function runForget(task: Task): Promise<number> {
  const surfaceId = arg(task, 0)
  const index = readableIndex(task, surfaceId)
  const unreadable = unreadableIn(index).filter((bad) => bad.surfaceId === surfaceId)
  const bad = unreadable.length > 0
  const entry = bad ? null : lookup(index, surfaceId)
  const expect = fingerprint(bad ? 'unreadable' : entry)
  // For an unknown surface nothing is shown: the library says that it is unknown.
  const known = entry !== null || bad
  if (known && !(await agreed(task, entry ? [entry] : [], unreadable))) return EXIT.refused
  await forgetInFile(task.file, known ? { surfaceId, expect } : { surfaceId }, { onWarning: warner(task.path) })
  if (!task.json) task.out.note(`forgot ${surfaceId}; ${wayBack(task, 'before-forget')}`)
  return EXIT.ok
}

export async function runPrune(task: Task): Promise<number> {
  const maxAgeMs = number(task, 'maxAge') ?? Number.POSITIVE_INFINITY
  const index = readableIndex(task)
  const stale = prunable(index, maxAgeMs, task.look.now)
  const old = Object.values(index.entries).filter(({ last_active }) => task.look.now - last_active > maxAgeMs)
  const spared = old.length - stale.length
  const kept = spared === 0 ? '' : `${count(spared, 'older entry', 'older entries')} may be in use and will stay`
  if (stale.length === 0) {
    if (task.json) task.out.print(json([]))
    task.out.note(`nothing to prune: ${kept === '' ? 'no entry is that old' : kept}`)
    return EXIT.ok
  }
  if (kept !== '') task.out.note(kept)
  if (!(await agreed(task, stale, []))) return EXIT.refused
  const entries = stale.map((entry) => ({ surfaceId: entry.surfaceId, expect: fingerprint(entry) }))
  await pruneInFile(task.file, { entries }, { onWarning: warner(task.path) })
  if (!task.json) task.out.note(`pruned ${count(stale.length, 'entry', 'entries')}; ${wayBack(task, 'before-prune')}`)
  return EXIT.ok
}

/** Shows what it would remove; true with --yes, or with a yes on a terminal. */
async function agreed(task: Task, entries: readonly Entry[], unreadable: readonly Unreadable[]): Promise<boolean> {
  const sorted = byActivity(entries)
  task.out.print(task.json ? json([...sorted, ...unreadable]) : renderPlan(sorted, unreadable, task.look))
  if (flag(task, 'yes')) return true
  const asked = task.json ? null : task.out.ask
  const one = entries.length + unreadable.length === 1
  if (asked && (await asked(`${task.name} ${one ? 'this entry' : 'these entries'}?`))) return true
  task.out.note(asked ? 'nothing was removed' : `nothing was removed; add --yes to ${task.name} it`)
  return false
}

/** How to undo it: the copy that was just kept. */
function wayBack(task: Task, reason: string): string {
  const copy = historyOf(task.file).kept.find((kept) => kept.reason === reason)
  if (copy === undefined) return `${inline(task, { name: 'history' })} has the revision before`
  return `to undo it, run ${inline(task, { name: 'restore', args: [copy.name] })}`
}
