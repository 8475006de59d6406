import { describe, expect, test } from 'vitest'
import { observe } from '../../src/core/observe.js'
import type { Entry, ObserveOutcome, Owner, Sighting, Verdict, Verdicts } from '../../src/core/schema.js'
import { settle } from '../../src/core/settle.js'
import { deepFreeze, entryOf, indexOf, ownerOf } from './samples.js'

const NOW = 1_000_000
const agent = ownerOf(10)
const other = ownerOf(11)
const boss = ownerOf(20)
const shell = ownerOf(30)
const machine = { host: 'machine-1', bootId: 'boot-1', ns: '4026531836' }
const on = (owner: Owner, verdict: Verdict): Verdicts => [{ owner, verdict }]
const spawn = { id: 'att-1', kind: 'spawn', owner: boss, at: NOW - 1000 } as const
const resume = { ...spawn, kind: 'resume' } as const
const seenBy = (attempt: { readonly owner: Owner; readonly at: number }): object => ({
  id: 'att-1',
  at: NOW,
  began: attempt.at,
  result: 'seen',
  owner: attempt.owner
})

interface Case {
  readonly name: string
  /** Surface s1 holds session-a unless this says otherwise; an empty list is an empty index. */
  readonly held?: readonly Partial<Entry>[]
  /** A sighting of session-b on s1 unless this says otherwise. */
  readonly seen?: Partial<Sighting>
  readonly verdicts?: Verdicts
  readonly outcome: ObserveOutcome
  /** What the entries hold afterwards; undefined fields must be absent. None: the index is the same object. */
  readonly after?: Readonly<Record<string, Readonly<Record<keyof Entry | string, unknown>>>>
}

const rotated = {
  sessionId: 'session-b',
  state: 'ready',
  gen: 2,
  captured_at: 1000,
  last_active: NOW,
  previous: [{ sessionId: 'session-a', until: NOW, why: 'rotated' }]
}
const left = (why: string): object => [{ sessionId: 'session-a', until: NOW, why }]

const nested: Case[] = [
  { name: 'marked as nested, on a surface without an entry', held: [], seen: { nested: true }, outcome: 'nested' },
  {
    name: 'marked as nested, although the process is the recorded one',
    held: [{ proc: agent }],
    seen: { nested: true, proc: agent },
    outcome: 'nested'
  },
  {
    name: 'marked as nested, although the recorded process is dead',
    held: [{ proc: agent }],
    seen: { nested: true, proc: other },
    verdicts: on(agent, 'dead'),
    outcome: 'nested'
  },
  {
    name: 'marked as nested, although it is the same session',
    seen: { nested: true, sessionId: 'session-a' },
    outcome: 'nested'
  },
  {
    name: 'marked as nested, although the session was minted here',
    held: [{ state: 'minted', attempt: spawn }],
    seen: { nested: true, sessionId: 'session-a', ancestors: [boss] },
    outcome: 'nested'
  },
  {
    name: 'below the agent of this surface',
    held: [{ proc: agent }],
    seen: { proc: other, ancestors: [shell, agent] },
    outcome: 'nested'
  },
  {
    name: 'below the agent of this surface, which is said to be dead',
    held: [{ proc: agent }],
    seen: { proc: other, ancestors: [agent] },
    verdicts: on(agent, 'dead'),
    outcome: 'nested'
  },
  {
    name: 'below the agent of another surface',
    held: [{ surfaceId: 's2', proc: agent }],
    seen: { proc: other, ancestors: [agent] },
    outcome: 'nested'
  },
  {
    name: 'below an agent that is below the owner of a start here',
    held: [
      { sessionId: 'pending.att-1', state: 'minted', attempt: spawn },
      { surfaceId: 's2', sessionId: 'session-c', proc: agent }
    ],
    seen: { proc: other, ancestors: [agent, boss] },
    outcome: 'nested'
  },
  {
    name: 'a wrapped agent is not nested: only a shell is above it',
    held: [],
    seen: { proc: agent, ancestors: [shell] },
    outcome: 'captured',
    after: { s1: { sessionId: 'session-b' } }
  },
  {
    name: 'a worker that an agent started on purpose, of its own session',
    held: [
      { sessionId: 'session-b', proc: other },
      { surfaceId: 's2', sessionId: 'session-c', proc: agent }
    ],
    seen: { proc: other, ancestors: [agent] },
    outcome: 'refreshed',
    after: { s1: { sessionId: 'session-b' } }
  },
  {
    name: 'a worker that an agent started on purpose, after its rotation',
    held: [{ proc: other }, { surfaceId: 's2', sessionId: 'session-c', proc: agent }],
    seen: { proc: other, ancestors: [agent] },
    outcome: 'rotated',
    after: { s1: rotated }
  },
  {
    name: 'a start whose owner is below an agent',
    held: [
      { sessionId: 'session-b', state: 'minted', attempt: spawn },
      { surfaceId: 's2', sessionId: 'session-c', proc: agent }
    ],
    seen: { proc: other, ancestors: [boss, agent] },
    outcome: 'refreshed',
    after: { s1: { state: 'ready' } }
  },
  {
    name: 'a capturing start whose owner is below an agent',
    held: [
      { sessionId: 'pending.att-1', state: 'minted', attempt: spawn },
      { surfaceId: 's2', sessionId: 'session-c', proc: agent }
    ],
    seen: { proc: other, ancestors: [boss, agent] },
    verdicts: on(boss, 'alive'),
    outcome: 'captured',
    after: { s1: { sessionId: 'session-b', state: 'ready' } }
  }
]

