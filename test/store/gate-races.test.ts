/**
 * Real processes that race for one session through the gate. What really ran is told by the agents themselves.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { putEntry } from '../../src/core/entry.js'
import type { Entry } from '../../src/core/schema.js'
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

describe('an orchestrator killed', () => {
  const surfaceId = 'toy-1'
  const gate = (one: Orchestrator): Promise<Answer> => one.obey({ do: 'gate', path: play.path, surfaceId: here() })
  /** Toy agents of other runs on this machine belong to other surfaces. */
  const here = (): string => `${surfaceId}-${play.path}`
  const onDisk = (): Entry => loadIndex(play.path).entries[here()] as Entry
  const said = ({ action, reason, error }: Answer): string => error ?? `${action} ${reason}`

  async function minted(): Promise<{ first: Orchestrator; answer: Answer }> {
    const first = play.orchestrator()
    const answer = await gate(first)
    expect(said(answer)).toBe('fresh unknown_surface')
    return { first, answer }
  }

  /** A session that is up and known, and whose agent then dies. */
  async function fallen(): Promise<{ first: Orchestrator; sessionId: string }> {
    const { first, answer } = await minted()
    const { agent } = await first.obey({ do: 'spawn' })
    await first.obey({ do: 'settle', result: 'ok', withProcess: true })
    expect(onDisk()).toMatchObject({ state: 'ready', proc: { pid: agent } })
    await play.kill(agent as number)
    return { first, sessionId: answer.sessionId as string }
  }

  it('between mint and spawn: the next one starts afresh, and nothing was started', async () => {
    const { first, answer } = await minted()
    expect(onDisk()).toMatchObject({ state: 'minted', attempt: { id: answer.attempt, owner: { pid: first.pid } } })
    const next = play.orchestrator()
    expect(await gate(next)).toMatchObject({ reason: 'claimed', owner: { pid: first.pid } })
    await first.kill()

    const again = await gate(next)
    expect(said(again)).toBe('fresh never_started')
    expect(again.sessionId).not.toBe(answer.sessionId)
    expect(play.lives()).toEqual([])
    expect(onDisk()).toMatchObject({ gen: 2, attempts: 1, attempt: { owner: { pid: next.pid } } })
    await next.obey({ do: 'spawn' })
    await next.obey({ do: 'settle', result: 'ok', withProcess: true })
    expect(onDisk()).toMatchObject({ sessionId: again.sessionId, state: 'ready' })
  })

  it('between spawn and settle: the next one finds the agent running, and resumes it only when it is gone', async () => {
    const { first, answer } = await minted()
    const { agent } = await first.obey({ do: 'spawn' })
    await first.kill()
    expect(onDisk()).toMatchObject({ state: 'minted', attempt: { owner: { pid: first.pid } } })

    const next = play.orchestrator()
    expect(said(await gate(next))).toBe('refuse already_running')
    expect(onDisk().attempt?.owner.pid).toBe(first.pid)
    await play.kill(agent as number)
    const again = await gate(next)
    expect(said(again)).toBe('resume ok_unconfirmed')
    expect(again.sessionId).toBe(answer.sessionId)
    await next.obey({ do: 'spawn' })
    await next.obey({ do: 'settle', result: 'ok', withProcess: true })
    expect(play.lives().map(({ form }) => form)).toEqual(['--session-id', '--resume'])
    expect(said(await gate(play.orchestrator()))).toBe('refuse already_running')
  })

  it('between claim and resume: the next one resumes, once', async () => {
    const { first, sessionId } = await fallen()
    expect(await gate(first)).toMatchObject({ action: 'resume', reason: 'ok', sessionId })
    const next = play.orchestrator()
    expect(await gate(next)).toMatchObject({ reason: 'claimed', owner: { pid: first.pid } })
    await first.kill()
    expect(onDisk()).toMatchObject({ state: 'ready', attempts: 1, attempt: { kind: 'resume' } })

    expect(await gate(next)).toMatchObject({ action: 'resume', reason: 'ok', sessionId })
    await next.obey({ do: 'spawn' })
    await next.obey({ do: 'settle', result: 'ok', withProcess: true })
    expect(onDisk()).toMatchObject({ state: 'ready', attempts: 2, last_attempt: { result: 'ok' } })
    expect(play.lives()).toHaveLength(2)
    expect(play.running()).toHaveLength(1)
  })

  it('between resume and settle: the next one does not resume the live session a second time', async () => {
    const { first, sessionId } = await fallen()
    await gate(first)
    const { agent } = await first.obey({ do: 'spawn' })
    await first.kill()
    expect(onDisk().attempt?.owner.pid).toBe(first.pid)

    const next = play.orchestrator()
    const running = await gate(next)
    expect(running).toMatchObject({ action: 'refuse', reason: 'already_running' })
    expect(running.sentence).toContain(sessionId)
    expect(play.running()).toEqual([agent])
    await play.kill(agent as number)
    expect(await gate(next)).toMatchObject({ action: 'resume', reason: 'ok', sessionId })
    await next.obey({ do: 'spawn' })
    expect(play.lives()).toHaveLength(3)
    expect(play.running()).toHaveLength(1)
  })

  it('while an agent that never said a word was starting: the next one starts afresh', async () => {
    const { first } = await minted()
    const { agent } = await first.obey({ do: 'spawn', silent: true })
    await first.kill()
    const next = play.orchestrator()
    expect(said(await gate(next))).toBe('refuse already_running')
    await play.kill(agent as number)
    expect(said(await gate(next))).toBe('fresh never_started')
  })
})
