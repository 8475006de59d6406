/**
 * Two entries become one: the only place where that happens.
 *
 * The table has one rule for each field. The lead's word counts, and nothing that another entry knows is lost where the
 * lead knows nothing. But what belongs to a session and its agent (transcript, process, flags, folder) is never taken
 * from another session or another agent, and what belongs to a surface (first sight, position) only from entries of
 * that surface. Joining an entry with itself changes nothing, and joining twice is joining once.
 * Calling sequence: `byStrength` chooses the lead where the caller has no reason of its own; then `join`.
 */
import { keepProcess, mergePrevious, previousAfter } from './entry.js'
import { isEarlierBoot } from './evidence.js'
import { verdictFor } from './owner.js'
import {
  type AgentOwner,
  type Entry,
  type LastAttempt,
  type Machine,
  POLICIES,
  type Policy,
  type Previous,
  type PreviousReason,
  type Verdict,
  type Verdicts
} from './schema.js'
import { ENTRY_FIELDS } from './validate.js'

export interface JoinOptions {
  /** The surface of the joined entry. @default the lead's */
  readonly at?: string | undefined
  /** When a session that gives way was left, and the first sight of a surface that has none; ms since the epoch. */
  readonly now?: number | undefined
  /** Why it gives way. @default replaced */
  readonly why?: PreviousReason | undefined
  /** The surface gets another session by this. */
  readonly changed?: boolean | undefined
  /** An entry of the lead's session: what people and callers say is taken from it as it stands, and from no other. */
  readonly words?: Entry | undefined
  /** On the processes of the others. @default none: unknown */
  readonly verdicts?: Verdicts | undefined
}

interface Parts {
  readonly lead: Entry
  /** All entries, the lead first. */
  readonly all: readonly Entry[]
  /** Those of the lead's session. */
  readonly session: readonly Entry[]
  /** Those of them that no other agent runs. */
  readonly agent: readonly Entry[]
  /** Those of the surface. */
  readonly here: readonly Entry[]
  readonly options: JoinOptions
}

type Rule<T> = (parts: Parts) => T | undefined
/** A `word` is what people and callers say; what is `known` was found out. */
type Table = { readonly [K in keyof Required<Entry>]: readonly [kind: 'word' | 'known', rule: Rule<Entry[K]>] }

const TABLE: Table = {
  surfaceId: ['known', ({ lead, options }) => options.at ?? lead.surfaceId],
  sessionId: ['word', ({ lead }) => lead.sessionId],
  repo: ['word', ({ lead }) => lead.repo],
  role: ['word', ({ session }) => session.find(({ role }) => role !== null)?.role ?? null],
  captured_at: ['known', firstSight],
  last_active: ['known', lastSign],
  agent: ['word', ({ agent }) => firstOf(agent, 'agent')],
  cwd: ['word', ({ agent }) => firstOf(agent, 'cwd')],
  worktree: ['word', ({ agent }) => firstOf(inFolder(agent), 'worktree')],
  transcript: ['known', ({ agent }) => firstOf(agent, 'transcript')],
  mark: ['known', ({ agent }) => firstOf(agent, 'mark')],
  prompted: ['known', ({ agent }) => agent.some(({ prompted }) => prompted) || firstOf(agent, 'prompted')],
  flags: ['word', ({ agent }) => firstOf(agent, 'flags')],
  withheld: ['word', ({ agent }) => firstOf(agent, 'withheld')],
  env: ['word', ({ agent }) => firstOf(agent, 'env')],
  scope: ['word', ({ here }) => firstOf(here, 'scope')],
  address: ['word', ({ here }) => firstOf(inScope(here), 'address')],
  state: ['word', ({ lead }) => lead.state],
  reason: ['word', ({ lead }) => lead.reason],
  moved_to: ['word', ({ lead }) => lead.moved_to],
  gen: ['known', generation],
  seen: ['known', seenOn],
  proc: ['known', process],
  proc_unknown: ['known', ({ agent }) => firstOf(agent, 'proc_unknown')],
  attempt: ['known', ({ session }) => firstOf(session, 'attempt')],
  last_attempt: ['known', lastAttempt],
  attempts: ['known', ({ session }) => Math.max(...session.map(({ attempts }) => attempts))],
  dispatch: [
    'known',
    ({ all }) => all.find(({ dispatch }) => dispatch?.result === 'open')?.dispatch ?? firstOf(all, 'dispatch')
  ],
  last_exit: ['known', ({ session }) => newest(session.flatMap((entry) => entry.last_exit ?? []))],
  policy: ['word', ({ all }) => all.map(({ policy }) => policy).reduce(stricter)],
  previous: ['known', histories],
  meta: ['word', ({ all }) => mergedMeta(all)]
}

const RULES = Object.entries(TABLE) as (readonly [keyof Entry, readonly ['word' | 'known', Rule<unknown>]])[]

/** The fields that hold what was found out, and not what people and callers say. */
export const FOUND_OUT: readonly (keyof Entry)[] = RULES.flatMap(([field, [kind]]) => (kind === 'known' ? field : []))

/**
 * The lead with what the others know besides.
 * @param others in the order in which they are asked; of another session too, which then goes to the history
 */
export function join(lead: Entry, others: readonly Entry[], options: JoinOptions = {}): Entry {
  const { words } = options
  const all = [lead, ...others]
  const session = all.filter(({ sessionId }) => sessionId === lead.sessionId)
  const program = firstOf(session, 'agent')
  const at = options.at ?? lead.surfaceId
  const parts: Parts = {
    lead,
    all,
    session,
    agent: session.filter(({ agent }) => agent === undefined || agent === program),
    here: (words === undefined ? all : [words, ...all]).filter(({ surfaceId }) => surfaceId === at),
    options
  }
  const joined = new Map<string, unknown>()
  for (const [field, [kind, rule]] of RULES) {
    const value = kind === 'word' && words !== undefined ? words[field] : rule(parts)
    if (value !== undefined) joined.set(field, value)
  }
  for (const entry of words === undefined ? all : [words]) {
    for (const [field, value] of Object.entries(entry)) {
      if (!ENTRY_FIELDS.includes(field) && !joined.has(field)) joined.set(field, value)
    }
  }
  // Unlike an assignment, fromEntries makes an own property of `__proto__` too.
  return Object.fromEntries(joined) as unknown as Entry
}

