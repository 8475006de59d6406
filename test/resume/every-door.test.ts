/**
 * One world, one answer: the gate, a recovery pass, a plan into panes, the status, `run`, and the commands `decide` and
 * `why` say the same of the same surface, since all of them ask in one place. Worlds in which something could not be
 * looked at are in the same table: none of them may end in absence.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { DecisionReason } from '../../src/core/decision.js'
import type { Evidence } from '../../src/core/evidence.js'
import { given } from '../../src/core/given.js'
import type { Entry, Owner } from '../../src/core/schema.js'
import { known, unknown } from '../../src/probes/known.js'
import { type ProbeOptions, probeAgents } from '../../src/probes/probe.js'
import { ownerOf, thisMachine } from '../../src/probes/process.js'
import type { RunningAgent } from '../../src/probes/processes.js'
import { planRecovery } from '../../src/recover/plan.js'
import { gateFor } from '../../src/resume/gate.js'
import { preview } from '../../src/resume/preview.js'
import { recoverAll } from '../../src/resume/recover-all.js'
import { runAgent } from '../../src/run/run-agent.js'
import { statusOf } from '../../src/status/status.js'
import { openStore } from '../../src/store/store.js'
import { entryOf } from '../core/samples.js'

const S = '0d4ff5f1-6a5b-4f0e-9d55-3a9d7f6c1b2e'
const P = '1e5aa6a2-7b6c-4a1f-8e66-4b0e8a7d2c3f'
const SURFACE = 'the surface'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cri-doors-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const machine = thisMachine()
const dead: Owner = { ...machine, pid: 2 ** 22 - 3, start: '1' }
const elsewhere: Owner = { ...machine, ns: 'pid:[1]', pid: 7, start: '7' }
const self = (): Owner => ownerOf(process.pid) as Owner
const agent = (more: Partial<RunningAgent> = {}): RunningAgent => ({
  owner: { ...machine, pid: 8, start: '8' },
  ancestors: [],
  argv: ['claude'],
  env: {},
  surfaceId: null,
  otherUser: false,
  ...more
})

interface World {
  readonly name: string
  /** Null: the index holds no entry. */
  readonly entry: Partial<Entry> | null | (() => Partial<Entry>)
  readonly processes?: readonly RunningAgent[] | null
  /** Whose transcripts are there; null: the folder of all sessions cannot be read. */
  readonly transcripts?: readonly string[] | null
  readonly reason: DecisionReason
}

const attempt = { id: 'a1', kind: 'resume', at: 1 } as const
const worlds: readonly World[] = [
  { name: 'nothing was ever recorded', entry: null, reason: 'unknown_surface' },
  {
    name: 'nothing was recorded, and no process could be looked at',
    entry: null,
    processes: null,
    reason: 'probe_failed'
  },
  { name: 'its process is dead', entry: { proc: dead, seen: machine }, transcripts: [S], reason: 'ok' },
  { name: 'no process of its agent runs', entry: {}, transcripts: [S], reason: 'ok' },
  { name: 'no process could be looked at', entry: {}, processes: null, transcripts: [S], reason: 'liveness_unknown' },
  {
    name: 'an agent runs that may be it',
    entry: {},
    processes: [agent()],
    transcripts: [S],
    reason: 'liveness_unknown'
  },
  { name: 'its process lives', entry: () => ({ proc: self() }), transcripts: [S], reason: 'already_running' },
  { name: 'its process cannot be judged', entry: { proc: elsewhere }, transcripts: [S], reason: 'liveness_unknown' },
  {
    name: 'an attempt of a living process is open',
    entry: () => ({ attempt: { ...attempt, owner: self() } }),
    transcripts: [S],
    reason: 'claimed'
  },
  {
    name: 'an attempt is open whose owner cannot be judged',
    entry: { attempt: { ...attempt, owner: elsewhere } },
    transcripts: [S],
    reason: 'owner_unverified'
  },
  { name: 'its transcript is gone', entry: { proc: dead, seen: machine }, transcripts: [], reason: 'session_gone' },
  {
    name: 'its transcript is gone, and that of the session before is there',
    entry: { proc: dead, seen: machine, previous: [{ sessionId: P, until: 1, why: 'rotated' }] },
    transcripts: [P],
    reason: 'ok_from_previous'
  },
  {
    name: 'whether its transcript is there is not known',
    entry: { proc: dead, seen: machine },
    transcripts: null,
    reason: 'ok'
  },
  {
    name: 'its start was never confirmed, and whether it left a transcript is not known',
    entry: { state: 'minted', proc: dead, seen: machine },
    transcripts: null,
    reason: 'start_unproven'
  },
  {
    name: 'the agent chose its own id, and where it keeps its sessions cannot be read',
    entry: {
      agent: 'codex',
      state: 'minted',
      sessionId: 'pending.a1',
      last_attempt: { ...attempt, kind: 'spawn', result: 'exited' }
    },
    transcripts: null,
    reason: 'probe_failed'
  },
  { name: 'it ended on purpose', entry: { state: 'ended' }, transcripts: [S], reason: 'ended' },
  {
    name: 'it moved',
    entry: { state: 'ended', reason: 'moved', moved_to: 'there' },
    transcripts: [S],
    reason: 'moved'
  },
  {
    name: 'its policy is off',
    entry: { policy: 'off', proc: dead, seen: machine },
    transcripts: [S],
    reason: 'policy_off'
  },
  {
    name: 'it was seen on another machine',
    entry: { seen: { host: 'other' } },
    transcripts: [S],
    reason: 'foreign_host'
  }
]

