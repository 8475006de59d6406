import { expect, test } from 'vitest'
import { AGENTS, HOOK_AGENTS } from '../../src/agents/table.js'
import { codes, page, rows } from '../support/markdown.js'

test('the page names every agent whose hooks can be installed, with its events', () => {
  const table = rows(page('docs/hooks.md')).filter((cells) => cells.length === 4)
  expect(table.map(([agent = '']) => codes(agent)[0])).toEqual(HOOK_AGENTS)
  for (const [agent = '', , events] of table) {
    expect(events).toBe(AGENTS[codes(agent)[0] ?? '']?.hooks?.events.join(', '))
  }
})
