/**
 * Runs an agent on this terminal and remembers its session, so that the same line resumes it after a crash.
 *
 * It asks the gate, starts what the gate allows, says how the start went, and stays until the agent ends. Once the
 * agent runs, nothing here may disturb it: a failed write is reported, and the agent continues.
 */

import { commandLineFor, withoutMarks } from '../agents/command.js'
import { keepFlags, withheldFlags } from '../agents/flags.js'
import { isNoConversation } from '../agents/headless.js'
import { type Launch, launchOf, type NamedSession, namedSession } from '../agents/launch-argv.js'
import { recordedEnv } from '../agents/launch-env.js'
import type { AgentTable } from '../agents/row.js'
import { AGENTS, rowFor, unionOf } from '../agents/table.js'
import type { Decision } from '../core/decision.js'
import { entryAt, isForwarding, removeEntries } from '../core/entry.js'
import type { Environment } from '../core/environment.js'
import { invalidInput } from '../core/errors.js'
import { type ExplainOptions, explanation } from '../core/explain.js'
import { fingerprint } from '../core/fingerprint.js'
import { given } from '../core/given.js'
import { isPlaceholder } from '../core/ids.js'
import { inlineCommand } from '../core/own-command.js'
import { quoteArgv } from '../core/quote.js'
import { rename } from '../core/rename.js'
import type { Entry } from '../core/schema.js'
import { endForNewSession, noteAddress } from '../core/verbs.js'
import { chainAbove } from '../probes/ancestry.js'
import { clock } from '../probes/clock.js'
import { repoOf } from '../probes/repo.js'
import { type GateOptions, gate, gateFor } from '../resume/gate.js'
import { preview } from '../resume/preview.js'
import { oneLine } from '../resume/reserve.js'
import type { Store } from '../store/store.js'
import { formatPosition } from '../terminals/driver.js'
import { surfaceFromEnv } from '../terminals/surface-from-env.js'
import { entriesBefore } from './adopt-pane.js'
import { attach, exitCodeFor } from './attach.js'
import { type OwnPane, ownPane } from './own-pane.js'
import { start } from './start.js'

/** What to run in this terminal, and on which surface. */
export interface RunOptions
  extends Pick<GateOptions, 'probe' | 'maxAgeMs' | 'now' | 'signal' | 'notRunning'>,
    ExplainOptions {
  /** The agent's command, as typed. */
  readonly argv: readonly string[]
  /** @default the surface of this terminal */
  readonly surfaceId?: string | undefined
  /** @default the name of the repository around the folder */
  readonly repo?: string | undefined
  readonly role?: string | undefined
  /** The agent's name, if the command does not tell it. */
  readonly agent?: string | undefined
  /** End the session of the surface, and start another one. @default false */
  readonly setAside?: boolean | undefined
  /** @default the table of this library */
  readonly agents?: AgentTable | undefined
  /** @default process.env */
  readonly env?: Environment | undefined
  /** @default the working folder */
  readonly cwd?: string | undefined
  /** An agent that has lived this long has started, in ms. @default 3000 */
  readonly proofMs?: number | undefined
  /** The index that printed commands name by --path. @default none */
  readonly path?: string | undefined
  /** Gets lines for the person. */
  readonly tell?: ((line: string) => void) | undefined
}

/** How a run ended. */
export type RunEnd =
  /** The agent ran. */
  | { readonly kind: 'ended'; readonly exitCode: number }
  /** Nothing was started. */
  | ({ readonly kind: 'refused' } & Refusal)

/** Why nothing was started, and what to do. */
export interface Refusal {
  readonly what: string
  readonly next?: string
}

const PROOF_MS = 3000
/** A session that is gone, an earlier one that is gone too, and then a new one. */
const ROUNDS = 3

