/** The index for commands that answer from it: what could not be read is never answered as absence. */
import { CrashResumeError, type Index, loadIndex } from '../index.js'
import { warnAbout } from './complain.js'

/**
 * Loads the index, and tells its warnings but for those on single entries.
 * @param surfaceId the surface that will be asked for; absent: all
 * @throws ERR_INDEX_UNREADABLE where the index, or its newest revision, might hold the surface and cannot be read
 */
export function readableIndex(file: string, surfaceId?: string): Index {
  const index = loadIndex(file)
  const { damaged = false, warnings = [] } = index.status ?? {}
  if (damaged) {
    throw new CrashResumeError('ERR_INDEX_UNREADABLE', `${file} is there and cannot be read as an index`, {
      path: file
    })
  }
  const lost = warnings.find(({ code }) => code === 'revision_unreadable')
  const absent = surfaceId !== undefined && !Object.hasOwn(index.entries, surfaceId)
  const unread = index.unreadable !== undefined && Object.hasOwn(index.unreadable, surfaceId ?? '')
  if (lost && absent && !unread) {
    const message = `surface ${JSON.stringify(surfaceId)} is not in the newest revision that can be read, and may be in a newer one`
    throw new CrashResumeError('ERR_INDEX_UNREADABLE', message, { path: file })
  }
  for (const warning of warnings) if (warning.code !== 'entry_unreadable') warnAbout(warning)
  return index
}
