import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AgentPlace } from '../../src/agents/agent-place.js'
import { isHeadless } from '../../src/agents/headless.js'
import type { AgentRow } from '../../src/agents/row.js'
import { AGENTS, rowFor, saysSessionGone, unionOf, withAgents } from '../../src/agents/table.js'
import { isSessionId } from '../../src/core/ids.js'

const rows = Object.values(AGENTS)
const verified = rows.filter((row) => row.seen !== undefined)
const ID = '0b6c1e9a-4f5d-7c3b-8a2e-1d0f9b8c7a6e'
/** Flags whose names sound otherwise. */
const HOLD_BACK = [
  '--disallow-temp-dir',
  '--disallowed-tools',
  '--disallowedTools',
  '--setting-sources',
  '--strict-mcp-config'
]
/** Those that name a folder, and not one in it. */
const HOMES = unionOf(AGENTS, 'homeVariables').filter((name) => !/_DB$|_NAME$/.test(name))
const homes = (value: string): Record<string, string> => Object.fromEntries(HOMES.map((name) => [name, value]))
/** An id as each agent makes them. */
const idOf = (row: AgentRow): string => (row.name === 'opencode' ? 'ses_dd8eb9cd8ffe44f8xQcomKGCXX' : ID)

it('knows six agents that were seen, and the others by their resume form alone', () => {
  expect(verified.map(({ name }) => name).sort()).toEqual(['claude', 'codex', 'copilot', 'gemini', 'opencode', 'qwen'])
  const others = rows.filter((row) => row.seen === undefined)
  expect(others.map(({ name, resume }) => [name, ...resume('x')].join(' ')).sort()).toEqual([
    'cursor-agent --resume x',
    'devin --resume x',
    'droid --resume x',
    'hermes --resume x',
    'kilo --session x',
    'kimi --session x',
    'mastracode --thread x',
    'omp --resume=x',
    'pi --session x',
    'qodercli --resume x'
  ])
  for (const row of others) {
    expect(row).toMatchObject({ pin: null, resumeHeadless: null, promptArgs: null, keepFlags: {}, hazards: [] })
    expect(row.transcripts('x', { home: '/home/me', env: {} })).toEqual([])
    expect(isHeadless(row, {}, [row.name, '-p', 'hi'])).toBe(false)
  }
})

it('has one file and one table of facts for each agent that was seen', () => {
  for (const { name } of verified) {
    expect(existsSync(join(import.meta.dirname, '../../src/agents', `${name}.ts`))).toBe(true)
    expect(existsSync(join(import.meta.dirname, `${name}.test.ts`))).toBe(true)
  }
})

it('inherits no agent', () => {
  for (const name of ['constructor', 'toString', '__proto__']) expect(AGENTS[name]).toBeUndefined()
})

it('takes a caller\u2019s rows beside or in place of ours, and changes nothing globally', () => {
  const claude = AGENTS['claude'] as AgentRow
  const mine = withAgents([
    { ...claude, name: 'aider' },
    { ...claude, file: '/opt/claude' }
  ])
  expect(Object.keys(mine).sort()).toEqual([...Object.keys(AGENTS), 'aider'].sort())
  expect(mine['claude']?.file).toBe('/opt/claude')
  expect(AGENTS['claude']).toBe(claude)
  expect(AGENTS['aider']).toBeUndefined()
  expect(Object.hasOwn(withAgents([{ ...claude, name: '__proto__' }]), '__proto__')).toBe(true)
})

it('needs nothing of a caller\u2019s row but the name', () => {
  const table = withAgents([{ name: 'aider' }, { name: 'mine', file: '/opt/bin/mine.js', pin: undefined }])
  expect(table['aider']).toMatchObject({ file: 'aider', programs: ['aider'], pin: null, keepFlags: {}, ownExits: [] })
  expect(table['aider']?.resume('x')).toEqual(['--resume', 'x'])
  expect(table['aider']?.transcripts('x', { home: '/home/me', env: {} })).toEqual([])
  expect(table['mine']).toMatchObject({ file: '/opt/bin/mine.js', programs: ['mine'], pin: null })
})

it('takes the default agent for entries without one', () => {
  expect(rowFor(undefined)).toBe(AGENTS.claude)
  expect(rowFor('codex')).toBe(AGENTS.codex)
  for (const name of ['nobody', 'constructor', '__proto__']) {
    expect(rowFor(name)).toBeUndefined()
    expect(saysSessionGone(name, 'No conversation found with session ID: x')).toBe(false)
  }
})

