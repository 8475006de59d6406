import fc from 'fast-check'
import type { Entry, Owner } from '../../src/core/schema.js'
import { ownerOf } from './samples.js'

const prototypeNames = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']

/** Any text that may be stored: what the checks refuse is taken out. */
export const text: fc.Arbitrary<string> = fc
  .string({ unit: 'binary', maxLength: 40 })
  .map((value) => value.replace(/[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, '_'))

/** Surface ids of all kinds, those that a careless map loses among them. */
export const surfaceId: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...prototypeNames, '日本語', '😀', 'x'.repeat(256), '%0', '0', '1'),
  text.filter((value) => value.trim() !== '')
)

export const sessionId: fc.Arbitrary<string> = fc
  .stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/)
  .filter((id) => !id.startsWith('pending.'))

const owner: fc.Arbitrary<Owner> = fc.integer({ min: 1, max: 4_000_000 }).map((pid) => ownerOf(pid))
const time = fc.nat()
const attemptId = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/)

/** Entries with every field there is, each present or not. Keys are in the order of the file. */
export function entryFor(id: string): fc.Arbitrary<Entry> {
  return fc.record(
    {
      surfaceId: fc.constant(id),
      sessionId,
      repo: text.filter((value) => value.trim() !== ''),
      role: fc.option(text),
      captured_at: time,
      last_active: time,
      agent: fc.constantFrom('claude', 'codex'),
      cwd: text,
      worktree: fc.record({ path: text, origin: text, branch: text }, { requiredKeys: ['path', 'origin'] }),
      transcript: text,
      prompted: fc.boolean(),
      mark: fc.record({ size: fc.nat(), head: fc.constant('0123456789abcdef') }),
      flags: fc.array(text, { maxLength: 3 }),
      env: fc.dictionary(fc.constantFrom('CLAUDE_CONFIG_DIR', 'CODEX_HOME'), text, { maxKeys: 2 }),
      scope: text,
      address: text,
      state: fc.constantFrom('minted', 'ready', 'spawn_failed', 'ended'),
      reason: text,
      gen: fc.integer({ min: 1 }),
      seen: fc.constant({ host: 'machine-1', bootId: 'boot-1' }),
      proc: owner,
      attempt: fc.record({ id: attemptId, kind: fc.constantFrom('spawn', 'resume'), owner, at: time }),
      last_attempt: fc.record({
        id: attemptId,
        kind: fc.constantFrom('spawn', 'resume'),
        at: time,
        result: fc.constantFrom('ok', 'seen', 'exited')
      }),
      attempts: fc.nat(),
      dispatch: fc.record({
        id: attemptId,
        step: fc.constant('build'),
        owner,
        at: time,
        result: fc.constantFrom('open', 'ok')
      }),
      last_exit: fc.record({ at: time, reason: text }),
      policy: fc.constantFrom('auto', 'manual', 'off'),
      previous: fc.array(fc.record({ sessionId, until: time, why: fc.constantFrom('rotated', 'replaced') }), {
        maxLength: 8
      }),
      meta: fc.dictionary(text, text, { maxKeys: 3 })
    } as const,
    {
      requiredKeys: [
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
      ],
      noNullPrototype: true
    }
  )
}

/** Entries of different surfaces. */
export const entries: fc.Arbitrary<readonly Entry[]> = fc
  .uniqueArray(surfaceId, { minLength: 1, maxLength: 5 })
  .chain((ids) => fc.tuple(...ids.map(entryFor)))

/** Numbers that JSON.parse would change. */
const oddNumber = fc.constantFrom(
  '12345678901234567890',
  '9007199254740993',
  '1e400',
  '-0',
  '0.1000000000000000055',
  '1e-400'
)
const key = fc
  .oneof(fc.constantFrom(...prototypeNames, 'crash-resume-index:number:1'), fc.string({ unit: 'binary', maxLength: 8 }))
  // A whole number as a key moves to the front in every JavaScript object.
  .filter((name) => !/^\d+$/.test(name))

/** JSON without white space, as text: any data that somebody else may have written. */
export const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false', '""', '[]', '{}'),
    oddNumber,
    fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })).map((value) => JSON.stringify(value)),
    fc.string({ unit: 'binary', maxLength: 10 }).map((value) => JSON.stringify(value)),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc.uniqueArray(fc.tuple(key, tie('value')), { maxLength: 4, selector: ([name]) => name }).map(objectText)
  )
})).value

export const fieldsText: fc.Arbitrary<readonly (readonly [string, string])[]> = fc.uniqueArray(
  fc.tuple(key, jsonText),
  {
    maxLength: 4,
    selector: ([name]) => name
  }
)

export function objectText(fields: readonly (readonly [string, string])[]): string {
  return `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`
}

/** The same JSON without white space between its tokens. */
export function compact(json: string): string {
  return json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_match, string?: string) => string ?? '')
}
