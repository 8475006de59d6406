/** The bin's `status` away from any terminal: what it prints, writes and ends with. */
import { existsSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StatusReport } from '../../src/index.js'
import { Bin } from '../support/bin.js'

let bin: Bin
beforeEach(() => {
  bin = new Bin()
})
afterEach(() => bin.remove())

/** An entry that no process of this machine can prove anything about. */
const elsewhere = (surfaceId: string): Record<string, unknown> => ({
  ...{ surfaceId, sessionId: `session-of-${surfaceId}`, repo: 'golems', role: null, captured_at: 1, last_active: 1 },
  seen: { host: 'another machine' }
})
const write = (...entries: Record<string, unknown>[]): void =>
  bin.write(JSON.stringify({ version: 1, entries: Object.fromEntries(entries.map((one) => [one['surfaceId'], one])) }))

describe('status', () => {
  it('without an index writes none', () => {
    expect(bin.run('status')).toMatchObject({ status: 0, stderr: '' })
    expect(bin.run('status', '--line')).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(/^0 alive/)
    })
    expect(existsSync(bin.path)).toBe(false)
  })

  it('is data, and exit code 0 whatever it finds', () => {
    write(elsewhere('a'), { surfaceId: 'b' })
    const report = bin.json('status', '--json') as StatusReport
    expect(report.rows.filter(({ state }) => state === 'unknown')).toMatchObject([
      { surfaceId: 'a', reason: 'foreign_host', believe: 'index' },
      { surfaceId: 'b', reason: 'entry_unreadable', believe: 'neither' }
    ])
    expect(report.counts).toMatchObject({ alive: 0, unknown: 2 })
    expect(bin.run('status', '--line').stdout).toContain('0 alive 2 unknown')
  })

  it('tells commands that speak of the same index', () => {
    write(elsewhere('a'))
    const { stdout } = bin.runWith({ CRASH_RESUME_INDEX_PATH: '' }, 'status', '--path', bin.path)
    expect(stdout).toContain(`\`crash-resume-index why a --path ${bin.path}\``)
  })

  it('says on stderr, once, what is odd about the index', () => {
    bin.run('record', 's', 'a', 'r')
    bin.write('garbage')
    for (const args of [[], ['--json'], ['--line']]) {
      const { status, stdout, stderr } = bin.run('status', ...args)
      expect({ status, codes: [...stderr.matchAll(/warning: .*\[(\w+)\]$/gm)].map(([, code]) => code) }).toEqual({
        status: 0,
        codes: ['view_unreadable']
      })
      expect(stdout).not.toBe('')
    }
  })

  it('fails where the index cannot be read: that is no index without entries', () => {
    bin.write('{ "version"')
    for (const args of [['status'], ['status', '--json'], ['status', '--line']]) {
      const { status, stdout, stderr } = bin.run(...args)
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
      expect(stderr).toContain('[ERR_INDEX_UNREADABLE]')
    }
  })
})
