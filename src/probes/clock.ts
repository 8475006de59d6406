/**
 * The one clock. The core has none, so every default of `now` comes from here.
 */

/** A point in time, or a function that gives it: ms since the epoch. */
export type Now = number | (() => number)

/** Ms since the epoch. */
export function clock(now?: Now): number {
  if (now === undefined) return Date.now()
  return typeof now === 'number' ? now : now()
}
