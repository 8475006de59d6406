import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Entry } from '../../src/core/schema.js'
import { checkEntry, ENTRY_FIELDS, readEntry } from '../../src/core/validate.js'
import { entryOf, ownerOf, thrownBy } from './samples.js'

const full = entryOf({
  agent: 'claude',
  cwd: '/x',
  worktree: { path: '/x', origin: '/r', branch: 'b' },
  transcript: '/t',
  mark: { size: 9, head: '0123456789abcdef' },
  prompted: true,
  flags: ['--model', 'm'],
  withheld: ['--yolo'],
  env: { V: 'v' },
  scope: 's',
  address: 'a:1.2',
  reason: 'r',
  moved_to: 's2',
  seen: { host: 'h', bootId: 'b', ns: 'n' },
  proc_unknown: true,
  proc: ownerOf(1),
  attempt: { id: 'a', kind: 'spawn', owner: ownerOf(2), at: 1 },
  last_attempt: { id: 'b', kind: 'resume', at: 2, result: 'exited', why: 'w', owner: ownerOf(3), seen_since: true },
  dispatch: { id: 'd', step: 'one', owner: ownerOf(4), at: 3, result: 'open', why: 'w' },
  last_exit: { at: 4, reason: 'other' },
  previous: [{ sessionId: 'p', until: 5, why: 'rotated' }],
  meta: { k: 'v' }
})

/** Values that one field or another refuses, or takes by a hair. */
const ODD: Readonly<Record<string, unknown>> = {
  undefined,
  null: null,
  true: true,
  false: false,
  '0': 0,
  '-0': -0,
  '1': 1,
  '-1': -1,
  '1.5': 1.5,
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '2^53': 2 ** 53,
  empty: '',
  blank: ' ',
  ok: 'ok',
  'two lines': 'x\ny',
  bidi: '\u202e',
  surrogate: '\ud800',
  accent: 'é',
  '513 characters': 'a'.repeat(513),
  '5000 characters': 'b'.repeat(5000),
  '[]': [],
  '[1]': [1],
  '[x]': ['x'],
  '[null]': [null],
  '{}': {},
  machine: { host: 'h' },
  'blank machine': { host: '' },
  process: { host: 'h', pid: 1 },
  'process 0': { host: 'h', pid: 0 },
  exit: { at: 1, reason: 'r' },
  'exit before time': { at: -1, reason: 'r' },
  'number inside': { k: 1 },
  'line feed inside': { k: '\n' },
  minted: 'minted',
  auto: 'auto',
  spawn: 'spawn',
  date: new Date(0)
}

const WORDS = ['ok', 'minted', 'auto', 'spawn']
const TEXTS = [...WORDS, 'empty', 'blank', 'accent', '513 characters']
const STRING = 'must be a string'
const TOO_LONG = 'is longer than 4096 characters'
const UNSAFE = 'holds a control or bidi character or a lone surrogate'
const NUMBER = 'must be a number'
const ID = 'of A-Z a-z 0-9 . _ - and begin with a letter or digit'
const OBJECT = 'must be an object'

