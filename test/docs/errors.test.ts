/** docs/errors.md against the codes that there are. */
import { expect, it } from 'vitest'
import { ERROR_CODES } from '../../src/core/errors.js'
import { codes, page, rows, section } from '../support/markdown.js'

const documented = rows(section(page('docs/errors.md'), 'Codes'))

it('lists each code once, in the order of the code', () => {
  expect(documented.map(([code = '']) => codes(code)[0])).toEqual([...ERROR_CODES])
})

it('says of each what happened and what to do', () => {
  for (const [code, happened, advice] of documented) {
    expect({ code, happened, advice }).toEqual({
      code,
      happened: expect.stringMatching(/\w{3}/),
      advice: expect.stringMatching(/\w{3}/)
    })
  }
})
