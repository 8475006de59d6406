/** What the caller of the gate says, next to what the probes find. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { AGENTS } from '../../src/agents.js'
import { type Evidence, gate, loadIndex, openStore, preview, recordToFile } from '../../src/index.js'
import { IndexFolder } from '../support/index-folder.js'

let folder: IndexFolder
beforeEach(async () => {
  folder = new IndexFolder()
  for (const sessionId of ['one', 'two']) await recordToFile(folder.path, { surfaceId: 's', sessionId, repo: 'r' })
})
afterEach(() => {
  folder.remove()
})

const said = async (given: Evidence, found: Evidence): Promise<string> => {
  const request = { surfaceId: 's', repo: 'r' }
  const { decision } = await preview(openStore(folder.path), request, given, { probe: () => found })
  return `${decision.reason} ${decision.sessionId ?? ''}`.trim()
}

it('a word on one session leaves what was found of the others', async () => {
  const found: Evidence = { running: { one: 'no', two: 'no' }, transcript: { one: 'found', two: 'unknown' } }
  expect(await said({}, found)).toBe('ok two')
  expect(await said({ transcript: { two: 'missing' } }, found)).toBe('ok_from_previous one')
  expect(await said({ transcript: { two: 'missing' }, running: { two: 'no' } }, found)).toBe('ok_from_previous one')
  expect(await said({ running: { two: { at: 's' } } }, found)).toBe('already_running two')
})

it('a word on one session stands over what was found of it, and one on all over all', async () => {
  const found: Evidence = { running: { one: 'no', two: { at: 's' } }, transcript: { two: 'missing' } }
  expect(await said({ running: { two: 'no' }, transcript: { two: 'found' } }, found)).toBe('ok two')
  expect(await said({ running: 'no', transcript: { two: 'found' } }, found)).toBe('ok two')
  expect(await said({ running: 'unknown' }, found)).toBe('liveness_unknown two')
})

it('an attempt for which there is no command is not left open', async () => {
  await recordToFile(folder.path, { surfaceId: 'odd', sessionId: 'three', repo: 'a repo of no launcher' })
  const probe = (): Evidence => ({ running: 'no', transcript: { three: 'found' } })
  await expect(gate(openStore(folder.path), { surfaceId: 'odd', repo: 'r' }, {}, { probe })).rejects.toMatchObject({
    code: 'ERR_INVALID_INPUT'
  })
  const entry = loadIndex(folder.path).entries['odd']
  expect(entry).not.toHaveProperty('attempt')
  expect(entry?.last_attempt).toMatchObject({ result: 'not_started', why: expect.stringContaining('launcher') })
})

it('an agent whose folder is gone starts in no other one, unless the caller names it', async () => {
  const id = '01a22709-3309-7d00-9d7e-ff57391f5817'
  await recordToFile(folder.path, { surfaceId: 'c', sessionId: id, repo: 'r', agent: 'codex', cwd: '/gone' })
  const probe = (): Evidence => ({ running: 'no', transcript: { [id]: 'found' }, cwd: 'missing' })
  const request = { surfaceId: 'c', repo: 'r', cwd: '/named' }
  const ask = (more: object): ReturnType<typeof gate> =>
    gate(openStore(folder.path), request, {}, { probe, agents: AGENTS, ...more })
  expect(await ask({})).toMatchObject({ action: 'refuse', reason: 'cwd_missing' })
  expect(await ask({ elsewhere: true })).toMatchObject({ action: 'resume', spec: { cwd: '/named' } })
})
