/**
 * The store's protocol under all schedules with at most two switches, in the main scenarios, and under every single
 * failure in all of them. CRI_FULL=1 goes through all scenarios, and through all places of a power cut.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { CAST_NAMES, type CastName } from './casts.js'
import { loadProtocol } from './protocol.js'
import { SCENARIO_NAMES, type ScenarioName } from './scenarios.js'
import { everyFailure, everySchedule } from './schedules.js'
import { FULL } from './sizes.js'
import type { Protocol } from './world.js'

const MAIN: readonly ScenarioName[] = [
  'history present',
  'history absent',
  'only the file of an older tool',
  'history not durable',
  'revision not durable',
  'view edited',
  'view of an older tool',
  'view ahead',
  'view stale',
  'view deleted',
  'newest revision unreadable',
  'no hard links'
]
const MEETINGS: readonly (readonly [CastName, readonly ScenarioName[]])[] = [
  ['three writers', MAIN],
  ['a writer, and one that changes four times', ['history present', 'history deleted']],
  ['a writer, one that changes nothing, and a writer', ['history absent', 'view edited, not durable']],
  ['two writers, and one that changes nothing', ['history present', 'revision not durable, view garbage']],
  ['a reader, and a writer that changes three times', ['view deleted', 'newest revision unreadable']],
  ['a writer, a reader, and a writer', ['history young', 'view of an older tool']],
  ['one that saves what it loaded, and a writer', ['history present', 'only the file of an older tool']],
  ['a writer, and one that removes', ['history present']],
  ['one that removes, a reader, and a writer', ['view ahead', 'history not durable, view of an older tool']]
]
const ALL: typeof MEETINGS = CAST_NAMES.map((cast) => [cast, cast === 'three writers' ? SCENARIO_NAMES : MAIN])

let protocol: Protocol
beforeAll(async () => {
  protocol = await loadProtocol()
})

describe.each(FULL ? ALL : MEETINGS)('all schedules of %s', (cast, scenarios) => {
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