interface Run extends Omit<RunOptions, 'surfaceId' | 'repo' | 'env' | 'cwd' | 'agents'> {
  readonly launch: Launch
  readonly named: NamedSession
  readonly surfaceId: string
  /** The surface, where the caller named it. */
  readonly given: string | undefined
  readonly repo: string
  readonly env: Environment
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
  if (isNoConversation(launch.row, launch.args)) return runUntracked(launch, cwd, withoutMarks(env, agents))
  const surfaceId = options.surfaceId ?? surfaceAround(env, agents)
  const say = options.tell ?? (() => undefined)
  const found = await ownPane(env, agents)
  if (!found.known && !options.setAside && entryAt(await store.load(), surfaceId) === null) {
    return {
      kind: 'refused',
      what: `tmux does not say what was in this pane before (${found.why})`,
      next: ASK_AGAIN
    }
  }
  const pane = found.known ? found.value : null
  const named = namedSession(launch)
  const around = { surfaceId, given: options.surfaceId, repo: options.repo ?? repoOf(cwd), env, cwd, agents, say, pane }
  const run: Run = { ...options, ...around, launch, named }
  const refusal =
    (await adopt(store, run)) ?? (options.setAside ? await endBeforeNew(store, run) : await checkAgent(store, run))
  if (refusal !== null) return { kind: 'refused', ...refusal }
  const flags = keepFlags(launch.row, launch.args)
  const withheld = withheldFlags(launch.row, launch.args)
  const request = {
    ...{ surfaceId, repo: run.repo, role: options.role, agent: launch.row.name, cwd },
    ...('sessionId' in named ? { sessionId: named.sessionId, orNew: named.by === 'pin' } : {}),
    ...(withheld.length === 0 ? {} : { withheld }),
    ...given({ flags: flags.length === 0 ? undefined : flags, env: recordedEnv(launch.row, env) })
  }
  for (let round = 1; ; round++) {
    const answer =
      named.by === 'resume'
        ? await gateFor('resume', store, request, {}, gateOptions(run))
        : await gate(store, request, {}, gateOptions(run))
    if (answer.attempt === undefined) return { kind: 'refused', ...refusalOf(answer, run) }
    if (answer.decision.reason === 'left') await tellLeft(store, run)
    const task = { ...run, store, proofMs: options.proofMs ?? PROOF_MS, now: () => clock(options.now) }
    const ended = await start(task, answer)
    if (typeof ended === 'object' && 'unstarted' in ended) return { kind: 'refused', what: ended.unstarted }
    if (ended !== 'gone') return { kind: 'ended', exitCode: exitCodeFor(ended) }
    if (round === ROUNDS) return { kind: 'refused', what: 'the agent no longer knows any session of this surface' }
    say(`${launch.row.name} no longer knows session ${answer.sessionId}`)
  }
}

const ASK_AGAIN = 'try again, or start a new session with --new'

/** Runs the command unchanged, and remembers nothing of it. */
async function runUntracked({ program, args }: Launch, cwd: string, env: Run['env']): Promise<RunEnd> {
  try {
    const { ended } = await attach([...program, ...args], { cwd, env })
    return { kind: 'ended', exitCode: exitCodeFor(await ended) }
  } catch (error) {
    return { kind: 'refused', what: `${program[0]} could not be started: ${oneLine(error)}` }
  }
}

function launchFor({ argv, agent }: RunOptions, agents: AgentTable): Launch {
  const launch = launchOf(argv, agents, agent)
  if (launch !== null) return launch
  throw invalidInput('the command', `${JSON.stringify(argv[0] ?? '')} is not a known agent`, 'name it with --agent')
}

function surfaceAround(env: Environment, agents: AgentTable): string {
  const binding = surfaceFromEnv(env, chainAbove(process.pid), unionOf(agents, 'backgroundVariables'))
  if ('surface' in binding) return binding.surface.surfaceId
  throw invalidInput('the surface', `is not known here (${binding.unbound})`, 'name one with --surface')
}

/**
 * What a pane with a new id may continue with. In tmux the pane at the old position does, after a crash of the server. Of
 * others, nothing tells that they are meant: a person picks one, or says that it is another matter.
 */
async function adopt(store: Store, run: Run): Promise<Refusal | null> {
  const { pane, surfaceId, launch, named, cwd, say } = run
  const before = entriesBefore(await store.load(), { surfaceId, agent: launch.row.name, cwd })
  const address = pane?.pane.surfaceId === surfaceId ? formatPosition(pane.pane.position) : undefined
  const here = before.filter((entry) => address !== undefined && entry.address === address)
  const [old, another] = here
  if (old !== undefined && another === undefined) {
    await store.update((index) => {
      const renamed = entryAt(index, old.surfaceId) === null ? index : rename(index, old.surfaceId, surfaceId)
      return noteAddress(renamed, { surfaceId, address: address ?? '', scope: pane?.pane.scope ?? '' })
    })
    say(`${address} continues with what was there before the terminal server died`)
    return null
  }
  if (named.by !== 'none' || run.setAside) return null
  const lines: string[] = []
  for (const entry of here.length > 0 ? here : before) {
    const request = { surfaceId: entry.surfaceId, repo: entry.repo, agent: entry.agent }
    const { decision } = await preview(store, request, {}, gateOptions({ ...run, named: { by: 'none' } }))
    if (isFree(decision)) lines.push(continueLine(entry, decision, run))
  }
  if (lines.length === 0) return null
  const [what, it] = lines.length === 1 ? ['a conversation', 'it'] : ['several conversations', 'the one that is meant']
  return {
    what: `${what} of ${launch.row.name} in this folder ${lines.length === 1 ? 'is' : 'are'} free, and this pane is new`,
    next: `${lines.join(' or ')} resumes ${it} here; --new starts another one`
  }
}

