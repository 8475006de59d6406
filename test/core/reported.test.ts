/**
 * Failures that users of other tools reported, each as the events that led to it and what must come of them.
 */
import { describe, expect, test } from 'vitest'
import { parseIndex, serializeIndex } from '../../src/core/codec.js'
import { observe } from '../../src/core/observe.js'
import { pruneStale } from '../../src/core/remove.js'
import type { Index, Owner, Sighting, Verdict } from '../../src/core/schema.js'
import { settle } from '../../src/core/settle.js'
import { emptyIndex, end, noteExit, record, resumableFor, touch } from '../../src/core/verbs.js'
import { deepFreeze, earlier, entryOf, indexOf, ownerOf } from './samples.js'

const agent = ownerOf(10)
const inner = ownerOf(11)
const shell = ownerOf(5)

interface Event {
  readonly session: string
  readonly proc?: Owner
  readonly above?: readonly Owner[]
  readonly surface?: string
  readonly exit?: string
  readonly nested?: boolean
  readonly says?: Partial<Sighting>
  /** What a probe finds out about the agent's process at that moment. */
  readonly agent?: Verdict
}

interface Story {
  readonly name: string
  readonly events: readonly Event[]
  /** What is to be resumed on pane-1 in the end, and what was there before, newest first. */
  readonly resumes: string | null
  readonly before?: readonly string[]
}

function play(events: readonly Event[], start: Index = emptyIndex()): Index {
  return events.reduce((index, event, i) => {
    const { session, proc, above = [], surface = 'pane-1', exit, nested = false, says } = event
    if (exit !== undefined) return noteExit(index, { surfaceId: surface, sessionId: session, reason: exit }, i)
    const verdicts = [{ owner: agent, verdict: event.agent ?? 'unknown' }] as const
    const sighting = { surfaceId: surface, sessionId: session, repo: 'golems', ancestors: above, nested, ...says }
    return observe(deepFreeze(index), { ...sighting, ...(proc && { proc }) }, verdicts, i).index
  }, start)
}

const rotations: Story[] = [
  {
    name: 'a new id without any start event: the same process goes on',
    events: [
      { session: 'a', proc: agent },
      { session: 'b', proc: agent }
    ],
    resumes: 'b',
    before: ['a']
  },
  {
    name: 'a resume that reports another id keeps the lineage',
    events: [
      { session: 'a', proc: agent },
      { session: 'b', proc: inner, agent: 'dead' }
    ],
    resumes: 'b',
    before: ['a']
  },
  {
    name: 'the end of the old session, then the start of the new one, in one process',
    events: [
      { session: 'a', proc: agent },
      { session: 'a', exit: 'clear' },
      { session: 'b', proc: agent }
    ],
    resumes: 'b',
    before: ['a']
  },
  {
    name: 'the end of a session that comes after the start of the next',
    events: [
      { session: 'a', proc: agent },
      { session: 'b', proc: agent },
      { session: 'a', exit: 'clear' }
    ],
    resumes: 'b',
    before: ['a']
  },
  {
    name: 'the end of a session that was never seen',
    events: [
      { session: 'a', proc: agent },
      { session: 'x', exit: 'other' }
    ],
    resumes: 'a',
    before: []
  },
  {
    name: 'an empty session at startup, then a real one resumed inside',
    events: [
      { session: 'empty', proc: agent },
      { session: 'real', proc: agent }
    ],
    resumes: 'real',
    before: ['empty']
  },
  {
    name: 'restarted by hand in the pane: follow the pane, keep the old id',
    events: [
      { session: 'a', proc: agent },
      { session: 'b', proc: inner, agent: 'dead' },
      { session: 'a', proc: inner }
    ],
    resumes: 'a',
    before: ['b']
  },
  {
    name: 'a compacted session keeps its id',
    events: [
      { session: 'a', proc: agent },
      { session: 'a', proc: agent }
    ],
    resumes: 'a',
    before: []
  }
]

const nested: Story[] = [
  {
    name: 'a headless child in the pane of a live agent',
    events: [
      { session: 'a', proc: agent },
      { session: 'child', proc: inner, nested: true }
    ],
    resumes: 'a',
    before: []
  },
  {
    name: 'a child that bears no mark: another agent is above it',
    events: [
      { session: 'a', proc: agent },
      { session: 'child', proc: inner, above: [shell, agent] }
    ],
    resumes: 'a',
    before: []
  },
  {
    name: 'a child in another folder, of another process, while the agent lives',
    events: [
      { session: 'a', proc: agent },
      { session: 'child', proc: inner, agent: 'alive', says: { cwd: '/tmp' } }
    ],
    resumes: 'a',
    before: []
  },
  {
    name: 'a clear after a child came and went',
    events: [
      { session: 'a', proc: agent },
      { session: 'child', proc: inner, above: [agent] },
      { session: 'b', proc: agent }
    ],
    resumes: 'b',
    before: ['a']
  },
  {
    name: 'a child’s end',
    events: [
      { session: 'a', proc: agent },
      { session: 'child', exit: 'other' }
    ],
    resumes: 'a',
    before: []
  },
  {
    name: 'the real agent below a shell that is no agent',
    events: [{ session: 'a', proc: agent, above: [shell] }],
    resumes: 'a',
    before: []
  }
]