const elsewhere: Case[] = [
  {
    name: 'no word on its process: it moves, with its history and its attempt',
    held: [
      {
        proc: agent,
        role: 'lead',
        scope: 'tmux-1',
        address: 'work:1.1',
        gen: 3,
        attempts: 1,
        attempt: resume,
        cwd: '/w',
        policy: 'manual',
        previous: [{ sessionId: 'session-0', until: 5, why: 'rotated' }],
        dispatch: { id: 'd1', step: 'build', owner: boss, at: 1, result: 'open' }
      }
    ],
    seen: { surfaceId: 's2', sessionId: 'session-a', proc: other },
    outcome: 'moved',
    after: {
      s2: {
        sessionId: 'session-a',
        state: 'ready',
        role: 'lead',
        gen: 3,
        attempts: 1,
        captured_at: NOW,
        last_active: NOW,
        cwd: '/w',
        policy: 'manual',
        proc: other,
        seen: machine,
        scope: undefined,
        address: undefined,
        attempt: undefined,
        last_attempt: { ...seenBy(resume), kind: 'resume' },
        previous: [{ sessionId: 'session-0', until: 5, why: 'rotated' }],
        dispatch: { id: 'd1', step: 'build', owner: boss, at: 1, result: 'open' }
      },
      s1: {
        sessionId: 'session-a',
        state: 'ended',
        reason: 'moved',
        moved_to: 's2',
        captured_at: 1000,
        gen: 3,
        attempts: 0,
        attempt: undefined,
        last_attempt: undefined,
        dispatch: undefined,
        proc: undefined,
        previous: [],
        scope: 'tmux-1',
        policy: 'manual'
      }
    }
  },
  {
    name: 'its process is dead: it moves',
    held: [{ proc: agent }],
    seen: { surfaceId: 's2', sessionId: 'session-a', proc: other },
    verdicts: on(agent, 'dead'),
    outcome: 'moved',
    after: { s1: { state: 'ended' }, s2: { state: 'ready' } }
  },
  {
    name: 'its process is this one: it moves',
    held: [{ proc: agent }],
    seen: { surfaceId: 's2', sessionId: 'session-a', proc: agent },
    verdicts: on(agent, 'alive'),
    outcome: 'moved',
    after: { s1: { state: 'ended' }, s2: { state: 'ready', proc: agent } }
  },
  {
    name: 'its process is another one and alive',
    held: [{ proc: agent }],
    seen: { surfaceId: 's2', sessionId: 'session-a', proc: other },
    verdicts: on(agent, 'alive'),
    outcome: 'duplicate'
  },
  {
    name: 'its process is alive, and none is seen here',
    held: [{ proc: agent }],
    seen: { surfaceId: 's2', sessionId: 'session-a' },
    verdicts: on(agent, 'alive'),
    outcome: 'duplicate'
  },
  {
    name: 'a live process of the same number in another boot is no obstacle',
    held: [{ proc: agent }],
    seen: { surfaceId: 's2', sessionId: 'session-a', proc: other },
    verdicts: on(ownerOf(10, { bootId: 'boot-2' }), 'alive'),
    outcome: 'moved',
    after: { s2: { state: 'ready' } }
  },
  {
    name: 'it ended there: nothing moves',
    held: [{ state: 'ended' }],
    seen: { surfaceId: 's2', sessionId: 'session-a' },
    outcome: 'captured',
    after: { s1: { state: 'ended', last_active: 2000 }, s2: { gen: 1 } }
  },
  {
    name: 'onto a surface that holds another session of a dead process',
    held: [
      { gen: 4, policy: 'off', address: 'work:1.1', previous: [{ sessionId: 'session-0', until: 5, why: 'rotated' }] },
      {
        surfaceId: 's2',
        sessionId: 'session-b',
        gen: 2,
        proc: agent,
        captured_at: 77,
        address: 'work:2.2',
        previous: [{ sessionId: 'session-1', until: 6, why: 'replaced' }]
      }
    ],
    seen: { surfaceId: 's2', sessionId: 'session-a', proc: other },
    verdicts: on(agent, 'dead'),
    outcome: 'moved',
    after: {
      s2: {
        sessionId: 'session-a',
        gen: 5,
        captured_at: 77,
        policy: 'off',
        address: 'work:2.2',
        previous: [
          { sessionId: 'session-b', until: NOW, why: 'rotated' },
          { sessionId: 'session-1', until: 6, why: 'replaced' },
          { sessionId: 'session-0', until: 5, why: 'rotated' }
        ]
      },
      s1: { state: 'ended', moved_to: 's2' }
    }
  },
  {
    name: 'onto a surface where another process lives',
    held: [{}, { surfaceId: 's2', sessionId: 'session-b', proc: agent }],
    seen: { surfaceId: 's2', sessionId: 'session-a', proc: other },
    verdicts: on(agent, 'alive'),
    outcome: 'nested',
    // It stays where it was, and is not taken for dead there.
    after: { s1: { state: 'ready', proc: other, last_active: NOW }, s2: { sessionId: 'session-b', proc: agent } }
  },
  {
    name: 'onto a surface that a person has switched off',
    held: [{}, { surfaceId: 's2', sessionId: 'session-b', policy: 'off' }],
    seen: { surfaceId: 's2', sessionId: 'session-a', proc: other },
    outcome: 'moved',
    after: { s2: { sessionId: 'session-a', policy: 'off' }, s1: { state: 'ended', policy: 'auto' } }
  },
  {
    name: 'back to where it came from',
    held: [
      { state: 'ended', reason: 'moved', moved_to: 's2', gen: 2 },
      { surfaceId: 's2', gen: 2, captured_at: 50 }
    ],
    seen: { sessionId: 'session-a', proc: agent },
    outcome: 'moved',
    after: {
      s1: { state: 'ready', reason: undefined, moved_to: undefined, captured_at: 1000, gen: 2 },
      s2: { state: 'ended', moved_to: 's1' }
    }
  },
  {
    name: 'on two others and here, as another tool left it',
    held: [{}, { surfaceId: 's2' }, { surfaceId: 's3' }],
    seen: { sessionId: 'session-a' },
    outcome: 'moved',
    after: {
      s1: { state: 'ready', gen: 1, previous: [] },
      s2: { state: 'ended', moved_to: 's1' },
      s3: { state: 'ended', moved_to: 's1' }
    }
  },
  {
    name: 'on two others, one of them alive',
    held: [{}, { surfaceId: 's2', proc: agent }],
    seen: { surfaceId: 's3', sessionId: 'session-a', proc: other },
    verdicts: on(agent, 'alive'),
    outcome: 'duplicate'
  },
  {
    name: 'minted there, and seen here',
    held: [{ state: 'minted', attempt: spawn }],
    seen: { surfaceId: 's2', sessionId: 'session-a', proc: agent },
    verdicts: on(boss, 'alive'),
    outcome: 'moved',
    after: { s2: { state: 'ready', attempt: undefined, last_attempt: { ...seenBy(spawn), kind: 'spawn' } } }
  },
  {
    name: 'onto a capturing start of this very process',
    held: [{}, { surfaceId: 's2', sessionId: 'pending.att-1', state: 'minted', attempt: spawn }],
    seen: { surfaceId: 's2', sessionId: 'session-a', proc: agent, ancestors: [boss] },
    verdicts: on(boss, 'alive'),
    outcome: 'moved',
    after: { s2: { sessionId: 'session-a', previous: [] } }
  }
]

