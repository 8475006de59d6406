/**
 * Files as evidence: does this transcript exist, and does it hold something?
 *
 * The answer is `missing` only if the file system says that there is no such file, or if the file is empty. A file that
 * cannot be read, or does not begin like a transcript, is `unknown`: it may be the session's only trace.
 */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { TranscriptFolder } from '../agents/row.js'
import { given } from '../core/given.js'
import type { Deadline } from './deadline.js'

export interface Finding {
  readonly state: 'found' | 'missing' | 'unknown'
  readonly path?: string
  /** `elsewhere`: not under the launch folder. Some versions of some agents resume only from there. */
  readonly where?: 'reported' | 'own' | 'elsewhere'
  /** It is missing as a conversation only: the file is there, whole, and holds no message. */
  readonly unused?: true
  /** Why it is missing or unknown, for people. */
  readonly why?: string
}

/** How much of a file is read to see whether it is a transcript. */
const HEAD_BYTES = 256 * 1024
/** How much of its end is read to see whether the conversation went on elsewhere. */
const TAIL_BYTES = 64 * 1024

export const TOO_LATE: Finding = { state: 'unknown', why: 'the search took too long' }

export function unknown(why: string, path?: string): Finding {
  return { state: 'unknown', why, ...given({ path }) }
}

export function missing(why: string, path?: string): Finding {
  return { state: 'missing', why, ...given({ path }) }
}

function found(path: string): Finding {
  return { state: 'found', path }
}

/** True if the file system says that nothing is there. Other errors say nothing. */
export function isAbsence(error: unknown): boolean {
  const code = codeOf(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'an error'
}

/** What tells a transcript of the session from another file. */
export type TranscriptTest = Pick<TranscriptFolder, 'idField' | 'message'>

/**
 * Whether `path` is this session's transcript, in JSON lines, and holds a message, as far as its place tells. An agent
 * resumes from what it can read: a torn line, zeros at the end or a line that is no JSON do not stop it, and a file with
 * notes about the session alone brings nothing back.
 */
export async function conversation(path: string, sessionId: string, test: TranscriptTest): Promise<Finding> {
  const { idField, message } = test
  const head = await headOf(path, HEAD_BYTES)
  if (typeof head !== 'string') return head
  const isCut = head.length === HEAD_BYTES
  const texts = head.split('\n')
  const lines = texts.map(parse)
  const first = lines[0] ?? null
  // A first line may be longer than what was read of it.
  if (first === null && !(isCut && texts.length === 1 && head.startsWith('{'))) {
    return unknown('the transcript does not begin as one', path)
  }
  if (idField !== undefined && first?.[idField] !== sessionId) return missing('another session', path)
  if (message === undefined || isCut) return found(path)
  if (lines.some((line) => message.values.includes(String(line?.[message.field])))) return found(path)
  const isTorn = texts.some((text, at) => lines[at] === null && /[^\0\s]/.test(text))
  if (isTorn) return unknown('no message can be read in it', path)
  return { ...missing('the transcript holds no message', path), unused: true }
}

/** The beginning of a file; a finding if there is none. It reads no FIFO and no device. */
export function headOf(path: string, bytes: number): Promise<string | Finding> {
  return partOf(path, bytes, () => 0)
}

/** The lines at the end of a transcript that are JSON, the last one first; a finding if there are none. */
export async function lastLines(path: string): Promise<readonly Record<string, unknown>[] | Finding> {
  const tail = await partOf(path, TAIL_BYTES, (size) => Math.max(0, size - TAIL_BYTES))
  if (typeof tail !== 'string') return tail
  return tail
    .split('\n')
    .toReversed()
    .map(parse)
    .filter((line) => line !== null)
}

async function partOf(path: string, bytes: number, from: (size: number) => number): Promise<string | Finding> {
  try {
    // Without O_NONBLOCK opening a FIFO would wait for a writer.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stat = await file.stat()
      if (!stat.isFile()) return unknown('not a file', path)
      if (stat.size === 0) return missing('the transcript is empty', path)
      const buffer = Buffer.alloc(Math.min(bytes, stat.size))
      const { bytesRead } = await file.read(buffer, 0, buffer.length, from(stat.size))
      return buffer.toString('latin1', 0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    if (isAbsence(error)) return missing('no such file', path)
    return unknown(`reading the transcript failed: ${codeOf(error)}`, path)
  }
}

function parse(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}

/** What stands where nothing is found: what is unknown, then a file without a message. */
export function stronger(known: Finding | undefined, finding: Finding): Finding | undefined {
  if (known?.state === 'unknown') return known
  return finding.state === 'unknown' ? finding : (known ?? (finding.unused && finding))
}

/**
 * The first place where something is found; otherwise the first unknown place, because the transcript may be there;
 * otherwise missing, with the file that holds no message, if there is one.
 */
export async function firstFound(
  places: readonly (() => Promise<Finding>)[],
  deadline: Deadline,
  absent: string
): Promise<Finding> {
  let doubt: Finding | undefined
  for (const look of places) {
    if (deadline.passed()) return TOO_LATE
    const finding = await look()
    if (finding.state === 'found') return finding
    doubt = stronger(doubt, finding)
  }
  return doubt ?? missing(absent)
}