const exits: Story[] = [
  {
    name: 'an exit, said or real, takes nothing away',
    events: [
      { session: 'a', proc: agent },
      { session: 'a', exit: 'other' }
    ],
    resumes: 'a',
    before: []
  },
  {
    name: 'a pane that was killed takes nothing away',
    events: [
      { session: 'a', proc: agent },
      { session: 'a', exit: 'other' },
      { session: 'a', exit: 'prompt_input_exit' }
    ],
    resumes: 'a',
    before: []
  },
  {
    name: 'restored once, a second crash finds it again',
    events: [
      { session: 'a', proc: agent },
      { session: 'a', proc: inner, agent: 'dead' },
      { session: 'a', exit: 'other' }
    ],
    resumes: 'a',
    before: []
  }
]

describe.each([
  ['the session id rotates', rotations],
  ['a nested agent', nested],
  ['an exit', exits]
])('%s', (_kind, stories) => {
  test.each(stories)('$name', ({ events, resumes, before = [] }) => {
    const index = play(events)
    expect(resumableFor(index, 'pane-1', { now: 99 })).toBe(resumes)
    expect(index.entries['pane-1']?.previous.map(({ sessionId }) => sessionId)).toEqual(before)
  })
})

describe('recovery does not destroy', () => {
  test('a failed resume keeps the session, with the failure', () => {
    const claimed = indexOf({ attempt: { id: 'att', kind: 'resume', owner: shell, at: 1 }, attempts: 1 })
    const index = settle(claimed, { attemptId: 'att', result: { failed: 'exited', why: 'No conversation found' } }, 2)
    expect(resumableFor(index, 's1', { now: 3 })).toBe('session-a')
    expect(index.entries['s1']).toMatchObject({ last_attempt: { result: 'exited', why: 'No conversation found' } })
  })

  test('the session of a failing resume that reports itself leaves the good one in the history', () => {
    const index = play([
      { session: 'good', proc: agent },
      { session: 'bad', proc: inner, agent: 'dead' }
    ])
    expect(index.entries['pane-1']?.previous).toEqual([{ sessionId: 'good', until: 1, why: 'rotated' }])
  })

  test('an ended session that shows up again is armed again', () => {
    const ended = end(indexOf({ surfaceId: 'pane-1', sessionId: 'a' }), { surfaceId: 'pane-1' }, 5)
    expect(resumableFor(ended, 'pane-1', { now: 6 })).toBeNull()
    expect(resumableFor(play([{ session: 'a', proc: agent }], ended), 'pane-1', { now: 6 })).toBe('a')
  })
})

describe('one session, one pane', () => {
  test('five agents in one folder keep five ids', () => {
    const panes = [1, 2, 3, 4, 5]
    const index = play(
      panes.map((n) => ({ surface: `pane-${n}`, session: `session-${n}`, proc: ownerOf(n), says: { cwd: '/same' } }))
    )
    expect(panes.map((n) => resumableFor(index, `pane-${n}`, { now: 99 }))).toEqual(panes.map((n) => `session-${n}`))
  })

  test('an id that is live in one pane is not taken by another', () => {
    const index = play([
      { surface: 'pane-1', session: 'a', proc: agent },
      { surface: 'pane-2', session: 'b', proc: inner },
      { surface: 'pane-2', session: 'a', proc: inner, agent: 'alive' }
    ])
    expect([resumableFor(index, 'pane-1', { now: 9 }), resumableFor(index, 'pane-2', { now: 9 })]).toEqual(['a', 'b'])
  })

  test('after a reboot the session moves to its new pane, and the next crash resumes it once', () => {
    const index = play([
      { surface: 'old', session: 'a', proc: agent },
      { surface: 'new', session: 'a', proc: inner }
    ])
    expect([resumableFor(index, 'old', { now: 9 }), resumableFor(index, 'new', { now: 9 })]).toEqual([null, 'a'])
  })
})

test('a newer file, opened by this version, keeps what it does not know', () => {
  const newer = { version: 2, minted_by: 'v2', entries: { s1: { ...entryOf(), lanes: [1, { x: null }] } } }
  const written = serializeIndex(touch(parseIndex(JSON.stringify(newer)), 's1', 5000))
  expect(JSON.parse(written)).toEqual({ ...newer, entries: { s1: { ...newer.entries.s1, last_active: 5000 } } })
})

describe('an index does not grow without end', () => {
  test('500 restarts of one agent are one entry, and eight sessions of history', () => {
    let index = emptyIndex()
    for (let i = 0; i < 500; i += 1)
      index = record(index, { surfaceId: 's1', sessionId: `run-${i}`, repo: 'golems' }, i)
    expect(Object.keys(index.entries)).toEqual(['s1'])
    expect(index.entries['s1']?.previous).toHaveLength(8)
    expect(serializeIndex(index).length).toBeLessThan(2000)
  })

  test('a sighting that is turned away writes nothing, however often it comes', () => {
    const index = indexOf({ proc: agent })
    const child = { surfaceId: 's1', sessionId: 'child', repo: 'golems', proc: inner, ancestors: [agent] }
    for (let i = 0; i < 100; i += 1) expect(observe(index, child, [], i).index).toBe(index)
  })

  test('entries of long ago go when asked, the living stay', () => {
    const index = indexOf(
      { last_active: 1 },
      { surfaceId: 's2', sessionId: 'b', last_active: 1, proc: agent },
      { surfaceId: 's3', sessionId: 'c', last_active: 90, previous: earlier('x') }
    )
    expect(Object.keys(pruneStale(index, 50, 100, [{ owner: agent, verdict: 'alive' }]).entries)).toEqual(['s2', 's3'])
  })
})