const same: Case[] = [
  {
    name: 'ready, now, in this process',
    held: [{ proc: other, seen: { host: 'machine-0' } }],
    seen: { sessionId: 'session-a', proc: agent },
    outcome: 'refreshed',
    after: {
      s1: { state: 'ready', gen: 1, captured_at: 1000, last_active: NOW, proc: agent, seen: machine, previous: [] }
    }
  },
  {
    name: 'without a process, the death of an older one no longer counts',
    held: [{ proc: agent, seen: machine }],
    seen: { sessionId: 'session-a' },
    outcome: 'refreshed',
    after: { s1: { proc: { ...agent, seen_since: true }, seen: undefined } }
  },
  {
    name: 'the machine that saw it is kept where given',
    seen: { sessionId: 'session-a', seen: { host: 'machine-9' } },
    outcome: 'refreshed',
    after: { s1: { seen: { host: 'machine-9' } } }
  },
  {
    name: 'an ended one is open again',
    held: [{ state: 'ended', reason: 'done' }],
    seen: { sessionId: 'session-a' },
    outcome: 'refreshed',
    after: { s1: { state: 'ready', reason: undefined } }
  },
  {
    name: 'the open attempt has come through',
    held: [{ state: 'minted', attempt: spawn }],
    seen: { sessionId: 'session-a', proc: agent },
    verdicts: on(boss, 'alive'),
    outcome: 'refreshed',
    after: { s1: { state: 'ready', attempt: undefined, last_attempt: { ...seenBy(spawn), kind: 'spawn' } } }
  },
  {
    name: 'what is not told stays, what is told is new',
    held: [{ role: 'lead', agent: 'claude', cwd: '/old', flags: ['--x'], transcript: '/t' }],
    seen: { sessionId: 'session-a', repo: 'other', cwd: '/new' },
    outcome: 'refreshed',
    after: { s1: { role: 'lead', agent: 'claude', cwd: '/new', flags: ['--x'], transcript: '/t', repo: 'other' } }
  },
  {
    name: 'a role of null is told',
    held: [{ role: 'lead' }],
    seen: { sessionId: 'session-a', role: null },
    outcome: 'refreshed',
    after: { s1: { role: null } }
  },
  {
    name: 'a dispatch and the note of an exit stay',
    held: [
      {
        dispatch: { id: 'd1', step: 'build', owner: boss, at: 1, result: 'open' },
        last_exit: { at: 3, reason: 'other' }
      }
    ],
    seen: { sessionId: 'session-a' },
    outcome: 'refreshed',
    after: {
      s1: {
        dispatch: { id: 'd1', step: 'build', owner: boss, at: 1, result: 'open' },
        last_exit: { at: 3, reason: 'other' }
      }
    }
  }
]

