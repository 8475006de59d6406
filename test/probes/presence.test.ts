import { expect, test } from 'vitest'
import type { Entry, Index, Owner } from '../../src/core/schema.js'
import { known, unknown } from '../../src/probes/known.js'
import { type Presence, presencesOf } from '../../src/probes/presence.js'
import type { RunningAgent } from '../../src/probes/processes.js'

const owner = (pid: number): Owner => ({ host: 'h', bootId: 'b', ns: 'n', pid, start: `${pid}0` })
const entry = (surfaceId: string, sessionId: string, proc?: Owner): Entry => ({
  surfaceId,
  sessionId,
  repo: 'r',
  role: null,
  captured_at: 1,
  last_active: 1,
  state: 'ready',
  gen: 1,
  attempts: 0,
  policy: 'auto',
  previous: [],
  ...(proc === undefined ? {} : { proc })
})
const mine = entry('here', 'mine')
const index: Index = {
  version: 1,
  entries: { here: mine, there: entry('there', 'theirs', owner(50)), third: entry('third', 'third-session') }
}
const seen = (pid: number, more: Partial<RunningAgent> = {}): RunningAgent => ({
  owner: owner(pid),
  ancestors: [],
  argv: ['claude'],
  env: null,
  surfaceId: null,
  otherUser: false,
  ...more
})

test.each<[string, readonly RunningAgent[] | null, Presence]>([
  ['they could not be looked at', null, 'unknown'],
  ['none runs', [], 'no'],
  ['one of which nothing is known', [seen(1)], 'unknown'],
  ['one on this surface', [seen(1, { surfaceId: 'here' })], 'unknown'],
  ['one on another surface', [seen(1, { surfaceId: 'elsewhere' })], 'no'],
  ['one that another entry has recorded', [seen(50)], 'no'],
  ['one inside of a recorded one', [seen(51, { ancestors: [owner(9), owner(50)] })], 'no'],
  ['one that shows this session', [seen(7, { shows: ['x', 'mine'] })], { at: 'process 7' }],
  [
    'one that shows it below the agent of another surface',
    [seen(7, { shows: ['mine'], ancestors: [owner(50)] })],
    { at: 'process 7' }
  ],
  ['a chore that shows it', [seen(7, { shows: ['mine'], namesSession: true })], { at: 'process 7' }],
  ['one that is recorded with another session, with an old note', [seen(50, { shows: ['mine'] })], 'no'],
  ['a background one with another session', [seen(7, { shows: ['x'], background: true })], 'no'],
  ['a background one that shows none', [seen(7, { background: true })], 'unknown'],
  ['one that shows another session, which may be an old note', [seen(7, { shows: ['x'] })], 'unknown'],
  ['the launcher of a recorded one', [seen(49), seen(50, { ancestors: [owner(49)] })], 'no'],
  [
    'an outer one, with the recorded one further below',
    [seen(48), seen(50, { ancestors: [owner(49), owner(48)] })],
    'unknown'
  ],
  ['one started with another session', [seen(1, { argv: ['claude', '--resume', 'third-session'] })], 'no'],
  ['one started with this session', [seen(7, { argv: ['claude', '--resume', 'mine'] })], { at: 'process 7' }],
  ['one started with --resume=id', [seen(7, { argv: ['copilot', '--resume=mine'] })], { at: 'process 7' }],
  ['one that has this id within another word', [seen(7, { argv: ['claude', 'mine2'], surfaceId: 'x' })], 'no'],
  ['this session on another surface', [seen(7, { argv: ['claude', 'mine'], surfaceId: 'x' })], { at: 'x' }],
  [
    'a recorded one that was started with this session and went on to another',
    [seen(50, { argv: ['claude', '--resume', 'mine'] })],
    'no'
  ],
  ['another program with this id', [seen(1, { namesSession: true, argv: ['wrap', '--resume', 'mine'] })], 'unknown'],
  ['another program with another id', [seen(1, { namesSession: true, argv: ['wrap', 'third-session'] })], 'no'],
  ['one of another user', [seen(1, { otherUser: true })], 'no'],
  ['one of another user with this id', [seen(1, { otherUser: true, argv: ['claude', 'mine'] })], { at: 'process 1' }],
  ['others, and one of which nothing is known', [seen(50), seen(1), seen(2, { surfaceId: 'x' })], 'unknown'],
  ['one of which nothing is known, and this session', [seen(1), seen(7, { argv: ['c', 'mine'] })], { at: 'process 7' }]
])('the processes of its agent: %s', (_, processes, presence) => {
  const all = processes === null ? unknown('no list') : known(processes)
  expect(presencesOf(index, all)('mine', mine)).toEqual(presence)
})

test('another session of the entry, and the process that the entry itself has recorded', () => {
  const recorded = { ...mine, proc: owner(60) }
  const all: Index = { ...index, entries: { ...index.entries, here: recorded } }
  const presenceOf = presencesOf(all, known([seen(60), seen(50)]))
  expect(presenceOf('mine', recorded)).toEqual({ at: 'here' })
  expect(presenceOf('older', recorded)).toBe('no')
  expect(presenceOf('theirs', recorded)).toEqual({ at: 'there' })
})
