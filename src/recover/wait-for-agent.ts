/**
 * Waits until it is known whether an agent that was started in a pane came up in the session that was meant.
 *
 * Its hook's report is the best proof. Else it is its process below the pane that lives for a while, and what that shows
 * of its session, where it shows any. A program that waits for an answer before it begins is no success: the row says
 * where, and by which question. `exited` is said only where the process that was seen is proven dead, or the shell that
 * follows it waits at its prompt; what could not be looked at proves neither.
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
import { sessionOfProcess } from '../probes/session-of-process.js'
import { findTranscript } from '../probes/transcripts.js'
import type { ResumeOutcome } from '../resume/recover-all.js'
import type { Store } from '../store/store.js'
import { formatPosition, type LivePane, type TerminalDriver } from '../terminals/driver.js'

export interface StartedAgent {
  readonly store: Store
  readonly driver: TerminalDriver
  /** As it is since the agent was started in it. */
  readonly pane: LivePane
  readonly row: AgentRow | undefined
  readonly entry: Entry
  readonly attempt: string
  readonly env: Environment
  /** An agent that lives so long without a question has come up, in ms of a quiet machine. */
  readonly proofMs: number
  /** After that it is not known, in ms of a quiet machine. */
  readonly limitMs: number
  /** The agent below the pane's first process. @default what this machine shows */
  readonly below?: typeof agentBelow
  /** Told once when the machine is so busy that this takes longer. */
  readonly onBusy: () => void
}

const PAUSE_MS = 100
/** So many times longer a process must live of which it cannot be told what it shows. */
const BLIND = 3
/** From here on a person may wonder what takes so long. */
const BUSY = 3

/** How the start went, as recoverAll wants to know it. */
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
      const outcome = await cameUp(task, agent.owner, clock.elapsed - agent.since)
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

/** Null: it lives, and has not shown enough yet. */
async function cameUp(
  { driver, pane, row, entry, env, proofMs }: StartedAgent,
  owner: Owner,
  age: number
): Promise<ResumeOutcome | null> {
  const shown = row === undefined ? known(null) : sessionOfProcess(row, owner, env)
  if (shown.known && shown.value === entry.sessionId) return { result: 'ok', proc: owner }
  // What it shows may be readable a moment later.
  if (age < (shown.known ? proofMs : BLIND * proofMs)) return null
  const where = formatPosition(pane.position)
  if (shown.known && shown.value !== null) return otherSession(where)
  const screen = await driver.screen(pane)
  if (screen !== null && row?.startupQuestion?.test(screen)) {
    return { failed: 'timeout', why: `it asks something first; answer it in ${where}` }
  }
  return { result: 'ok', proc: owner }
}

/** The pane's own program is proven dead, or is the shell that is left when the agent has ended. */
async function hasEnded({ pid }: LivePane, top: Owner | null): Promise<boolean> {
  if (top === null) return false
  if (verdictOf(top) === 'dead') return true
  const idle = isIdleShell(pid)
  return idle.known && idle.value
}

/** What the screen says is believed only where no transcript stands against it. */
async function ended({ driver, pane, row, entry, env }: StartedAgent, where: string): Promise<ResumeOutcome> {
  const screen = await driver.screen(pane)
  const { sessionId, cwd, transcript } = entry
  const says = screen !== null && row?.sessionGone?.test(screen) && screen.replaceAll('\n', '').includes(sessionId)
  if (!says || row === undefined) return { failed: 'exited', why: `it ended at once; look at ${where}` }
  const { state, path } = await findTranscript(row, { sessionId, ...given({ cwd, transcript }) }, { env })
  if (state !== 'found') return { failed: 'session_gone', why: 'the agent does not know it' }
  return { failed: 'exited', why: `the agent says that it does not know this session, but its transcript is ${path}` }
}

function otherSession(where: string): ResumeOutcome {
  return { failed: 'other', why: `another session came up in ${where}` }
}

/** The session that a hook has reported since, for this attempt. */
function reportedSession({ entries }: { readonly entries: Readonly<Record<string, Entry>> }, attempt: string) {
  const found = Object.values(entries).find(({ last_attempt: last }) => last?.id === attempt && last.result === 'seen')
  return found?.sessionId ?? null
}
