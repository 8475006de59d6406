/**
 * Checks one entry against its interface, and fills in the defaults.
 *
 * One table has a rule for each field, and the compiler holds it against the interface in both directions: it names
 * exactly the fields of the interface, each with exactly its values, optional where the interface says so. A rule
 * returns null for a value that is in order, and else the path and the fault.
 * Invariants: what `readEntry` accepts is an Entry in every field, and holds every unknown field that it was given. An
 * entry that does not pass is a reason of one line that names the field, never an exception and never absence. Every
 * entry that a verb makes passes `checkEntry`, so nothing is written that could not be read back.
 */
import { invalidInput } from './errors.js'
import {
  attemptIdProblem,
  nameProblem,
  sessionIdProblem,
  surfaceIdProblem,
  textProblem,
  variableProblem
} from './ids.js'
import {
  type AgentOwner,
  ATTEMPT_KINDS,
  type Attempt,
  type Dispatch,
  ENTRY_STATES,
  type Entry,
  FAILURE_KINDS,
  type LastAttempt,
  type Machine,
  type Owner,
  POLICIES,
  PREVIOUS_REASONS,
  type Previous,
  type TranscriptMark,
  type Worktree
} from './schema.js'

interface Fault {
  /** Where, below the value that was checked; empty for the value itself. */
  readonly path: readonly (string | number)[]
  readonly problem: string
}

/** A check, and the type of the values that it accepts: no more and no fewer. */
interface Rule<T> {
  readonly check: (value: unknown) => Fault | null
  /** Never set: it is here for the compiler, which infers T from both positions. */
  readonly accepts?: (value: T) => T
}

interface OptionalRule<T> extends Rule<T> {
  readonly optional: true
}

type AnyRule = Pick<OptionalRule<never>, 'check'> & { readonly optional?: true }

/** A rule for each field of T, none missing, and none besides. */
type Table<T> = {
  readonly [K in keyof Required<T>]: object extends Pick<T, K>
    ? OptionalRule<Required<T>[K]>
    : Rule<T[K]> & { readonly optional?: never }
}

function leaf<T>(problemOf: (value: unknown) => string | null): Rule<T> {
  return {
    check: (value) => {
      const problem = problemOf(value)
      return problem === null ? null : { path: [], problem }
    }
  }
}

function string(problemOf: (value: string) => string | null): Rule<string> {
  return leaf((value) => (typeof value === 'string' ? problemOf(value) : 'must be a string'))
}

function number(accepts: (value: number) => boolean, problem: string): Rule<number> {
  return leaf((value) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number'
    return accepts(value) ? null : problem
  })
}

/** One of these names, which the compiler compares with the interface. */
function oneOf<const T extends string>(names: readonly T[]): Rule<T> {
  const problem = `must be one of ${names.join(', ')}`
  return leaf((value) => (names.some((name) => name === value) ? null : problem))
}

function optional<T>(rule: Rule<T>): OptionalRule<T> {
  return { ...rule, optional: true }
}

function nullable<T>({ check }: Rule<T>): Rule<T | null> {
  return { check: (value) => (value === null ? null : check(value)) }
}

function list<T>({ check }: Rule<T>): Rule<readonly T[]> {
  return {
    check: (value) => {
      if (!Array.isArray(value)) return { path: [], problem: 'must be an array' }
      for (const [at, item] of value.entries()) {
        const fault = check(item)
        if (fault !== null) return below(at, fault)
      }
      return null
    }
  }
}

/** An object that holds these fields; others may stand beside them. */
function object<T>(table: Table<T>): Rule<T> {
  const fields = Object.entries(table as Record<string, AnyRule>)
  return {
    check: (value) => {
      if (!isRecord(value)) return { path: [], problem: 'must be an object' }
      for (const [field, { check, optional: mayLack }] of fields) {
        const item = value[field]
        if (item === undefined && mayLack && !Object.hasOwn(value, field)) continue
        const fault = check(item)
        if (fault !== null) return below(field, fault)
      }
      return null
    }
  }
}

function below(place: string | number, { path, problem }: Fault): Fault {
  return { path: [place, ...path], problem }
}

const text = string(textProblem)
const name = string(nameProblem)
const surfaceId = string(surfaceIdProblem)
const sessionId = string(sessionIdProblem)
const attemptId = string(attemptIdProblem)
const time = number((value) => value >= 0, 'must be 0 or more')
const count = number((value) => Number.isSafeInteger(value) && value >= 0, 'must be a whole number, 0 or more')
const positive = number((value) => Number.isSafeInteger(value) && value > 0, 'must be a whole number, 1 or more')
const yes = leaf<true>((value) => (value === true ? null : 'must be one of true'))
const flag = leaf<boolean>((value) => (typeof value === 'boolean' ? null : 'must be true or false'))
const kind = oneOf(ATTEMPT_KINDS)

