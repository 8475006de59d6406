/** The index for commands that answer from it: what cannot be read is never answered as absence. */

import { inlineCommand } from '../../admin.js'
import { CrashResumeError, type Index, loadIndex } from '../../index.js'
import type { QuickTask } from '../task.js'
import { ACCEPT_LOSS, warner } from '../text/report-error.js'

/**
 * Loads the index and reports its warnings, except those about single entries.
 * @param surfaceId the surface that will be asked for; absent: all
 * @throws ERR_INDEX_UNREADABLE where the index cannot be read, or lost an earlier state that may have held the surface
 */
export function readableIndex(task: QuickTask, surfaceId?: string): Index {
  const { file } = task
  const index = loadIndex(file)
  const { damaged = false, incomplete = false } = index.status ?? {}
  const isHeld = [index.entries, index.unreadable ?? {}].some((known) => Object.hasOwn(known, surfaceId ?? ''))
  if (damaged) {
    throw new CrashResumeError('ERR_INDEX_UNREADABLE', `${file} exists but is not a readable index`, { path: file })
  }
  if (incomplete && surfaceId !== undefined && !isHeld) {
    const what = `${file} lost an earlier state, which may have held surface ${JSON.stringify(surfaceId)}`
    throw new CrashResumeError('ERR_INDEX_UNREADABLE', what, {
      next: (path) =>
        `${inlineCommand({ name: 'history' }, path)} lists what you can restore; ${inlineCommand(ACCEPT_LOSS, path)} accepts the loss`,
      path: file
    })
  }
  reportWarnings(task, index)
  return index
}

/** For commands that answer from whatever can be read. */
export function warnedIndex(task: QuickTask): Index {
  const index = loadIndex(task.file)
  reportWarnings(task, index)
  return index
}

/**
 * Reports the warnings of an index, except those about single entries: a command that asks for one says so itself.
 * @param before an index whose warnings were reported before
 */
export function reportWarnings({ path }: QuickTask, { status }: Index, before?: Index): void {
  const reported = new Set(before?.status?.warnings.map(({ message }) => message))
  for (const warning of status?.warnings ?? []) {
    if (warning.code !== 'entry_unreadable' && !reported.has(warning.message)) warner(path)(warning)
  }
}
