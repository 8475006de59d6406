/**
 * The order lock: contenders queue behind it, and nothing else rests on it.
 *
 * Two processes may hold it at once (a holder that slept past the stale limit is robbed), so the commit is a
 * compare-and-swap with or without it, and a writer that cannot take it in time continues without it. It is taken
 * only after a first conflict, and the lock library is loaded only then. What stands in the lock's place and is
 * no lock (a file, a folder with something in it, a time in the future) costs the wait, never the capture.
 * The one exception is a file system without hard links, where a commit must have the lock.
 */
import { lstatSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import type * as lockfile from 'proper-lockfile'
import type { LockAnswer, OddLock } from './files.js'

const STALE_MS = 10_000
const RETRY_MIN_MS = 4
const RETRY_SPREAD_MS = 12
/** Clocks of a file server and its client may differ that much without being wrong. */
const FUTURE_TOLERANCE_MS = 5_000

type Release = () => Promise<void> | void

/** What this process holds, by the lock's path. */
const held = new Map<string, Release>()

/** Waits at most `waitMs` for the lock folder `path`; `releaseLock` must follow where the answer is true. */
export async function acquireLock(path: string, waitMs: number): Promise<LockAnswer> {
  const until = performance.now() + waitMs
  const { lock } = (await import('proper-lockfile')).default
  for (;;) {
    if (!held.has(path)) {
      try {
        held.set(path, await lock(path, lockOptions(path)))
        return true
      } catch {
        // Held by another, or odd: look again until the time is up.
      }
    }
    const pause = pauseBefore(until)
    if (pause === 0) return oddLock(path) ?? false
    await new Promise((wake) => setTimeout(wake, pause))
  }
}

/** The same for a caller that cannot await: it blocks its thread. */
export function acquireLockNow(path: string, waitMs: number): LockAnswer {
  const until = performance.now() + waitMs
  const { lockSync } = createRequire(import.meta.url)('proper-lockfile') as typeof lockfile
  const sleeper = new Int32Array(new SharedArrayBuffer(4))
  for (;;) {
    try {
      held.set(path, lockSync(path, lockOptions(path)))
      return true
    } catch {
      // As above.
    }
    const pause = pauseBefore(until)
    if (pause === 0) return oddLock(path) ?? false
    Atomics.wait(sleeper, 0, 0, pause)
  }
}

/** Gives the lock back. Never throws: nothing depends on a lock that was lost meanwhile. */
export async function releaseLock(path: string): Promise<void> {
  const release = held.get(path)
  held.delete(path)
  try {
    await release?.()
  } catch {
    // It was taken as stale, or its folder was removed by hand.
  }
}

export function releaseLockNow(path: string): void {
  const release = held.get(path)
  held.delete(path)
  try {
    release?.()
  } catch {
    // As above.
  }
}

/** What is wrong with what stands in the lock's place and what to do, or null. Never throws. */
export function oddLock(path: string): OddLock | null {
  try {
    const stat = lstatSync(path)
    if (!stat.isDirectory()) return { what: `${path} is not a folder, so no lock can be taken`, next: 'remove it' }
    if (readdirSync(path).length > 0) {
      return { what: `${path} is not empty, so it can never be released`, next: 'remove what is in it' }
    }
    if (stat.mtimeMs > Date.now() + FUTURE_TOLERANCE_MS) {
      const what = `${path} has a time in the future, so it never becomes stale`
      return { what, next: 'remove the folder if no writer is running' }
    }
  } catch {
    // Gone meanwhile, or not to be looked at: nothing to say.
  }
  return null
}

function lockOptions(path: string): lockfile.LockOptions {
  return {
    lockfilePath: path,
    realpath: false,
    stale: STALE_MS,
    retries: 0,
    // To lose the lock is to lose the order only; the default throws inside a timer and ends the process.
    onCompromised: () => held.delete(path)
  }
}

function pauseBefore(until: number): number {
  const left = until - performance.now()
  return left <= 0 ? 0 : Math.max(1, Math.min(left, RETRY_MIN_MS + Math.random() * RETRY_SPREAD_MS))
}
