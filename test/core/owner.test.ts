import { expect, test } from 'vitest'
import { isPid, judgeOwner, needsNoLook, type ProcessSight } from '../../src/core/owner.js'
import type { Machine, Owner, Verdict } from '../../src/core/schema.js'

const machine: Machine = { host: 'h', bootId: 'b', ns: 'n' }
const owner: Owner = { ...machine, pid: 42, start: '700' }
const running: ProcessSight = { state: 'running', start: '700' }

const without = (key: keyof Owner): Owner => {
  const { [key]: _, ...rest } = owner
  return rest as Owner
}

const table: readonly [what: string, owner: Owner, seen: ProcessSight, verdict: Verdict][] = [
  ['the same process, running', owner, running, 'alive'],
  ['another start time', owner, { state: 'running', start: '701' }, 'dead'],
  ['no start time on record', without('start'), running, 'unknown'],
  ['no start time to be seen', owner, { state: 'running' }, 'unknown'],
  ['no such process', owner, { state: 'gone' }, 'dead'],
  ['no such process, no start time on record', without('start'), { state: 'gone' }, 'dead'],
  ['a zombie, though of the same start', owner, { state: 'zombie', start: '700' }, 'dead'],
  ['it could not be told', owner, { state: 'unseen' }, 'unknown'],
  ['another machine, though no such process here', { ...owner, host: 'x' }, { state: 'gone' }, 'unknown'],
  ['another machine comes before another boot', { ...owner, host: 'x', bootId: 'x' }, running, 'unknown'],
  ['another boot, though such a process runs', { ...owner, bootId: 'x' }, running, 'dead'],
  ['another boot comes before another namespace', { ...owner, bootId: 'x', ns: 'x' }, running, 'dead'],
  ['another namespace, though no such process here', { ...owner, ns: 'x' }, { state: 'gone' }, 'unknown'],
  ['no namespace on record', without('ns'), running, 'unknown'],
  ['no boot on record, the same start', without('bootId'), running, 'alive'],
  ['no boot on record, no such process', without('bootId'), { state: 'gone' }, 'dead'],
  ['number 0, a group of processes', { ...owner, pid: 0 }, { state: 'gone' }, 'unknown'],
  ['a negative number', { ...owner, pid: -42 }, { state: 'gone' }, 'unknown'],
  ['a number beyond the largest', { ...owner, pid: 2 ** 22 + 1 }, { state: 'gone' }, 'unknown'],
  ['no whole number', { ...owner, pid: 1.5 }, { state: 'gone' }, 'unknown'],
  ['an impossible number of another boot', { ...owner, pid: 0, bootId: 'x' }, running, 'unknown']
]

test.each(table)('%s', (_, given, seen, verdict) => {
  expect(judgeOwner(given, machine, seen)).toBe(verdict)
})

test('a machine that has no namespaces compares none', () => {
  const { ns: _, ...plain } = machine
  expect(judgeOwner(without('ns'), plain, running)).toBe('alive')
})

test('what needs no look has one verdict whatever is seen', () => {
  const seen: ProcessSight[] = [
    running,
    { state: 'running' },
    { state: 'gone' },
    { state: 'zombie' },
    { state: 'unseen' }
  ]
  for (const [, given] of table) {
    const verdicts = new Set(seen.map((one) => judgeOwner(given, machine, one)))
    expect(needsNoLook(given, machine)).toBe(verdicts.size === 1)
  }
})

test('process numbers', () => {
  expect([1, 2 ** 22].map(isPid)).toEqual([true, true])
  expect([0, -1, 1.5, Number.NaN, 2 ** 22 + 1].map(isPid)).toEqual([false, false, false, false, false])
})
