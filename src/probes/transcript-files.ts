/**
 * Files as evidence: is this transcript there, and is something in it?
 *
 * `missing` is said only where the file system itself says that there is no such file, or the file is empty. What
 * cannot be read, or does not begin like a transcript, is `unknown`: it may be the session's only trace.
 */
import { constants } from 'node:fs'
import { open, readdir, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import type { Deadline } from './deadline.js'

export type Environment = Readonly<Record<string, string | undefined>>

/** What is asked: where is the transcript of this session? */
export interface TranscriptQuery {
  readonly sessionId: string
  /** The launch folder. */
  readonly cwd?: string
  /** The path that the agent itself reported. */
  readonly transcript?: string
}

export interface Finding {
  readonly state: 'found' | 'missing' | 'unknown'
  readonly path?: string
  /** `elsewhere`: not under the launch folder, to which some versions of some agents bind a resume. */
  readonly where?: 'reported' | 'own' | 'elsewhere'
  /** Why it is missing or unknown, for people. */
  readonly why?: string
}

export interface Surroundings {
  readonly env: Environment
  readonly home: string
  readonly deadline: Deadline
}

/** How one agent's transcripts are looked for. */
export type TranscriptProbe = (query: TranscriptQuery, around: Surroundings) => Promise<Finding>

/** As much of a file as is read to see that it is a transcript. */
const HEAD_BYTES = 256 * 1024
/** More names than this in one folder, or folders on one level, are not gone through. */
const MAX_NAMES = 10_000

export const TOO_LATE: Finding = { state: 'unknown', why: 'looking took too long' }

export function unknown(why: string): Finding {
  return { state: 'unknown', why }
}

export function missing(why: string): Finding {
  return { state: 'missing', why }
}

/** The user's home as programs find it. */
export function homeOf(env: Environment): string {
  return env['HOME'] || homedir()
}

/** True where the file system says that nothing is there, rather than failing to say. */
function isAbsence(error: unknown): boolean {
  const code = codeOf(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'an error'
}

/** Whether a transcript in JSON lines is at `path`: a file that begins with an object, whole or longer than is read. */
export async function jsonLines(path: string, where: NonNullable<Finding['where']>): Promise<Finding> {
  const head = await headOf(path)
  if (typeof head !== 'string') return head
  const end = head.indexOf('\n')
  const whole = end >= 0 || head.length < HEAD_BYTES
  if (!head.startsWith('{') || (whole && !isJson(end < 0 ? head : head.slice(0, end)))) {
    return { ...unknown('the transcript does not begin as one'), path }
  }
  return { state: 'found', path, where }
}

/** The beginning of a file; a finding where there is none to speak of. Reads no FIFO and no device. */
export async function headOf(path: string, bytes: number = HEAD_BYTES): Promise<string | Finding> {
  try {
    // Without O_NONBLOCK opening a FIFO would wait for a writer.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stat = await file.stat()
      if (!stat.isFile()) return { ...unknown('not a file'), path }
      if (stat.size === 0) return { ...missing('the transcript is empty'), path }
      const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(bytes, stat.size)), 0)
      return buffer.toString('latin1', 0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    if (isAbsence(error)) return { ...missing('no such file'), path }
    return { ...unknown(`reading the transcript failed: ${codeOf(error)}`), path }
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The names in a folder; a finding where there is no such folder, or that cannot be told. */
export async function namesIn(folder: string): Promise<readonly string[] | Finding> {
  try {
    const names = await readdir(folder)
    if (names.length > MAX_NAMES) return unknown(`${folder} holds more than ${MAX_NAMES} names`)
    return names
  } catch (error) {
    return isAbsence(error) ? missing(`no folder ${folder}`) : unknown(`reading ${folder} failed: ${codeOf(error)}`)
  }
}

/**
 * For the folder that an agent keeps everything in: without it, the agent that the session is of has another one, and
 * nothing can be told of the session.
 */
export function namesAtHome(names: readonly string[] | Finding, folder: string): readonly string[] | Finding {
  if (!('state' in names) || names.state !== 'missing') return names
  return unknown(`no folder ${folder}; the agent must have been told to keep its sessions elsewhere`)
}

/**
 * The first place where something is found; else the first doubt, for a place that could not be looked at may be the
 * one; else missing.
 */
export async function firstFound(
  places: readonly (() => Promise<Finding>)[],
  { deadline }: Surroundings,
  absent: string
): Promise<Finding> {
  let doubt: Finding | undefined
  for (const look of places) {
    if (deadline.passed()) return TOO_LATE
    const finding = await look()
    if (finding.state === 'found') return finding
    if (finding.state === 'unknown') doubt ??= finding
  }
  return doubt ?? missing(absent)
}

/** An agent's own folder: what the variable says, relative to the launch folder, or the default below the home. */
export function agentHome(value: string | undefined, cwd: string | undefined, standard: string): string | null {
  if (value === undefined) return standard
  if (isAbsolute(value)) return value
  return cwd === undefined ? null : resolve(cwd, value)
}

/** The ways to write one folder: as the kernel does, and as it was given. */
export async function spellings(folder: string): Promise<readonly string[]> {
  try {
    return [...new Set([await realpath(folder), folder])]
  } catch {
    return [folder]
  }
}
