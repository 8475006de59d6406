/**
 * The quick look at an entry: accepts exactly what the schema accepts, and says nothing about what it does not.
 *
 * A hook reads every entry of an index at every session start, in a cold process, where zod takes several times as
 * long as the rest. So an entry is looked at here first, and only one that does not pass goes to the schema, which
 * names the field and the fault. A test holds the two against each other.
 */
import { attemptIdProblem, nameProblem, sessionIdProblem, surfaceIdProblem, textProblem } from './ids.js'
import type { Attempt, Dispatch, Entry, LastAttempt, Machine, Owner, Previous, Worktree } from './schema.js'

type Test = (value: unknown) => boolean
type Tests<T> = { readonly [K in keyof Required<T>]: Test }

const text: Test = (value) => typeof value === 'string' && textProblem(value) === null
const name: Test = (value) => typeof value === 'string' && nameProblem(value) === null
const surfaceId: Test = (value) => typeof value === 'string' && surfaceIdProblem(value) === null
const sessionId: Test = (value) => typeof value === 'string' && sessionIdProblem(value) === null
const attemptId: Test = (value) => typeof value === 'string' && attemptIdProblem(value) === null
const time: Test = (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0
const count: Test = (value) => Number.isSafeInteger(value) && Number(value) >= 0
const positive: Test = (value) => Number.isSafeInteger(value) && Number(value) > 0
const oneOf =
  (...values: readonly unknown[]): Test =>
  (value) =>
    values.includes(value)
const list =
  (item: Test): Test =>
  (value) =>
    Array.isArray(value) && value.every(item)

/** An object in which every known field that is there passes, and each of the required ones is there. */
function record<T>(tests: Tests<T>, required: readonly (keyof T & string)[]): Test {
  const known = new Map<string, Test>(Object.entries(tests))
  return (value) => {
    if (!isObject(value) || !required.every((field) => Object.hasOwn(value, field))) return false
    for (const field of Object.keys(value)) {
      const test = known.get(field)
      if (test !== undefined && !test(value[field])) return false
    }
    return true
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const worktree: Tests<Worktree> = { path: text, origin: text, branch: text }
const machine: Tests<Machine> = { host: name, bootId: text, ns: text }
const owner = record<Owner>({ ...machine, pid: positive, start: text }, ['host', 'pid'])
const kind = oneOf('spawn', 'resume')
const results = ['ok', 'seen', 'not_started', 'exited', 'session_gone', 'timeout', 'refused', 'other']
const attempt: Tests<Attempt> = { id: attemptId, kind, owner, at: time }
const lastAttempt: Tests<LastAttempt> = {
  id: attemptId,
  kind,
  at: time,
  result: oneOf(...results),
  why: text,
  owner,
  seen_since: oneOf(true)
}
const dispatch: Tests<Dispatch> = {
  id: attemptId,
  step: name,
  owner,
  at: time,
  result: oneOf('open', 'ok', 'failed'),
  why: text
}
const reasons = ['rotated', 'replaced', 'moved', 'ended', 'superseded', 'session_gone', 'never_started']
const previous: Tests<Previous> = { sessionId, until: time, why: oneOf(...reasons) }
const exit: Tests<NonNullable<Entry['last_exit']>> = { at: time, reason: text }
const texts: Test = (value) => isObject(value) && Object.entries(value).every(([key, item]) => text(key) && text(item))

const ENTRY: Tests<Entry> = {
  surfaceId,
  sessionId,
  repo: name,
  role: (value) => value === null || text(value),
  captured_at: time,
  last_active: time,
  agent: name,
  cwd: text,
  worktree: record(worktree, ['path', 'origin']),
  transcript: text,
  flags: list(text),
  scope: text,
  address: text,
  state: oneOf('minted', 'ready', 'spawn_failed', 'ended'),
  reason: text,
  moved_to: surfaceId,
  gen: positive,
  seen: record(machine, ['host']),
  proc: owner,
  attempt: record(attempt, ['id', 'kind', 'owner', 'at']),
  last_attempt: record(lastAttempt, ['id', 'kind', 'at', 'result']),
  attempts: count,
  dispatch: record(dispatch, ['id', 'step', 'owner', 'at', 'result']),
  last_exit: record(exit, ['at', 'reason']),
  policy: oneOf('auto', 'manual', 'off'),
  previous: list(record(previous, ['sessionId', 'until', 'why'])),
  meta: texts
}

/** The fields of an entry that this version knows, in the order in which they are written. */
export const ENTRY_FIELDS: readonly string[] = Object.keys(ENTRY)

const plain = record<Entry>(ENTRY, [
  'surfaceId',
  'sessionId',
  'repo',
  'role',
  'captured_at',
  'last_active',
  'state',
  'gen',
  'attempts',
  'policy',
  'previous'
])

/** True for an entry, with its defaults filled in. */
export function isPlainEntry(value: unknown): value is Entry {
  return plain(value)
}
