/**
 * An agent in front of a person, with its session kept: the same line resumes it after a crash.
 *
 * It asks the gate, starts what that allows in this very terminal, says how the start went, and stays until the agent
 * ends. Once the agent runs nothing here may disturb it: what cannot be written down then is said and left.
 */

import { commandLineFor } from '../agents/facts.js'
import { keepFlags } from '../agents/flags.js'
import { type Launch, launchOf, namedSession } from '../agents/launch-argv.js'
import { isNoConversation } from '../agents/markers.js'
import type { AgentTable } from '../agents/row.js'
import { AGENTS } from '../agents/table.js'
import { entryAt } from '../core/entry.js'
import { invalidInput } from '../core/errors.js'
import { type ExplainOptions, explain } from '../core/explain.js'
import { fingerprint } from '../core/fingerprint.js'
import { isPlaceholder } from '../core/ids.js'
import { rename } from '../core/rename.js'
import type { Entry } from '../core/schema.js'
import { endForNewSession, noteAddress } from '../core/verbs.js'
import { lookAtAgents } from '../probes/agent-look.js'
import { chainAbove } from '../probes/ancestry.js'
import { repoOf } from '../probes/repo.js'
import { type GateOptions, gate, weigh } from '../resume/gate.js'
import { oneLine } from '../resume/reserve.js'
import type { Store } from '../store/store.js'
import { formatPosition } from '../terminals/driver.js'
import { surfaceFromEnv } from '../terminals/surface-from-env.js'
import { entriesBefore } from './adopt-pane.js'
import { attach, exitCodeFor } from './attach.js'
import { type OwnPane, ownPane } from './own-pane.js'
import { start } from './start.js'

export interface RunOptions extends Pick<GateOptions, 'look' | 'maxAgeMs' | 'now'>, ExplainOptions {
  /** The agent's command, as typed. */
  readonly argv: readonly string[]
  /** @default the one of the terminal that this process is in */
  readonly surfaceId?: string
  /** @default the name of the repository around the folder */
  readonly repo?: string
  readonly role?: string
  /** The agent's name, where the command does not tell it. */
  readonly agent?: string
  /** End the session that is there, and start another. @default false */
  readonly setAside?: boolean
  /** @default the table of this library */
  readonly agents?: AgentTable
  /** @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** @default the working folder */
  readonly cwd?: string
  /** An agent that lives so long has come up, in ms. @default 3000 */
  readonly proofMs?: number
  /** Lines for the person. */
  readonly tell?: (line: string) => void
}

export type RunEnd =
  /** The agent ran. */
  | { readonly kind: 'ended'; readonly exitCode: number }
  /** Nothing was started. */
  | { readonly kind: 'refused'; readonly why: string }

const PROOF_MS = 3000
/** A session that is gone, and one before it that is gone as well, and then a fresh one. */
const ROUNDS = 3

interface Run extends RunOptions {
  readonly launch: Launch
  readonly surfaceId: string
  readonly repo: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly agents: AgentTable
  readonly say: (line: string) => void
  readonly pane: OwnPane | null
}

/**
 * Runs the agent until it ends.
 * @throws ERR_INVALID_INPUT (no agent's command, no surface, a session named by the command that is not this
 *   surface's), and as gate
 */
export async function runAgent(store: Store, options: RunOptions): Promise<RunEnd> {
  const { env = process.env, cwd = process.cwd(), agents = AGENTS } = options
  const launch = launchFor(options, agents)
  if (isNoConversation(launch.row.name, launch.args)) return handedOn(launch, cwd, env)
  const surfaceId = options.surfaceId ?? surfaceAround(env)
  const say = options.tell ?? (() => undefined)
  const pane = await ownPane(env)
  const run: Run = { ...options, launch, surfaceId, repo: options.repo ?? repoOf(cwd), env, cwd, agents, say, pane }
  const refusal =
    (await goOn(store, run)) ?? (options.setAside ? await putAside(store, run) : await checkHeld(store, run))
  if (refusal !== null) return { kind: 'refused', why: refusal }
  for (let round = 1; ; round++) {
    const { row, args } = launch
    const flags = keepFlags(row, args)
    const request = { surfaceId, repo: run.repo, agent: row.name, cwd, ...(flags.length === 0 ? {} : { flags }) }
    const role = options.role === undefined ? {} : { role: options.role }
    const answer = await gate(store, { ...request, ...role }, {}, gateOptions(run))
    if (answer.attempt === undefined) return { kind: 'refused', why: explain(answer.decision, options) }
    const ended = await start(
      { ...run, store, proofMs: options.proofMs ?? PROOF_MS, now: options.now ?? Date.now },
      answer
    )
    if (typeof ended === 'object' && 'unstarted' in ended) return { kind: 'refused', why: ended.unstarted }
    if (ended !== 'gone') return { kind: 'ended', exitCode: exitCodeFor(ended) }
    if (round === ROUNDS) return { kind: 'refused', why: 'the sessions of this surface are gone, one after the other' }
    say(`${row.name} does not know session ${answer.sessionId} any more`)
  }
}

