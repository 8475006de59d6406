import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { span } from '../../src/cli/options.js'
import { renderList, renderPlan } from '../../src/cli/text/entries.js'
import { renderFindings } from '../../src/cli/text/findings.js'
import { renderChanges, renderHistory } from '../../src/cli/text/history.js'
import { printable } from '../../src/cli/text/report-error.js'
import { age, ago as agoOf, type Look, moment, momentAhead, table } from '../../src/cli/text/table.js'
import type { Entry } from '../../src/index.js'
import { entryOf, ownerOf } from '../core/samples.js'

const NOW = 100 * 86_400_000
const plain: Look = { colour: false, width: Number.POSITIVE_INFINITY, now: NOW }
const ago = (ms: number, fields: Partial<Entry> = {}): Entry => entryOf({ last_active: NOW - ms, ...fields })
const text = (...lines: string[]): string => lines.map((line) => `${line}\n`).join('')

describe('list', () => {
  it('shows the latest activity first', () => {
    const entries = [
      ago(3 * 86_400_000, { surfaceId: 'old', sessionId: 'aaaa', agent: 'codex', role: 'lead' }),
      ago(5000, { surfaceId: 'work:0.1', sessionId: 'bbbb', repo: 'billing' })
    ]
    expect(renderList(entries, [], plain)).toBe(
      text(
        'SURFACE   AGENT  SESSION  REPO     ROLE  STATE  AGE',
        'work:0.1  -      bbbb     billing  -     ready  5s',
        'old       codex  aaaa     golems   lead  ready  3d',
        '2 surfaces'
      )
    )
  })

  it('says what is not in order: states with their reasons, policies, attempts, failures, what cannot be read', () => {
    const owner = ownerOf(71)
    const entries = [
      ago(1000, { surfaceId: 'a', state: 'ended', reason: 'done' }),
      ago(2000, { surfaceId: 'b', state: 'ended', reason: 'moved', moved_to: 'c' }),
      ago(3000, { surfaceId: 'c', policy: 'off' }),
      ago(4000, { surfaceId: 'd', state: 'minted', attempt: { id: 'x', kind: 'spawn', owner, at: 1 } }),
      ago(5000, {
        surfaceId: 'e',
        last_attempt: { id: 'x', kind: 'resume', at: NOW - 5000, result: 'exited', why: 'no key' }
      }),
      ago(6000, { surfaceId: 'f', dispatch: { id: 'y', step: 'migrate', owner: ownerOf(72), at: 1, result: 'open' } })
    ]
    const seen = ago(7000, {
      surfaceId: 'g',
      last_attempt: { id: 'x', kind: 'resume', at: 1, result: 'exited', seen_since: true }
    })
    const bad = { surfaceId: 'h', state: 'unreadable', reason: 'repo is missing' } as const
    expect(renderList([...entries, seen], [bad], plain, { verdicts: [{ owner, verdict: 'alive' }] })).toBe(
      text(
        'SURFACE  AGENT  SESSION    REPO    ROLE  STATE               AGE  NOTE',
        'a        -      session-a  golems  -     ended (done)        1s',
        'b        -      session-a  golems  -     ended (moved to c)  2s',
        'c        -      session-a  golems  -     ready, off          3s',
        'd        -      session-a  golems  -     minted              4s   spawn open by process 71 (alive), settle x',
        'e        -      session-a  golems  -     ready               5s   last resume failed 5 s ago: exited (no key)',
        'f        -      session-a  golems  -     ready               6s   step "migrate" open by process 72 (unknown), settle y',
        'g        -      session-a  golems  -     ready               7s',
        'h        -      -          -       -     unreadable          -    repo is missing',
        '8 surfaces, 1 unreadable'
      )
    )
  })

  it('of an empty index says how to go on', () => {
    expect(renderList([], [], plain)).toBe('nothing is recorded yet; `crash-resume-index record --help` shows how\n')
  })

  it('fits the terminal: the widest columns give way, and nothing is cut where there is room', () => {
    const entry = ago(0, {
      surfaceId: 'a-surface-with-a-long-name',
      sessionId: '0d4ff5f1-6a5b-4f0e-9d55-3a9d7f6c1b2e',
      repo: 'a-repository-of-some-length'
    })
    const lines = renderList([entry], [], { ...plain, width: 70 }).split('\n')
    expect(lines[1]).toBe('a-surface-wi…  -      0d4ff5f1-6a5b…  a-repository-…  -     ready  0s')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(70)
    for (const word of [entry.surfaceId, entry.sessionId, entry.repo]) {
      expect(renderList([entry], [], plain)).toContain(word)
    }
  })

  it('is in colour only where that is wanted', () => {
    const shown = renderList([ago(0)], [], { ...plain, colour: true })
    expect(shown).toContain('\u001b[32mready\u001b[0m')
    expect(stripVTControlCharacters(shown)).toBe(renderList([ago(0)], [], plain))
  })

  it('lets nothing through that a terminal would take for a command', () => {
    const bad = { surfaceId: 'a\u001b]0;owned\u0007\n\u202eb', state: 'unreadable', reason: '\u009b31m' } as const
    const shown = renderList([], [bad], plain)
    expect(shown).not.toMatch(/[^\P{Cc}\n]|\u202e/u)
    expect(shown.split('\n')).toHaveLength(4)
  })

  it('counts characters, not units, where it pads', () => {
    const shown = renderList([ago(0, { repo: '🦊🦊' }), ago(0, { surfaceId: 's2', repo: 'abc' })], [], plain)
    expect(shown).toContain('  🦊🦊    -')
    expect(shown).toContain('  abc   -')
  })
})