function texts(nameProblem: (name: string) => string | null): Rule<Readonly<Record<string, string>>> {
  return leaf((value) => {
    if (!isRecord(value)) return 'must be an object'
    for (const [key, item] of Object.entries(value)) {
      const problem = nameProblem(key) ?? (typeof item === 'string' ? textProblem(item) : 'must hold strings only')
      if (problem !== null) return problem
    }
    return null
  })
}

const machineTable: Table<Machine> = { host: name, bootId: optional(text), ns: optional(text) }
const machine = object<Machine>(machineTable)
const ownerTable: Table<Owner> = { ...machineTable, pid: positive, start: optional(text) }
const owner = object<Owner>(ownerTable)
const agentOwner = object<AgentOwner>({ ...ownerTable, seen_since: optional(yes) })
const worktree = object<Worktree>({ path: text, origin: text, branch: optional(text) })
const attempt = object<Attempt>({ id: attemptId, kind, owner, at: time })
const mark = object<TranscriptMark>({ size: count, head: name })
const lastExit = object<NonNullable<Entry['last_exit']>>({ at: time, reason: text })

const lastAttempt = object<LastAttempt>({
  id: attemptId,
  kind,
  at: time,
  began: optional(time),
  result: oneOf(['ok', 'seen', ...FAILURE_KINDS]),
  why: optional(text),
  owner: optional(owner),
  seen_since: optional(yes)
})

const dispatch = object<Dispatch>({
  id: attemptId,
  step: name,
  owner,
  at: time,
  result: oneOf(['open', 'ok', 'failed']),
  why: optional(text)
})

const previous = object<Previous>({ sessionId, until: time, why: oneOf(PREVIOUS_REASONS) })

const ENTRY: Table<Entry> = {
  surfaceId,
  sessionId,
  repo: name,
  role: nullable(text),
  captured_at: time,
  last_active: time,
  agent: optional(name),
  cwd: optional(text),
  worktree: optional(worktree),
  transcript: optional(text),
  mark: optional(mark),
  prompted: optional(flag),
  flags: optional(list(text)),
  withheld: optional(list(text)),
  env: optional(texts(variableProblem)),
  scope: optional(text),
  address: optional(text),
  state: oneOf(ENTRY_STATES),
  reason: optional(text),
  moved_to: optional(surfaceId),
  gen: positive,
  seen: optional(machine),
  proc: optional(agentOwner),
  proc_unknown: optional(yes),
  attempt: optional(attempt),
  last_attempt: optional(lastAttempt),
  attempts: count,
  dispatch: optional(dispatch),
  last_exit: optional(lastExit),
  policy: oneOf(POLICIES),
  previous: list(previous),
  meta: optional(texts(textProblem))
}

const entryRule = object<Entry>(ENTRY)

/** The fields of an entry that this version knows, in the order in which they are written. */
export const ENTRY_FIELDS: readonly string[] = Object.keys(ENTRY)

/** What a field holds that a file does not have. */
export const ENTRY_DEFAULTS: Pick<Entry, 'role' | 'state' | 'gen' | 'attempts' | 'policy' | 'previous'> = {
  role: null,
  state: 'ready',
  gen: 1,
  attempts: 0,
  policy: 'auto',
  previous: []
}

/** An entry, or why the data is none. */
export type EntryResult = { readonly entry: Entry } | { readonly reason: string }

/** Reads what a file holds under a key. Never throws. */
export function readEntry(key: string, raw: unknown): EntryResult {
  if (!isRecord(raw)) return { reason: `the entry must be an object and is ${nounFor(raw)}` }
  // What this library wrote has nothing to fill in, and a copy of every entry would slow a hook down. Elsewhere the
  // entry's own fields come first, so that it is shown in the order of its file.
  const whole = entryRule.check(raw) === null ? raw : { ...raw, ...ENTRY_DEFAULTS, ...raw }
  const fault = whole === raw ? null : entryRule.check(whole)
  if (fault !== null) return { reason: `${fault.path.join('.')} ${fault.problem}` }
  if (whole['surfaceId'] !== key) return { reason: 'surfaceId is not the key it is stored under' }
  return { entry: whole as unknown as Entry }
}

/**
 * Checks an entry that a verb has made.
 * @throws ERR_INVALID_INPUT
 */
export function checkEntry(made: Entry): Entry {
  const fault = entryRule.check(made)
  if (fault !== null) throw invalidInput(fault.path.join('.'), fault.problem)
  return made
}

function nounFor(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

/** True for an object that is no array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
