import { expect, test } from 'vitest'
import type { AgentRow } from '../../src/agents/row.js'
import { AGENTS } from '../../src/agents/table.js'
import type { Owner } from '../../src/core/schema.js'
import { noteSighting } from '../../src/hooks/changes.js'
import { indexOf, ownerOf } from '../core/samples.js'

const agent = ownerOf(20)
const NOW = 10_000_000

test.each(['alive', 'dead'] as const)('a hook looks whether its own agent is %s as it writes', (verdict) => {
  const attempt = { id: 'a1', kind: 'resume', owner: ownerOf(10), at: NOW - 1 } as const
  const asked: Owner[] = []
  const { index } = noteSighting(
    indexOf({ attempt }),
    {
      row: AGENTS['claude'] as AgentRow,
      payload: { kind: 'sighting', event: 'Stop', sessionId: 'session-a' },
      env: {},
      surface: { surfaceId: 's1' },
      machine: { host: agent.host },
      process: {
        owner: agent,
        ancestors: [],
        argv: ['claude'],
        inside: null,
        name: 'claude',
        isKnown: true,
        isWhole: true
      },
      continues: undefined,
      nested: false,
      hungUp: false,
      verdictsFor: (owners) => {
        asked.push(...owners)
        return owners.map((owner) => ({ owner, verdict: owner.pid === agent.pid ? verdict : 'alive' }))
      }
    },
    NOW
  )
  expect(asked).toContainEqual(agent)
  const entry = index.entries['s1']
  // The late word of a dead one closes no attempt of somebody who is about to start the session.
  expect(entry?.attempt).toEqual(verdict === 'dead' ? attempt : undefined)
  expect(entry?.proc).toEqual(verdict === 'dead' ? undefined : agent)
})
