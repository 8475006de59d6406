/** Schedules laid out by hand, each for a hole that the search does not find, or finds late. */
import { expect, it } from 'vitest'
import { DIRECTED_NAMES, playDirected } from './directed.js'
import { loadProtocol } from './protocol.js'

it.each(DIRECTED_NAMES)('%s', async (name) => {
  const protocol = await loadProtocol()
  expect(() => playDirected(protocol, name)).not.toThrow()
})
