import { expect, it } from 'vitest'
import { AGENTS } from '../../src/agents/table.js'
import { codes, page, rows, section } from '../support/markdown.js'

it('docs/real-agents.md lists every way to another id, with what shows it and the version', () => {
  const table = rows(section(page('docs/real-agents.md'), 'Ways to another id')).map(([agent, way = '', ...rest]) => [
    agent,
    ...codes(way),
    ...rest.slice(0, 2)
  ])
  const known = Object.values(AGENTS).flatMap(({ name, moves, seen }) =>
    moves.map(({ by, shownBy }) => [name, by, shownBy.join(', ') || 'nothing', seen])
  )
  expect(table).toEqual(known)
})
