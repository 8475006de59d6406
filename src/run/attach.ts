/**
 * Runs a program on the terminal of this process until it ends, without disturbing it.
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { isatty } from 'node:tty'
import { given } from '../core/given.js'
import type { Owner } from '../core/schema.js'
import { ownerOf } from '../probes/process.js'

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** A signal was passed on to it, or its terminal went away: it did not end by itself. */
  readonly cutOff: boolean
}

export interface Attached {
  /** Null: it ended before it could be looked at. */
  readonly owner: Owner | null
  readonly ended: Promise<Ended>
}

export interface AttachOptions {
  readonly cwd?: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** A signal that is sent to this process alone is meant for the agent. */
const FORWARDED: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR2']
/** A terminal sends these to both. Passing them on would be a second keypress for the agent. */
const FROM_KEYS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT']

/** Starts the program on this terminal, and passes signals on until it ends. @throws if it cannot be started */
export function attach([file, ...args]: readonly [string, ...string[]], options: AttachOptions): Promise<Attached> {
  return new Promise((resolve, reject) => {
    const { cwd, env } = options
    const child = spawn(file, args, { stdio: 'inherit', env: { ...env }, ...given({ cwd }) })
    let isTold = false
    const forward = (signal: NodeJS.Signals): void => {
      isTold = true
      child.kill(signal)
    }
    const onTerminal = isatty(0)
    const fromKeys = process.stdin.isTTY ? (): void => undefined : forward
    const release = (): void => {
      for (const signal of FORWARDED) process.off(signal, forward)
      for (const signal of FROM_KEYS) process.off(signal, fromKeys)
    }
    for (const signal of FORWARDED) process.on(signal, forward)
    for (const signal of FROM_KEYS) process.on(signal, fromKeys)
    const ended = new Promise<Ended>((tell) => {
      child.once('exit', (code, signal) => {
        release()
        tell({ code, signal, cutOff: isTold || (onTerminal && !isatty(0)) })
      })
    })
    child.once('error', (error) => {
      release()
      reject(error)
    })
    child.once('spawn', () => {
      resolve({ owner: child.pid === undefined ? null : ownerOf(child.pid), ended })
    })
  })
}

/** The exit code that a shell would give. */
export function exitCodeFor({ code, signal }: Ended): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal])
}

/** The end in words. */
export function wordsFor({ code, signal }: Ended): string {
  return signal === null ? `exit code ${code}` : signal
}