/** Every place of an entry: which odd values it takes, and everything that it says of the others. */
const RULES: readonly (readonly [places: string, accepted: readonly string[], said: readonly string[]])[] = [
  ['surfaceId moved_to', [...WORDS, 'accent'], [STRING, 'is blank', UNSAFE, 'is longer than 512 characters']],
  ['sessionId previous.0.sessionId', WORDS, [STRING, `must be 1 to 128 ${ID}`]],
  [
    'repo agent mark.head seen.host proc.host attempt.owner.host last_attempt.owner.host dispatch.step dispatch.owner.host',
    [...WORDS, 'accent', '513 characters'],
    [STRING, 'is blank', UNSAFE, TOO_LONG]
  ],
  ['role', ['null', ...TEXTS], [STRING, UNSAFE, TOO_LONG]],
  [
    'captured_at last_active previous.0.until attempt.at last_attempt.at dispatch.at last_exit.at',
    ['0', '-0', '1', '1.5', '2^53'],
    [NUMBER, 'must be 0 or more']
  ],
  ['state', ['minted'], ['must be one of minted, ready, spawn_failed, ended']],
  [
    'gen proc.pid attempt.owner.pid last_attempt.owner.pid dispatch.owner.pid',
    ['1'],
    [NUMBER, 'must be a whole number, 1 or more']
  ],
  ['prompted', ['true', 'false'], ['must be true or false']],
  ['mark', [], [OBJECT, 'size must be a number']],
  ['attempts mark.size', ['0', '-0', '1'], [NUMBER, 'must be a whole number, 0 or more']],
  ['policy', ['auto'], ['must be one of auto, manual, off']],
  ['previous', ['[]'], ['must be an array', '0 must be an object']],
  ['previous.0', [], [OBJECT, 'sessionId must be a string']],
  ['previous.0.why', [], ['must be one of rotated, replaced, moved, ended, superseded, session_gone, never_started']],
  [
    'cwd worktree.path worktree.origin worktree.branch transcript flags.0 flags.1 withheld.0 scope address reason seen.bootId ' +
      'seen.ns proc.bootId proc.ns proc.start attempt.owner.bootId attempt.owner.ns attempt.owner.start ' +
      'last_attempt.why last_attempt.owner.bootId last_attempt.owner.ns last_attempt.owner.start ' +
      'dispatch.owner.bootId dispatch.owner.ns dispatch.owner.start dispatch.why last_exit.reason',
    TEXTS,
    [STRING, UNSAFE, TOO_LONG]
  ],
  ['worktree', [], [OBJECT, 'path must be a string']],
  ['flags withheld', ['[]', '[x]'], ['must be an array', '0 must be a string']],
  ['seen', ['machine', 'process', 'process 0'], [OBJECT, 'host must be a string', 'host is blank']],
  [
    'proc attempt.owner last_attempt.owner dispatch.owner',
    ['process'],
    [OBJECT, 'host must be a string', 'pid must be a number', 'host is blank', 'pid must be a whole number, 1 or more']
  ],
  ['attempt last_attempt dispatch', [], [OBJECT, 'id must be a string']],
  [
    'attempt.id last_attempt.id dispatch.id',
    WORDS,
    [STRING, `must be 1 to 120 ${ID}`, 'is longer than 120 characters']
  ],
  ['attempt.kind last_attempt.kind', ['spawn'], ['must be one of spawn, resume']],
  [
    'last_attempt.result',
    ['ok'],
    ['must be one of ok, seen, not_started, exited, session_gone, timeout, refused, other']
  ],
  ['last_attempt.seen_since proc_unknown', ['true'], ['must be one of true']],
  ['dispatch.result', ['ok'], ['must be one of open, ok, failed']],
  ['last_exit', ['exit'], [OBJECT, 'at must be a number', 'at must be 0 or more']],
  ['env', ['{}', 'date'], [OBJECT, 'must name variables of A-Z 0-9 _ only']],
  ['env.V', TEXTS, ['must hold strings only', UNSAFE, TOO_LONG]],
  ['meta', ['{}', 'machine', 'blank machine', 'date'], [OBJECT, 'must hold strings only', UNSAFE]],
  ['meta.k', TEXTS, ['must hold strings only', UNSAFE, TOO_LONG]]
]

/** Every place in a value, as the keys that lead to it. */
function placesIn(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, item]) => placesIn(item, [...path, key]))]
}

function changedAt(value: unknown, [key, ...rest]: readonly string[], item: unknown): unknown {
  if (key === undefined) return item
  if (Array.isArray(value)) return value.map((old, at) => (String(at) === key ? changedAt(old, rest, item) : old))
  return { ...(value as object), [key]: changedAt((value as Record<string, unknown>)[key], rest, item) }
}

const without = (value: unknown, path: readonly string[]): unknown =>
  JSON.parse(JSON.stringify(changedAt(value, path, undefined)))

/** What is said of an entry that a verb has made; null: it is in order. */
function faultOf(entry: unknown): string | null {
  try {
    expect(checkEntry(entry as Entry)).toBe(entry)
    return null
  } catch (error) {
    expect(error).toMatchObject({ code: 'ERR_INVALID_INPUT' })
    return (error as Error).message
  }
}

/** Where a fault in `place` is reported: a mapping of texts is looked at as one. */
const nameOf = (place: string): string => place.replace(/^(meta|env)\..*/, '$1')

describe('the variables of a launch', () => {
  it.each(['API_KEY', 'X_TOKEN', 'CLIENT_SECRET_2', 'PASSWORD', 'KEYS'])(
    '%s is refused: it may be a secret',
    (name) => {
      expect(faultOf({ ...full, env: { [name]: 'x' } })).toContain(`env must not hold ${name}: it may be a secret`)
    }
  )
  it.each(['a', '1A', 'A-B', 'A=B', '', '__proto__'])('%j is refused: it is no name of one', (name) => {
    const env = JSON.parse(`{${JSON.stringify(name)}:"x"}`)
    expect(faultOf({ ...full, env })).toContain('env must name variables of A-Z 0-9 _ only')
  })
})

