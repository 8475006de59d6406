/**
 * Records one event of an agent's hook: which surface, which process, which session.
 *
 * It never throws and starts no program. What it cannot bind to a surface it leaves alone; an agent inside another one, or
 * without a person, changes nothing. Nor does one in the background, unless it goes on with a conversation of a surface.
 * An end is only noted, for the hook runs inside the living process, unless the agent says that its person left it. A
 * mapping is never dropped here.
 */

import { isHeadless } from '../agents/headless.js'
import type { AgentRow, AgentTable } from '../agents/row.js'
import { AGENTS, rowFor, unionOf } from '../agents/table.js'
import { DEFAULT_HOOK_LOCK_WAIT_MS } from '../core/defaults.js'
import type { Environment } from '../core/environment.js'
import { given } from '../core/given.js'
import { isPlaceholder, isSessionId } from '../core/ids.js'
import type { Machine, Owner, Verdicts } from '../core/schema.js'
import { agentAbove, chainAbove } from '../probes/ancestry.js'
import { clock, type Now } from '../probes/clock.js'
import { isHungUp } from '../probes/proc-linux.js'
import { type ProcessTable, processTable, thisMachine, verdictsFor } from '../probes/process.js'
import { defaultIndexPath } from '../store/paths.js'
import { loadIndex, updateIndex } from '../store/store.js'
import { surfaceFromEnv, type UnboundReason } from '../terminals/surface-from-env.js'
import { type HookChange, type HookContext, type HookOutcome, noteEnd, noteSighting } from './changes.js'
import { continuedEntry } from './continued-entry.js'
import { describe, logFailure } from './log.js'
import { type HookPayload, parsePayload } from './payload.js'
import { isToldSame, whoseHook } from './whose-hook.js'

/** What a hook's event is recorded with. */
export interface HookOptions {
  /** The index. @default as everywhere */
  readonly path?: string | undefined
  /** @default process.env */
  readonly env?: Environment | undefined
  /** A process that the agent started; its ancestors are walked. @default this one */
  readonly pid?: number | undefined
  /** @default the table of this library */
  readonly agents?: AgentTable | undefined
  /** Ms since the epoch. @default the clock */
  readonly now?: Now | undefined
  /** How long to queue behind other writers, in ms. @default 100 */
  readonly lockWaitMs?: number | undefined
  /**
   * @default this machine's
   * @internal
   */
  readonly probes?: HookProbes | undefined
}

/** What a hook looks at besides its environment. */
export interface HookProbes {
  readonly machine: Machine
  readonly table: ProcessTable
  readonly verdictsFor: (owners: readonly Owner[]) => Verdicts
}

/** What became of the event. */
export interface HookReport {
  readonly outcome: HookOutcome
  readonly event?: string
  readonly surfaceId?: string
  readonly sessionId?: string
  /** Why it was ignored, left unbound, or failed. */
  readonly why?: string
}

/** Records one event of `agent`, as its hook has read it. Never throws. */
export async function runHook(agent: string, text: string | null, options: HookOptions = {}): Promise<HookReport> {
  const env = options.env ?? process.env
  const path = options.path ?? defaultIndexPath()
  const now = (): number => clock(options.now)
  const failed = (why: string): HookReport => {
    logFailure(path, agent, why, now())
    return { outcome: 'failed', why }
  }
  try {
    const agents = options.agents ?? AGENTS
    const row = rowFor(agent, agents)
    if (row === undefined) return failed('no such agent in the table')
    if (text === null) return failed('no payload came in time, or it was too large')
    const payload = parsePayload(text, row.payload)
    if (payload === null) return failed('the payload names no session')
    return await recordEvent(row, payload, { ...options, env, path, now, agents })
  } catch (error) {
    return failed(describe(error))
  }
}

interface Settings extends Omit<HookOptions, 'now'> {
  readonly path: string
  readonly env: Environment
  readonly agents: AgentTable
  readonly now: () => number
}

async function recordEvent(fired: AgentRow, payload: HookPayload, settings: Settings): Promise<HookReport> {
  const { event, sessionId } = payload
  const said = { event, sessionId }
  if (!isSessionId(sessionId) || isPlaceholder(sessionId)) return { event, outcome: 'ignored', why: 'odd_session_id' }
  const { env, path, now } = settings
  const unbound = (why: UnboundReason): HookReport => ({ ...said, outcome: 'unbound', why })
  const agents = Object.values(settings.agents)
  if (agents.some(({ jobFolder }) => jobFolder?.test(payload.cwd ?? ''))) return unbound('background')
  const { machine, table, verdictsFor } = settings.probes ?? realProbes()
  const pid = settings.pid ?? process.pid
  const chain = chainAbove(pid, table)
  const around = { ...chain, ...given({ bootId: machine.bootId }) }
  const binding = surfaceFromEnv(env, around, unionOf(settings.agents, 'backgroundVariables'))
  if ('unbound' in binding && binding.unbound !== 'background') return unbound(binding.unbound)
  const above = agentAbove(pid, {
    ...{ agents, env, table, chain, machine },
    isToldSame: isToldSame(fired, env, sessionId)
  })
  const whose = whoseHook({ row: fired, agents: settings.agents, env, sessionId }, above)
  if ('ignored' in whose) {
    logFailure(path, fired.name, `ignored: ${whose.ignored}`, now())
    return { ...said, outcome: 'ignored', why: whose.ignored }
  }
  const { row, process: found } = whose
  const from =
    'unbound' in binding ? await continuedEntry(loadIndex(path), row, { sessionId, process: found, env }) : null
  const surface = 'surface' in binding ? binding.surface : from && { surfaceId: from.surfaceId }
  if (surface === null) return unbound('background')
  const nested = from === null && (found?.inside != null || isHeadless(row, env, found?.argv ?? []))
  const continues = from?.sessionId
  const hungUp = payload.kind === 'end' && found !== null && isHungUp(found.owner.pid)
  const context: HookContext = {
    ...{ row, payload, env, surface, machine, process: found },
    ...{ continues, nested, hungUp, verdictsFor }
  }
  let change: HookChange | undefined
  await updateIndex(
    path,
    (index) => {
      change = payload.kind === 'end' ? noteEnd(index, context, now()) : noteSighting(index, context, now())
      return change.index
    },
    { lockWaitMs: settings.lockWaitMs ?? DEFAULT_HOOK_LOCK_WAIT_MS, machine: () => machine }
  )
  const { outcome = 'ignored', why } = change ?? {}
  return { ...said, surfaceId: surface.surfaceId, outcome, ...given({ why }) }
}

function realProbes(): HookProbes {
  return { machine: thisMachine(), table: processTable(), verdictsFor }
}
