import { describe, expect, it } from 'vitest'
import { decide } from '../../src/core/decide.js'
import { FRESH_REASONS, REFUSE_REASONS, RESUME_REASONS, WAIT_REASONS } from '../../src/core/decision.js'
import * as defaults from '../../src/core/defaults.js'
import type { Evidence } from '../../src/core/evidence.js'
import type { Entry } from '../../src/core/schema.js'
import * as core from '../../src/core.js'
import * as index from '../../src/index.js'
import { entryOf, ownerOf } from '../core/samples.js'
import { codes, page, rows, section } from '../support/markdown.js'

const text = page('docs/decide.md')
const table = rows(section(text, 'The table')).map(([rule = '', when = '', answer = '']) => {
  const [action = '', reason = ''] = codes(answer)
  return { rule: Number(rule), when, action, reason }
})

const NOW = 1_000_000
const S = 'session-a'
const owner = ownerOf(10)
const machine = { host: 'machine-1', bootId: 'boot-1' }

/** What makes each rule match, in a form that can be laid over any later rule's. */
const MAKING: Readonly<Record<string, { readonly entry?: Partial<Entry>; readonly evidence?: Evidence }>> = {
  already_running: { evidence: { running: { [S]: { at: 's1' } } } },
  claimed: {
    entry: { attempt: { id: 'a', kind: 'resume', owner, at: 1 } },
    evidence: { verdicts: [{ owner, verdict: 'alive' }] }
  },
  task_closed: { evidence: { task: 'closed' } },
  ended: { entry: { state: 'ended', reason: 'done' } },
  foreign_host: { entry: { seen: { host: 'machine-2' } } },
  policy_off: { entry: { policy: 'off' } },
  attempts_exhausted: {
    entry: { attempts: 2, last_attempt: { id: 'b', kind: 'resume', at: NOW - 1, result: 'timeout' } }
  },
  cooldown: { entry: { last_attempt: { id: 'b', kind: 'resume', at: NOW - 1, result: 'timeout' } } },
  session_gone: { evidence: { transcript: { [S]: 'missing' } } },
  cwd_missing: { evidence: { cwd: 'missing' } },
  ok: {}
}

describe('docs/decide.md', () => {
  it('has each reason of the code once, with its action', () => {
    const reasons = { resume: RESUME_REASONS, fresh: FRESH_REASONS, wait: WAIT_REASONS, refuse: REFUSE_REASONS }
    const known = Object.entries(reasons).flatMap(([action, list]) => list.map((reason) => `${action} ${reason}`))
    expect(table.map(({ action, reason }) => `${action} ${reason}`).sort()).toEqual(known.sort())
  })

  it('lists the rules in their order', () => {
    const numbers = table.map(({ rule }) => rule)
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
    expect(new Set(numbers)).toEqual(new Set(Array.from({ length: 15 }, (_, at) => at + 1)))
  })

  const ordered = table.filter(({ reason }) => reason in MAKING).map(({ reason }) => reason)
  const pairs = ordered.flatMap((first, at) => ordered.slice(at + 1).map((later) => [first, later] as const))
  it.each(pairs)('answers %s where %s would match too', (first, later) => {
    const [one, other] = [MAKING[first] ?? {}, MAKING[later] ?? {}]
    const evidence: Evidence = {
      machine,
      running: 'no',
      transcript: { [S]: 'found' },
      ...other.evidence,
      ...one.evidence
    }
    // A session elsewhere is excused where it is free and its transcript is here: that is not what is asked for.
    const elsewhere = [first, later].includes('foreign_host')
    const entry = entryOf({ sessionId: S, ...other.entry, ...one.entry })
    const asked = elsewhere && evidence.transcript?.[S] === 'found' ? { ...evidence, transcript: {} } : evidence
    expect(decide(entry, asked, { now: NOW, resumeBoundToCwd: true }).reason).toBe(first)
  })
  it('has the order of enough rules tested', () => expect(pairs.length).toBeGreaterThan(50))

  it('has the numbers of the code', () => {
    const numbers = rows(section(text, 'Numbers')).map(([option = '', value = '']) => [
      codes(option)[0],
      Number.parseInt(value, 10)
    ])
    expect(Object.fromEntries(numbers)).toEqual({
      maxAttempts: defaults.DEFAULT_MAX_ATTEMPTS,
      attemptWindowMs: defaults.DEFAULT_ATTEMPT_WINDOW_MS,
      cooldownMs: defaults.DEFAULT_COOLDOWN_MS,
      healthyAfterMs: defaults.DEFAULT_HEALTHY_AFTER_MS,
      touchResolutionMs: defaults.DEFAULT_TOUCH_RESOLUTION_MS,
      lockWaitMs: defaults.DEFAULT_LOCK_WAIT_MS
    })
  })

  it('lists verbs that there are', () => {
    const verbs = rows(section(text, 'The verbs')).flatMap(([verb = '']) => codes(verb))
    expect(
      verbs.filter((verb) => typeof ({ ...core, ...index } as Record<string, unknown>)[verb] !== 'function')
    ).toEqual([])
    expect(verbs.length).toBe(15)
  })
})

describe('docs/recovery.md', () => {
  it('has advice for reasons that there are', () => {
    const refusals = rows(section(page('docs/recovery.md'), 'When it refuses')).flatMap(([says = '']) =>
      says.split(', ')
    )
    expect(refusals.filter((reason) => !(REFUSE_REASONS as readonly string[]).includes(reason))).toEqual([])
    const silent = REFUSE_REASONS.filter((reason) => !refusals.includes(reason))
    expect(silent).toEqual(['task_closed', 'ambiguous'])
  })
})
