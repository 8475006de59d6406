/**
 * Checks one entry against its interface, and fills in the defaults.
 *
 * Invariants: what `readEntry` accepts is an Entry in every field, and the object that it returns holds
 * every unknown field it was given. An entry that does not pass is a reason of one line naming the field,
 * never an exception and never absence. Every entry that a verb makes passes `checkEntry`, so nothing is
 * written that could not be read back.
 *
 * The schemas only judge; their output is not used, since zod drops a key named `__proto__`. Parsing runs
 * without zod's code generation: that would cost more than one run of a hook gets back.
 */
import * as z from 'zod/mini'
import { invalidInput } from './errors.js'
import { attemptIdProblem, nameProblem, sessionIdProblem, surfaceIdProblem, textProblem } from './ids.js'
import { isPlainEntry } from './plain-entry.js'
import type { Attempt, Dispatch, Entry, LastAttempt, Machine, Owner, Previous, Worktree } from './schema.js'

/** One schema for each field of T, none missing. */
type Shape<T> = { readonly [K in keyof Required<T>]: z.ZodMiniType }
type Read<S extends z.core.$ZodLooseShape> = z.output<z.ZodMiniObject<S, z.core.$strip>>
/** Nothing to add when the shape reads exactly T; otherwise a type that no shape has. */
type Exactly<T, S extends z.core.$ZodLooseShape> = keyof S extends keyof T
  ? [Read<S>, T] extends [T, Read<S>]
    ? unknown
    : never
  : never

/** An object schema that the compiler holds against the interface T, field by field, in both directions. */
function object<T>() {
  return <S extends Shape<T>>(shape: S & Exactly<T, S>): z.ZodMiniObject<S, z.core.$strip> => z.object(shape)
}

function string(problemOf: (value: string) => string | null): z.ZodMiniString {
  return z.string().check((context) => {
    const problem = problemOf(context.value)
    if (problem !== null) context.issues.push({ code: 'custom', message: problem, input: context.value })
  })
}

function number(accepts: (value: number) => boolean, problem: string): z.ZodMiniNumber {
  return z.number().check((context) => {
    if (!accepts(context.value)) context.issues.push({ code: 'custom', message: problem, input: context.value })
  })
}

/** Made at its first use: an index of sound entries never needs it. */
function makeSchema() {
  const text = string((value) => textProblem(value))
  const name = string((value) => nameProblem(value))
  const sessionId = string(sessionIdProblem)
  const attemptId = string(attemptIdProblem)
  const time = number((value) => value >= 0, 'must be 0 or more')
  const count = number((value) => Number.isSafeInteger(value) && value >= 0, 'must be a whole number, 0 or more')
  const positive = number((value) => Number.isSafeInteger(value) && value > 0, 'must be a whole number, 1 or more')
  const kind = z.enum(['spawn', 'resume'])

  const machineShape = { host: name, bootId: z.exactOptional(text), ns: z.exactOptional(text) }
  const machine = object<Machine>()(machineShape)
  const owner = object<Owner>()({ ...machineShape, pid: positive, start: z.exactOptional(text) })
  const worktree = object<Worktree>()({ path: text, origin: text, branch: z.exactOptional(text) })
  const attempt = object<Attempt>()({ id: attemptId, kind, owner, at: time })

  const lastAttempt = object<LastAttempt>()({
    id: attemptId,
    kind,
    at: time,
    result: z.enum(['ok', 'seen', 'not_started', 'exited', 'session_gone', 'timeout', 'refused', 'other']),
    why: z.exactOptional(text),
    owner: z.exactOptional(owner),
    seen_since: z.exactOptional(z.literal(true))
  })

  const dispatch = object<Dispatch>()({
    id: attemptId,
    step: name,
    owner,
    at: time,
    result: z.enum(['open', 'ok', 'failed']),
    why: z.exactOptional(text)
  })

  const previous = object<Previous>()({
    sessionId,
    until: time,
    why: z.enum(['rotated', 'replaced', 'moved', 'ended', 'superseded', 'session_gone', 'never_started'])
  })

  const texts = z.custom<Readonly<Record<string, string>>>().check((context) => {
    const problem = textsProblem(context.value)
    if (problem !== null) context.issues.push({ code: 'custom', message: problem, input: context.value })
  })

  const entryShape = {
    surfaceId: string(surfaceIdProblem),
    sessionId,
    repo: name,
    role: z.nullable(text),
    captured_at: time,
    last_active: time,
    agent: z.exactOptional(name),
    cwd: z.exactOptional(text),
    worktree: z.exactOptional(worktree),
    transcript: z.exactOptional(text),
    flags: z.exactOptional(z.readonly(z.array(text))),
    scope: z.exactOptional(text),
    address: z.exactOptional(text),
    state: z.enum(['minted', 'ready', 'spawn_failed', 'ended']),
    reason: z.exactOptional(text),
    moved_to: z.exactOptional(string(surfaceIdProblem)),
    gen: positive,
    seen: z.exactOptional(machine),
    proc: z.exactOptional(owner),
    attempt: z.exactOptional(attempt),
    last_attempt: z.exactOptional(lastAttempt),
    attempts: count,
    dispatch: z.exactOptional(dispatch),
    last_exit: z.exactOptional(z.object({ at: time, reason: text })),
    policy: z.enum(['auto', 'manual', 'off']),
    previous: z.readonly(z.array(previous)),
    meta: z.exactOptional(texts)
  }
  return object<Entry>()(entryShape)
}

