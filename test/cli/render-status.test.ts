import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { STATUS_STATES } from '../../src/admin.js'
import { renderLine, renderStatus, type StatusLook } from '../../src/cli/text/status.js'
import type { StatusReport, StatusRow } from '../../src/index.js'

const NOW = 100 * 86_400_000
const plain: StatusLook = { colour: false, width: Number.POSITIVE_INFINITY, now: NOW }
const text = (...lines: string[]): string => lines.map((line) => `${line}\n`).join('')

const row = (surfaceId: string | null, more: Partial<StatusRow> = {}): StatusRow => ({
  surfaceId,
  address: null,
  sessionId: 'session-a',
  agent: 'claude',
  repo: 'golems',
  role: null,
  lastActive: NOW - 5000,
  state: 'alive',
  reason: 'already_running',
  pid: 7,
  inside: null,
  interrupted: null,
  believed: 'it runs',
  seen: 'process 7 runs',
  believe: null,
  advice: null,
  ...more
})
const crashed = (surfaceId: string, more: Partial<StatusRow> = {}): StatusRow =>
  row(surfaceId, {
    state: 'crashed',
    pid: null,
    seen: 'it does not run',
    believe: 'machine',
    advice: `\`crash-resume-index recover --only ${surfaceId}\` resumes it`,
    ...more
  })
const stray = (surfaceId: string, pid: number): StatusRow =>
  row(surfaceId, {
    ...{ state: 'unrecorded', pid, sessionId: null, repo: null, lastActive: null },
    ...{ believed: 'nothing', seen: `process ${pid} of claude runs`, believe: 'machine', advice: 'look at it' }
  })
const report = (rows: readonly StatusRow[], more: Partial<StatusReport> = {}): StatusReport => ({
  at: NOW,
  rows,
  counts: Object.fromEntries(
    STATUS_STATES.map((state) => [state, rows.filter((one) => one.state === state).length])
  ) as StatusReport['counts'],
  servers: [],
  warnings: [],
  ...more
})

