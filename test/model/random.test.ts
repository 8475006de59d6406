/**
 * The store's protocol under schedules drawn from seeds. A failure names its seed; CRI_SEED=<seed> runs that one alone
 * and prints its steps. CRI_FULL=1 runs fifty times as many; of the rules in mutants.ts the rarest that they find shows
 * in the 2,500th schedule at the latest.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { loadProtocol } from './protocol.js'
import { randomRun } from './scheduler.js'
import { FULL, ONE_SEED } from './sizes.js'
import type { Protocol, World } from './world.js'

const RUNS = FULL ? 200_000 : 4000
const GROUPS = 4

let protocol: Protocol
beforeAll(async () => {
  protocol = await loadProtocol()
})

function allSeeds(): void {
  const size = RUNS / GROUPS
  it.each(Array.from({ length: GROUPS }, (_, group) => group))(
    `keep every promise (${size} of them, part %i)`,
    (group) => {
      const seen = { steps: 0, kills: 0, powerCuts: 0, edits: 0, faults: 0 }
      for (let seed = group * size; seed < (group + 1) * size; seed++) {
        const world = randomRun(protocol, seed)
        for (const what of Object.keys(seen) as (keyof typeof seen)[]) seen[what] += world[what]
      }
      // All that may befall a run did befall some.
      for (const count of Object.values(seen)) expect(count).toBeGreaterThan(size / 100)
    }
  )

  it('are the same for the same seed', () => {
    const steps = (): string[] => Array.from({ length: 20 }, (_, seed) => randomRun(protocol, seed).schedule())
    expect(steps()).toEqual(steps())
  })
}

function oneSeed(seed: number): void {
  it(`keeps every promise (seed ${seed})`, () => {
    const world: World = randomRun(protocol, seed)
    process.stdout.write(`${world.schedule()}\n`)
  })
}

describe('random schedules', () => (ONE_SEED === null ? allSeeds() : oneSeed(ONE_SEED)))
