/**
 * The one clock. The core has none, so every default of `now` comes from here.
 */

/** Ms since the epoch. */
export function clock(): number {
  return Date.now()
}
