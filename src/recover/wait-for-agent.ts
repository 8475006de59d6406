/**
 * Waits until it is known whether an agent that was started in a pane runs in the intended session.
 *
 * The best proof is the report of its hook. The next best is a process of the agent below the pane that lives for a
 * while, with the session that it shows, if it shows one. An agent that asks something first has not started, and the
 * row says where. The result is `exited` only if the process seen before is proven dead, or the shell that follows it
 * is idle. A failed look proves neither.
 */
import type { AgentRow } from '../agents/row.js'
import type { Environment } from '../core/environment.js'
import { given } from '../core/given.js'
import type { Entry, Owner } from '../core/schema.js'
import { agentBelow } from '../probes/agent-below.js'
import { isIdleShell } from '../probes/idle-shell.js'
import { known } from '../probes/known.js'
import { PatientClock } from '../probes/patience.js'
import { ownerOf, verdictOf } from '../probes/process.js'
import { sessionOfProcess, showsSession } from '../probes/session-of-process.js'
import { findTranscript } from '../probes/transcripts.js'
import type { ResumeOutcome } from '../resume/recover-all.js'
import { oneLine } from '../resume/reserve.js'
import type { Store } from '../store/store.js'
import { formatPosition, type LivePane, type TerminalDriver } from '../terminals/driver.js'

export interface StartedAgent {
  readonly store: Store
  readonly driver: TerminalDriver
  /** The pane since the agent was started in it. */
  readonly pane: LivePane
  readonly row: AgentRow | undefined
  readonly entry: Entry
  readonly attempt: string
  readonly env: Environment
  /** An agent has started when it has lived this long and asks nothing, in ms of a quiet machine. */
  readonly proofMs: number
  /** After that the outcome is `timeout`, in ms of a quiet machine. */
  readonly limitMs: number
  /** Finds the agent below the pane's first process. @default on this machine */
  readonly below?: typeof agentBelow
  /** Called once if the machine is so busy that this takes longer. */
  readonly onBusy: () => void
}

const PAUSE_MS = 100
/** If the session that a process shows is unknown, the process must live this many times longer. */
const BLIND = 3
/** From this factor on, tell the person why it takes so long. */
const BUSY = 3

/** How the start went, for recoverAll. */
export async function waitForAgent(task: StartedAgent): Promise<ResumeOutcome> {
  const { store, pane, row, entry, attempt, limitMs, below: agentIn = agentBelow } = task
  const where = formatPosition(pane.position)
  const clock = new PatientClock()
  let top: Owner | null = null
  let agent: { readonly owner: Owner; readonly since: number } | null = null
  let told = false
  for (;;) {
    const sessionId = reportedSession(await store.load(), attempt)
    if (sessionId !== null) return sessionId === entry.sessionId ? 'ok' : otherSession(where)
    top ??= ownerOf(pane.pid)
    const below = top === null || row === undefined ? null : agentIn(row, top)
    if (below?.known && below.value !== null && below.value.pid !== agent?.owner.pid) {
      agent = { owner: below.value, since: clock.elapsed }
    }
    if (agent === null) {
      if (await hasEnded(pane, top)) return ended(task, where)
    } else if (verdictOf(agent.owner) !== 'dead') {
      const outcome = await cameUp(task, agent.owner, clock.elapsed - agent.since, clock.elapsed > limitMs)
      if (outcome !== null) return outcome
    } else if (below?.known && below.value === null) {
      return ended(task, where)
    }
    if (clock.elapsed > limitMs) return { failed: 'timeout', why: `no sign of it in time; look at ${where}` }
    await clock.pause(PAUSE_MS)
    if (clock.busiest >= BUSY && !told) {
      told = true
      task.onBusy()
    }
  }
}

/** Null: it lives, and has not proven anything yet. */
async function cameUp(
  { driver, pane, row, entry, env, proofMs }: StartedAgent,
  owner: Owner,
  age: number,
  isLast: boolean
): Promise<ResumeOutcome | null> {
  const shown = row === undefined ? known(null) : sessionOfProcess(row, owner, env)
  if (shown.known && shown.value === entry.sessionId) return { result: 'ok', proc: owner }
  // It may be readable a moment later.
  if (age < (shown.known ? proofMs : BLIND * proofMs) && !isLast) return null
  const where = formatPosition(pane.position)
  if (shown.known && shown.value !== null) return otherSession(where)
  const screen = await driver.screen(pane)
  if (screen !== null && row?.startupQuestion?.test(screen)) {
    return { failed: 'timeout', why: `it asks something first; answer it in ${where}` }
  }
  // Time alone is no proof. An agent that can show that it came up is waited for.
  if (canShow(row, entry, env) && !isLast) return null
  const line = screen?.split('\n').findLast((text) => text.trim() !== '')
  const shows = line === undefined ? 'its screen is blank' : `the last line there is: ${oneLine(line.trim())}`
  return { result: 'ok', proc: owner, unconfirmed: `look at ${where}; ${shows}` }
}

/** Whether its process shows its session, or its hook, which has reported before, fires at the start. */
function canShow(row: AgentRow | undefined, { transcript }: Entry, env: Environment): boolean {
  if (row === undefined) return false
  return showsSession(row, env) || (row.hooks !== undefined && transcript !== undefined)
}

/** True if the pane's own program is proven dead, or is the idle shell that is left when the agent has ended. */
async function hasEnded({ pid }: LivePane, top: Owner | null): Promise<boolean> {
  if (top === null) return false
  if (verdictOf(top) === 'dead') return true
  const idle = isIdleShell(pid)
  return idle.known && idle.value
}

/** The screen is believed only if no transcript contradicts it. */
async function ended({ driver, pane, row, entry, env }: StartedAgent, where: string): Promise<ResumeOutcome> {
  const screen = await driver.screen(pane)
  const { sessionId, cwd, transcript } = entry
  const says = screen !== null && row?.sessionGone?.test(screen) && screen.replaceAll('\n', '').includes(sessionId)
  if (!says || row === undefined) return { failed: 'exited', why: `it ended at once; look at ${where}` }
  const { state, path } = await findTranscript(row, { sessionId, ...given({ cwd, transcript }) }, { env })
  if (state !== 'found') return { failed: 'session_gone', why: 'the agent does not know this session' }
  return { failed: 'exited', why: `the agent says that it does not know this session, but its transcript is ${path}` }
}

function otherSession(where: string): ResumeOutcome {
  return { failed: 'other', why: `another session started in ${where}` }
}

/** The session that a hook has reported for this attempt. */
function reportedSession({ entries }: { readonly entries: Readonly<Record<string, Entry>> }, attempt: string) {
  const found = Object.values(entries).find(({ last_attempt: last }) => last?.id === attempt && last.result === 'seen')
  return found?.sessionId ?? null
}
