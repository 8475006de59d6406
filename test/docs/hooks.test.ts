import { expect, test } from 'vitest'
import { HOOK_AGENTS, hookTarget } from '../../src/hooks/targets.js'
import { codes, page, rows } from '../support/markdown.js'

test('the page names every agent whose hooks can be installed, with its events', () => {
  const table = rows(page('docs/hooks.md')).filter((cells) => cells.length === 4)
  expect(table.map(([agent = '']) => codes(agent)[0])).toEqual(HOOK_AGENTS)
  for (const [agent = '', , events] of table) {
    expect(events).toBe(hookTarget(codes(agent)[0] ?? '')?.events.join(', '))
  }
})
