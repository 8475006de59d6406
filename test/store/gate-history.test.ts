/**
 * Processes claim one session, settle, and are killed at any moment; what they were told, and what was read from the
 * disk meanwhile, must be as if each thing had happened at one moment.
 */
import { expect, it } from 'vitest'
import { putEntry } from '../../src/core/entry.js'
import { thisMachine } from '../../src/probes/process.js'
import { loadIndex, updateIndex } from '../../src/store/store.js'
import { entryOf } from '../core/samples.js'
import { sharedClock } from '../support/jobs.js'
import { linearize, type Operation } from '../support/linearize.js'
import { type Orchestrator, Playground } from '../support/orchestrators.js'
import type { Answer, Order } from '../support/orders.js'
import { MANY_PROCESSES_MS } from '../support/writers.js'

const FULL = process.env['CRI_FULL'] === '1'
const HISTORIES = FULL ? 20 : 3
const LANES = 4
const TURNS = 8
const SEED = Number(process.env['CRI_SEED'] ?? Date.now() % 1_000_000)

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

class History {
  readonly operations: Operation[] = []
  kills = 0
  cut = 0
  readonly #play: Playground
  readonly #random: () => number

  constructor(play: Playground, random: () => number) {
    this.#play = play
    this.#random = random
  }

  async lane(): Promise<void> {
    let one = this.#play.orchestrator()
    for (let turn = 0; turn < TURNS; turn++) {
      const claimed = await this.#order(one, { do: 'gate', ...this.#question })
      if (claimed === null) one = this.#play.orchestrator()
      else if (claimed.action === 'resume') {
        const settled = await this.#order(one, { do: 'settle', result: { failed: 'exited' } })
        if (settled === null) one = this.#play.orchestrator()
      }
      this.read()
    }
  }

  get #question(): Omit<Extract<Order, { do: 'gate' }>, 'do'> {
    return { path: this.#play.path, surfaceId: 's1', evidence: { running: 'no' }, often: true }
  }

  /** Null: the process was killed over it. */
  async #order(one: Orchestrator, order: Order): Promise<Answer | null> {
    await one.prepare(order)
    const { pid } = one
    const began = sharedClock()
    const doomed = this.#random() < 0.3
    const answered = one.go().catch(() => null)
    if (doomed) await this.#killSoon(one)
    const answer = await answered
    const ended = sharedClock()
    if (answer === null) {
      this.cut += 1
      this.operations.push({
        pid,
        began,
        ended: null,
        what: { kind: `${order.do === 'gate' ? 'gate' : 'settle'} cut` }
      })
      return null
    }
    expect(answer.error).toBeUndefined()
    this.operations.push({ pid, began, ended, what: whatOf(order, answer) })
    return doomed ? null : answer
  }

  async #killSoon(one: Orchestrator): Promise<void> {
    const ms = this.#random() * 12
    const until = sharedClock() + ms
    while (sharedClock() < until) await new Promise((turn) => setImmediate(turn))
    const began = sharedClock()
    await one.kill()
    this.kills += 1
    this.operations.push({ pid: one.pid, began, ended: sharedClock(), what: { kind: 'kill' } })
  }

  read(): void {
    const began = sharedClock()
    const owner = loadIndex(this.#play.path).entries['s1']?.attempt?.owner.pid ?? 0
    this.operations.push({ pid: process.pid, began, ended: sharedClock(), what: { kind: 'read', owner } })
  }
}

function whatOf(order: Order, { action, reason, owner }: Answer): Operation['what'] {
  if (order.do !== 'gate') return { kind: 'settled' }
  if (action === 'resume') return { kind: 'claimed' }
  expect(`${action} ${reason}`).toBe('refuse claimed')
  return { kind: 'refused', owner: owner?.pid ?? 0 }
}

it(
  `histories of ${LANES} processes that claim, settle and are killed are linearizable (seed ${SEED})`,
  async () => {
    const totals = { kills: 0, cut: 0, claimed: 0, refused: 0 }
    for (let round = 0; round < HISTORIES; round++) {
      const play = new Playground()
      try {
        const seen = { ...thisMachine(), bootId: 'an-earlier-boot' }
        await updateIndex(play.path, (index) => putEntry(index, entryOf({ agent: 'toy', seen })))
        const history = new History(play, randomFrom(SEED + round))
        await Promise.all(Array.from({ length: LANES }, () => history.lane()))
        history.read()
        const { operations } = history
        const said = (kind: string): number => operations.filter(({ what }) => what.kind === kind).length
        totals.kills += history.kills
        totals.cut += history.cut
        totals.claimed += said('claimed')
        totals.refused += said('refused')
        expect(linearize(operations), `seed ${SEED}, round ${round}: ${JSON.stringify(operations)}`).not.toBeNull()
      } finally {
        await play.remove()
      }
    }
    // The faults struck.
    for (const [what, count] of Object.entries(totals)) expect(count, what).toBeGreaterThan(0)
  },
  MANY_PROCESSES_MS
)
