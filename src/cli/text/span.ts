/** Spans of time as people write them. */

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000
}

/** Milliseconds in a span such as 30d; null where the text is none. */
export function span(text: string): number | null {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/.exec(text) ?? []
  const ms = UNITS[unit]
  return ms === undefined ? null : Number(number) * ms
}
