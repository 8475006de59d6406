/**
 * Copies of conversations, made before a recovery lets agents write to them.
 *
 * A copy is a folder in `<index>.conversations`, named by time and session, with the transcript and what is known of it.
 * It is complete once it has its name. Where the file system can, it shares the blocks of the original, and costs
 * nothing; elsewhere a file beyond 64 MiB is not copied. Copies go after 30 days or beyond 1 GiB, but the newest 10 stay.
 */
import {
  chmodSync,
  constants,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { dirname } from 'node:path'
import { isRecord } from '../core/validate.js'
import { codeOf } from './files.js'
import { formatStamp, parseStamp } from './kept.js'

const KEEP_AT_LEAST = 10
const KEEP_BYTES = 1024 ** 3
const KEEP_MS = 30 * 24 * 60 * 60 * 1000
const COPY_BYTES = 64 * 1024 ** 2
/** What the index itself may need meanwhile. */
const SPARE_BYTES = 256 * 1024 ** 2

/** A copy of a transcript. */
export interface ConversationCopy {
  readonly name: string
  /** When it was copied, ms since the epoch. */
  readonly time: number
  readonly sessionId: string
  /** Absent: none is on record. */
  readonly agent?: string
  /** The transcript that it is a copy of. */
  readonly path: string
  readonly bytes: number
}

/** What to copy. */
export interface ConversationSource {
  readonly sessionId: string
  readonly agent?: string | undefined
  readonly path: string
}

/** The copies of the index whose view is here, newest first. */
export function conversationCopies(view: string): readonly ConversationCopy[] {
  const folder = folderOf(view)
  return namesIn(folder)
    .filter((name) => /^\d{8}T\d{9}Z-/.test(name))
    .sort((a, b) => (a < b ? 1 : -1))
    .flatMap((name) => readCopy(folder, name) ?? [])
}

/** The file of a copy. */
export function copyPath(view: string, { name }: Pick<ConversationCopy, 'name'>): string {
  return `${folderOf(view)}/${name}/transcript`
}

/**
 * Copies a transcript. One that did not change since its last copy is not copied twice.
 * @param most a larger file is copied only where that costs nothing, in bytes. @default 64 MiB
 * @throws if it cannot be copied; then nothing is left of it
 */
export function copyConversation(
  view: string,
  source: ConversationSource,
  now: number,
  most: number = COPY_BYTES
): void {
  const { sessionId, agent, path } = source
  const { size, mtimeMs } = statSync(path)
  const about = { sessionId, agent, path, bytes: size, modified: mtimeMs }
  const folder = folderOf(view)
  const last = conversationCopies(view).find((copy) => copy.sessionId === sessionId && copy.path === path)
  if (last !== undefined && JSON.stringify(readAbout(folder, last.name)) === JSON.stringify(about)) return
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  expire(view, now)
  const stamp = formatStamp(now)
  const unnamed = `${folder}/t-${stamp}-${crypto.randomUUID()}`
  mkdirSync(unnamed, { mode: 0o700 })
  try {
    copyFile(path, `${unnamed}/transcript`, size, most)
    writeFileSync(`${unnamed}/about.json`, JSON.stringify(about), { mode: 0o600 })
    renameSync(unnamed, `${folder}/${stamp}-${sessionId}`)
  } catch (error) {
    rmSync(unnamed, { recursive: true, force: true })
    throw error
  }
}

/** Puts the file of a copy in the place of its transcript, whole or not at all. */
export function putBack(view: string, copy: ConversationCopy): void {
  const made = `${copy.path}.${crypto.randomUUID()}`
  mkdirSync(dirname(copy.path), { recursive: true, mode: 0o700 })
  try {
    copyFile(copyPath(view, copy), made, copy.bytes, Number.POSITIVE_INFINITY)
    renameSync(made, copy.path)
  } catch (error) {
    rmSync(made, { force: true })
    throw error
  }
}

function copyFile(from: string, to: string, size: number, most: number): void {
  try {
    copyFileSync(from, to, constants.COPYFILE_FICLONE_FORCE)
  } catch {
    if (size > most) throw new Error(`it has more than ${most / 1024 ** 2} MiB`)
    const { bavail, bsize } = statfsSync(dirname(to))
    if (bavail * bsize < size + SPARE_BYTES) throw new Error('the disk has no room for it')
    copyFileSync(from, to)
  }
  chmodSync(to, 0o600)
}

function expire(view: string, now: number): void {
  const folder = folderOf(view)
  let bytes = 0
  for (const [place, copy] of conversationCopies(view).entries()) {
    bytes += copy.bytes
    const goes = copy.time < now - KEEP_MS || bytes > KEEP_BYTES
    if (place >= KEEP_AT_LEAST && goes) rmSync(`${folder}/${copy.name}`, { recursive: true, force: true })
  }
  for (const name of namesIn(folder)) {
    // A killed one's.
    const stamp = /^t-(\d{8}T\d{9}Z)-/.exec(name)?.[1]
    if (stamp !== undefined && parseStamp(stamp) < now - KEEP_MS) rmSync(`${folder}/${name}`, { recursive: true })
  }
}

function folderOf(view: string): string {
  return `${view}.conversations`
}

function readCopy(folder: string, name: string): ConversationCopy | null {
  const about = readAbout(folder, name)
  if (!isRecord(about)) return null
  const { sessionId, agent, path, bytes } = about
  if (typeof sessionId !== 'string' || typeof path !== 'string' || typeof bytes !== 'number') return null
  const time = parseStamp(name.slice(0, name.indexOf('-')))
  return { name, time, sessionId, ...(typeof agent === 'string' ? { agent } : {}), path, bytes }
}

/** Null: it is no copy of ours, or cannot be read. */
function readAbout(folder: string, name: string): unknown {
  try {
    return JSON.parse(readFileSync(`${folder}/${name}/about.json`, 'utf8'))
  } catch {
    return null
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}