/** What the processes and the folders of this world say, through the real probes. */
function probes({ processes = [], transcripts = [] }: World): ProbeOptions {
  const projects = join(home, '.claude', 'projects')
  const list = async (folder: string) => {
    if (transcripts === null) return { state: 'unknown' as const, why: 'it does not answer' }
    const files = folder === join(projects, '-p1') ? transcripts.map((id) => `${id}.jsonl`) : []
    const folders = folder === projects ? [join(projects, '-p1')] : []
    return { files, folders }
  }
  const folders = {
    list,
    spellings: async (folder: string) => [folder],
    state: async () => 'found' as const,
    listed: 0
  } as unknown as NonNullable<ProbeOptions['folders']>
  return { env: { HOME: home }, folders, processes: () => (processes === null ? unknown('no list') : known(processes)) }
}

describe.each(worlds)('$name: $reason', (world) => {
  const written = (): Entry | null => {
    const fields = typeof world.entry === 'function' ? world.entry() : world.entry
    if (fields === null) return null
    return entryOf({ surfaceId: SURFACE, sessionId: S, repo: 'golems', agent: 'claude', cwd: '/p1', ...fields })
  }
  let path: string
  beforeEach(() => {
    path = join(home, 'index.json')
    const entry = written()
    writeFileSync(path, JSON.stringify({ version: 1, entries: entry === null ? {} : { [SURFACE]: entry } }))
    for (const id of world.transcripts ?? []) transcript(id)
  })
  /** The list of folders is this world's; the files themselves are real. */
  const transcript = (id: string): void => {
    const folder = join(home, '.claude', 'projects', '-p1')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${id}.jsonl`), '{"type":"user"}\n')
  }
  const request = { surfaceId: SURFACE, repo: 'golems', agent: 'claude' }
  const now = 10_000_000

  it('to every caller', async () => {
    const store = openStore(path)
    const options = { ...probes(world), now, servers: [] }
    const entry = written()
    const asked = { ...request, ...given({ agent: entry?.agent }) }
    const answers: Record<string, DecisionReason | null | undefined> = {}
    answers['preview'] = (await preview(store, asked, {}, { ...options, ...probes(world) })).decision.reason
    if (entry !== null) {
      const driverFor = () => ({ list: async () => ({ state: 'absent' as const }) }) as never
      const dry = { ...options, dryRun: true, resume: () => Promise.reject(new Error('a dry run')) }
      answers['recoverAll'] = (await recoverAll(store, { ...dry, ...probes(world) })).rows[0]?.decision?.reason
      answers['plan'] = (await planRecovery(store, { ...options, driverFor, ...probes(world) }))[0]?.decision?.reason
      const report = await statusOf(store, { ...options, ...probes(world), write: false })
      answers['status'] = report.rows[0]?.reason
    }
    const action = world.reason.startsWith('ok') ? 'fresh' : 'resume'
    answers['gate'] = (await gateFor(action, store, asked, {}, { ...options, ...probes(world) })).reason
    expect(answers).toEqual(Object.fromEntries(Object.keys(answers).map((door) => [door, world.reason])))
  })

  it('and run starts something only where that allows it', async () => {
    const entry = written()
    const name = entry?.agent ?? 'claude'
    const startable =
      world.reason.startsWith('ok') || ['unknown_surface', 'session_gone', 'ended'].includes(world.reason)
    const argv = [join(home, 'bin', name)]
    const probe = probeAgents(probes(world))
    const run = runAgent(openStore(path), {
      argv,
      surfaceId: SURFACE,
      repo: 'golems',
      cwd: '/p1',
      env: { HOME: home },
      probe,
      now
    })
    const end = await run
    expect(end.kind).toBe('refused')
    const refused = end.kind === 'refused' ? end.what : ''
    // The program is not there, so that a start that was allowed is seen by its failure.
    expect(refused.includes('could not be started')).toBe(startable)
  })
})

it("what a caller leaves undefined wipes nothing that was found, and what it says of one session leaves the others'", async () => {
  const path = join(home, 'index.json')
  writeFileSync(
    path,
    JSON.stringify({ version: 1, entries: { [SURFACE]: entryOf({ surfaceId: SURFACE, sessionId: S }) } })
  )
  const found: Evidence = { running: { [S]: 'no' }, transcript: { [S]: 'found' }, cwd: 'found', machine }
  const said = Object.fromEntries(
    ['running', 'verdicts', 'machine', 'transcript', 'candidates', 'surface', 'cwd', 'task', 'index'].map((name) => [
      name,
      undefined
    ])
  ) as Evidence
  const request = { surfaceId: SURFACE, repo: 'r' }
  const { decision, evidence } = await preview(openStore(path), request, said, { probe: () => found })
  expect(decision.reason).toBe('ok')
  expect(evidence).toMatchObject(found)
})

it('keeps the role and the flags that were asked for where a transcript is taken up without an entry', async () => {
  const path = join(home, 'index.json')
  const request = {
    surfaceId: SURFACE,
    repo: 'golems',
    role: 'coder',
    agent: 'claude',
    cwd: '/p1',
    flags: ['--verbose']
  }
  const said: Evidence = { candidates: [S], running: 'no', transcript: { [S]: 'found' } }
  const answer = await gateFor('resume', openStore(path), request, said, { probe: () => ({}) })
  expect(answer.reason).toBe('ok_from_transcript')
  expect((await openStore(path).load()).entries[SURFACE]).toMatchObject({ ...request, sessionId: S })
  if (answer.action !== 'resume') throw new Error(answer.reason)
  expect(answer.spec?.args).toEqual(['--resume', S, '--verbose'])
})