const rotation: Case[] = [
  {
    name: 'the same process: rotated',
    held: [{ proc: agent, transcript: '/t', last_exit: { at: NOW - 1, reason: 'clear' }, policy: 'manual' }],
    seen: { proc: agent },
    outcome: 'rotated',
    after: { s1: { ...rotated, proc: agent, transcript: undefined, last_exit: undefined, policy: 'manual' } }
  },
  {
    name: 'the same process, said to be alive: rotated',
    held: [{ proc: agent }],
    seen: { proc: agent },
    verdicts: on(agent, 'alive'),
    outcome: 'rotated',
    after: { s1: rotated }
  },
  {
    name: 'the recorded process is dead: rotated',
    held: [{ proc: agent }],
    seen: { proc: other },
    verdicts: on(agent, 'dead'),
    outcome: 'rotated',
    after: { s1: { ...rotated, proc: other } }
  },
  {
    name: 'the recorded process is dead, and none is seen: rotated',
    held: [{ proc: agent }],
    verdicts: on(agent, 'dead'),
    outcome: 'rotated',
    after: { s1: { ...rotated, proc: undefined } }
  },
  {
    name: 'unknown, with a process: rotated',
    held: [{ proc: agent }],
    seen: { proc: other },
    outcome: 'rotated',
    after: { s1: rotated }
  },
  { name: 'unknown, without a process', held: [{ proc: agent }], outcome: 'nested' },
  {
    name: 'no process recorded, one is seen: rotated',
    seen: { proc: agent },
    outcome: 'rotated',
    after: { s1: rotated }
  },
  { name: 'no process recorded, none is seen', outcome: 'nested' },
  {
    name: 'the recorded process is another and alive',
    held: [{ proc: agent }],
    seen: { proc: other },
    verdicts: on(agent, 'alive'),
    outcome: 'nested'
  },
  {
    name: 'the recorded process is alive, and none is seen',
    held: [{ proc: agent }],
    verdicts: on(agent, 'alive'),
    outcome: 'nested'
  },
  {
    name: 'a live process of the same number but another start is no obstacle',
    held: [{ proc: agent }],
    seen: { proc: other },
    verdicts: on(ownerOf(10, { start: '999' }), 'alive'),
    outcome: 'rotated',
    after: { s1: rotated }
  },
  {
    name: 'an attempt for the old session is closed',
    held: [{ proc: agent, attempts: 2, attempt: resume }],
    seen: { proc: agent },
    outcome: 'rotated',
    after: {
      s1: {
        ...rotated,
        attempt: undefined,
        attempts: 2,
        last_attempt: { ...seenBy(resume), kind: 'resume', why: 'another session took the surface', seen_since: true }
      }
    }
  },
  {
    name: 'another agent: its flags are not the old one’s',
    held: [{ agent: 'claude', flags: ['--x'], cwd: '/w' }],
    seen: { proc: agent, agent: 'codex' },
    outcome: 'rotated',
    after: { s1: { ...rotated, agent: 'codex', flags: undefined, cwd: '/w' } }
  },
  {
    name: 'over an ended one',
    held: [{ state: 'ended', reason: 'done' }],
    outcome: 'rotated',
    after: { s1: { ...rotated, reason: undefined, previous: left('ended') } }
  },
  {
    name: 'over one that moved away',
    held: [{ state: 'ended', reason: 'moved', moved_to: 's2' }],
    outcome: 'rotated',
    after: { s1: { ...rotated, reason: undefined, moved_to: undefined, previous: left('moved') } }
  },
  {
    name: 'over one that is gone',
    held: [{ state: 'ended', reason: 'session_gone' }],
    outcome: 'rotated',
    after: { s1: { ...rotated, previous: left('session_gone') } }
  },
  {
    name: 'over an ended one whose process lives',
    held: [{ state: 'ended', proc: agent }],
    seen: { proc: other },
    verdicts: on(agent, 'alive'),
    outcome: 'nested'
  },
  {
    name: 'over a start that failed',
    held: [{ state: 'spawn_failed' }],
    seen: { proc: agent },
    outcome: 'rotated',
    after: { s1: { ...rotated, previous: left('never_started') } }
  },
  {
    name: 'back to an earlier session',
    held: [
      {
        sessionId: 'session-a',
        proc: agent,
        previous: [
          { sessionId: 'session-b', until: 5, why: 'rotated' },
          { sessionId: 'session-0', until: 4, why: 'rotated' }
        ]
      }
    ],
    seen: { proc: agent },
    outcome: 'rotated',
    after: {
      s1: {
        ...rotated,
        previous: [
          { sessionId: 'session-a', until: NOW, why: 'rotated' },
          { sessionId: 'session-0', until: 4, why: 'rotated' }
        ]
      }
    }
  }
]

