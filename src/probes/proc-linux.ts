/**
 * Processes as Linux shows them under /proc.
 *
 * The functions read small files. Unless they say otherwise, they return null if a file cannot be read, and never
 * throw. A process that is not under /proc need not be gone: a mount with `hidepid` hides the processes of other users.
 * Only the kernel's answer to a signal is proof, and process.ts asks for it.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { Environment } from '../core/environment.js'
import { type Known, known, unknown } from './known.js'
import { readText } from './machine-id.js'

/** One process at the time of the look. */
export interface ProcessFacts {
  readonly pid: number
  readonly ppid: number
  readonly zombie: boolean
  /** The kernel's start time: clock ticks since the boot on Linux, a date in UTC on macOS. */
  readonly start: string
  /** The kernel's short name of the program; cut off on Linux after 15 bytes. */
  readonly comm: string
  /** Of the terminal session that it belongs to: the process that made it. Absent: the system does not tell. */
  readonly session?: number
  /** It has a terminal. */
  readonly terminal?: boolean
}

/** True if the terminal that the process was started on is gone: its pane was closed, or its server died. */
export function isHungUp(pid: number): boolean {
  // The kernel takes the terminal away first, and its device with it.
  if (linuxFacts(pid)?.terminal !== false) return false
  return [0, 1, 2].some((fd) => /^\/dev\/.* \(deleted\)$/.test(readLink(`/proc/${pid}/fd/${fd}`) ?? ''))
}

/** This boot's id, or undefined. */
export function linuxBootId(): string | undefined {
  return readText('/proc/sys/kernel/random/boot_id')?.trim() || undefined
}

/** This process's namespace of process numbers, e.g. `pid:[4026531836]`, or undefined. */
export function linuxNamespace(): string | undefined {
  return readLink('/proc/self/ns/pid') ?? undefined
}

/**
 * True if /proc numbers processes as this process does. A namespace may have been given the /proc from outside, where a
 * number means another process.
 */
export function procIsOurs(): boolean {
  return readLink('/proc/self') === String(process.pid)
}

/** What /proc shows of a process; null: nothing. */
export function linuxFacts(pid: number): ProcessFacts | null {
  const text = readText(`/proc/${pid}/stat`)
  return text === null ? null : parseStat(text)
}

/** The arguments of a process, or the title that it wrote over them; null: they cannot be read. */
export function linuxArgv(pid: number): readonly string[] | null {
  return splitArgv(readText(`/proc/${pid}/cmdline`))
}

/** Whether a process has written a title over its arguments; null: that cannot be read. */
export function linuxHasTitle(pid: number): boolean | null {
  const text = readText(`/proc/${pid}/cmdline`)
  return text ? /(?: \0*|\0\0)$/.test(text) : null
}

function splitArgv(text: string | null): readonly string[] | null {
  // A title written over the arguments is padded to their old length.
  const words = text?.replace(/[\0 ]+$/, '') ?? ''
  return words === '' ? null : words.split('\0')
}

/** The environment that a process was started with; null: it may not be read. */
export function linuxEnvironment(pid: number): Environment | null {
  const text = readText(`/proc/${pid}/environ`)
  if (text === null) return null
  const env: Record<string, string> = Object.create(null)
  for (const pair of text.split('\0')) {
    const at = pair.indexOf('=')
    if (at > 0) env[pair.slice(0, at)] = pair.slice(at + 1)
  }
  return env
}

/** A process with its arguments, in a look at all processes. */
export interface ListedProcess extends ProcessFacts {
  readonly argv: readonly string[] | null
}

/**
 * @returns null: it has ended, or this user may not see it
 * @throws if it could not be looked at for another reason, such as too many open files
 */
export function listedProcess(pid: number): ListedProcess | null {
  const text = textUnlessGone(`/proc/${pid}/stat`)
  const facts = text === null ? null : parseStat(text)
  return facts && { ...facts, argv: splitArgv(textUnlessGone(`/proc/${pid}/cmdline`)) }
}

/** The child processes of a process. */
export function childrenOf(pid: number): Known<readonly number[]> {
  try {
    // Each thread has a list of its own.
    const lists = readdirSync(`/proc/${pid}/task`).map((thread) => {
      const list = textUnlessGone(`/proc/${pid}/task/${thread}/children`)
      // Some kernels have no such lists. A thread that has ended has handed its children on.
      if (list === null && thread === String(pid)) throw new Error('the kernel lists no children')
      return list ?? ''
    })
    return known(lists.flatMap((list) => list.split(' ').filter((word) => word !== '')).map(Number))
  } catch (error) {
    return unknown(
      `the children of process ${pid} cannot be read: ${error instanceof Error ? error.message : 'an error'}`
    )
  }
}

const GONE_OR_HIDDEN: ReadonlySet<string> = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM'])

function textUnlessGone(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && GONE_OR_HIDDEN.has(String(error.code))) return null
    throw error
  }
}

/**
 * Reads /proc/<pid>/stat (proc_pid_stat(5)). The name is in parentheses, and may itself hold spaces, parentheses and
 * line ends. So the fields are counted from the last closing parenthesis.
 */
export function parseStat(text: string): ProcessFacts | null {
  const open = text.indexOf('(')
  const close = text.lastIndexOf(')')
  if (open < 0 || close < open) return null
  // Field 3, the state, comes first here: field n is at n - 3.
  const fields = text
    .slice(close + 1)
    .trim()
    .split(' ')
  const [state, ppid, session, terminal, threads, start] = [0, 1, 3, 4, 17, 19].map((at) => fields[at])
  if (state === undefined || ppid === undefined || !/^\d+$/.test(start ?? '') || start === undefined) return null
  return {
    pid: Number(text.slice(0, open)),
    ppid: Number(ppid),
    // A process whose first thread has ended shows as Z while its other threads run on.
    zombie: state === 'X' || state === 'x' || (state === 'Z' && Number(threads) <= 1),
    start,
    comm: text.slice(open + 1, close),
    session: Number(session),
    terminal: terminal !== '0'
  }
}

function readLink(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}
