import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AGENTS, type AgentRow, withAgents } from '../../src/agents.js'
import { end } from '../../src/core.js'
import { type Entry, emptyIndex, record, resumableFor, resumeCommand, resumeSpec } from '../../src/index.js'
import { entryOf, indexOf, ownerOf, thrownBy } from '../core/samples.js'

const ID = '0b6c1e9a-4f5d-4c3b-8a2e-1d0f9b8c7a6e'
const index = record(emptyIndex(), { surfaceId: 'pane-1', sessionId: 'a1b2', repo: 'golems' }, 1000)

describe('resumeCommand', () => {
  it('gives the established line, and null for a surface that is not known', () => {
    expect(resumeCommand(index, 'pane-1')).toBe('golemsClaude --resume a1b2')
    expect(resumeCommand(index, 'pane-2')).toBe(null)
    expect(resumeCommand(index, 'constructor')).toBe(null)
    expect(resumeCommand(index, 'pane-1', { launchers: { golems: 'g' } })).toBe('g --resume a1b2')
  })

  it('answers by age only where it is asked to', () => {
    expect(resumeCommand(index, 'pane-1', { maxAgeMs: 10, now: 1010 })).not.toBe(null)
    expect(resumeCommand(index, 'pane-1', { maxAgeMs: 10, now: 1011 })).toBe(null)
  })

  it('is null for what ended', () => {
    expect(resumeCommand(end(index, { surfaceId: 'pane-1' }), 'pane-1')).toBe(null)
  })

  it('throws where the entry cannot be read, or cannot be resumed as it stands', () => {
    const bad = { ...emptyIndex(), unreadable: { s1: { raw: {}, reason: 'x' } } }
    expect(thrownBy(() => resumeCommand(bad, 's1')).code).toBe('ERR_ENTRY_UNREADABLE')
    expect(thrownBy(() => resumeCommand(indexOf({ agent: 'unheard-of' }), 's1')).code).toBe('ERR_INVALID_INPUT')
    expect(thrownBy(() => resumeCommand(indexOf({ repo: 'my repo' }), 's1')).code).toBe('ERR_INVALID_INPUT')
  })

  it('is null exactly where resumableFor is', () => {
    const fields = fc.record({
      state: fc.constantFrom('ready', 'minted', 'spawn_failed', 'ended'),
      policy: fc.constantFrom('auto', 'manual', 'off'),
      sessionId: fc.constantFrom(ID, 'pending.a1'),
      last_active: fc.integer({ min: 0, max: 20 }),
      agent: fc.constantFrom(undefined, 'claude', 'codex'),
      attempt: fc.constantFrom(undefined, { id: 'a1', kind: 'resume', owner: ownerOf(1), at: 1 })
    })
    const ages = fc.constantFrom(undefined, 0, 5, 20)
    fc.assert(
      fc.property(fields, ages, (all, maxAgeMs) => {
        const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
        const one = indexOf(given as Partial<Entry>)
        const options = { now: 20, ...(maxAgeMs === undefined ? {} : { maxAgeMs }) }
        const line = resumeCommand(one, 's1', options)
        const id = resumableFor(one, 's1', options)
        expect(line === null).toBe(id === null)
        if (id !== null) expect(line).toContain(id)
      })
    )
  })
})

describe('resumeSpec', () => {
  it('knows the agents of this library, and those of the caller where they are given', () => {
    expect(resumeSpec(entryOf({ agent: 'codex', sessionId: ID }))).toMatchObject({
      file: 'codex',
      args: ['resume', ID]
    })
    const aider: AgentRow = { ...(AGENTS['claude'] as AgentRow), name: 'aider', file: 'aider' }
    const entry = entryOf({ agent: 'aider', sessionId: ID })
    expect(thrownBy(() => resumeSpec(entry)).message).toContain('withAgents')
    expect(resumeSpec(entry, { agents: withAgents([aider]) }).file).toBe('aider')
  })

  it('emits a permission bypass on the caller\u2019s word only', () => {
    const entry = entryOf({ agent: 'claude', sessionId: ID, flags: ['--dangerously-skip-permissions'] })
    expect(resumeSpec(entry).args).toEqual(['--resume', ID])
    expect(resumeSpec(entry, { grants: true }).args).toEqual(['--resume', ID, '--dangerously-skip-permissions'])
  })
})
