/**
 * Entries and decisions for people. Pure.
 */

import { inlineCommand } from '../../admin.js'
import { type Attempt, type DecisionWarning, type Dispatch, verdictFor } from '../../core.js'
import type { Decision, Entry, Index, Verdicts } from '../../index.js'
import { age, ago, cell, count, type Look, painted, type Row, type Style, table } from './table.js'

export interface Unreadable {
  readonly surfaceId: string
  readonly state: 'unreadable'
  readonly reason: string
}

export function unreadableIn({ unreadable = {} }: Index): readonly Unreadable[] {
  return Object.entries(unreadable).map(([surfaceId, { reason }]) => ({ surfaceId, state: 'unreadable', reason }))
}

const STATES: Readonly<Record<Entry['state'], Style>> = {
  ready: 'green',
  minted: 'cyan',
  spawn_failed: 'red',
  ended: 'dim'
}

/** The latest activity first. */
export function byActivity(entries: readonly Entry[]): readonly Entry[] {
  return [...entries].sort((a, b) => b.last_active - a.last_active || (a.surfaceId < b.surfaceId ? -1 : 1))
}

export interface ListOptions {
  /** On the owners of what is open; one that is missing is unknown. */
  readonly verdicts?: Verdicts
  /** The index that --path names. */
  readonly path?: string | undefined
}

export function renderList(
  entries: readonly Entry[],
  unreadable: readonly Unreadable[],
  look: Look,
  { verdicts = [], path }: ListOptions = {}
): string {
  const all = entries.length + unreadable.length
  if (all === 0) {
    return `nothing is recorded yet; ${inlineCommand({ name: 'record', options: { '--help': true } }, path)} shows how\n`
  }
  const rows = byActivity(entries).map((entry) => rowOf(entry, look, notesOf(entry, verdicts, look.now).join('; ')))
  const head = ['SURFACE', 'AGENT', 'SESSION', 'REPO', 'ROLE', 'STATE', 'AGE', 'NOTE']
  const foot = count(all, 'surface', 'surfaces') + (unreadable.length > 0 ? `, ${unreadable.length} unreadable` : '')
  return `${table(head, [...rows, ...unreadable.map(unreadableRow)], look)}${painted(foot, 'dim', look)}\n`
}

function rowOf(entry: Entry, { now }: Look, note = ''): Row {
  return {
    SURFACE: cell(entry.surfaceId, 'bold'),
    GENERATION: cell(String(entry.gen)),
    AGENT: cell(entry.agent),
    SESSION: cell(entry.sessionId),
    REPO: cell(entry.repo),
    ROLE: cell(entry.role),
    STATE: cell(stateOf(entry), STATES[entry.state]),
    AGE: cell(age(now - entry.last_active)),
    NOTE: { text: note, style: 'yellow' }
  }
}

function unreadableRow({ surfaceId, reason }: Unreadable): Row {
  return {
    SURFACE: cell(surfaceId, 'bold'),
    STATE: cell('unreadable', 'red'),
    NOTE: { text: reason, style: 'yellow' }
  }
}

export function stateOf({ state, reason, policy, moved_to }: Entry): string {
  const why = moved_to === undefined ? reason : `moved to ${moved_to}`
  const words = state === 'ended' && why ? `ended (${why})` : state
  return policy === 'auto' ? words : `${words}, ${policy}`
}

/** Results of an attempt that started its session. */
const STARTED: ReadonlySet<string> = new Set(['ok', 'seen'])

/** What is open, whose it is, and the id that settles it; and what failed, and why. */
export function notesOf(entry: Entry, verdicts: Verdicts, now: number): readonly string[] {
  const { attempt, dispatch, last_attempt: last } = entry
  const parts: string[] = []
  const open = (what: string, { id, owner }: Attempt | Dispatch): void => {
    parts.push(`${what} open by process ${owner.pid} (${verdictFor(verdicts, owner)}), settle ${id}`)
  }
  const step = `step ${JSON.stringify(dispatch?.step ?? '')}`
  if (attempt) open(attempt.kind, attempt)
  if (dispatch?.result === 'open') open(step, dispatch)
  if (dispatch?.result === 'failed') parts.push(`${step} failed${because(dispatch.why)}`)
  if (last && !STARTED.has(last.result) && !last.seen_since) {
    parts.push(`last ${last.kind} failed ${ago(now - last.at)}: ${last.result}${because(last.why)}`)
  }
  return parts
}

function because(why: string | undefined): string {
  return why ? ` (${why})` : ''
}

/** What a removal would remove, each with its generation. */
export function renderPlan(entries: readonly Entry[], unreadable: readonly Unreadable[], look: Look): string {
  const rows = [...entries.map((entry) => rowOf(entry, look)), ...unreadable.map(unreadableRow)]
  return table(['SURFACE', 'GENERATION', 'SESSION', 'REPO', 'STATE', 'AGE'], rows, look)
}

const ACTIONS: Readonly<Record<Decision['action'], Style>> = {
  resume: 'green',
  fresh: 'cyan',
  wait: 'yellow',
  refuse: 'red'
}

export function renderDecision(decision: Decision, sentence: string, look: Look): string {
  const notes = cautions(decision).map((line) => `${line}\n`)
  return `${painted(decision.action, ACTIONS[decision.action], look)}  ${decision.reason}\n${sentence}\n${notes.join('')}`
}

/** What to know before a resume. The others have notes of their own. */
const WARNINGS: Readonly<Record<DecisionWarning, string | null>> = {
  surface_recycled: 'the surface is not the same as before',
  cwd_missing: 'its launch folder is gone',
  transcript_unknown: 'it is unknown whether its transcript exists',
  transcript_shrunk: null,
  transcript_expires: null,
  agent_hazard: null
}

/** That its agent is about to remove it, which is the last note. */
export function expiryOf({ warnings, notes }: Pick<Decision, 'warnings' | 'notes'>): readonly string[] {
  return warnings.includes('transcript_expires') ? notes.slice(-1) : []
}

export function cautions({ action, warnings, notes, policy }: Decision): readonly string[] {
  const known = warnings.flatMap((warning) => WARNINGS[warning] ?? [])
  // The sentence of another decision holds its note.
  const hazards = action === 'resume' ? notes : expiryOf({ warnings, notes })
  const manual = action === 'resume' && policy === 'manual' ? ['its policy is manual: recover leaves it to you'] : []
  return [...known, ...hazards, ...manual].map((line) => `note: ${line}`)
}
