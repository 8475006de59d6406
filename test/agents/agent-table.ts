/**
 * What a row of the agents table is held to: one table of facts an agent, each from the real program or its help text.
 * A new agent is one file in src/agents and one such table.
 */
import { describe, expect, it } from 'vitest'
import type { AgentPlace } from '../../src/agents/agent-place.js'
import { type CommandOptions, resumeSpec, spawnSpec } from '../../src/agents/command.js'
import { keepFlags } from '../../src/agents/flags.js'
import { isHeadless, isNoConversation } from '../../src/agents/headless.js'
import { AGENTS, type SeenAgent, saysSessionGone } from '../../src/agents/table.js'
import type { Entry } from '../../src/core/schema.js'
import { entryOf } from '../core/samples.js'

export const UUID = '0b6c1e9a-4f5d-7c3b-8a2e-1d0f9b8c7a6e'

export interface AgentFactsTable {
  /** The newest version that was run. */
  readonly seen: string
  /** An id as the agent makes them. */
  readonly id: string
  /** The command that resumes that id; with the message `go on` and the flag `--model m`, in a terminal and without. */
  readonly resume: string
  readonly withPrompt: string
  readonly headless: string
  /** The command that starts that id; null: the agent cannot be given one. */
  readonly pin: string | null
  /** Command lines of a start without a person, and of one with a person. */
  readonly alone: readonly string[]
  readonly attended: readonly string[]
  /** Command lines that begin no conversation. */
  readonly chores: readonly string[]
  /** Flags of which nothing is kept, unless a person allows it; then all. */
  readonly grants: readonly string[]
  /** Its output where the session is not to be found. */
  readonly gone: readonly string[]
  /** Screens of the real program that it stays at until somebody has answered, and screens that ask nothing. */
  readonly questions: readonly string[]
  readonly noQuestions: readonly string[]
  /** Where the first place for the id's transcript is, for an environment and a launch folder. */
  readonly transcripts: readonly (readonly [
    env: Record<string, string>,
    cwd: string | undefined,
    path: string | null
  ])[]
}

/** As a shell would split it; no argument of these tables holds a blank, but for the quoted ones. */
export function words(line: string): string[] {
  return (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''))
}

export function testAgent(name: SeenAgent, facts: AgentFactsTable): void {
  const row = AGENTS[name]
  const { id: sessionId } = facts
  const argv = (options: CommandOptions, fields: Partial<Entry> = {}): string[] => {
    const { file, args } = resumeSpec(entryOf({ agent: name, sessionId, ...fields }), options)
    return [file, ...args]
  }
  const flags = ['--model', 'm']

  describe(`${name} ${facts.seen}`, () => {
    it('was seen with this version', () => {
      expect(row.seen).toBe(facts.seen)
    })

    it('is resumed by its own form', () => {
      expect(argv({})).toEqual(words(facts.resume))
      expect(argv({ prompt: 'go on' }, { flags })).toEqual(words(facts.withPrompt))
      expect(argv({ prompt: 'go on', headless: true }, { flags })).toEqual(words(facts.headless))
    })

    it('is started under a chosen id, or cannot be given one', () => {
      const minted = entryOf({ agent: name, sessionId, state: 'minted' })
      if (facts.pin === null) return expect(() => spawnSpec(minted)).toThrow('mint with capture')
      const { file, args } = spawnSpec(minted)
      expect([file, ...args]).toEqual(words(facts.pin))
    })

    it.each(facts.alone)('runs without a person: %s', (line) => {
      expect(isHeadless(row, {}, words(line))).toBe(true)
      expect(isNoConversation(row, words(line.slice(line.indexOf(name) + name.length)))).toBe(true)
    })

    it.each(facts.attended)('runs with a person: %s', (line) => {
      expect(isHeadless(row, {}, words(line))).toBe(false)
      expect(isNoConversation(row, words(line.slice(line.indexOf(name) + name.length)))).toBe(false)
    })

    it.each(facts.chores)('begins no conversation: %s', (line) => {
      expect(isNoConversation(row, words(line).slice(1))).toBe(true)
    })

    it.each(facts.grants)('needs a person\u2019s word to be resumed with %s', (line) => {
      expect(keepFlags(row, words(line))).toEqual([])
      expect(keepFlags(row, words(line), { grants: true })).toEqual(words(line))
    })

    it.each(facts.gone)('says that the session is gone: %s (the-framework#779)', (line) => {
      expect(saysSessionGone(name, `…\n${line}\n`)).toBe(true)
      expect(saysSessionGone(name, 'Rate limited; try again')).toBe(false)
    })

    it('is known to wait where it asks something, and nowhere else', () => {
      for (const screen of facts.questions) expect(row.startupQuestion?.test(screen)).toBe(true)
      for (const screen of facts.noQuestions) expect(row.startupQuestion?.test(screen) ?? false).toBe(false)
    })

    it.each(facts.transcripts)('keeps its sessions, with %j in %s, at %s', (env, cwd, path) => {
      const place: AgentPlace = { home: '/home/me', env, ...(cwd === undefined ? {} : { cwd }) }
      const [first] = row.transcripts(sessionId, place)
      expect(first === undefined ? null : first.kind === 'folder' ? first.folder : first.path).toBe(path)
    })
  })
}
