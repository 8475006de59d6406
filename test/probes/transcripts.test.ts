import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { claudeProjectSlug, claudeProjectSlugUnshortened } from '../../src/agents/claude-slug.js'
import type { AgentRow } from '../../src/agents/row.js'
import { AGENTS } from '../../src/agents/table.js'
import { within } from '../../src/probes/deadline.js'
import type { Finding } from '../../src/probes/transcript-files.js'
import { findTranscript, type TranscriptQuery } from '../../src/probes/transcripts.js'
import { fixture, fixtureNames, fixturePath } from '../support/fixtures.js'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cri-transcripts-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

/** Puts a file, a fixture or a text, under the home. */
function put(path: string, content: { file: string } | string): string {
  const target = join(home, path)
  mkdirSync(dirname(target), { recursive: true })
  if (typeof content === 'string') writeFileSync(target, content)
  else copyFileSync(content.file, target)
  return target
}

function row(agent: string): AgentRow {
  const found = AGENTS[agent]
  if (found === undefined) throw new Error(`no row ${agent}`)
  return found
}

const find = (agent: string, query: TranscriptQuery, env: Record<string, string> = {}): Promise<Finding> =>
  findTranscript(row(agent), query, { env: { HOME: home, ...env } })

const id = '84cd5d3f-1a62-45fe-8e8f-5450fd198549'
const start = { file: fixturePath('claude-2.1.332', 'transcript-before-clear.jsonl') }
const inFolder = (cwd: string, sessionId = id, config = '.claude'): string =>
  `${config}/projects/${claudeProjectSlug(cwd)}/${sessionId}.jsonl`

test.each(['1.0.128', '2.0.77', '2.1.197'])('Claude %s: under the launch folder', async (version) => {
  const path = put(inFolder('/no/such/p1'), { file: fixturePath(`claude-${version}`, 'transcript.jsonl') })
  expect(await find('claude', { sessionId: id, cwd: '/no/such/p1' })).toEqual({ state: 'found', path, where: 'own' })
})

test.each(fixtureNames('claude-2.1.332').filter((name) => name.startsWith('transcript')))(
  'Claude 2.1.332: %s',
  async (name) => {
    const path = put(inFolder('/home/dev/p1'), { file: fixturePath('claude-2.1.332', name) })
    expect(await find('claude', { sessionId: id, cwd: '/home/dev/p1' })).toEqual({ state: 'found', path, where: 'own' })
  }
)

test('Claude: the reported path comes first, wherever the configuration is now', async () => {
  const transcript = put(inFolder('/home/dev/p1', id, 'other-config'), start)
  put(inFolder('/home/dev/p1'), start)
  const found = await find('claude', { sessionId: id, cwd: '/home/dev/p1', transcript })
  expect(found).toEqual({ state: 'found', path: transcript, where: 'reported' })
})

test('Claude: a reported path of another session counts for nothing', async () => {
  const transcript = put(inFolder('/home/dev/p1', 'other'), start)
  expect((await find('claude', { sessionId: id, cwd: '/home/dev/p1', transcript })).state).toBe('missing')
})

test('Claude: a folder that was moved, and a reported path that is no more', async () => {
  const path = put(inFolder('/home/dev/moved'), start)
  const transcript = join(home, inFolder('/home/dev/p1'))
  const found = await find('claude', { sessionId: id, cwd: '/home/dev/p1', transcript })
  expect(found).toEqual({ state: 'found', path, where: 'elsewhere' })
})

test('Claude: the launch folder through a symbolic link, under its real name and its own', async () => {
  const real = join(home, 'real.folder')
  const link = join(home, 'link')
  mkdirSync(real)
  symlinkSync(real, link)
  const path = put(inFolder(real), start)
  expect(await find('claude', { sessionId: id, cwd: link })).toEqual({ state: 'found', path, where: 'own' })
  rmSync(path)
  const other = put(inFolder(link), start)
  expect(await find('claude', { sessionId: id, cwd: link })).toEqual({ state: 'found', path: other, where: 'own' })
})