describe('status', () => {
  it('shows a row each by its place, ended ones last, and how many there are of each', () => {
    const rows = [
      row('tmux:/s:7.70:%9', { address: 'work:10.0', role: 'lead' }),
      row('old', { state: 'ended', believed: 'it ended', seen: 'it does not run' }),
      row('tmux:/s:7.70:%1', { address: 'work:2.0', interrupted: 'migrate' }),
      row('tmux:/s:7.70:%1', { address: 'work:2.0', state: 'nested', inside: 'tmux:/s:7.70:%1', sessionId: null })
    ]
    expect(renderStatus(report(rows), plain)).toBe(
      text(
        'SURFACE    STATE   AGENT   SESSION    REPO    ROLE  AGE  NOTE',
        'work:2.0   alive   claude  session-a  golems  -     5s   interrupted: migrate',
        'work:2.0   nested  claude  -          golems  -     5s   inside work:2.0',
        'work:10.0  alive   claude  session-a  golems  lead  5s',
        'old        ended   claude  session-a  golems  -     5s',
        '2 alive, 1 ended, 1 nested'
      )
    )
  })

  it('leaves out forwarding addresses, and counts what it shows', () => {
    const rows = [
      row('a'),
      row('old', { state: 'ended', reason: 'moved' }),
      row('old too', { state: 'ended', reason: 'running_elsewhere' })
    ]
    const shown = renderStatus(report(rows), plain)
    expect(shown).not.toContain('old')
    expect(shown).toMatch(/^1 alive$/m)
  })

  it('tells two surfaces apart that have the same place on two servers', () => {
    const rows = [row('tmux:/s:7.70:%1', { address: 'work:2.0' }), row('tmux:/t:8.80:%1', { address: 'work:2.0' })]
    expect(renderStatus(report(rows), plain)).toMatch(/^work:2.0 \(\/s\) .*\nwork:2.0 \(\/t\) /m)
  })

  it('says below what the index says, what is seen, which to trust and what to do', () => {
    const unknown = row('c', { state: 'unknown', believe: 'neither', seen: 'nothing is proven', advice: 'look' })
    expect(
      renderStatus(report([crashed('a'), row('b'), unknown]), plain)
        .split('\n')
        .slice(4, -1)
    ).toEqual([
      '1 alive, 1 crashed, 1 unknown',
      'a: index: it runs; seen: it does not run. Trust what is seen: `crash-resume-index recover --only a` resumes it',
      'c: index: it runs; seen: nothing is proven. Neither is proven: look'
    ])
  })

  it('puts those of one kind in one line', () => {
    const rows = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => crashed(name))
    const manual = crashed('m', { advice: 'its policy leaves it to you' })
    const unknown = ['p', 'q'].map((name) =>
      row(name, { state: 'unknown', believe: 'neither', seen: 'nothing is proven', advice: `look at ${name}` })
    )
    const all = [...rows, manual, ...unknown, stray('x', 8), stray('y', 9)]
    const lines = renderStatus(report(all), plain).split('\n')
    expect(lines.slice(-5, -1)).toEqual([
      'a, b, c, d, e and 2 more: index: it runs; seen: it does not run. Trust what is seen: `crash-resume-index recover` resumes them',
      'm: index: it runs; seen: it does not run. Trust what is seen: its policy leaves it to you',
      'p, q: index: it runs; seen: nothing is proven. Neither is proven: look at p; do the same for the others',
      'x, y: index: nothing; seen: processes of claude run. Trust what is seen: look at it'
    ])
  })

  it('says which servers did not answer, and what else could not be looked at', () => {
    const servers = [
      { name: '/s', state: 'unknown', panes: null, reason: 'no answer' },
      { name: '/t', state: 'absent', panes: 0, reason: null }
    ] as const
    const shown = renderStatus(report([row('a')], { servers, warnings: ['a warning'] }), plain)
    expect(shown).toContain(
      'the terminal server /s does not answer (no answer); what runs there is unknown\na warning\n'
    )
    expect(shown).not.toContain('/t')
    expect(renderStatus(report([], { servers }), plain)).toMatch(/^the index is empty.*\nthe terminal server \/s/)
  })

  it('is as wide as the terminal, and in colour where that is wanted', () => {
    const shown = renderStatus(report([crashed('a'), row('b')]), { ...plain, colour: true, width: 55 })
    expect(shown).toContain('\u001b[31mcrashed')
    expect(shown).toContain('\u001b[32m1 alive')
    for (const line of stripVTControlCharacters(shown).split('\n').slice(0, 3)) expect(line.length).toBeLessThan(56)
  })

  it('leaves out ended ones, and then what is last, where there is no room', () => {
    const rows = [row('a'), row('b'), row('old', { state: 'ended' })]
    expect(renderStatus(report(rows), { ...plain, height: 5 })).toContain('\nold ')
    const shorter = renderStatus(report(rows), { ...plain, height: 4 })
    expect(shorter).not.toContain('old')
    expect(shorter).toContain('2 alive, 1 ended')
    const cut = renderStatus(report(rows), { ...plain, height: 3 })
    expect(cut.split('\n')).toEqual([
      expect.stringMatching(/^SURF/),
      expect.stringMatching(/^a /),
      '… 2 lines more',
      ''
    ])
  })

  it('prints nothing that a terminal would take for a command', () => {
    const shown = renderStatus(report([crashed('a\u001b[2J', { seen: 'x\u202e' })]), plain)
    expect(shown).toContain('a\ufffd[2J')
    for (const character of ['\u001b', '\u202e']) expect(shown).not.toContain(character)
  })

  it('is one short line for a status bar', () => {
    const rows = [row('a'), crashed('b'), stray('c', 8), row('d', { state: 'ended' }), row('e', { state: 'nested' })]
    expect(renderLine(report(rows))).toBe('1 alive 1 crashed 1 unrecorded\n')
    expect(renderLine(report([]))).toBe('0 alive\n')
  })
})
