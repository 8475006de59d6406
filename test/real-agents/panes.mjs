/**
 * `run` and `recover` with both programs in one tmux: two of them in one folder, all killed in one instant, all back in
 * their places; then the same line typed again, and what waits for an answer instead of coming up.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as claude from './claude.mjs'
import * as codex from './codex.mjs'
import { until } from './lab.mjs'

export const programs = ['claude', 'codex']

const SERVER = 'one'

export async function scenario(lab, say) {
  const { root, home, work } = lab
  const other = join(root, 'other')
  mkdirSync(other)
  const agents = [
    { at: 'w:0.0', agent: 'claude', cwd: work, word: 'ALPHA' },
    { at: 'w:0.1', agent: 'claude', cwd: work, word: 'BETA' },
    { at: 'w:1.0', agent: 'claude', cwd: other, word: 'GAMMA' },
    { at: 'w:1.1', agent: 'codex', cwd: other, word: 'DELTA' }
  ]
  const folders = [work, other]
  // A hook's stdin is the program's choice; where it is a socket, /dev/stdin cannot be opened.
  const stdinOf = (agent) => join(root, `stdin-of-${agent}`)
  const looking = (agent) => ({
    SessionStart: [{ hooks: [{ type: 'command', command: `readlink /proc/self/fd/0 >> ${stdinOf(agent)}` }] }]
  })
  claude.prepare(lab, folders, looking('claude'))
  codex.prepare(lab, folders, looking('codex'))

  const tmux = (...args) => lab.tmux(SERVER, ...args)
  const screen = (at) => tmux('capture-pane', '-p', '-t', at)
  const programIn = (at) => tmux('display-message', '-p', '-t', at, '#{pane_current_command}').trim()
  const press = (at, key) => tmux('send-keys', '-t', at, key)
  const seat = (at) => [() => screen(at), (key) => press(at, key)]
  const type = async (at, text) => {
    tmux('send-keys', '-t', at, '-l', text)
    // A paste is told from typing by its speed: Enter must not be part of it.
    await new Promise((wake) => setTimeout(wake, 500))
    press(at, 'Enter')
  }
  const prompts = { claude: /❯/, codex: /›/ }
  const ready = ({ at, agent }) => until(`the prompt of ${agent} in ${at}`, () => prompts[agent].test(screen(at)))
  /** The request with these words, of the agent that they were typed to. */
  const turn = async ({ at }, text) => {
    await type(at, text)
    return until(`a request with ${JSON.stringify(text)}`, () =>
      lab.requests().findLast((request) => request.text.includes(text))
    )
  }
  /** The agent in each place: by its process below the pane, wherever it was started from. */
  const placed = () => {
    const panes = tmux('list-panes', '-a', '-F', '#{pane_pid} #{session_name}:#{window_index}.#{pane_index}')
    const places = new Map(
      panes
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' '))
    )
    return programs.flatMap((agent) =>
      lab.running(agent).map((pid) => {
        const pane = lab.chain(pid).find((above) => places.has(String(above)))
        return { agent, pid, at: places.get(String(pane)) ?? 'no pane' }
      })
    )
  }
  const places = (ones) => ones.map(({ at, agent }) => `${at} ${agent}`).toSorted()
  const same = (what, found, expected) => {
    const [one, two] = [found, expected].map((value) => JSON.stringify(value))
    if (one !== two) throw new Error(`${what}: ${one} instead of ${two}`)
  }
  /** Each conversation goes on where it was: what was said there comes back, and nothing of another one. */
  const goOn = async (ones, text) => {
    for (const one of ones) {
      await ready(one)
      const request = await turn(one, `${text} ${one.word.toLowerCase()}`)
      const back = agents.filter(({ word }) => request.text.includes(`the word is ${word}`)).map(({ word }) => word)
      same(`what came back in ${one.at}`, back, [one.word])
    }
  }
  const sessions = () => lab.entries().map(({ address, sessionId, state }) => `${address} ${sessionId} ${state}`)
  const transcripts = () =>
    ['.claude/projects', '.codex/sessions']
      .flatMap((folder) => readdirSync(join(home, folder), { recursive: true }))
      .filter((name) => name.endsWith('.jsonl')).length
  const recover = () => {
    const { code, out, words } = lab.cri('recover', '--yes', '--json')
    if (out === '') throw new Error(`recover said ${words.join('\n')}`)
    return { code, ...JSON.parse(out) }
  }
  const killAll = async () => {
    const count = lab.killAll()
    await until('the death of all', () => programs.every((agent) => lab.running(agent).length === 0))
    return count
  }
  /** Two resumes within minutes, as of two of the panes, are as many as are allowed: a person says there may be more. */
  const allowMore = () => {
    for (const { surfaceId } of lab.entries()) lab.cri('policy', surfaceId, 'auto')
  }
  /** Shells in every place, in the folders of old. */
  const open = () => {
    tmux('new-session', '-d', '-s', 'w', '-x', '160', '-y', '80', '-c', work, 'bash --noprofile --norc')
    tmux('split-window', '-t', 'w:0', '-c', work, 'bash --noprofile --norc')
    tmux('new-window', '-t', 'w:1', '-c', other, 'bash --noprofile --norc')
    tmux('split-window', '-t', 'w:1', '-c', other, 'bash --noprofile --norc')
  }
  const line = ({ agent }) => `crash-resume-index run -- ${agent}`

  open()
  for (const one of agents) {
    await type(one.at, line(one))
    if (one.agent === 'codex') await codex.trustHooks(...seat(one.at))
    await ready(one)
    await turn(one, `the word is ${one.word}`)
  }
  await until('every session in the index', () => {
    const all = lab.entries()
    return all.length === agents.length && all.every(({ state, address }) => state === 'ready' && address)
  })
  same('the places before', places(placed()), places(agents))
  const before = sessions().toSorted()
  const written = transcripts()
  say(`run: ${places(agents).join(', ')}`)
  for (const agent of programs) {
    const kinds = new Set(
      readFileSync(stdinOf(agent), 'utf8')
        .replaceAll(/:\[\d+\]/g, '')
        .trim()
        .split('\n')
    )
    say(`stdin of a hook of ${agent}: ${[...kinds].join(', ')}`)
  }

  const dead = await killAll()
  say(`SIGKILL to the tmux server and all that ran in its panes: ${dead} processes in one instant`)
  const report = recover()
  same('the report', [report.code, report.resumed, report.total], [0, agents.length, agents.length])
  same('the places after', places(placed()), places(agents))
  same('the sessions after', sessions().toSorted(), before)
  await goOn(agents, 'asked after recover')
  same('the transcripts after', transcripts(), written)
  same('the places at last', places(placed()), places(agents))
  say(`recover: resumed ${report.resumed} of ${report.total}, each in its place, with the turn before it and no other`)

  const again = [agents[1], agents[3]]
  for (const { pid } of placed()) process.kill(pid, 'SIGKILL')
  await until('the death of the agents', () => placed().length === 0)
  for (const one of again) {
    await until(`the shell in ${one.at}`, () => programIn(one.at) === 'bash')
    // What the dead agent has left there would be taken for its prompt.
    await type(one.at, 'clear')
    await type(one.at, line(one))
  }
  await goOn(again, 'asked after the same line')
  same('the places of those typed', places(placed()), places(again))
  same('the sessions of all', sessions().toSorted(), before)
  same('the transcripts of all', transcripts(), written)
  say(`SIGKILL to the agents alone, and the same line again: ${places(again).join(', ')}`)

  await killAll()
  allowMore()
  const state = join(home, '.claude.json')
  const { projects, ...rest } = JSON.parse(readFileSync(state, 'utf8'))
  writeFileSync(state, JSON.stringify({ ...rest, projects: { ...projects, [other]: {} } }))
  // The hooks are other ones than those that were trusted, as after an update of ours.
  const config = join(home, '.codex', 'config.toml')
  writeFileSync(config, readFileSync(config, 'utf8').replaceAll(/trusted_hash = "sha256:/g, '$&0'))
  const asked = recover()
  const waiting = agents.filter(({ cwd }) => cwd === other)
  const results = asked.rows.map(({ was, outcome, reason, error = '' }) =>
    [was, outcome, reason, error].join(' ').trim()
  )
  same('the report', results.toSorted(), [
    'w:0.0 resumed ok',
    'w:0.1 resumed ok',
    'w:1.0 failed timeout it asks something first; answer it in w:1.0',
    'w:1.1 failed timeout it asks something first; answer it in w:1.1'
  ])
  same('the exit code', asked.code, 1)
  const second = recover()
  same('the report of another', [second.resumed, second.skipped, second.total], [0, agents.length, agents.length])
  same('the places with two that wait', places(placed()), places(agents))
  say('recover, with a folder and hooks that are not trusted:')
  for (const result of results.toSorted()) say(`  ${result}`)

  const [third, fourth] = waiting
  await claude.trustFolder(...seat(third.at))
  await codex.trustHooks(...seat(fourth.at))
  await goOn(waiting, 'asked after the answer')
  same('the places of all', places(placed()), places(agents))
  same('the sessions of all', sessions().toSorted(), before)
  same('the transcripts of all', transcripts(), written)
  say('answered by hand: both went on with the turns before')

  await killAll()
  allowMore()
  open()
  for (const one of agents) await type(one.at, line(one))
  await goOn(agents, 'asked in a new server')
  same('the places in a new server', places(placed()), places(agents))
  same('the sessions in a new server', sessions().toSorted(), before)
  same('the transcripts in a new server', transcripts(), written)
  say('SIGKILL to all, and the same lines typed into the panes of a new server: as by recover')
}