test('Claude: a long folder of a version without the limit', async () => {
  const cwd = `/home/dev/${'n'.repeat(230)}`
  const path = put(`.claude/projects/${claudeProjectSlugUnshortened(cwd)}/${id}.jsonl`, start)
  expect(await find('claude', { sessionId: id, cwd })).toEqual({ state: 'found', path, where: 'own' })
})

test('Claude: an id in other letters is another session', async () => {
  put(inFolder('/home/dev/p1'), start)
  expect((await find('claude', { sessionId: id.toUpperCase(), cwd: '/home/dev/p1' })).state).toBe('missing')
})

test.each([
  ['absolute', (root: string): string => join(root, 'c'), undefined],
  ['relative to the launch folder', (): string => 'c', undefined],
  ['with a name for the folder', (root: string): string => join(root, 'c'), 'mine']
])('Claude: CLAUDE_CONFIG_DIR %s', async (_, config, name) => {
  const path = put(name === undefined ? inFolder(home, id, 'c') : `c/projects/${name}/${id}.jsonl`, start)
  const env = { CLAUDE_CONFIG_DIR: config(home), ...(name === undefined ? {} : { CLAUDE_CODE_PROJECT_DIR_NAME: name }) }
  expect(await find('claude', { sessionId: id, cwd: home }, env)).toEqual({ state: 'found', path, where: 'own' })
})

test('Claude: an empty CLAUDE_CONFIG_DIR is the launch folder; a name alone is ignored', async () => {
  const path = put(`projects/${claudeProjectSlug(home)}/${id}.jsonl`, start)
  const env = { CLAUDE_CONFIG_DIR: '' }
  expect(await find('claude', { sessionId: id, cwd: home }, env)).toEqual({ state: 'found', path, where: 'own' })
  expect((await find('claude', { sessionId: id }, env)).state).toBe('unknown')
  put('.claude/projects/mine/x', '')
  const named = await find('claude', { sessionId: id, cwd: home }, { CLAUDE_CODE_PROJECT_DIR_NAME: 'mine' })
  expect(named.state).toBe('missing')
})

test('Claude: a folder too long for any file system to hold under its whole name', async () => {
  put(inFolder('/home/dev/p1'), start)
  expect((await find('claude', { sessionId: 'other', cwd: `/${'n'.repeat(300)}` })).state).toBe('missing')
})

test('an agent without its folder keeps its sessions elsewhere: unknown, not missing', async () => {
  for (const agent of ['claude', 'codex', 'gemini', 'copilot', 'qwen', 'opencode']) {
    expect(await find(agent, { sessionId: id, cwd: '/home/dev/p1' })).toMatchObject({ state: 'unknown' })
  }
  const reported = await find('claude', { sessionId: id, transcript: join(home, inFolder('/home/dev/p1')) })
  expect(reported.state).toBe('missing')
})

test('an empty transcript is missing; one that is garbage, a folder or a FIFO is unknown', async () => {
  const ask = (): Promise<Finding> => find('claude', { sessionId: id, cwd: '/home/dev/p1' })
  const path = put(inFolder('/home/dev/p1'), '')
  expect((await ask()).state).toBe('missing')
  for (const text of ['\0\0\0\0', 'garbage\n', '{"type":"us', '[1]\n']) {
    writeFileSync(path, text)
    expect([text, (await ask()).state]).toEqual([text, 'unknown'])
  }
  rmSync(path)
  mkdirSync(path)
  expect((await ask()).state).toBe('unknown')
  rmSync(path, { recursive: true })
  execFileSync('mkfifo', [path])
  expect(await ask()).toMatchObject({ state: 'unknown', why: 'not a file' })
})

test('a torn last line, a tail of zeros and a very long first line do not hide a transcript', async () => {
  const whole = fixture('claude-2.1.332', 'transcript-before-clear.jsonl')
  for (const text of [`${whole}{"type":"assis`, whole + '\0'.repeat(4096), `{"a":"${'x'.repeat(300 * 1024)}"}\n`]) {
    put(inFolder('/home/dev/p1'), text)
    expect((await find('claude', { sessionId: id, cwd: '/home/dev/p1' })).state).toBe('found')
  }
})

