import { expect, it } from 'vitest'
import { leftOut, type Ran } from './left-out.js'

const module = (relativeModuleId: string, ...notes: readonly (string | undefined)[]): Ran => ({
  relativeModuleId,
  children: {
    allTests: (state) =>
      state === 'skipped' ? notes.map((note) => ({ result: () => ({ state: 'skipped', note }) })) : []
  }
})

it('a test that was left out is counted, with its file and its reason', () => {
  const modules = [
    module('test/a.test.ts', 'zsh is not installed', 'zsh is not installed', undefined),
    module('test/b.test.ts')
  ]
  expect(leftOut(modules)).toEqual([
    ' left out: 2 of test/a.test.ts: zsh is not installed',
    ' left out: 1 of test/a.test.ts: no reason given'
  ])
})

it('a run that leaves none out says nothing', () => {
  expect(leftOut([module('test/a.test.ts')])).toEqual([])
})