/** For sorting, the strongest first: an entry that holds its session before one that ended, then the newer sign of life. */
export function byStrength(a: Entry, b: Entry): number {
  return (
    endedRank(a, b) - endedRank(b, a) ||
    b.last_active - a.last_active ||
    Number(b.proc !== undefined) - Number(a.proc !== undefined) ||
    Number(b.transcript !== undefined) - Number(a.transcript !== undefined)
  )
}

function endedRank(entry: Entry, other: Entry): number {
  if (entry.state !== 'ended') return 0
  if (entry.moved_to === undefined) return 1
  return entry.moved_to === other.surfaceId ? 3 : 2
}

function firstOf<Field extends keyof Entry>(entries: readonly Entry[], field: Field): Entry[Field] | undefined {
  return entries.find((entry) => entry[field] !== undefined)?.[field]
}

function newest<T extends { readonly at: number }>(items: readonly T[]): T | undefined {
  return [...items].sort((a, b) => b.at - a.at)[0]
}

/** What does not start with a sight of its own cannot be older than the surface's first one. */
function firstSight({ lead, here, options }: Parts): number {
  if (here.length === 0) return options.now ?? lead.captured_at
  return Math.min(...here.map(({ captured_at }) => captured_at))
}

/** The end of another entry is no sign of life. */
function lastSign({ lead, session }: Parts): number {
  const heard = session.filter(({ state }) => lead.state === 'ended' || state !== 'ended')
  return Math.max(...heard.map(({ last_active }) => last_active))
}

function generation({ all, options }: Parts): number {
  return Math.max(options.words?.gen ?? 0, ...all.map(({ gen }) => gen)) + (options.changed ? 1 : 0)
}

/** A worktree is of the folder that it was found for. */
function inFolder(entries: readonly Entry[]): readonly Entry[] {
  const cwd = firstOf(entries, 'cwd')
  return entries.filter((entry) => entry.cwd === undefined || entry.cwd === cwd)
}

/** A position is of one life of its server. */
function inScope(entries: readonly Entry[]): readonly Entry[] {
  const scope = firstOf(entries, 'scope')
  return entries.filter((entry) => entry.scope === scope)
}

/** A living one before any other; none is forgotten. */
function process({ lead, agent, options }: Parts): AgentOwner | undefined {
  const known = [lead, ...agent].filter(({ proc }) => proc !== undefined)
  const verdictOn = ({ proc }: Entry): Verdict => (proc ? verdictFor(options.verdicts ?? [], proc) : 'unknown')
  const living = known.find((entry) => verdictOn(entry) === 'alive')
  if (living !== undefined || lead.proc !== undefined) return (living ?? lead).proc
  const fresh = known.find((entry) => isFresh(entry, lead, options))
  if (fresh !== undefined) return fresh.proc
  return known.map((entry) => keepProcess(entry, verdictOn(entry)).proc).find((proc) => proc !== undefined)
}

function seenOn(parts: Parts): Machine | undefined {
  const { lead, session, options } = parts
  if (lead.seen !== undefined) return lead.seen
  const proc = process(parts)
  const isOneBoot = (seen: Machine): boolean =>
    proc === undefined || (proc.host === seen.host && !isEarlierBoot(proc, seen))
  return session.find((entry) => entry.seen && isFresh(entry, lead, options) && isOneBoot(entry.seen))?.seen
}

/**
 * Whether the process and the machine of an entry are still the session's. Where the lead saw the session later and
 * names none, they may be those of an earlier life of it, whose end would prove nothing: only a living process counts.
 * A lead in a person's words saw nothing.
 */
function isFresh({ last_active, proc }: Entry, lead: Entry, { words, verdicts = [] }: JoinOptions): boolean {
  if (words === lead || last_active > lead.last_active) return true
  return proc !== undefined && verdictFor(verdicts, proc) === 'alive'
}

/** The one that no later sight has overtaken, else the newer one. */
function lastAttempt({ session }: Parts): LastAttempt | undefined {
  const lasts = session.flatMap(({ last_attempt: last }) => last ?? [])
  return lasts.sort((a, b) => Number(a.seen_since ?? false) - Number(b.seen_since ?? false) || b.at - a.at)[0]
}

/** The policy that leaves more to a person. */
function stricter(a: Policy, b: Policy): Policy {
  return POLICIES.indexOf(a) < POLICIES.indexOf(b) ? b : a
}

/** Of all histories one, newest first; another session than the lead's goes there too. */
function histories({ lead, all, options }: Parts): readonly Previous[] {
  const { words, now, why = 'replaced' } = options
  const known = (words === undefined ? all : [...all, words]).flatMap((entry) =>
    entry.sessionId === lead.sessionId
      ? entry.previous
      : previousAfter(entry, lead.sessionId, why, now ?? entry.last_active)
  )
  known.sort((a, b) => b.until - a.until)
  return mergePrevious(lead.sessionId, known)
}

function mergedMeta(entries: readonly Entry[]): Entry['meta'] {
  const known = entries.map(({ meta }) => meta).filter((meta) => meta !== undefined)
  return known.length < 2 ? known[0] : Object.fromEntries(known.reverse().flatMap((meta) => Object.entries(meta)))
}