const NOTES = ['{"type":"mode"}', '{"type":"ai-title"}', '{"type":"last-prompt"}']
const META = [...NOTES, ''].join('\n')

test.each<[string, string, Finding['state']]>([
  ['three lines about the session', META, 'missing'],
  ['the same, and zeros', META + '\0'.repeat(4096), 'missing'],
  ['a message after them', `${META}{"type":"user"}\n`, 'found'],
  ['a message, and a torn one', `${META}{"type":"assistant"}\n{"type":"us`, 'found'],
  ['a line that is no JSON between', `${META}no JSON\n{"type":"user"}\n`, 'found'],
  ['a torn message alone, which may be read another time', `${META}{"type":"us`, 'unknown'],
  ['more than what is read of it', META + `${NOTES[0]}\n`.repeat(20_000), 'found']
])('only a message makes a transcript: %s', async (_, text, state) => {
  put(inFolder('/home/dev/p1'), text)
  expect((await find('claude', { sessionId: id, cwd: '/home/dev/p1' })).state).toBe(state)
  const path = put(`elsewhere/${id}.jsonl`, text)
  rmSync(join(home, inFolder('/home/dev/p1')))
  const reported = await find('claude', { sessionId: id, cwd: '/home/dev/p1', transcript: path })
  expect(reported.state).toBe(state)
})

test('what may not be read is unknown, and does not hide what is found elsewhere', async () => {
  // A link to itself, for root may read everything else.
  const folder = join(home, dirname(inFolder('/home/dev/p1')))
  mkdirSync(folder, { recursive: true })
  symlinkSync(`${id}.jsonl`, join(folder, `${id}.jsonl`))
  expect(await find('claude', { sessionId: id, cwd: '/home/dev/p1' })).toMatchObject({
    state: 'unknown',
    why: 'reading the transcript failed: ELOOP'
  })
  put(inFolder('/home/dev/other'), start)
  expect((await find('claude', { sessionId: id, cwd: '/home/dev/p1' })).state).toBe('found')
})

const rollout = 'rollout-2026-11-29T11-20-44-01a22709-3309-7d00-9d7e-ff57391f5817.jsonl'
const codexId = '01a22709-3309-7d00-9d7e-ff57391f5817'
const rolloutFile = { file: fixturePath('codex-0.171.0', rollout) }

test('Codex: by its day, in capitals, in another day, under CODEX_HOME', async () => {
  const path = put(`.codex/sessions/2026/11/29/${rollout}`, rolloutFile)
  expect(await find('codex', { sessionId: codexId })).toEqual({ state: 'found', path, where: 'own' })
  expect(await find('codex', { sessionId: codexId.toUpperCase() })).toEqual({ state: 'found', path, where: 'own' })
  rmSync(path)
  expect((await find('codex', { sessionId: codexId })).state).toBe('missing')
  const other = put(`c/sessions/2024/01/02/${rollout}`, rolloutFile)
  const found = { state: 'found', path: other, where: 'own' }
  expect(await find('codex', { sessionId: codexId }, { CODEX_HOME: join(home, 'c') })).toEqual(found)
  expect((await find('codex', { sessionId: codexId }, { CODEX_HOME: '' })).state).toBe('missing')
  const transcript = other
  expect(await find('codex', { sessionId: codexId, transcript })).toEqual({ ...found, where: 'reported' })
})

test('Codex: killed before the first rollout was written', async () => {
  put('.codex/sessions/2026/11/29/other.jsonl', rolloutFile)
  put(`.codex/thread-writer-locks/${codexId}.lock`, '')
  expect((await find('codex', { sessionId: codexId })).state).toBe('missing')
})

test('Codex: an archived session, and a rollout in a form that is not known', async () => {
  mkdirSync(join(home, '.codex/sessions'), { recursive: true })
  const path = put(`.codex/archived_sessions/${rollout}`, rolloutFile)
  expect(await find('codex', { sessionId: codexId })).toEqual({
    state: 'unknown',
    why: 'the session is archived',
    path
  })
  rmSync(path)
  put(`.codex/sessions/2026/11/29/${rollout}.zst`, 'x')
  expect((await find('codex', { sessionId: codexId })).state).toBe('unknown')
})

