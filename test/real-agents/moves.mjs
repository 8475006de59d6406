/**
 * Every way in which an agent takes a conversation to another id: two turns, the move, a turn, SIGKILL to everything at
 * once, `recover`, one prompt. The model's request must hold the turn before the death. Agents without such a way here
 * are killed and resumed alike.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as claude from './claude.mjs'
import * as codex from './codex.mjs'
import { pressed, until } from './lab.mjs'

export const programs = ['claude', 'codex', 'copilot', 'gemini', 'opencode', 'qwen']

const SERVER = 'one'
const AT = 'w'
/** A first start unpacks itself. */
const LONG_MS = 90_000

/** What each needs in its home so that it asks nothing; none of our hooks, unless it shows its session in no other way. */
const PREPARE = {
  claude: (lab) => {
    claude.prepare(lab, [lab.work])
    lab.cri('hooks', 'uninstall', 'claude')
  },
  // As it is shipped, with its shared server on.
  codex: (lab) => {
    codex.prepare(lab, [lab.work])
    lab.cri('hooks', 'uninstall', 'codex')
    const config = join(lab.home, '.codex', 'config.toml')
    writeFileSync(config, readFileSync(config, 'utf8').replace(/\[features\]\n.*\n/, ''))
  },
  copilot: (lab) => put(lab, '.copilot/config.json', { trustedFolders: [lab.work] }),
  gemini: (lab) => {
    const security = { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } }
    put(lab, '.gemini/settings.json', { security, general: { sessionRetention: { enabled: false } } })
    lab.cri('hooks', 'install', 'gemini')
  },
  opencode: (lab) => {
    const options = { baseURL: 'http://127.0.0.1:4010/v1', apiKey: 'dummy' }
    const mock = { npm: '@ai-sdk/openai-compatible', name: 'mock', options, models: { mock: { name: 'mock' } } }
    put(lab, '.config/opencode/opencode.json', { provider: { mock }, model: 'mock/mock', small_model: 'mock/mock' })
    lab.cri('hooks', 'install', 'opencode')
  },
  qwen: (lab) => {
    const security = { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } }
    put(lab, '.qwen/settings.json', { security, model: { name: 'mock' } })
  }
}

const PROMPTS = {
  claude: /❯/,
  codex: /›/,
  copilot: /❯/,
  gemini: /Type your message/,
  opencode: /Ask anything|Build/,
  qwen: /Type your message/
}

const command = (text) => async (hands) => {
  await hands.type(text)
  await hands.settled()
}
const leftArrow = async ({ press, screen, settled }) => {
  await settled()
  await pressed(
    'the list of sessions',
    () => press('Left'),
    () => /moved to the background/.test(screen())
  )
  await settled()
  await pressed(
    'the conversation, opened again',
    () => press('Enter'),
    () => !/moved to the background/.test(screen()) && /❯/.test(screen())
  )
}
const background = async ({ type, screen }) => {
  await type('/bg')
  const [, job] = await until('the job', () => /claude attach (\w+)/.exec(screen()))
  await type(`claude attach ${job}`)
  await until('the conversation, attached', () => /for agents/.test(screen()))
}

/** Agent, name of the way, the move; `hooks`: by Claude's hooks, without `run`. */
const CASES = [
  ['claude', '/clear', command('/clear')],
  ['claude', '/branch', command('/branch')],
  ['claude', '←', leftArrow],
  ['claude', '← by hooks alone', leftArrow, { hooks: true }],
  ['claude', '← without a turn', leftArrow, { still: true }],
  ['claude', '/bg', background],
  [
    'claude',
    '/clear in the background',
    async (hands) => {
      await leftArrow(hands)
      await command('/clear')(hands)
    }
  ],
  ['codex', '/clear', command('/clear')],
  ['codex', '/new', command('/new')],
  ['codex', '/fork', command('/fork')],
  ['gemini', '/clear', command('/clear')],
  ['copilot', '/clear', command('/clear')],
  ['opencode', 'none', async () => {}],
  ['qwen', 'none', async () => {}]
]

