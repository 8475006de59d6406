/**
 * How many attempts count against the next one.
 *
 * Only failed ones, and those whose agent came up and died alone soon after. What died with its terminal server or with
 * its machine did not fail, and of a session that started long enough ago nothing says that it died soon.
 */
import { DEFAULT_ATTEMPT_WINDOW_MS, DEFAULT_HEALTHY_AFTER_MS } from './defaults.js'
import { type Evidence, isEarlierBoot } from './evidence.js'
import type { Entry } from './schema.js'

export interface CountOptions {
  /** Ms since the epoch. */
  readonly now: number
  /** @default 3600000 */
  readonly attemptWindowMs?: number | undefined
}

/** Attempts that still count: none where the last one is older than the window. */
export function attemptsWithin(entry: Entry, evidence: Evidence, options: CountOptions): number {
  const last = Math.max(entry.attempt?.at ?? 0, entry.last_attempt?.at ?? 0)
  if (options.now - last > (options.attemptWindowMs ?? DEFAULT_ATTEMPT_WINDOW_MS)) return 0
  const isGood = cameUp(entry) && !diedAtOnce(entry, evidence, options.now)
  return Math.max(0, entry.attempts - (isGood ? 1 : 0))
}

/** It started, and was gone again before it was healthy, though nothing else had died: no better than a failed start. */
export function diedAtOnce(entry: Entry, evidence: Evidence, now: number): boolean {
  const { last_attempt: last, seen } = entry
  if (last === undefined || !cameUp(entry) || now - last.at >= DEFAULT_HEALTHY_AFTER_MS) return false
  return evidence.server !== 'gone' && !(seen !== undefined && isEarlierBoot(seen, evidence.machine))
}

function cameUp({ attempt, last_attempt: last }: Entry): boolean {
  return attempt === undefined && (last?.result === 'ok' || last?.result === 'seen')
}