const minted: Case[] = [
  {
    name: 'its owner alive: another session, with a process, is not it',
    held: [{ state: 'minted', attempt: spawn }],
    seen: { proc: agent, ancestors: [boss] },
    verdicts: on(boss, 'alive'),
    outcome: 'nested'
  },
  {
    name: 'its owner dead: another session takes over',
    held: [{ state: 'minted', attempt: spawn }],
    seen: { proc: agent },
    verdicts: on(boss, 'dead'),
    outcome: 'rotated',
    after: { s1: { ...rotated, previous: left('never_started') } }
  },
  {
    name: 'no word on its owner: a session with a process takes over',
    held: [{ state: 'minted', attempt: spawn }],
    seen: { proc: agent },
    outcome: 'rotated',
    after: { s1: { ...rotated, previous: left('never_started') } }
  },
  {
    name: 'no word on its owner: a session without a process does not',
    held: [{ state: 'minted', attempt: spawn }],
    outcome: 'nested'
  },
  {
    name: 'a placeholder gives way to the first session below the owner',
    held: [{ sessionId: 'pending.att-1', state: 'minted', attempt: spawn, gen: 2 }],
    seen: { proc: agent, ancestors: [shell, boss] },
    verdicts: on(boss, 'alive'),
    outcome: 'captured',
    after: {
      s1: {
        sessionId: 'session-b',
        state: 'ready',
        gen: 3,
        previous: [],
        proc: agent,
        attempt: undefined,
        last_attempt: { ...seenBy(spawn), kind: 'spawn', why: undefined }
      }
    }
  },
  {
    name: 'a placeholder gives way to its owner itself, which became the agent',
    held: [{ sessionId: 'pending.att-1', state: 'minted', attempt: spawn }],
    seen: { proc: boss },
    verdicts: on(boss, 'alive'),
    outcome: 'captured',
    after: { s1: { sessionId: 'session-b', previous: [] } }
  },
  {
    name: 'a placeholder of a live owner does not give way to a stranger',
    held: [{ sessionId: 'pending.att-1', state: 'minted', attempt: spawn }],
    seen: { proc: agent, ancestors: [shell] },
    verdicts: on(boss, 'alive'),
    outcome: 'nested'
  },
  {
    name: 'a placeholder of a dead owner gives way',
    held: [{ sessionId: 'pending.att-1', state: 'minted', attempt: spawn }],
    seen: { proc: agent, ancestors: [shell] },
    verdicts: on(boss, 'dead'),
    outcome: 'captured',
    after: { s1: { sessionId: 'session-b', previous: [] } }
  },
  {
    name: 'a settled placeholder gives way to its own process',
    held: [{ sessionId: 'pending.att-1', state: 'minted', proc: agent }],
    seen: { proc: agent },
    outcome: 'captured',
    after: { s1: { sessionId: 'session-b', previous: [] } }
  },
  {
    name: 'a settled placeholder gives way to a process below its launcher',
    held: [{ sessionId: 'pending.att-1', state: 'minted', proc: agent }],
    seen: { proc: other, ancestors: [agent] },
    verdicts: on(agent, 'alive'),
    outcome: 'captured',
    after: { s1: { sessionId: 'session-b', previous: [] } }
  },
  {
    name: 'a settled placeholder does not give way to another process',
    held: [{ sessionId: 'pending.att-1', state: 'minted', proc: agent }],
    seen: { proc: other },
    verdicts: on(agent, 'alive'),
    outcome: 'nested'
  }
]

