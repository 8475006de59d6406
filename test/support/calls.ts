/** Starts the fixture program `caller`, which loads an index and records into it as another user or under other limits. */
import { execFileSync } from 'node:child_process'
import type { Failure } from './jobs.js'
import { program } from './programs.js'

export interface Call {
  readonly path: string
  readonly surface: string
  /** Gives up root for this user. */
  readonly uid?: number
  readonly umask?: number
  /** File descriptors that are left to it. */
  readonly descriptors?: number
}

export interface Answer {
  readonly ms: number
  readonly surfaces?: readonly string[]
  readonly warnings?: readonly string[]
  readonly error?: Failure
}

export interface Called {
  readonly load: Answer
  readonly update: Answer
}

const HANGS_MS = 120_000

/** @param shell runs before it in the same shell, e.g. `ulimit` or `mount`; it starts with `unshare --mount` where it is asked to. */
export function call(work: Call, around: { readonly shell?: string; readonly ownMounts?: boolean } = {}): Called {
  const { shell = ':', ownMounts = false } = around
  const command = [process.execPath, program('caller'), JSON.stringify(work)]
  const shelled = ['bash', '-e', '-c', `${shell}; exec "$@"`, 'bash', ...command]
  const [file = '', ...args] = ownMounts ? [...inOwnMounts(), ...shelled] : shelled
  return JSON.parse(execFileSync(file, args, { encoding: 'utf8', timeout: HANGS_MS }))
}

/** Mounts made under it are seen by nobody else and go with it. Without root it needs user namespaces. */
export function inOwnMounts(): string[] {
  const user = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
  return ['unshare', '--mount', ...user]
}