let schema: ReturnType<typeof makeSchema> | undefined

/** What a field holds that a file does not have. */
const DEFAULTS = {
  role: null,
  state: 'ready',
  gen: 1,
  attempts: 0,
  policy: 'auto',
  previous: []
} as const satisfies Partial<Entry>

/** An entry, or why the data is none. */
export type EntryResult = { readonly entry: Entry } | { readonly reason: string }

/** Reads what a file holds under a key. Never throws. */
export function readEntry(key: string, raw: unknown): EntryResult {
  if (!isRecord(raw)) return { reason: `the entry must be an object and is ${nounFor(raw)}` }
  // What this library wrote has nothing to fill in, and a copy of every entry would be felt in a hook. Elsewhere the
  // entry's own fields come first, so that it is shown in the order of its file.
  const found = isPlainEntry(raw) ? { entry: raw } : judge({ ...raw, ...DEFAULTS, ...raw })
  if ('field' in found) return { reason: `${found.field} ${found.problem}` }
  if (found.entry.surfaceId !== key) return { reason: 'surfaceId is not the key it is stored under' }
  return found
}

/**
 * Holds an entry that a verb has made against the schema.
 * @throws ERR_INVALID_INPUT
 */
export function checkEntry(made: Entry): Entry {
  const found = judge(made)
  if ('field' in found) throw invalidInput(found.field, found.problem)
  return made
}

function judge(raw: object): { readonly entry: Entry } | { readonly field: string; readonly problem: string } {
  if (isPlainEntry(raw)) return { entry: raw }
  schema ??= makeSchema()
  const result = schema.safeParse(raw, { jitless: true })
  // The schema's output type is Entry (checked above), so what it accepts is one; its unknown fields come along.
  if (result.success) return { entry: raw as Entry }
  const issue = result.error.issues[0]
  return { field: issue?.path.join('.') || 'the entry', problem: issue === undefined ? 'is invalid' : problemOf(issue) }
}

function problemOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `must be ${nounOf(issue.expected)}`
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`
  return issue.message
}

function nounOf(type: string): string {
  return type === 'object' || type === 'array' ? `an ${type}` : `a ${type}`
}

function nounFor(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  return nounOf(Array.isArray(value) ? 'array' : typeof value)
}

function textsProblem(value: unknown): string | null {
  if (!isRecord(value)) return 'must be an object'
  for (const [key, item] of Object.entries(value)) {
    const problem = textProblem(key) ?? (typeof item === 'string' ? textProblem(item) : 'must hold strings only')
    if (problem !== null) return problem
  }
  return null
}

/** True for an object that is no array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What the schema alone says, for the test that holds the quick look against it. */
export function schemaAccepts(raw: object): boolean {
  schema ??= makeSchema()
  return schema.safeParse(raw, { jitless: true }).success
}