test('Gemini: by the id in the first line, past the stubs that resumes leave', async () => {
  for (const name of fixtureNames('gemini-0.61.0', 'chats')) {
    put(`.gemini/tmp/p3/chats/${name}`, { file: fixturePath('gemini-0.61.0', 'chats', name) })
  }
  const sessionId = 'd38a9850-415e-409b-9add-e4cf94a7157c'
  const path = join(home, '.gemini/tmp/p3/chats/session-2026-11-29T11-27-d38a9850.jsonl')
  expect(await find('gemini', { sessionId })).toEqual({ state: 'found', path, where: 'own' })
  // Another session whose first eight digits are the same.
  const other = 'd38a9850-0000-409b-9add-e4cf94a7157c'
  expect((await find('gemini', { sessionId: other })).state).toBe('missing')
  expect((await find('gemini', { sessionId }, { GEMINI_CLI_HOME: join(home, 'g') })).state).toBe('unknown')
})

test('Gemini: after it has deleted the conversation only a stub is left', async () => {
  const name = 'session-2026-11-29T11-26-dd61d6a6.jsonl'
  put(`.gemini/tmp/p3/chats/${name}`, { file: fixturePath('gemini-0.61.0', 'chats-after-data-loss', name) })
  const sessionId = 'dd61d6a6-354a-40b8-86fb-91f5a5086f6d'
  expect((await find('gemini', { sessionId })).state).toBe('missing')
  // Its hooks report the stub.
  const transcript = join(home, '.gemini/tmp/p3/chats', name)
  expect((await find('gemini', { sessionId, transcript })).state).toBe('missing')
})

test('Copilot and Qwen', async () => {
  const copilot = '71c378ea-64a4-4546-9e93-40a04d9230d0'
  const events = put(`.copilot/session-state/${copilot}/events.jsonl`, {
    file: fixturePath('copilot-1.0.102', 'events.jsonl')
  })
  expect(await find('copilot', { sessionId: copilot })).toEqual({ state: 'found', path: events, where: 'own' })
  expect((await find('copilot', { sessionId: id })).state).toBe('missing')
  const qwen = '7a77a515-0916-44a0-914d-420af4b6945b'
  const chat = put(`.qwen/projects/-home-dev-p1/chats/${qwen}.jsonl`, {
    file: fixturePath('qwen-0.15.10', 'chat.jsonl')
  })
  expect(await find('qwen', { sessionId: qwen })).toEqual({ state: 'found', path: chat, where: 'own' })
  expect((await find('qwen', { sessionId: id })).state).toBe('missing')
})

test('OpenCode: known only where Node reads SQLite', async () => {
  const path = put('.local/share/opencode/opencode.db', 'no database')
  const found = await find('opencode', { sessionId: 'ses_dd8eb9cd8ffe44f8xQcomKGCXX' })
  expect(found).toMatchObject({ state: 'unknown', path })
})

test('an agent that is not known, and an id that would leave the folder', async () => {
  put(inFolder('/home/dev/p1'), start)
  expect((await find('devin', { sessionId: id })).state).toBe('unknown')
  for (const sessionId of ['../x', '/etc/passwd', '', 'a/b', '.']) {
    expect([sessionId, (await find('claude', { sessionId, cwd: '/home/dev/p1' })).state]).toEqual([
      sessionId,
      'unknown'
    ])
  }
})

test('a probe that takes too long has not seen', async () => {
  put(inFolder('/home/dev/p1'), start)
  const late = await findTranscript(row('claude'), { sessionId: id }, { env: { HOME: home }, limitMs: 0 })
  expect(late).toEqual({ state: 'unknown', why: 'the search took too long' })
  let finish = (): void => {}
  let after: boolean | undefined
  const work = new Promise<void>((resolve) => {
    finish = resolve
  })
  const stuck = await within(1, 'late', async (deadline) => {
    await work
    after = deadline.passed()
    throw new Error('nobody waits for this')
  })
  finish()
  await work
  expect(stuck).toBe('late')
  expect(after).toBe(true)
})
