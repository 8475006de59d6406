/**
 * docs/examples/orchestrator.mjs, as somebody runs it who has installed the package: real processes, killed at once.
 * The agent is a copy of the stand-in under a name of its own, so that those of other tests are no agents here.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { copyFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { verdictOf } from '../../src/core.js'
import { type Entry, loadIndex, type Owner } from '../../src/index.js'
import { Consumer } from '../support/consumer.js'
import { page, root } from '../support/markdown.js'

const example = 'docs/examples/orchestrator.mjs'
const SURFACES = ['example:api', 'example:tests', 'example:docs']

let consumer: Consumer
let project: string
let agent: string
let started: ChildProcess[]

beforeEach(() => {
  consumer = new Consumer()
  project = consumer.project()
  agent = join(project, `agent-${randomUUID()}.mjs`)
  copyFileSync(join(root, 'test/fixtures/agents/stand-in.mjs'), agent)
  copyFileSync(join(root, example), join(project, basename(example)))
  started = []
})
afterEach(async () => {
  await killAll()
  consumer.remove()
})

const entries = (): Entry[] => Object.values(loadIndex(join(project, 'index.json')).entries)
const sessions = (): string[] => entries().map(({ sessionId }) => sessionId)
const agents = (): Owner[] => entries().flatMap(({ proc }) => proc ?? [])
const verdicts = (): string[] => agents().map((owner) => verdictOf(owner))
const transcripts = (): string[] =>
  readdirSync(join(project, '.stand-in'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => basename(name, '.jsonl'))

interface Run {
  readonly lines: readonly string[]
  /** Resolves once so many lines fit; rejects where it ends without. */
  readonly said: (pattern: RegExp, times: number) => Promise<void>
  readonly ended: Promise<number | null>
}

function run(file: string, ...args: readonly string[]): Run {
  const env: NodeJS.ProcessEnv = { ...process.env, HOME: project }
  for (const name of ['STAND_IN_HOME', 'STAND_IN_REPORT', 'STAND_IN_ON_START']) delete env[name]
  const child = spawn(file, args, { cwd: project, env, stdio: ['pipe', 'pipe', 'inherit'] })
  started.push(child)
  const lines: string[] = []
  const reader = createInterface({ input: child.stdout })
  reader.on('line', (line) => lines.push(line))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const said = (pattern: RegExp, times: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (lines.filter((line) => pattern.test(line)).length >= times) resolve()
      }
      reader.on('line', look)
      void ended.then(() => reject(new Error(`it never said ${pattern} ${times} times:\n${lines.join('\n')}`)))
      look()
    })
  return { lines, said, ended }
}

const orchestrator = (program = agent): Run => run(process.execPath, basename(example), program, 'index.json')

/** SIGKILL to every orchestrator and every agent; resolves once all of them are dead to whoever looks. */
async function killAll(): Promise<void> {
  const owners = agents()
  for (const child of started) child.kill('SIGKILL')
  for (const owner of owners) if (verdictOf(owner) === 'alive') process.kill(owner.pid, 'SIGKILL')
  await Promise.all(
    started.map((child) => child.exitCode ?? child.signalCode ?? new Promise((end) => child.once('close', end)))
  )
  while (owners.some((owner) => verdictOf(owner) === 'alive')) await new Promise((look) => setTimeout(look, 2))
  started = []
}

/** A first run whose agents have each taken their first turn. */
async function booted(): Promise<Run> {
  const first = orchestrator()
  await first.said(/Turn 1 noted/, SURFACES.length)
  await first.said(/^3 agents are running$/, 1)
  return first
}

describe('the example of an orchestrator', () => {
  it('records each agent as it boots, with its process', async () => {
    const { lines } = await booted()
    expect(lines.filter((line) => / fresh \(unknown_surface\) /.test(line))).toHaveLength(3)
    expect(entries().map(({ surfaceId }) => surfaceId)).toEqual(SURFACES)
    expect(transcripts().sort()).toEqual(sessions().sort())
    expect(verdicts()).toEqual(['alive', 'alive', 'alive'])
    for (const entry of entries()) {
      expect(entry).toMatchObject({ state: 'ready', cwd: project, last_attempt: { kind: 'spawn', result: 'seen' } })
      expect(entry.attempt).toBeUndefined()
    }
  })

  it('resumes each session once, and starts none fresh, after it and all agents were killed; and again', async () => {
    await booted()
    const before = sessions()
    for (const _ of [1, 2]) {
      await killAll()
      expect(verdicts()).toEqual(['dead', 'dead', 'dead'])
      const next = orchestrator()
      await next.said(/^3 agents are running$/, 1)
      for (const [at, surfaceId] of SURFACES.entries()) {
        const came = next.lines.filter((line) => line.startsWith(`${surfaceId} | Session `))
        expect(came).toEqual([expect.stringContaining(`Session ${before[at]}. I remember 1 turn;`)])
      }
      expect(next.lines).toContain('recovery: 3 resumed, 0 pending, 0 failed, 0 skipped')
      expect(next.lines.filter((line) => line.startsWith('gate:') || line.includes('A new conversation'))).toEqual([])
      expect(sessions()).toEqual(before)
      expect(transcripts().sort()).toEqual([...before].sort())
      expect(verdicts()).toEqual(['alive', 'alive', 'alive'])
      for (const entry of entries()) expect(entry).toMatchObject({ gen: 1, previous: [] })
    }
  })

  it('refuses what lives: a second run beside the first starts nothing', async () => {
    await booted()
    const held = agents()
    const second = orchestrator()
    expect(await second.ended).toBe(0)
    expect(second.lines).toContain('recovery: 0 resumed, 0 pending, 0 failed, 3 skipped')
    expect(second.lines.filter((line) => / refuse \(already_running\) Refused: /.test(line))).toHaveLength(3)
    expect(second.lines.at(-1)).toBe('0 agents are running')
    expect(agents()).toEqual(held)
  })

  it('leaves alone what a person has resumed by hand meanwhile, and resumes the others', async () => {
    await booted()
    const [byHand = ''] = sessions()
    await killAll()
    await run(agent, '--resume', byHand).said(/I remember 1 turn/, 1)
    const next = orchestrator()
    await next.said(/^2 agents are running$/, 1)
    expect(next.lines).toContain('recovery: 2 resumed, 0 pending, 0 failed, 1 skipped')
    expect(next.lines.filter((line) => line.startsWith(`${SURFACES[0]} | `))).toEqual([])
  })

  it('settles a start that fails', async () => {
    const { lines, ended } = orchestrator(join(project, 'no-such-agent'))
    expect(await ended).toBe(0)
    expect(lines.at(-1)).toBe('0 agents are running')
    for (const entry of entries()) {
      expect(entry).toMatchObject({ state: 'spawn_failed', last_attempt: { result: 'not_started' } })
      expect(entry.attempt).toBeUndefined()
    }
  })

  it('is short, and imports the package by its name', () => {
    const code = page(example)
    expect(code.split('\n').length).toBeLessThan(150)
    const imported = [...code.matchAll(/from '([^']+)'/g)].map(([, name = '']) => name)
    expect(imported.filter((name) => !name.startsWith('node:'))).toEqual([
      'crash-resume-index',
      'crash-resume-index/agents'
    ])
  })
})
