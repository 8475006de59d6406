import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lineDiff } from '../../src/cli/text/line-diff.js'

test('what was added, with a little around it', () => {
  expect(lineDiff('a\nb\nc\nd\ne\n', 'a\nb\nc\nnew\nd\ne\n')).toEqual(['  …', '  b', '  c', '+ new', '  d', '  e'])
  expect(lineDiff('', 'a\nb\n')).toEqual(['+ a', '+ b'])
  expect(lineDiff('a\n', '')).toEqual(['- a'])
  expect(lineDiff('a\nb\n', 'a\nb\n')).toEqual([])
})

test('two changes far apart leave out what is between', () => {
  const lines = Array.from({ length: 12 }, (_, at) => `line ${at}`)
  const after = ['x', ...lines.slice(1, 11), 'y']
  const shown = lineDiff(lines.join('\n'), after.join('\n'))
  expect(shown.filter((line) => line === '  …')).toHaveLength(1)
  expect(shown.filter((line) => /^[-+]/.test(line)).sort()).toEqual(['+ x', '+ y', '- line 0', '- line 11'])
})

test('the marked lines lead from the one text to the other', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(text, text, (before, after) => {
      const taken = lineDiff(`${before.join('\n')}\n`, `${after.join('\n')}\n`)
      const count = (mark: string): number => taken.filter((line) => line.startsWith(mark)).length
      expect(after.length - before.length).toBe(count('+') - count('-'))
      if (before.join() !== after.join()) expect(count('+') + count('-')).toBeGreaterThan(0)
    })
  )
})
