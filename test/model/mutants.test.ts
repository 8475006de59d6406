/**
 * Each rule of the protocol is taken out of the source in turn, and what is named as its catcher must find a promise
 * broken. docs/protocol-rules.md is the table of them.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { describeCatcher, MUTANTS, tryToCatch } from './mutants.js'
import { Violation } from './promises.js'
import { editedSource, loadProtocol } from './protocol.js'

it.each(MUTANTS)('without it a promise is broken: $rule', async ({ edits, catcher }) => {
  const protocol = await loadProtocol(edits)
  let found: unknown = null
  try {
    tryToCatch(protocol, catcher)
  } catch (error) {
    found = error
  }
  expect(found).toBeInstanceOf(Violation)
  // Code that does not run breaks every promise, and shows nothing.
  expect(String(found)).not.toMatch(/TypeError|ReferenceError|SyntaxError/)
})

it('a rule whose text is not in the source once is reported', () => {
  expect(() => editedSource('store/prune.ts', [{ file: 'store/prune.ts', find: 'no such text', replace: '' }])).toThrow(
    'found 0 times'
  )
})

it('docs/protocol-rules.md is the table of the rules', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/protocol-rules.md'), 'utf8')
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
  expect(rows).toEqual(MUTANTS.map(({ rule, hole, catcher }) => `| ${rule} | ${hole} | ${describeCatcher(catcher)} |`))
})