function put({ home }, path, value) {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), JSON.stringify(value))
}

export async function scenario(lab, say) {
  const only = process.env.CRI_MOVES
  const tmux = (...args) => lab.tmux(SERVER, ...args)
  const failed = []
  for (const [agent, way, move, more = {}] of CASES) {
    if (only !== undefined && !`${agent} ${way}`.startsWith(only)) continue
    for (const path of ['index', 'home']) rmSync(join(lab.root, path), { recursive: true, force: true, maxRetries: 20 })
    mkdirSync(lab.home, { recursive: true })
    try {
      const found = await drill(lab, tmux, agent, move, more)
      say(`${agent}, ${way}: ${found}`)
    } catch (error) {
      failed.push(`${agent}, ${way}`)
      say(`${agent}, ${way}: FAILED: ${error.message}`)
      if (process.env.CRI_SHOW) say(`${screenOf(tmux)}\n${JSON.stringify(lab.entries(), null, 1)}`)
    }
    lab.killAll()
  }
  if (failed.length > 0) throw new Error(failed.join('; '))
}

function screenOf(tmux) {
  try {
    return tmux('capture-pane', '-p', '-t', AT)
  } catch {
    return ''
  }
}

async function drill(lab, tmux, agent, move, { hooks = false, still = false }) {
  PREPARE[agent](lab)
  if (hooks) lab.cri('hooks', 'install', agent)
  const screen = () => screenOf(tmux)
  const press = (key) => tmux('send-keys', '-t', AT, key)
  const pause = (ms) => new Promise((wake) => setTimeout(wake, ms))
  const type = async (text) => {
    tmux('send-keys', '-t', AT, '-l', text)
    // A paste is told from typing by its speed: Enter must not be part of it.
    await pause(700)
    press('Enter')
  }
  /** The screen does not change any more. */
  const settled = async () => {
    let last = ''
    await until('a screen that stands still', async () => {
      const before = last
      await pause(700)
      last = screen()
      return before === last && PROMPTS[agent].test(last)
    })
  }
  const turn = async (text) => {
    const before = lab.requests().length
    await type(text)
    return until(`a request with ${JSON.stringify(text)}`, () =>
      lab
        .requests()
        .slice(before)
        .findLast((request) => request.text.includes(text))
    )
  }
  tmux('new-session', '-d', '-s', AT, '-x', '120', '-y', '40', '-c', lab.work, 'bash --noprofile --norc')
  await until('the shell', () => /[$#] ?$/m.test(screen()))
  await type(hooks ? agent : `crash-resume-index run -- ${agent}`)
  await until(`the prompt of ${agent}`, () => PROMPTS[agent].test(screen()), LONG_MS)
  await settled()
  await turn('the word is ALPHA')
  await settled()
  await turn('the word is BETA')
  await settled()
  const first = await until('the session', () => lab.entries().find(({ state }) => state === 'ready'))
  lab.cri('status')
  await move({ type, press, screen, settled })
  if (!still) {
    await settled()
    await turn('the word is GAMMA')
    await settled()
  }
  lab.killAll()
  await until('the death of all', () => programs.every((name) => lab.running(name).length === 0))
  const report = lab.cri('recover', '--yes', '--json')
  const { rows } = JSON.parse(report.out)
  if (rows.length !== 1) throw new Error(`recover said ${report.out}`)
  await until('the prompt after recover', () => PROMPTS[agent].test(screen()), LONG_MS)
  await settled()
  const request = await turn('asked after the death')
  const word = still ? 'BETA' : 'GAMMA'
  if (!request.text.includes(`the word is ${word}`)) throw new Error('the turn before the death did not come back')
  const [{ sessionId, outcome, reason }] = rows
  return `${first.sessionId === sessionId ? 'the same id' : 'another id'}, ${outcome} (${reason}); the last turn came back`
}
