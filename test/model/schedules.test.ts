/**
 * The store's protocol under all schedules with at most two switches, where those are known to find something: in each
 * meeting that catches one of the mutants, and each cast once. Every single failure is tried in all scenarios.
 * CRI_FULL=1 goes through all meetings, and through all places of a power cut.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { CAST_NAMES, type CastName } from './casts.js'
import { MUTANTS } from './mutants.js'
import { loadProtocol } from './protocol.js'
import { SCENARIO_NAMES, type ScenarioName } from './scenarios.js'
import { everyFailure, everySchedule } from './schedules.js'
import { FULL } from './sizes.js'
import type { Protocol } from './world.js'

/** Beside the mutants' own: one quick scenario for each cast that none of them needs. */
const MORE: Partial<Record<CastName, ScenarioName>> = {
  'a writer, a reader, and a writer': 'view of an older tool'
}

/** The scenarios in which this cast catches a mutant. */
function catching(cast: CastName): ScenarioName[] {
  const caught = MUTANTS.flatMap(({ catcher }) =>
    'cast' in catcher && catcher.cast === cast ? [catcher.scenario] : []
  )
  return [...new Set(caught.concat(MORE[cast] ?? []))]
}

const meetings = CAST_NAMES.map((cast) => ({ cast, scenarios: FULL ? SCENARIO_NAMES : catching(cast) }))

let protocol: Protocol
beforeAll(async () => {
  protocol = await loadProtocol()
})

it.each(meetings)('schedules there are of $cast', ({ scenarios }) => expect(scenarios).not.toEqual([]))

describe.each(meetings)('all schedules of $cast', ({ cast, scenarios }) => {
  it.each(scenarios)('keep every promise: %s', (scenario) => {
    expect(everySchedule(protocol, scenario, cast, { full: FULL && cast === 'three writers' })).toBeGreaterThan(100)
  })
})

describe('every single failure', () => {
  it.each(SCENARIO_NAMES)('changes nothing or is survived: %s', (scenario) => {
    expect(everyFailure(protocol, scenario, FULL ? ['EIO', 'EACCES', 'EMFILE', 'ENOSPC'] : ['EIO'])).toBeGreaterThan(
      100
    )
  })
})
