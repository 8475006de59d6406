/** docs/guarantees.md: each promise rests on something, and names the tests that hold it. links.test.ts looks for them. */
import { expect, it } from 'vitest'
import { codes, page, rows } from '../support/markdown.js'

const promises = rows(page('docs/guarantees.md'))

it('names for each promise what it rests on and the tests that hold it', () => {
  expect(promises.length).toBeGreaterThan(8)
  for (const [promise = '', basis = '', tests = ''] of promises) {
    expect({ promise, basis }).not.toEqual({ promise, basis: '' })
    expect({ promise, tests: codes(tests).filter((path) => /^test\/.*\.test\.ts$/.test(path)) }).not.toEqual({
      promise,
      tests: []
    })
  }
})