it('a moment that is waited for says how long that is', () => {
  expect(momentAhead(NOW + 43_200, NOW)).toBe(`${moment(NOW + 43_200)} (in 43s)`)
  expect(momentAhead(NOW + 1, NOW)).toContain('(in 1s)')
  expect(momentAhead(NOW, NOW)).toContain('(now)')
})

it('a plan names each entry with its generation', () => {
  const bad = { surfaceId: 'broken', state: 'unreadable', reason: 'repo is missing' } as const
  expect(renderPlan([ago(60_000, { gen: 12 })], [bad], plain)).toBe(
    text(
      'SURFACE  GENERATION  SESSION    REPO    STATE       AGE',
      's1       12          session-a  golems  ready       1m',
      'broken   -           -          -       unreadable  -'
    )
  )
})

describe('history', () => {
  const time = NOW - 60_000
  const revision = { time, bytes: 100, entries: 2 }
  const long = '20261129T130500123Z-before-forget-0123456789abcdef'

  it('says when each revision was written and what it changed, but for what changes along with everything', () => {
    const revisions = [
      {
        ...revision,
        revision: 5,
        changes: [
          { surfaceId: 'a', change: 'changed', fields: ['last_active', 'sessionId', 'gen', 'previous'] },
          { surfaceId: 'b', change: 'changed', fields: ['last_active', 'gen'] },
          { surfaceId: 'c', change: 'added', fields: [] },
          { surfaceId: 'd', change: 'removed', fields: [] },
          { surfaceId: 'e', change: 'removed', fields: [] },
          { surfaceId: 'f', change: 'removed', fields: [] }
        ]
      },
      { ...revision, revision: 4, changes: [] },
      { ...revision, revision: 3, entries: null, changes: null },
      { ...revision, revision: 2, changes: null }
    ] as const
    const kept = [
      { name: long, time, reason: 'before-forget', bytes: 1, revision: 4, entries: 2 },
      { name: 'x', time, reason: 'unreadable-view', bytes: 1, revision: null, entries: null },
      { name: 'y', time, reason: 'foreign-view', bytes: 1, revision: null, entries: 7 }
    ]
    const conversations = [{ name: 'z', time, sessionId: 's', agent: 'claude', path: '/t/s.jsonl', bytes: 9 }]
    const at = moment(time)
    expect(renderHistory({ revisions, kept, conversations }, plain)).toBe(
      text(
        'REVISION  WRITTEN              AGE  ENTRIES  CHANGED',
        `5         ${at}  1m   2        ~a (sessionId), ~b (last_active), +c, -d, and 2 more`,
        `4         ${at}  1m   2        nothing`,
        `3         ${at}  1m   -        unreadable`,
        `2         ${at}  1m   2        unknown: the revision before it is gone or unreadable`,
        '',
        `KEPT COPY                                           KEPT                 AGE  ENTRIES  WHY`,
        `${long}  ${at}  1m   2        before forget: revision 4`,
        `x                                                   ${at}  1m   -        unreadable view: no index`,
        `y                                                   ${at}  1m   7        foreign view`,
        '',
        `CONVERSATION  COPIED               AGE  AGENT   BYTES  FROM`,
        `z             ${at}  1m   claude  9      /t/s.jsonl`,
        '`crash-resume-index restore <revision-or-copy>` restores one of them'
      )
    )
  })

  it('never cuts the name of a copy, which restore wants whole', () => {
    const kept = [{ name: long, time, reason: 'before-forget', bytes: 1, revision: 4, entries: 2 }]
    expect(renderHistory({ revisions: [], kept, conversations: [] }, { ...plain, width: 40 })).toContain(long)
  })

  it('of an index that was never written says so', () => {
    expect(renderHistory({ revisions: [], kept: [], conversations: [] }, plain)).toBe(
      'no revision yet: nothing was written\n'
    )
  })
})

