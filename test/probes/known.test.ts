/** What could not be looked at cannot be read as "there is none": the compiler holds that. */
import { expect, test } from 'vitest'
import { type Known, known, unknown } from '../../src/probes/known.js'

const answers: readonly Known<readonly string[]>[] = [known(['a']), known([]), unknown('it does not answer')]

test('a default behind an answer, or an answer taken for its value, does not compile', () => {
  for (const answer of answers) {
    // @ts-expect-error an answer is no list, and a default does not make it one
    const list: readonly string[] = answer ?? []
    // @ts-expect-error it is never null, so that nothing can be taken for its absence
    const first: string | undefined = answer?.[0]
    // @ts-expect-error its value is there only once it is known
    const value: readonly string[] = answer.value
    expect([list, first, value]).toHaveLength(3)
  }
})

test('its value is there once it is known, and why it is not where it is not', () => {
  expect(answers.map((answer) => (answer.known ? answer.value.length : answer.why))).toEqual([
    1,
    0,
    'it does not answer'
  ])
})