const first: Case[] = [
  {
    name: 'is captured',
    held: [],
    seen: {
      role: 'lead',
      agent: 'claude',
      cwd: '/w',
      flags: ['--x'],
      transcript: '/t',
      scope: 'tmux-1',
      address: 'a:1.1',
      meta: { k: 'v' },
      proc: agent
    },
    outcome: 'captured',
    after: {
      s1: {
        ...entryOf({ sessionId: 'session-b', role: 'lead', captured_at: NOW, last_active: NOW }),
        agent: 'claude',
        cwd: '/w',
        flags: ['--x'],
        transcript: '/t',
        scope: 'tmux-1',
        address: 'a:1.1',
        meta: { k: 'v' },
        proc: agent,
        seen: machine
      }
    }
  },
  {
    name: 'is captured with next to nothing known',
    held: [],
    outcome: 'captured',
    after: {
      s1: {
        ...entryOf({ sessionId: 'session-b', captured_at: NOW, last_active: NOW }),
        proc: undefined,
        seen: undefined,
        agent: undefined
      }
    }
  }
]

describe.each([
  ['a nested agent', nested],
  ['a session that another surface holds', elsewhere],
  ['the same session', same],
  ['another session', rotation],
  ['a minted entry', minted],
  ['a first sight', first]
])('%s', (_group, cases) => {
  test.each(cases)('$name: $outcome', ({ held = [{}], seen, verdicts = [], outcome, after }) => {
    const before = indexOf(...held)
    const sighting = deepFreeze({ surfaceId: 's1', sessionId: 'session-b', repo: 'golems', ...seen })
    const seeing = observe(before, sighting, verdicts, NOW)
    expect(seeing.outcome).toBe(outcome)
    if (after === undefined) {
      expect(seeing.index).toBe(before)
      return
    }
    for (const [surfaceId, fields] of Object.entries(after)) {
      const entry: Readonly<Record<string, unknown>> = { ...seeing.index.entries[surfaceId] }
      for (const [field, value] of Object.entries(fields)) expect([field, entry[field]]).toEqual([field, value])
    }
  })
})

