import { describe, expect, it } from 'vitest'
import { AGENTS } from '../../src/agents/table.js'
import type { Owner } from '../../src/core/schema.js'
import { type NamedAgent, placeAgents } from '../../src/status/place-agents.js'
import { entryOf, ownerOf } from '../core/samples.js'

const shell = ownerOf(5)
const agent = (pid: number, more: Partial<NamedAgent> = {}, ...above: readonly Owner[]): NamedAgent => ({
  agent: 'claude',
  owner: ownerOf(pid),
  ancestors: above,
  argv: ['claude'],
  surfaceId: null,
  otherUser: false,
  index: null,
  ...more
})
const place = (processes: readonly NamedAgent[], ...entries: Parameters<typeof entryOf>[0][]): readonly unknown[] =>
  placeAgents(processes, entries.map(entryOf), AGENTS).map(({ running, holder, inside }) => [
    running.owner.pid,
    holder,
    inside
  ])

describe('whose a running agent is', () => {
  it('is that of the entry that has its process recorded', () => {
    expect(place([agent(10), agent(11)], { surfaceId: 'a', proc: ownerOf(11) })).toEqual([
      [10, null, null],
      [11, 'a', null]
    ])
  })

  it('is not told by the number of a process alone', () => {
    expect(place([agent(10)], { proc: ownerOf(10, { start: '1' }) })).toEqual([[10, null, null]])
  })

  it('is that of the entry whose session is among its arguments', () => {
    const argv = ['claude', '--resume=session-a']
    expect(place([agent(10, { argv })], { surfaceId: 'a' })).toEqual([[10, 'a', null]])
    expect(place([agent(10, { argv })], { surfaceId: 'a', agent: 'codex' })).toEqual([[10, null, null]])
    const moved = { surfaceId: 'a', state: 'ended', reason: 'moved' } as const
    expect(place([agent(10, { argv })], moved, { surfaceId: 'b' })).toEqual([[10, 'b', null]])
  })

  it('below another agent it is nested, with its surface where the index knows that', () => {
    const inner = agent(12, { argv: ['claude', '-p', 'x'] }, shell, ownerOf(10))
    expect(place([agent(10), inner], { surfaceId: 'a', proc: ownerOf(10) })).toEqual([
      [10, 'a', null],
      [12, null, { pid: 10, surfaceId: 'a' }]
    ])
    expect(place([agent(10), inner])).toEqual([
      [10, null, null],
      [12, null, { pid: 10, surfaceId: null }]
    ])
    expect(place([agent(10, { argv: ['claude', '--resume', 'session-a'] }), inner], { surfaceId: 'a' })[1]).toEqual([
      12,
      null,
      { pid: 10, surfaceId: 'a' }
    ])
  })

  it('below a recorded agent it is nested, whatever session it names', () => {
    const inner = agent(12, { argv: ['claude', '--resume', 'session-b'] }, shell, ownerOf(10))
    const entries = [
      { surfaceId: 'a', proc: ownerOf(10) },
      { surfaceId: 'b', sessionId: 'session-b' }
    ] as const
    expect(place([agent(10), inner], ...entries)[1]).toEqual([12, null, { pid: 10, surfaceId: 'a' }])
  })

  it('with a surface of its own it is an agent of its own', () => {
    const inner = agent(12, {}, shell, ownerOf(10))
    const entries = [
      { surfaceId: 'a', proc: ownerOf(10) },
      { surfaceId: 'b', proc: ownerOf(12) }
    ] as const
    expect(place([agent(10), inner], ...entries)).toEqual([
      [10, 'a', null],
      [12, 'b', null]
    ])
  })

  it('an agent and its launcher are one, whichever of the two was recorded', () => {
    const launcher = agent(10, { agent: 'codex', argv: ['node', '/usr/bin/codex.js', 'resume', 'x'] }, shell)
    const inner = agent(11, { agent: 'codex', argv: ['/opt/codex', 'resume', 'x'] }, ownerOf(10), shell)
    expect(place([launcher, inner])).toEqual([[11, null, null]])
    expect(place([launcher, inner], { surfaceId: 'a', proc: ownerOf(10) })).toEqual([[11, 'a', null]])
    expect(place([launcher, inner], { surfaceId: 'a', proc: ownerOf(11) })).toEqual([[11, 'a', null]])
  })
})
