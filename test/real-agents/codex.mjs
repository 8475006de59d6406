/** Codex, as a person uses it in tmux: turns, /clear, three kinds of death.  */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pressed, until } from './lab.mjs'

export const programs = ['codex']

/** A HOME in which Codex trusts these folders, and our hooks are installed, which it is yet to ask about. */
export function prepare({ home, cri }, folders, hooks) {
  mkdirSync(join(home, '.codex'), { recursive: true })
  const config = `model = "mock"
model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = "http://127.0.0.1:4010/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
[features]
daemon_auto_start = false
${folders.map((folder) => `[projects."${folder}"]\ntrust_level = "trusted"\n`).join('')}`
  writeFileSync(join(home, '.codex', 'config.toml'), config)
  if (hooks !== undefined) writeFileSync(join(home, '.codex', 'hooks.json'), JSON.stringify({ hooks }))
  return cri('hooks', 'install', 'codex').words
}

/** What only a person can give: without it Codex skips the hooks, and says so at its start. */
export async function trustHooks(screen, press) {
  await until('the question for trust', () => /Trust all and continue/.test(screen()))
  await pressed(
    'the second choice',
    () => press('Down'),
    () => /› 2\. Trust all/.test(screen())
  )
  press('Enter')
  await until('the end of the question', () => !/Trust all and continue/.test(screen()))
}

export async function scenario(lab, say) {
  const { work, tmux, cri } = lab
  for (const line of prepare(lab, [work])) say(line)

  const type = (server, text) => {
    tmux(server, 'send-keys', '-t', 'w', '-l', text)
    // A paste is told from typing by its speed: Enter must not be part of it.
    return new Promise((wake) => setTimeout(wake, 500)).then(() => tmux(server, 'send-keys', '-t', 'w', 'Enter'))
  }
  const screen = (server) => tmux(server, 'capture-pane', '-p', '-t', 'w')
  const start = (server) =>
    tmux(server, 'new-session', '-d', '-s', 'w', '-x', '120', '-y', '40', '-c', work, 'bash --noprofile --norc')
  const running = () => lab.running('codex')
  const ready = (server) => until(`codex's prompt (${server})`, () => running().length > 0 && /›/.test(screen(server)))
  const turn = async (server, text) => {
    const before = lab.requests().length
    await type(server, text)
    await until(`a request with ${JSON.stringify(text)}`, () =>
      lab
        .requests()
        .slice(before)
        .some((request) => request.text.includes(text))
    )
  }
  const only = (what, holds = () => true) =>
    until(what, () => {
      const live = lab.entries().filter(({ state }) => state === 'ready')
      return live.length === 1 && holds(live[0]) && live[0]
    })
  const decided = (entry, expected) => {
    const { code, out } = cri('decide', entry.surfaceId, '--json')
    const decision = JSON.parse(out)
    if (decision.action !== expected) throw new Error(`decide said ${out}`)
    if (expected === 'resume' && decision.sessionId !== entry.sessionId) throw new Error(`the wrong session: ${out}`)
    return `${decision.action} ${decision.reason} (exit ${code})`
  }

  start('one')
  await type('one', 'codex')
  await trustHooks(
    () => screen('one'),
    (key) => tmux('one', 'send-keys', '-t', 'w', key)
  )
  say('hooks: Codex asked for trust at its start, and was given it')
  await ready('one')
  await turn('one', 'the word is ALPHA')
  const first = await only('the first session in the index')
  say(`one turn: ${first.sessionId} on ${first.surfaceId.replace(lab.root, '')}`)
  say(`while it lives: ${decided(first, 'refuse')}`)

  await type('one', '/clear')
  await ready('one')
  await turn('one', 'the word is BETA')
  const second = await only('the session after /clear', ({ sessionId }) => sessionId !== first.sessionId)
  if (second.previous[0]?.sessionId !== first.sessionId) throw new Error('the session before /clear is not kept')
  say(`/clear: ${second.sessionId}, with ${second.previous[0].sessionId} before it`)

  const deaths = [
    [
      'SIGKILL',
      () => {
        for (const pid of running()) process.kill(pid, 'SIGKILL')
      }
    ],
    ['kill-pane', (server) => tmux(server, 'kill-pane', '-t', 'w')],
    ['kill-server', (server) => tmux(server, 'kill-server')]
  ]
  let server = 'one'
  for (const [name, kill] of deaths) {
    const before = await only(`the index before ${name}`)
    decided(before, 'refuse')
    kill(server)
    await until('its death', () => running().length === 0)
    const after = await only(`the index after ${name}`)
    if (after.sessionId !== before.sessionId) throw new Error(`${name} changed the session`)
    const said = decided(after, 'resume')
    const line = cri('resume-cmd', after.surfaceId).out.trim()
    server = `after-${name}`
    start(server)
    await type(server, line)
    await ready(server)
    const word = `asked after ${name}`
    await turn(server, word)
    const request = lab.requests().findLast(({ text }) => text.includes(word))
    if (!request.text.includes('the word is BETA')) throw new Error('the turn before did not come back')
    say(`${name}: ${said}; the turn before it reached the model again`)
  }
}
