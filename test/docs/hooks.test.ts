import { expect, test } from 'vitest'
import { AGENTS, HOOK_AGENTS } from '../../src/agents/table.js'
import { codes, page, rows, section } from '../support/markdown.js'

test('the page names every agent whose hooks can be installed, with its events', () => {
  const table = rows(page('docs/hooks.md')).filter((cells) => cells.length === 4)
  expect(table.map(([agent = '']) => codes(agent)[0])).toEqual(HOOK_AGENTS)
  for (const [agent = '', , events] of table) {
    expect(events).toBe(AGENTS[codes(agent)[0] ?? '']?.hooks?.events.join(', '))
  }
})

test('the page has the reasons by which each agent says that its person left', () => {
  const known = Object.values(AGENTS).flatMap(({ name, ownExits }) =>
    ownExits.length === 0 ? [] : [[name, ...ownExits]]
  )
  const table = rows(section(page('docs/hooks.md'), 'When you leave'))
  expect(table.map(([agent = '', reasons = '']) => [...codes(agent), ...codes(reasons)])).toEqual(known)
})
