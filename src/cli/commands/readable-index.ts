/** The index for commands that answer from it: what could not be read is never answered as absence. */
import { CrashResumeError, type Index, loadIndex } from '../../index.js'
import { warnAbout } from '../text/report-error.js'

/**
 * Loads the index, and tells its warnings but for those on single entries.
 * @param surfaceId the surface that will be asked for; absent: all
 * @throws ERR_INDEX_UNREADABLE where the index cannot be read, or lost an earlier state that may have held the surface
 */
export function readableIndex(file: string, surfaceId?: string): Index {
  const index = loadIndex(file)
  const { damaged = false, incomplete = false } = index.status ?? {}
  if (damaged) {
    throw new CrashResumeError('ERR_INDEX_UNREADABLE', `${file} is there and cannot be read as an index`, {
      path: file
    })
  }
  if (incomplete && surfaceId !== undefined && !holds(index, surfaceId)) {
    const message = `${file} lost an earlier state, which may have held surface ${JSON.stringify(surfaceId)}; restore it (see history), or accept the loss by doctor --accept-loss`
    throw new CrashResumeError('ERR_INDEX_UNREADABLE', message, { path: file })
  }
  tellWarnings(index)
  return index
}

/** For commands that take what cannot be read for what it is: they answer all the same, and it is told. */
export function toldIndex(file: string): Index {
  const index = loadIndex(file)
  tellWarnings(index)
  return index
}

/**
 * The warnings of an index, but for those on single entries: the command that asks for one says so itself.
 * @param before what was loaded and told before
 */
export function tellWarnings({ status }: Index, before?: Index): void {
  const told = new Set(before?.status?.warnings.map(({ message }) => message))
  for (const warning of status?.warnings ?? []) {
    if (warning.code !== 'entry_unreadable' && !told.has(warning.message)) warnAbout(warning)
  }
}

/** Whether the index has something for the surface, readable or not. */
function holds({ entries, unreadable = {} }: Index, surfaceId: string): boolean {
  return Object.hasOwn(entries, surfaceId) || Object.hasOwn(unreadable, surfaceId)
}
