/**
 * The clock is an argument wherever a test names a date. A fixed date beside the real clock is right for a while, and
 * then red for ever, or on one day.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const tests = resolve(import.meta.dirname, '..')
const DAY_MS = 24 * 60 * 60 * 1000

const FIXED = /\b20[2-9]\d-[01]\d-[0-3]\d|Date\.UTC\(|new Date\(20\d\d|\b1_?[6-9]\d\d_?\d{3}_?\d{3}_?\d{3}\b/
const CLOCK = /Date\.now\b|new Date\(\)/

const isAged = (text: string): boolean => FIXED.test(text) && CLOCK.test(text)

function testFiles(): string[] {
  return readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.(ts|mjs)$/.test(name) && !name.startsWith(join('fixtures', 'files'))
  )
}

describe('a fixed date', () => {
  it('stands in no file that reads the clock', () => {
    const own = join('house', 'dates.test.ts')
    const files = testFiles()
    expect(files.length).toBeGreaterThan(100)
    expect(files.filter((name) => name !== own && isAged(readFileSync(join(tests, name), 'utf8')))).toEqual([])
  })

  it.each([
    ["touch(index, 's', Date.parse('2026-11-30T00:00:00Z'))\nprune(index, DAY, Date.now())", true],
    ['record(index, entry, Date.UTC(2026, 10, 30))\nexpect(age(new Date())).toBe(1)', true],
    ['const BEGAN = 1_795_867_200_000\nconst now = Date.now', true],
    ["const BEGAN = Date.parse('2026-11-30T00:00:00Z')\nprune(index, DAY, BEGAN + DAY)", false],
    ['const now = Date.now()\nprune(index, DAY, now)', false]
  ])('is told from the clock: %j', (text, found) => {
    expect(isAged(text)).toBe(found)
  })
})

it('the clock of a test in one process is far from today, so that what slips through is red at once', () => {
  const days = Number(process.env['CRI_DAYS'] ?? 1000)
  for (const now of [Date.now(), Date.parse(new Date().toISOString())]) {
    const real = performance.timeOrigin + performance.now()
    expect((now - real) / DAY_MS).toBeCloseTo(days)
  }
})