it('changes are a line each', () => {
  expect(renderChanges([])).toBe('')
  expect(
    renderChanges([
      { surfaceId: 'a', change: 'added', fields: [] },
      { surfaceId: 'b', change: 'changed', fields: ['gen', 'policy', 'state'] }
    ])
  ).toBe(text('+a', '~b (policy, state)'))
})

it('findings are a line each, what to do below, and the count of problems', () => {
  const ok = { check: 'path', state: 'ok', detail: '/i.json' } as const
  const note = { check: 'kept', state: 'note', detail: '1 copy is kept', advice: 'see history' } as const
  const problem = { check: 'lock', state: 'problem', detail: 'it is a file', advice: 'remove it' } as const
  expect(renderFindings([ok, note], plain)).toBe(
    text(
      'ok       path     /i.json',
      'note     kept     1 copy is kept',
      `${' '.repeat(18)}-> see history`,
      'no problems found'
    )
  )
  expect(renderFindings([problem], plain)).toBe(
    text('problem  lock     it is a file', `${' '.repeat(18)}-> remove it`, '1 thing needs attention')
  )
})

describe('small things', () => {
  it.each([
    [-1, 'in future'],
    [0, '0s'],
    [59_999, '59s'],
    [60_000, '1m'],
    [3_599_999, '59m'],
    [3_600_000, '1h'],
    [86_399_999, '23h'],
    [86_400_000, '1d'],
    [800 * 86_400_000, '800d']
  ])('an age of %d ms is %s', (ms, shown) => {
    expect(age(ms)).toBe(shown)
  })

  it.each([
    ['500ms', 500],
    ['1.5s', 1500],
    ['2m', 120_000],
    ['12h', 43_200_000],
    ['30d', 2_592_000_000],
    ['2w', 1_209_600_000],
    ['30', null],
    ['', null],
    ['-1d', null],
    ['1 d', null],
    ['d', null],
    ['1y', null]
  ])('the span %j is %s ms', (span_, ms) => {
    expect(span(span_)).toBe(ms)
  })

  it('a moment is by the clock on the wall', () => {
    expect(moment(new Date(2026, 10, 9, 4, 3, 2).getTime())).toBe('2026-11-09 04:03:02')
  })

  it('a table without rows is its head', () => {
    expect(table(['A', 'B'], [], plain)).toBe('A  B\n')
  })

  it.each([
    [-1, 'in the future'],
    [5000, '5 s ago'],
    [180_000, '3 min ago'],
    [7_200_000, '2 h ago'],
    [86_400_000, '1 day ago'],
    [11 * 86_400_000, '11 days ago']
  ])('in a sentence, %d ms are %s', (ms, shown) => {
    expect(agoOf(ms)).toBe(shown)
  })

  it('what is printed keeps letters of all kinds', () => {
    expect(printable('é 日本 🦊 — …')).toBe('é 日本 🦊 — …')
    expect(printable('a\tb\u200fc\ud800d')).toBe('a\ufffdb\ufffdc\ufffdd')
  })
})