describe('the count of attempts', () => {
  const MINUTE = 60_000
  const counted = (fields: Partial<Entry>, sight: Partial<Sighting>, now: number): number | undefined =>
    observe(
      indexOf({ attempts: 2, proc: agent, ...fields }),
      { surfaceId: 's1', sessionId: 'session-a', repo: 'golems', proc: agent, ...sight },
      [],
      now
    ).index.entries['s1']?.attempts
  const last = { id: 'att-1', kind: 'resume', at: NOW, result: 'seen' } as const
  const open = { id: 'att-1', kind: 'resume', owner: boss, at: NOW } as const

  test.each<[string, Partial<Entry>, Partial<Sighting>, number, number]>([
    ['stays soon after the last attempt', { last_attempt: last }, {}, 5 * MINUTE - 1, 2],
    ['is cleared when the session has come through', { last_attempt: last }, {}, 5 * MINUTE, 0],
    ['stays soon after the open attempt', { attempt: open }, {}, 5 * MINUTE - 1, 2],
    ['is cleared when the session of the open attempt has come through', { attempt: open }, {}, 5 * MINUTE, 0],
    ['counts from the later of the two', { attempt: open, last_attempt: { ...last, at: 0 } }, {}, MINUTE, 2],
    ['survives a rotation soon after', { last_attempt: last }, { sessionId: 'session-b' }, MINUTE, 2],
    ['survives a rotation soon after the open attempt', { attempt: open }, { sessionId: 'session-b' }, MINUTE, 2],
    ['is cleared by a rotation long after', { last_attempt: last }, { sessionId: 'session-b' }, 5 * MINUTE, 0],
    [
      'is cleared by a rotation long after the open attempt',
      { attempt: open },
      { sessionId: 'session-b' },
      5 * MINUTE,
      0
    ],
    ['survives a move soon after', { attempt: open }, { surfaceId: 's2' }, MINUTE, 2]
  ])('%s', (_name, fields, sight, later, attempts) => {
    const index = indexOf({ attempts: 2, proc: agent, ...fields })
    const sighting = { surfaceId: 's1', sessionId: 'session-a', repo: 'golems', proc: agent, ...sight }
    const after = observe(index, sighting, [], NOW + later).index
    expect(after.entries[sighting.surfaceId]?.attempts).toBe(attempts)
  })

  test('survives what comes after a rotation that overtook the attempt', () => {
    const rotatedSoon = observe(
      indexOf({ attempts: 2, proc: agent, attempt: open }),
      { surfaceId: 's1', sessionId: 'session-b', repo: 'golems', proc: agent },
      [],
      NOW + MINUTE
    ).index
    const again = observe(
      rotatedSoon,
      { surfaceId: 's1', sessionId: 'session-b', repo: 'golems', proc: agent },
      [],
      NOW + 2 * MINUTE
    ).index
    expect(again.entries['s1']?.attempts).toBe(2)
  })

  test('is cleared after the time that the caller sets', () => {
    expect(counted({ last_attempt: last }, {}, NOW + 10)).toBe(2)
    const options = { healthyAfterMs: 10 }
    const sighting = { surfaceId: 's1', sessionId: 'session-a', repo: 'golems' }
    const { index } = observe(indexOf({ attempts: 2, last_attempt: last }), sighting, [], NOW + 10, options)
    expect(index.entries['s1']?.attempts).toBe(0)
  })
})

test('no more than eight earlier sessions are kept', () => {
  let index = indexOf({ proc: agent })
  for (let i = 0; i < 12; i += 1) {
    index = observe(index, { surfaceId: 's1', sessionId: `s-${i}`, repo: 'golems', proc: agent }, [], NOW + i).index
  }
  const previous = index.entries['s1']?.previous ?? []
  expect(previous.map(({ sessionId }) => sessionId)).toEqual(['s-10', 's-9', 's-8', 's-7', 's-6', 's-5', 's-4', 's-3'])
  expect(index.entries['s1']?.gen).toBe(13)
})

test('a worktree stays for as long as its folder is the one that is said', () => {
  const worktree = { path: '/trees/x', origin: '/billing', branch: 'x' }
  const other = { path: '/trees/y', origin: '/billing' }
  const index = indexOf({ cwd: '/trees/x', worktree })
  const seen = (more: Partial<Sighting>): Entry['worktree'] => {
    const sighting = { surfaceId: 's1', sessionId: 'session-a', repo: 'billing', proc: ownerOf(10), ...more }
    return observe(index, sighting, [], 5000).index.entries['s1']?.worktree
  }
  expect(seen({})).toEqual(worktree)
  expect(seen({ cwd: '/trees/x' })).toEqual(worktree)
  expect(seen({ cwd: '/trees/x', sessionId: 'b' })).toEqual(worktree)
  expect(seen({ cwd: '/trees/y', worktree: other })).toEqual(other)
  expect(seen({ cwd: '/billing' })).toBeUndefined()
  expect(seen({ cwd: '/billing', sessionId: 'b' })).toBeUndefined()
})

