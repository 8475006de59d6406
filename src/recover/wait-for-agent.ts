/**
 * Whether an agent that was started in a pane came up in the session that was meant.
 *
 * Its hook's word is the best proof. Else it is its process below the pane that lives for a while, and what
 * that shows of its session, where it shows any. A program that waits for an answer before it begins
 * is no success: it is told where, and by which question.
 */
import type { AgentRow } from '../agents/row.js'
import type { Entry, Owner } from '../core/schema.js'
import { agentBelow } from '../probes/agent-below.js'
import { ownerOf } from '../probes/process.js'
import { sessionOfProcess } from '../probes/session-of-process.js'
import type { ResumeOutcome } from '../resume/recover-all.js'
import type { Store } from '../store/store.js'
import { formatPosition, type LivePane, type TerminalDriver } from '../terminals/driver.js'
import { isIdleShell } from './places.js'

export interface ComeUp {
  readonly store: Store
  readonly driver: TerminalDriver
  /** As it is since the agent was started in it. */
  readonly pane: LivePane
  readonly row: AgentRow | undefined
  readonly sessionId: string
  readonly attempt: string
  /** An agent that lives so long without a question has come up, in ms. */
  readonly proofMs: number
  /** After that nobody knows, in ms. */
  readonly limitMs: number
  readonly env: Readonly<Record<string, string | undefined>>
}

const PAUSE_MS = 100

/** How the start went, as recoverAll wants to know it. */
export async function comeUp(task: ComeUp): Promise<ResumeOutcome> {
  const { store, driver, pane, row, sessionId, attempt, proofMs, limitMs } = task
  const began = performance.now()
  const where = formatPosition(pane.position)
  let since: { readonly owner: Owner; readonly at: number } | null = null
  for (;;) {
    const now = performance.now()
    const seen = seenBy(await store.load(), attempt)
    if (seen !== null) return seen.sessionId === sessionId ? 'ok' : other(where)
    const top = ownerOf(pane.pid)
    const owner = top === null || row === undefined ? null : agentBelow(row, top)
    if (owner !== null && since?.owner.pid !== owner.pid) since = { owner, at: now }
    if (owner !== null && since !== null) {
      const noted = row === undefined ? null : sessionOfProcess(row, owner, task.env)
      if (noted === sessionId) return { result: 'ok', proc: owner }
      if (now - since.at >= proofMs) {
        if (noted !== null) return other(where)
        const screen = await driver.screen(pane)
        if (screen !== null && row?.startupQuestion?.test(screen)) {
          return { failed: 'timeout', why: `it asks something first; answer it in ${where}` }
        }
        return { result: 'ok', proc: owner }
      }
    } else if (top === null || since !== null || isIdleShell(pane.pid)) {
      const screen = top === null ? null : await driver.screen(pane)
      const gone = screen !== null && row?.sessionGone?.test(screen) && screen.replaceAll('\n', '').includes(sessionId)
      return gone
        ? { failed: 'session_gone', why: 'the agent does not know it' }
        : { failed: 'exited', why: `it ended at once; look at ${where}` }
    }
    if (now - began > limitMs) return { failed: 'timeout', why: `no sign of it within ${limitMs} ms; look at ${where}` }
    await new Promise((wake) => setTimeout(wake, PAUSE_MS))
  }
}

function other(where: string): ResumeOutcome {
  return { failed: 'other', why: `another session came up in ${where}` }
}

/** The entry that a hook has seen since, for this attempt. */
function seenBy({ entries }: { readonly entries: Readonly<Record<string, Entry>> }, attempt: string): Entry | null {
  const found = Object.values(entries).find(({ last_attempt: last }) => last?.id === attempt && last.result === 'seen')
  return found ?? null
}
