/**
 * Setup of the tests that run in one process: to them today is a thousand days on. A date that a test names beside the
 * real clock is found by the first run, and not on the one day in three years on which it matters. CRI_DAYS=40 puts
 * them on another day.
 */
const SHIFT_MS = Number(process.env['CRI_DAYS'] ?? 1000) * 24 * 60 * 60 * 1000

const Real = globalThis.Date

class Shifted extends Real {
  constructor(...given: [] | [value: number | string | Date]) {
    if (given.length === 0) super(Shifted.now())
    else super(...given)
  }

  static override now(): number {
    return Real.now() + SHIFT_MS
  }
}

globalThis.Date = Shifted as DateConstructor
