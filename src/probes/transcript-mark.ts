/**
 * The mark of a transcript: its size, and a hash of its first 4 KiB. Nothing else of it is kept.
 *
 * A hook takes it, so it is one small read, and the hash is made here: node:crypto takes 3 ms to load. It is there to
 * notice damage, not an attack. What cannot be read has no mark, and has not shrunk.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import type { TranscriptMark } from '../core/schema.js'

const HEAD_BYTES = 4096

/**
 * The mark of this session's transcript as it is now.
 * @param known its last mark: a file that has lost something since gets no new one
 */
export function markOf(path: string, sessionId: string, known?: TranscriptMark): TranscriptMark | undefined {
  // A report may name the transcript of the session that this one was made from.
  if (!path.toLowerCase().includes(sessionId.toLowerCase())) return undefined
  const now = readMark(path, HEAD_BYTES)
  return now === null || now.size === 0 || (known !== undefined && lost(path, known, now)) ? undefined : now
}

/** Whether the file has lost something since it had this mark. */
export function hasShrunkSince(path: string, mark: TranscriptMark): boolean {
  const now = readMark(path, HEAD_BYTES)
  return now !== null && lost(path, mark, now)
}

function lost(path: string, mark: TranscriptMark, now: TranscriptMark): boolean {
  if (now.size < mark.size) return true
  const then = mark.size < HEAD_BYTES && now.size > mark.size ? readMark(path, mark.size) : now
  return then !== null && then.head !== mark.head
}

/** Null: there is no such file, or it cannot be read. It reads no FIFO and no device. */
function readMark(path: string, bytes: number): TranscriptMark | null {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stat = fstatSync(file)
      if (!stat.isFile()) return null
      const head = new Uint8Array(Math.min(bytes, stat.size))
      return readSync(file, head, 0, head.length, 0) < head.length ? null : { size: stat.size, head: hash(head) }
    } finally {
      closeSync(file)
    }
  } catch {
    return null
  }
}

/** Two sums in the way of FNV-1a, with different primes: 64 bits in hexadecimal digits. */
function hash(bytes: Uint8Array): string {
  let [one, two] = [0x811c9dc5, 0x9747b28c]
  for (let at = 0; at < bytes.length; at++) {
    one = Math.imul(one ^ (bytes[at] ?? 0), 0x01000193)
    two = Math.imul(two ^ (bytes[at] ?? 0), 0x5bd1e995)
  }
  return [one, two].map((sum) => (sum >>> 0).toString(16).padStart(8, '0')).join('')
}
