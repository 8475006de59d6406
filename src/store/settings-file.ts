/**
 * Replaces a settings file of another program, whole or not at all.
 *
 * write-file-atomic does the work: it keeps mode and owner, and writes through a symbolic link. It counts a write that
 * the disk took only in part as done, so that room is asked for before, and the file is read again after; where it is
 * short, what was there goes back. A link whose target is not there yet is followed here, since the package would put
 * a file in the link's place.
 */
import { mkdirSync, readFileSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { CrashResumeError } from '../core/errors.js'
import { codeOf } from './files.js'
import { resolveIndexPath } from './paths.js'

/** For a file that is made here; one that is there keeps its mode. */
const NEW_FILE = 0o600
const NEW_FOLDER = 0o700
/** Beyond the file's own size, for what the file system needs besides. */
const SPARE_BYTES = 64 * 1024

/** The text of a settings file; null where there is none. @throws ERR_IO */
export function readSettingsFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw failed('read', path, error)
  }
}

/**
 * Puts `text` into the file at `path`, made with its folder where it is not there.
 * @throws ERR_IO, ERR_NOT_A_FILE; what was there stays
 */
export async function replaceSettingsFile(path: string, text: string): Promise<void> {
  const target = followed(path)
  const before = readSettingsFile(target)
  try {
    // Loaded when it is needed: a program that only records never edits settings.
    const { default: writeFileAtomic } = await import('write-file-atomic')
    if (!hasRoom(dirname(target), Buffer.byteLength(text))) throw new Error('the disk is full')
    await writeFileAtomic(target, text, before === null ? { mode: NEW_FILE } : {})
    if (readSettingsFile(target) === text) return
    if (before !== null) await writeFileAtomic(target, before)
    throw new Error('the disk took only a part of it')
  } catch (error) {
    throw failed('write', path, error)
  }
}

/** The file that the path leads to, in a folder that is there. */
function followed(path: string): string {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: NEW_FOLDER })
    const { view, folder } = resolveIndexPath(path)
    mkdirSync(folder, { recursive: true, mode: NEW_FOLDER })
    return view
  } catch (error) {
    throw failed('reach', path, error)
  }
}

function hasRoom(folder: string, bytes: number): boolean {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize >= bytes + SPARE_BYTES
}

function failed(what: string, path: string, error: unknown): CrashResumeError {
  if (error instanceof CrashResumeError) return error
  const why = codeOf(error) ?? (error instanceof Error ? error.message : 'an error')
  const details = { next: 'fix that, then try again', path, cause: error }
  return new CrashResumeError('ERR_IO', `cannot ${what} ${path} (${why})`, details)
}