/** It does not run, proven or not, and may be wanted. */
function isFree({ action, reason }: Decision): boolean {
  return action === 'resume' || action === 'wait' || reason === 'attempts_exhausted'
}

/** The line that continues with this entry here. */
function continueLine({ surfaceId: from, sessionId }: Entry, { reason }: Decision, run: Run): string {
  const { surfaceId, given, launch, path } = run
  if (isPlaceholder(sessionId)) return inlineCommand({ name: 'rename', args: [from, surfaceId] }, path)
  const options = reason === 'liveness_unknown' ? { '--not-running': true as const } : {}
  const args = [launch.row.name, ...launch.row.resume(sessionId)]
  return inlineCommand({ name: 'run', args, options: { ...options, '--surface': given } }, path)
}

/** The surface must not hold a conversation of another agent. */
async function checkAgent(store: Store, { launch, surfaceId }: Run): Promise<Refusal | null> {
  const entry = entryAt(await store.load(), surfaceId)
  const held = entry === null || entry.state === 'ended' ? undefined : entry.agent
  if (held === undefined || held === launch.row.name) return null
  return {
    what: `surface ${surfaceId} holds a conversation of ${held}`,
    next: 'choose another one with --surface, or end that conversation with --new'
  }
}

/** Why nothing is started, and what a person at this terminal can do. */
function refusalOf({ decision }: { readonly decision: Decision }, run: Run): Refusal {
  const { named, launch, surfaceId, path } = run
  const { what, next } = explanation(decision, run)
  const { reason, sessionId } = decision
  if (decision.action === 'fresh' && 'sessionId' in named) {
    return {
      what: `${launch.row.name} has no conversation ${named.sessionId}`,
      next: `${inlineCommand({ name: 'list' }, path)} shows which there are`
    }
  }
  if (reason === 'moved' || reason === 'running_elsewhere')
    return { what, next: `${next}, or start another conversation here with --new` }
  if (reason !== 'liveness_unknown') return { what, next }
  const isOther = 'sessionId' in named && sessionId !== named.sessionId
  if (isOther) return { what: `surface ${surfaceId} is not free: ${what}`, next: 'end its conversation with --new' }
  return { what, next: `${next}; --not-running says that it does not run` }
}

/** Ends the session of the surface, unless it runs, so that another one can start. */
async function endBeforeNew(store: Store, run: Run): Promise<Refusal | null> {
  const { surfaceId, repo, say } = run
  const { entry, decision } = await preview(store, { surfaceId, repo }, {}, gateOptions(run))
  if (entry === null || entry === 'unreadable') return null
  if (isForwarding(entry)) {
    // It holds no session, and gives way to one.
    await store.update((index) =>
      isForwarding(entryAt(index, surfaceId) ?? entry) ? removeEntries(index, [surfaceId]) : index
    )
    return null
  }
  if (entry.state === 'ended') return null
  if (BUSY.has(decision.reason)) return explanation(decision, run)
  const expect = fingerprint(entry)
  await store.update((index) => endForNewSession(index, { surfaceId, expect }, clock(run.now)))
  if (isPlaceholder(entry.sessionId)) return null
  say(`ended session ${entry.sessionId}; to return to it by hand, run ${lineFor(entry, run)}`)
  return null
}

/** Says how to return to what was left on this surface. */
async function tellLeft(store: Store, { surfaceId, launch: { row }, path, say }: Run): Promise<void> {
  const [left] = entryAt(await store.load(), surfaceId)?.previous ?? []
  if (left === undefined) return
  const back = inlineCommand({ name: 'run', args: [row.name, ...row.resume(left.sessionId)] }, path)
  say(`session ${left.sessionId} was left here; ${back} returns to it`)
}

const BUSY: ReadonlySet<string> = new Set(['already_running', 'running_elsewhere', 'claimed', 'owner_unverified'])

function lineFor(entry: Entry, { agents }: Run): string {
  try {
    return commandLineFor(entry)
  } catch {
    const row = rowFor(entry.agent, agents)
    return quoteArgv([row?.file ?? '', ...(row?.resume(entry.sessionId) ?? [])])
  }
}

function gateOptions(run: Run): GateOptions {
  const { agents, env, probe, maxAgeMs, now, signal, notRunning, launch, named } = run
  const capture = named.by === 'agent' || undefined
  return { notRunning, capture, agents, env, probe, maxAgeMs, now, signal, launchers: () => launch.row.name }
}