/** Started as it is, and nothing of it is kept. */
async function handedOn({ program, args }: Launch, cwd: string, env: Run['env']): Promise<RunEnd> {
  try {
    const { ended } = await attach([...program, ...args], { cwd, env })
    return { kind: 'ended', exitCode: exitCodeFor(await ended) }
  } catch (error) {
    return { kind: 'refused', why: `${program[0]} could not be started: ${oneLine(error)}` }
  }
}

function launchFor({ argv, agent }: RunOptions, agents: AgentTable): Launch {
  const launch = launchOf(argv, agents, agent)
  const command = JSON.stringify(argv[0] ?? '')
  if (launch === null) {
    throw invalidInput('the command', `${command} is no agent that is known; say which one it is with --agent`)
  }
  return launch
}

function surfaceAround(env: Run['env']): string {
  const binding = surfaceFromEnv(env, chainAbove(process.pid))
  if ('surface' in binding) return binding.surface.surfaceId
  throw invalidInput('the surface', `is not known here (${binding.unbound}); name one with --surface`)
}

/** After a crash of the terminal server the pane at the old position goes on with what was there. Returns why not. */
async function goOn(store: Store, { pane, surfaceId, launch, cwd, say }: Run): Promise<string | null> {
  if (pane === null || pane.pane.surfaceId !== surfaceId) return null
  const before = entriesBefore(await store.load(), pane.pane, launch.row.name, cwd)
  const [old, another] = before
  if (old === undefined) return null
  const address = formatPosition(pane.pane.position)
  if (another !== undefined) {
    const all = before.map((entry) => `'${entry.surfaceId}'`).join(', ')
    return `several conversations were at ${address}: ${all}; rename the right one to '${surfaceId}', or end the others`
  }
  await store.update((index) => {
    const renamed = entryAt(index, old.surfaceId) === null ? index : rename(index, old.surfaceId, surfaceId)
    return noteAddress(renamed, { surfaceId, address, scope: pane.pane.scope })
  })
  say(`${address} goes on with what was there before the terminal server died`)
  return null
}

/** What the surface holds must be what the command starts. Returns why not. */
async function checkHeld(store: Store, { launch, surfaceId }: Run): Promise<string | null> {
  const entry = entryAt(await store.load(), surfaceId)
  const held = entry === null || entry.state === 'ended' ? null : entry
  const named = namedSession(launch)
  const { name } = launch.row
  if (held?.agent !== undefined && held.agent !== name) {
    return `the surface ${surfaceId} holds a conversation of ${held.agent}; choose another --surface, or set it aside with --new`
  }
  if (named === null || named === '' || named === held?.sessionId) return null
  return `the command names the session ${named}, which is not the one of surface ${surfaceId}; say first that it is: crash-resume-index record '${surfaceId}' ${named} <repo> --agent ${name}`
}

/** Ends what is there for the sake of another, unless it runs. Returns why not. */
async function putAside(store: Store, run: Run): Promise<string | null> {
  const { surfaceId, repo, say } = run
  const { known, decision } = await weigh(store, { surfaceId, repo }, {}, gateOptions(run))
  if (known === null || known === 'unreadable' || known.state === 'ended') return null
  const { reason } = decision
  const busy = ['already_running', 'running_elsewhere', 'claimed', 'owner_unverified'].includes(reason)
  if (busy) return explain(decision, run)
  const now = run.now ?? Date.now
  await store.update((index) => endForNewSession(index, { surfaceId, expect: fingerprint(known) }, now()))
  if (isPlaceholder(known.sessionId)) return null
  say(`set aside: ${known.sessionId}. To go back to it by hand: ${lineFor(known, run)}`)
  return null
}

function lineFor(entry: Entry, { agents }: Run): string {
  try {
    return commandLineFor(entry)
  } catch {
    const row = agents[entry.agent ?? 'claude']
    return [row?.file ?? '', ...(row?.resume(entry.sessionId) ?? [])].join(' ')
  }
}

function gateOptions(run: Run): GateOptions {
  const { agents, look, maxAgeMs, now, launch, env } = run
  return {
    agents,
    launchers: () => launch.row.name,
    look: look ?? lookAtAgents({ agents, env }),
    ...(maxAgeMs === undefined ? {} : { maxAgeMs }),
    ...(now === undefined ? {} : { now })
  }
}