test('what this version does not know stays through a rotation and a move', () => {
  const odd = { 'x-note': { deep: [1] } } as Partial<Entry>
  const turned = observe(
    indexOf({ ...odd, proc: agent }),
    { surfaceId: 's1', sessionId: 'session-b', repo: 'golems', proc: agent },
    [],
    NOW
  )
  expect(turned.index.entries['s1']).toMatchObject(odd)
  const there = indexOf({ ...odd }, { surfaceId: 's2', sessionId: 'session-c', ...({ 'x-here': 1 } as Partial<Entry>) })
  const moved = observe(there, { surfaceId: 's2', sessionId: 'session-a', repo: 'golems', proc: agent }, [], NOW)
  expect(moved.index.entries['s2']).toMatchObject({ ...odd, 'x-here': 1 })
})

test('an entry that could not be read gives way, and the others stay', () => {
  const before = deepFreeze({
    ...indexOf({ surfaceId: 's2', sessionId: 'session-c' }),
    unreadable: { s1: { raw: 1, reason: 'x' }, s3: { raw: 2, reason: 'y' } }
  })
  const { index, outcome } = observe(before, { surfaceId: 's1', sessionId: 'session-b', repo: 'golems' }, [], NOW)
  expect(outcome).toBe('captured')
  expect(Object.keys(index.entries)).toEqual(['s2', 's1'])
  expect(index.unreadable).toEqual({ s3: { raw: 2, reason: 'y' } })
})

describe('a sighting that is refused', () => {
  test.each<[string, object, RegExp]>([
    ['blank surface', { surfaceId: ' \t' }, /^surfaceId is blank/],
    ['surface of 513 characters', { surfaceId: 'x'.repeat(513) }, /^surfaceId is longer than 512/],
    ['surface that is no string', { surfaceId: 7 }, /^surfaceId must be a string/],
    ['blank session', { sessionId: '' }, /^sessionId must be 1 to 128/],
    ['session with a blank', { sessionId: 'a b' }, /^sessionId must be 1 to 128/],
    ['session that is an option', { sessionId: '--help' }, /^sessionId must be 1 to 128/],
    ['session that is a placeholder', { sessionId: 'pending.x' }, /^sessionId stands in for/],
    ['blank repo', { repo: ' ' }, /^repo is blank/],
    ['repo with a line break', { repo: 'a\nb' }, /^repo holds a control/],
    ['role with a bidi override', { role: '\u202eevil' }, /^role holds a control or bidi/],
    ['folder with a lone surrogate', { cwd: '/\ud800' }, /^cwd holds a control or bidi character or a lone surrogate/],
    ['flag that is no string', { flags: ['--a', 1] }, /^flags.1 must be a string/],
    ['process without a number', { proc: { host: 'h' } }, /^proc.pid must be a number/],
    ['meta that is no text', { meta: { a: 1 } }, /^meta must hold strings only/]
  ])('%s', (_name, fields, message) => {
    const sighting = { surfaceId: 's1', sessionId: 'session-a', repo: 'golems', ...fields } as Sighting
    expect(() => observe(indexOf({}), sighting, [], NOW)).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_INPUT' })
    )
    expect(() => observe(indexOf({}), sighting, [], NOW)).toThrow(message)
  })

  test.each([Number.NaN, -1, Number.POSITIVE_INFINITY])('a time of %s', (now) => {
    const sighting = { surfaceId: 's1', sessionId: 'session-a', repo: 'golems' }
    expect(() => observe(indexOf({}), sighting, [], now)).toThrow(/^now must be/)
  })
})

test('an attempt that another session overtook: its failure says nothing about that session', () => {
  const before = indexOf({ proc: agent, attempt: resume })
  const sighting = { surfaceId: 's1', sessionId: 'session-b', repo: 'golems', proc: agent }
  const { index } = observe(before, sighting, [], NOW)
  const settled = settle(index, { attemptId: 'att-1', result: { failed: 'exited' } }, NOW + 1)
  expect(settled.entries['s1']).toEqual({
    ...index.entries['s1'],
    last_attempt: { ...seenBy(resume), kind: 'resume', at: NOW + 1, result: 'exited', seen_since: true }
  })
})