describe('the table of an entry', () => {
  it.each(RULES)('%s', (places, accepted, said) => {
    for (const place of places.split(' ')) {
      const met = new Set<string>()
      const taken: string[] = []
      for (const [name, value] of Object.entries(ODD)) {
        const fault = faultOf(changedAt(full, place.split('.'), value))
        if (fault === null) taken.push(name)
        else met.add(fault)
      }
      expect([place, taken.sort()]).toEqual([place, [...accepted].sort()])
      const messages = said.map((words) => `${nameOf(place)}${/^(?:must|is|holds) /.test(words) ? ' ' : '.'}${words}`)
      expect([...met].sort()).toEqual([...messages].sort())
    }
  })

  it('has a rule for every place of the full entry', () => {
    const ruled = RULES.flatMap(([places]) => places.split(' '))
    const places = placesIn(full)
      .slice(1)
      .map((path) => path.join('.'))
    expect([...ruled].sort()).toEqual([...places].sort())
    expect(ENTRY_FIELDS.filter((field) => !(field in full))).toEqual([])
    expect(faultOf(full)).toBeNull()
  })

  it('needs what the interface needs, in a file as far as there is no default', () => {
    const optional = new Set([
      ...[
        'agent',
        'cwd',
        'worktree',
        'worktree.branch',
        'transcript',
        'mark',
        'prompted',
        'flags',
        'withheld',
        'env',
        'env.V',
        'scope',
        'address',
        'reason'
      ],
      ...[
        'moved_to',
        'seen',
        'proc',
        'proc_unknown',
        'attempt',
        'last_attempt',
        'dispatch',
        'last_exit',
        'meta',
        'meta.k'
      ],
      ...[
        'seen.bootId',
        'seen.ns',
        'last_attempt.why',
        'last_attempt.owner',
        'last_attempt.seen_since',
        'dispatch.why'
      ],
      ...['proc', 'attempt.owner', 'last_attempt.owner', 'dispatch.owner'].flatMap((owner) =>
        ['bootId', 'ns', 'start'].map((field) => `${owner}.${field}`)
      )
    ])
    const defaulted = new Set(['role', 'state', 'gen', 'attempts', 'policy', 'previous'])
    for (const path of placesIn(full).slice(1)) {
      const place = path.join('.')
      if (/\d$/.test(place)) continue
      const less = without(full, path)
      expect([place, faultOf(less) === null]).toEqual([place, optional.has(place)])
      const isEntry = 'entry' in readEntry(full.surfaceId, less)
      expect([place, isEntry]).toEqual([place, optional.has(place) || defaulted.has(place)])
    }
  })

  it('says the same of an entry in a file as of one that a verb has made, and names a place that was changed', () => {
    const places = placesIn(full).slice(1)
    const faults = fc.array(fc.tuple(fc.constantFrom(...places), fc.constantFrom(...Object.values(ODD))), {
      maxLength: 3
    })
    let refused = 0
    fc.assert(
      fc.property(faults, (changes) => {
        const entry = changes.reduce<unknown>((value, [path, item]) => {
          try {
            return changedAt(value, path, item)
          } catch {
            return value
          }
        }, full) as Entry
        const fault = faultOf(entry)
        const read = readEntry(entry.surfaceId, entry)
        if (fault === null) {
          expect(read).toEqual({ entry })
          return
        }
        refused += 1
        expect(read).toEqual({ reason: fault })
        const [place = ''] = fault.split(' ')
        expect(changes.some(([path]) => place.startsWith(path[0] as string))).toBe(true)
      }),
      { numRuns: 2000 }
    )
    expect(refused).toBeGreaterThan(1000)
  })

  it('keeps what it does not know, and takes no entry from a prototype', () => {
    const made = { ...full, later: { deep: [1] } }
    expect(checkEntry(made)).toBe(made)
    expect(readEntry(full.surfaceId, JSON.parse('{"__proto__": {"surfaceId": "s1"}}'))).toHaveProperty('reason')
    expect(thrownBy(() => checkEntry({} as Entry)).message).toBe('surfaceId must be a string')
  })
})
