/**
 * What a hook's event changes in the index: pure but for the verdicts on the processes that the index names, which are
 * looked up on the index as it is under the update.
 */

import { keepFlags, withheldFlags } from '../agents/flags.js'
import { recordedEnv } from '../agents/launch-env.js'
import { parseArgv } from '../agents/program.js'
import type { AgentRow } from '../agents/row.js'
import { sameEntry } from '../core/codec.js'
import { DEFAULT_TOUCH_RESOLUTION_MS } from '../core/defaults.js'
import { entryAt } from '../core/entry.js'
import type { Environment } from '../core/environment.js'
import { given } from '../core/given.js'
import { textProblem } from '../core/ids.js'
import { observe } from '../core/observe.js'
import { sameOwner } from '../core/owner.js'
import type { Entry, Index, Machine, ObserveOutcome, Owner, Sighting, Verdicts } from '../core/schema.js'
import { noteExit, noteLeft, ownersOf } from '../core/verbs.js'
import type { AgentProcess } from '../probes/ancestry.js'
import { repoOf } from '../probes/repo.js'
import { markOf } from '../probes/transcript-mark.js'
import { worktreeOf } from '../probes/worktree.js'
import type { Surface } from '../terminals/surface-from-env.js'
import { launchFolder } from './launch-folder.js'
import type { HookPayload } from './payload.js'

/** What is known of an event before the index is looked at. */
export interface HookContext {
  readonly row: AgentRow
  readonly payload: HookPayload
  readonly env: Environment
  readonly surface: Surface
  readonly machine: Machine
  /** The agent's own process; null: not found. */
  readonly process: AgentProcess | null
  /** Of a background session: the session of the surface whose conversation goes on in it. */
  readonly continues: string | undefined
  readonly nested: boolean
  /** The terminal is gone: what an agent says of its end then is not its person's word. */
  readonly hungUp: boolean
  /** Looks at the processes that the index names. */
  readonly verdictsFor: (owners: readonly Owner[]) => Verdicts
}

/** What became of a hook event. */
export type HookOutcome = ObserveOutcome | 'noted' | 'left' | 'ignored' | 'unbound' | 'failed'

export interface HookChange {
  readonly index: Index
  readonly outcome: HookOutcome
  readonly why?: string
}

export function noteSighting(index: Index, context: HookContext, now: number): HookChange {
  const { payload, surface, nested } = context
  const entry = entryAt(index, surface.surfaceId)
  // A turn may be that of a thread which no person talks to: it proves life of what is known, and nothing else.
  if (payload.kind === 'turn' && entry?.sessionId !== payload.sessionId) {
    return { index, outcome: 'ignored', why: 'turn_of_another_session' }
  }
  if (nested) return { index, outcome: 'nested' }
  const concerned = Object.values(index.entries).filter(
    (one) => one.surfaceId === surface.surfaceId || one.sessionId === payload.sessionId
  )
  // The agent itself too: the word of one that died meanwhile is no sign of life.
  const owners = [...concerned.flatMap(ownersOf), ...(context.process === null ? [] : [context.process.owner])]
  const observed = observe(index, sightingOf(context, entry), context.verdictsFor(owners), now)
  const after = entryAt(observed.index, surface.surfaceId)
  if (observed.outcome === 'refreshed' && entry !== null && after !== null && saysNothingNew(entry, after)) {
    return { index, outcome: 'refreshed' }
  }
  return observed
}

/**
 * The agent says that the session is over. Its process still runs, or has only just ended: that is no proof. But that
 * its person left it is for the agent to say, of its own session.
 */
export function noteEnd(index: Index, context: HookContext, now: number): HookChange {
  const { row, payload, surface, nested, process: proc, hungUp } = context
  const { surfaceId } = surface
  const entry = entryAt(index, surfaceId)
  if (nested || entry === null || entry.sessionId !== payload.sessionId) {
    return { index, outcome: 'ignored', why: 'end_of_another_session' }
  }
  // The same session opened a second time, in another process, and closed there.
  if (entry.proc && proc && !sameOwner(entry.proc, proc.owner)) {
    return { index, outcome: 'ignored', why: 'end_of_another_process' }
  }
  const reason = safe(payload.reason) ?? 'unknown'
  const noted = noteExit(index, { surfaceId, sessionId: payload.sessionId, reason }, now)
  const isItsOwn = entry.proc !== undefined && proc !== null
  if (!isItsOwn || hungUp || !row.ownExits.includes(reason)) return { index: noted, outcome: 'noted' }
  return { index: noteLeft(noted, surfaceId, now), outcome: 'left' }
}

function sightingOf(context: HookContext, entry: Entry | null): Sighting {
  const { row, payload, env, surface, machine, process: proc, continues } = context
  const same = entry?.sessionId === payload.sessionId ? entry : null
  const sameProcess = entry?.proc !== undefined && proc !== null && sameOwner(entry.proc, proc.owner)
  const transcript = safe(payload.transcript)
  const cwd = safe(launchFolder({ row, env, cwd: payload.cwd, transcript, known: same?.cwd }))
  const worktree = cwd === undefined ? null : worktreeOf(cwd)
  // Resumed by its person in another process, it is taken as it is.
  const before = sameProcess ? same?.mark : undefined
  // The server of background sessions chooses the arguments of those.
  const args = proc === null || continues !== undefined ? null : parseArgv(proc.argv).args
  const isTold = args !== null && (args.length > 0 || proc?.isWhole === true)
  const flags = keepFlags(row, args ?? []).filter((flag) => safe(flag) !== undefined)
  const withheld = withheldFlags(row, args ?? [])
  return {
    ...surface,
    sessionId: payload.sessionId,
    // What a caller recorded, such as the name that its launchers go by, stands for the same agent.
    repo:
      entry !== null && (same !== null || sameProcess || continues !== undefined)
        ? entry.repo
        : repoOf(payload.cwd ?? cwd),
    agent: row.name,
    seen: machine,
    worktree: worktree !== null && Object.values(worktree).every(safe) ? worktree : undefined,
    // What an earlier process was started with is not this one's; what is not shown is not none.
    flags: flags.length > 0 || (entry?.flags && isTold && !sameProcess) ? flags : undefined,
    // What our own start left out is still waiting for a person's word.
    withheld: withheld.length > 0 || (entry?.withheld && isTold && !isOurStart(entry, env)) ? withheld : undefined,
    env: recordedEnv(row, env),
    cwd,
    transcript,
    prompted: payload.prompted,
    mark: transcript && row.transcriptGrows ? markOf(transcript, payload.sessionId, before) : undefined,
    continues,
    proc: proc?.owner,
    proc_unknown: proc === null ? true : undefined,
    ancestors: proc?.ancestors
  }
}

/** Whether the last attempt on the surface started the process of this environment. */
function isOurStart({ attempt, last_attempt: last }: Entry, env: Environment): boolean {
  const id = env['CRASH_RESUME_ATTEMPT']
  return id !== undefined && (id === attempt?.id || id === last?.id)
}

/** Text that may be stored; what may not is left out rather than costing the sighting. */
function safe(text: string | undefined): string | undefined {
  return text !== undefined && textProblem(text) === null ? text : undefined
}

/** Nothing but the time differs, and the mark that goes with it, and that by less than is worth a write. */
function saysNothingNew(before: Entry, after: Entry): boolean {
  const age = after.last_active - before.last_active
  if (age < 0 || age >= DEFAULT_TOUCH_RESOLUTION_MS) return false
  return sameEntry(before, { ...after, last_active: before.last_active, ...given({ mark: before.mark }) })
}