describe.each(rows.map((row) => [row.name, row] as const))('%s', (name, row) => {
  it('is under its own name, and names the program in one word', () => {
    expect(row.name).toBe(name)
    expect(isSessionId(row.file)).toBe(true)
    expect(row.programs).toContain(row.file)
  })

  it('puts the id into what it emits, once', () => {
    const id = idOf(row)
    for (const args of [row.resume(id), row.pin?.(id), row.resumeHeadless?.(id, 'go on', ['--flag'])]) {
      if (args) expect(args.filter((word) => word.includes(id))).toHaveLength(1)
    }
    if (row.resumeHeadless) expect(row.resumeHeadless(id, 'go on', ['--flag'])).toContain('--flag')
  })

  it('takes its own ids, and none that this library could not write', () => {
    expect(idOf(row).search(row.sessionId)).toBe(0)
    for (const bad of ['', '-x', 'a b', '../x', 'a\n']) expect(bad.search(row.sessionId)).toBe(-1)
  })

  it('keeps no flag that names a session, loosens permissions unasked, or hands over a prompt', () => {
    const kept = Object.keys(row.keepFlags)
    const granted = Object.keys(row.grantFlags ?? {})
    const identity = Object.keys(row.identityFlags)
    for (const flag of [...kept, ...granted]) expect(identity).not.toContain(flag)
    for (const flag of kept) {
      expect(granted).not.toContain(flag)
      if (HOLD_BACK.includes(flag)) continue
      expect(flag).not.toMatch(/danger|bypass|yolo|allow|permission|approv|setting|config|prompt|print/i)
    }
    for (const flag of [...kept, ...granted, ...identity]) expect(flag).toMatch(/^-[A-Za-z]$|^--[A-Za-z][A-Za-z-]+$/)
    for (const flag of row.terminalFlags ?? []) expect([...kept, ...granted]).toContain(flag)
    // What the rows themselves put into a command line is not kept a second time.
    const own = [...row.resume(idOf(row)), ...(row.promptArgs?.('p') ?? []), ...(row.pin?.(idOf(row)) ?? [])]
    for (const word of own) expect(kept).not.toContain(word)
  })

  it('says which variables it takes its sessions\u2019 place from, and none of them sounds like a secret', () => {
    const read = new Set<string>()
    const watched = (given: Record<string, string>): Record<string, string> =>
      new Proxy(given, {
        get: (env, variable) => {
          read.add(String(variable))
          return Reflect.get(env, variable)
        }
      })
    for (const given of [{}, homes('/elsewhere')]) {
      const place = { home: '/home/me', env: watched(given), cwd: '/repo' }
      row.transcripts(idOf(row), place)
      row.startedSince?.place(place)
      row.processNote?.path(1, place)
      row.deletesResumed?.settings(place)
    }
    expect([...read].toSorted()).toEqual(row.homeVariables.toSorted())
    for (const variable of row.homeVariables) expect(variable).not.toMatch(/KEY|TOKEN|SECRET|PASS|AUTH|CREDENTIAL/)
  })

  it('looks for transcripts where the agent would, never from the working folder of this process', () => {
    const paths = (env: Record<string, string>, place: Partial<AgentPlace> = { cwd: '/repo' }): string[] =>
      row
        .transcripts(idOf(row), { home: '/home/me', env, ...place })
        .map((found) => (found.kind === 'folder' ? found.folder : found.path))
    if (row.seen === undefined) return expect(paths({})).toEqual([])
    for (const path of paths({})) expect(path).toMatch(/^\/home\/me\/\./)
    for (const path of paths(homes('/elsewhere'))) expect(path).toMatch(/^\/elsewhere\//)
    for (const path of paths(homes('here'))) expect(path).toMatch(/^\/repo\/here\//)
    expect(paths(homes('here'), {})).toEqual([])
    const empty = paths(homes(''))
    for (const path of empty) expect(path).toMatch(name === 'claude' ? /^\/repo\/projects/ : /^\/home\/me\//)
    for (const found of [paths({}), paths(homes('/elsewhere')), paths(homes('here')), empty])
      expect(found).not.toEqual([])
  })
})
