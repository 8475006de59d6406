/**
 * Real processes that race for one session through the gate. What really ran is told by the agents themselves.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Entry } from '../../src/core/schema.js'
import { putEntry } from '../../src/core/transitions.js'
import { thisMachine } from '../../src/probes/process.js'
import { loadIndex, updateIndex } from '../../src/store/store.js'
import { entryOf } from '../core/samples.js'
import { type Orchestrator, Playground } from '../support/orchestrators.js'
import type { Answer } from '../support/orders.js'
import { MANY_PROCESSES_MS } from '../support/writers.js'

const FULL = process.env['CRI_FULL'] === '1'
const PROCESSES = 32
const ROUNDS = FULL ? 100 : 12

let play: Playground
beforeEach(() => {
  play = new Playground()
})
afterEach(() => play.remove())

/** Surfaces whose session went down with the machine. */
async function crashed(...entries: readonly Partial<Entry>[]): Promise<void> {
  const seen = { ...thisMachine(), bootId: 'an-earlier-boot' }
  await updateIndex(play.path, (index) =>
    entries.reduce((next, fields) => putEntry(next, entryOf({ agent: 'toy', seen, ...fields })), index)
  )
}

async function together(processes: readonly Orchestrator[], surfaceOf: (place: number) => string): Promise<Answer[]> {
  await Promise.all(
    processes.map((one, place) =>
      one.prepare({ do: 'gate', path: play.path, surfaceId: surfaceOf(place), evidence: { running: 'no' } })
    )
  )
  return Promise.all(processes.map((one) => one.go()))
}

describe(`${PROCESSES} processes let go together`, () => {
  it.each([
    ['one crashed surface', 1],
    ['two surfaces that hold one session', 2]
  ])(
    'on %s: one may resume, the others are refused by name of it while it holds the attempt',
    async (_, surfaces) => {
      const processes = Array.from({ length: PROCESSES }, () => play.orchestrator())
      for (let round = 0; round < ROUNDS; round++) {
        const ids = Array.from({ length: surfaces }, (_, n) => `s${round}-${n}`)
        await crashed(...ids.map((surfaceId) => ({ surfaceId, sessionId: `session-${round}` })))
        const answers = await together(processes, (place) => ids[place % surfaces] as string)
        const winners = answers.filter(({ action }) => action === 'resume')
        expect(winners, JSON.stringify(answers)).toHaveLength(1)
        const [winner] = winners
        for (const answer of answers.filter((each) => each !== winner)) {
          expect(answer).toMatchObject({ action: 'refuse', reason: 'claimed', owner: { pid: winner?.pid } })
          expect(answer.sentence).toContain(`process ${winner?.pid}, started at ${answer.owner?.start}`)
        }
        const open = Object.values(loadIndex(play.path).entries).flatMap(({ attempt }) => attempt ?? [])
        expect(open.map(({ id }) => id)).toContain(winner?.attempt)
        const holder = processes.find(({ pid }) => pid === winner?.pid)
        await holder?.obey({ do: 'settle', result: 'ok' })
      }
      const entries = Object.values(loadIndex(play.path).entries)
      expect(entries.filter(({ attempt }) => attempt)).toEqual([])
      expect(entries.filter(({ state }) => state !== 'ended')).toHaveLength(ROUNDS)
    },
    MANY_PROCESSES_MS
  )
})
