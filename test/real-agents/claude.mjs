/** Claude Code, as a person uses it in tmux: turns, /clear, a nested agent, three kinds of death. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pressed, until } from './lab.mjs'

export const programs = ['claude']

/** A HOME in which Claude Code asks nothing, in these folders, and our hooks are installed. */
export function prepare({ home, cri }, folders, hooks = {}) {
  mkdirSync(join(home, '.claude'), { recursive: true })
  writeFileSync(
    join(home, '.claude.json'),
    JSON.stringify({
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: { approved: ['00000000000000000000'], rejected: [] },
      projects: Object.fromEntries(folders.map((folder) => [folder, { hasTrustDialogAccepted: true }]))
    })
  )
  writeFileSync(join(home, '.claude', 'settings.json'), JSON.stringify({ permissions: { allow: ['Bash'] }, hooks }))
  return cri('hooks', 'install', 'claude').words
}

/** The folder is trusted, as by a person; the answer that is chosen beforehand is to leave. */
export async function trustFolder(screen, press) {
  await until('the question for trust', () => /❯ No, exit/.test(screen()))
  await pressed(
    'the second choice',
    () => press('Down'),
    () => /❯ Yes, I trust/.test(screen())
  )
  press('Enter')
  await until('the end of the question', () => !/I trust this folder/.test(screen()))
}

export async function scenario(lab, say) {
  const { work, tmux, cri } = lab
  for (const line of prepare(lab, [work])) say(line)

  const type = (server, text) => {
    tmux(server, 'send-keys', '-t', 'w', '-l', text)
    tmux(server, 'send-keys', '-t', 'w', 'Enter')
  }
  const screen = (server) => tmux(server, 'capture-pane', '-p', '-t', 'w')
  const start = (server) =>
    tmux(server, 'new-session', '-d', '-s', 'w', '-x', '120', '-y', '40', '-c', work, 'bash --noprofile --norc')
  const ready = (server) =>
    until(`claude's prompt (${server})`, () => /❯|> ?$/m.test(screen(server)) && /claude|Claude/.test(screen(server)))
  const turn = async (server, text) => {
    const before = lab.requests().length
    type(server, text)
    await until(`a request with ${JSON.stringify(text)}`, () =>
      lab
        .requests()
        .slice(before)
        .some((request) => request.text.includes(text))
    )
  }
  const only = async (what, holds = () => true) =>
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
  type('one', 'claude --permission-mode default')
  await ready('one')
  await turn('one', 'the word is ALPHA')
  const first = await only('the first session in the index')
  say(`one turn: ${first.sessionId} on ${first.surfaceId.replace(lab.root, '')}`)
  say(`while it lives: ${decided(first, 'refuse')}`)

  type('one', '/clear')
  const second = await only('the session after /clear', ({ sessionId }) => sessionId !== first.sessionId)
  if (second.previous[0]?.sessionId !== first.sessionId) throw new Error('the session before /clear is not kept')
  say(`/clear: ${second.sessionId}, with ${second.previous[0].sessionId} before it`)
  await turn('one', 'the word is BETA')

  await turn('one', 'RUN: claude -p hello-from-below :END')
  await until('the nested agent', () =>
    lab.requests().some(({ text }) => text.includes('hello-from-below') && !text.includes('BETA'))
  )
  await until('the end of the nested agent', () => lab.running('claude').length === 1)
  const same = await only('the index after the nested agent')
  if (same.sessionId !== second.sessionId || same.gen !== second.gen)
    throw new Error('the nested agent changed the index')
  say('a nested claude -p: the index is as it was')

  const deaths = [
    ['SIGKILL', () => process.kill(lab.running('claude')[0], 'SIGKILL')],
    ['kill-pane', (server) => tmux(server, 'kill-pane', '-t', 'w')],
    ['kill-server', (server) => tmux(server, 'kill-server')]
  ]
  let server = 'one'
  for (const [name, kill] of deaths) {
    const before = await only(`the index before ${name}`)
    kill(server)
    await until('its death', () => lab.running('claude').length === 0)
    const after = await only(`the index after ${name}`)
    if (after.sessionId !== before.sessionId) throw new Error(`${name} changed the session`)
    const said = decided(after, 'resume')
    const line = cri('resume-cmd', after.surfaceId).out.trim()
    server = `after-${name}`
    start(server)
    type(server, line)
    await ready(server)
    const word = `asked after ${name}`
    await turn(server, word)
    const request = lab.requests().findLast(({ text }) => text.includes(word))
    if (!request.text.includes('the word is BETA')) throw new Error('the turn before did not come back')
    if (lab.running('claude').length !== 1) throw new Error('more than one claude runs')
    say(`${name}: ${said}; the turn before it reached the model again`)
  }
}
