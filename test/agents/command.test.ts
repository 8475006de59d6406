import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import {
  type CommandOptions,
  commandLineFor,
  environmentFor,
  launcherFor,
  resumeSpec,
  spawnSpec
} from '../../src/agents/command.js'
import type { AgentRow } from '../../src/agents/row.js'
import { AGENTS, withAgents } from '../../src/agents/table.js'
import type { Entry } from '../../src/core/schema.js'
import { entryOf, ownerOf, thrownBy } from '../core/samples.js'

const ID = '0b6c1e9a-4f5d-4c3b-8a2e-1d0f9b8c7a6e'
const agents = AGENTS

function of(fields: Partial<Entry>, options: Partial<CommandOptions> = {}): ReturnType<typeof resumeSpec> {
  return resumeSpec(entryOf({ sessionId: ID, ...fields }), { agents, ...options })
}

function argv(fields: Partial<Entry>, options: Partial<CommandOptions> = {}): string[] {
  const { file, args } = of(fields, options)
  return [file, ...args]
}

function refused(fields: Partial<Entry>, options: Partial<CommandOptions> = {}): string {
  const error = thrownBy(() => of(fields, options))
  expect(error.code).toBe('ERR_INVALID_INPUT')
  return error.message
}

describe('launcherFor', () => {
  it.each([
    ['golems', 'golemsClaude'],
    ['Golems', 'golemsClaude'],
    ['orchestrator', 'orcClaude'],
    ['Orchestrator', 'orcClaude'],
    ['my-repo.js', 'my-repo.jsClaude']
  ])('%s: %s', (repo, launcher) => {
    expect(launcherFor(repo)).toBe(launcher)
  })

  it('takes the caller\u2019s own, by a map or a function, and the established one where they have none', () => {
    expect(launcherFor('golems', { golems: 'g' })).toBe('g')
    expect(launcherFor('other', { golems: 'g' })).toBe('otherClaude')
    expect(launcherFor('golems', (repo) => `${repo}-run`)).toBe('golems-run')
    expect(launcherFor('golems', () => undefined)).toBe('golemsClaude')
  })

  it('inherits none', () => {
    expect(launcherFor('constructor', {})).toBe('constructorClaude')
    expect(launcherFor('tostring', {})).toBe('tostringClaude')
  })

  it.each(['my repo', '-x', '../x', 'a/b', 'a;b', '$(id)', 'a\nb', '', '日本', `${'x'.repeat(130)}`])(
    'refuses what is no program name: %j',
    (repo) => {
      expect(thrownBy(() => launcherFor(repo, { ok: 'ok' })).code).toBe('ERR_INVALID_INPUT')
    }
  )

  it('refuses an unsafe one of the caller', () => {
    for (const bad of ['a b', '/bin/sh', '-c', '']) {
      expect(thrownBy(() => launcherFor('golems', { golems: bad })).code).toBe('ERR_INVALID_INPUT')
    }
  })
})

describe('an entry without an agent', () => {
  it('is resumed by its launcher, with the surface in the environment', () => {
    expect(of({ cwd: '/home/me/golems' })).toEqual({
      file: 'golemsClaude',
      args: ['--resume', ID],
      cwd: '/home/me/golems',
      env: { CRASH_RESUME_SURFACE: 's1' },
      unsetEnv: expect.arrayContaining(['CLAUDECODE', 'CLAUDE_CODE_CHILD_SESSION', 'CRASH_RESUME_ATTEMPT'])
    })
  })

  it('takes any session id of the allow-list, and no flags of the file', () => {
    expect(argv({ sessionId: 'a1b2', flags: ['--model', 'opus'] })).toEqual(['golemsClaude', '--resume', 'a1b2'])
  })

  it('takes a prompt, in a terminal and without one', () => {
    expect(argv({}, { prompt: 'go on' })).toEqual(['golemsClaude', '--resume', ID, 'go on'])
    expect(argv({}, { prompt: 'go on', headless: true })).toEqual(['golemsClaude', '-p', '--resume', ID, 'go on'])
  })
})

describe('the environment of the launch', () => {
  const work = { agent: 'claude', env: { CLAUDE_CONFIG_DIR: '/home/me/work account' } }
  const line = (fields: Partial<Entry>): string => {
    const entry = entryOf({ sessionId: ID, ...fields })
    return commandLineFor(entry, resumeSpec(entry, { agents }))
  }

  it('is set again, in the argument vector and in the line', () => {
    expect(of(work).env).toMatchObject(work.env)
    expect(line(work)).toContain(` 'CLAUDE_CONFIG_DIR=/home/me/work account' CRASH_RESUME_SURFACE=s1 claude --resume`)
  })

  it('is what it was: a variable that was not set then is unset', () => {
    expect(of(work).unsetEnv).toContain('CLAUDE_CODE_PROJECT_DIR_NAME')
    expect(of({ agent: 'codex', env: {} }).unsetEnv).toContain('CODEX_HOME')
    expect(line({ agent: 'codex', env: {} })).toContain(' -u CODEX_HOME ')
    const env = { CLAUDE_CODE_PROJECT_DIR_NAME: 'p', CLAUDE_CONFIG_DIR: '/mine', HOME: '/home/me' }
    expect(environmentFor(of(work), env)).toEqual({ ...work.env, HOME: '/home/me', CRASH_RESUME_SURFACE: 's1' })
  })

  it('is the caller\u2019s where the entry does not say', () => {
    expect(of({ agent: 'claude' }).unsetEnv).not.toContain('CLAUDE_CONFIG_DIR')
    expect(Object.keys(of({ agent: 'claude' }).env)).toEqual(['CRASH_RESUME_SURFACE'])
  })

  it('follows from the transcript where it was not recorded', () => {
    const told = (agent: string, transcript: string): object => {
      const { env, unsetEnv } = of({ agent, transcript })
      const { CRASH_RESUME_SURFACE: _, ...set } = env
      return { set, unset: unsetEnv.filter((name) => /CONFIG_DIR$|^CODEX_HOME$|^COPILOT_HOME$/.test(name)) }
    }
    const claude = `/x/acc2/projects/-p/${ID}.jsonl`
    expect(told('claude', claude)).toEqual({ set: { CLAUDE_CONFIG_DIR: '/x/acc2' }, unset: [] })
    const usual = `${process.env['HOME']}/.claude/projects/-p/${ID}.jsonl`
    expect(told('claude', usual)).toEqual({ set: {}, unset: ['CLAUDE_CONFIG_DIR'] })
    const codex = `/x/c/sessions/2026/12/01/rollout-1-${ID}.jsonl`
    expect(told('codex', codex)).toEqual({ set: { CODEX_HOME: '/x/c' }, unset: [] })
    const copilot = `/x/c/session-state/${ID}/events.jsonl`
    expect(told('copilot', copilot)).toEqual({ set: { COPILOT_HOME: '/x/c' }, unset: [] })
    expect(told('claude', `/x/${ID}.jsonl`)).toEqual({ set: {}, unset: [] })
    expect(of({ agent: 'claude', env: {}, transcript: claude }).env).not.toHaveProperty('CLAUDE_CONFIG_DIR')
  })

  it('is that of the agent\u2019s row, whatever the file says', () => {
    const { env } = of({ agent: 'claude', env: { LD_PRELOAD: '/evil.so', PATH: '/evil', CODEX_HOME: '/x' } })
    expect(Object.keys(env)).toEqual(['CRASH_RESUME_SURFACE'])
  })

  it('is set for a launcher too, which may be a function of the shell', () => {
    const { agent: _, ...launcher } = work
    expect(line(launcher)).toBe(`CLAUDE_CONFIG_DIR='/home/me/work account' golemsClaude --resume ${ID}`)
  })

  it('goes with a new session as well', () => {
    const entry = entryOf({ sessionId: ID, state: 'minted', ...work })
    expect(spawnSpec(entry, { agents }).env).toMatchObject(work.env)
  })
})

describe('an entry with an agent', () => {
  it.each([
    ['pi', ID, ['pi', '--session', ID]],
    ['omp', ID, ['omp', `--resume=${ID}`]],
    ['cursor-agent', ID, ['cursor-agent', '--resume', ID]],
    ['mastracode', ID, ['mastracode', '--thread', ID]]
  ])('%s', (agent, sessionId, expected) => {
    expect(argv({ agent, sessionId })).toEqual(expected)
  })

  it('keeps of the file\u2019s flags what the row allows, and bypasses on a person\u2019s word only', () => {
    const flags = ['--resume', 'old', '--yolo', '--model', 'm', '--sandbox', 'danger-full-access', 'a prompt']
    expect(argv({ agent: 'codex', flags })).toEqual(['codex', 'resume', ID, '--model', 'm'])
    expect(argv({ agent: 'codex', flags: ['--yolo'] }, { grants: true })).toEqual(['codex', 'resume', ID, '--yolo'])
  })

  it('gives back what was withheld on a person\u2019s word only, as far as its name says all of it', () => {
    const withheld = ['--dangerously-skip-permissions', '--permission-mode=bypassPermissions', '--settings', '--evil']
    expect(argv({ agent: 'claude', withheld })).toEqual(['claude', '--resume', ID])
    const granted = ['--dangerously-skip-permissions', '--permission-mode=bypassPermissions']
    expect(argv({ agent: 'claude', withheld }, { grants: true })).toEqual(['claude', '--resume', ID, ...granted])
  })

  it('runs the program of the table, whatever the file says', () => {
    const planted = { agent: 'claude', file: '/tmp/evil', program: '/tmp/evil' } as Partial<Entry>
    expect(of(planted).file).toBe('claude')
  })

  it('of a name that the table does not have says how to give its row', () => {
    for (const agent of ['aider', 'constructor', '__proto__', 'toString']) {
      expect(refused({ agent })).toMatch(/agents: withAgents\(\[\{ name: ".+", \.\.\. \}\]\)/)
    }
  })

  it('of the caller\u2019s own table is resumed by its row, which replaces ours of that name', () => {
    const row: AgentRow = {
      ...(AGENTS['claude'] as AgentRow),
      name: 'aider',
      file: '/opt/aider',
      resume: (id) => ['--load', id],
      sessionId: /x/g,
      marks: ['AIDER_INSIDE']
    }
    const mine = withAgents([row, { ...row, name: 'claude' }])
    expect(argv({ agent: 'aider' }, { agents: mine })).toEqual(['/opt/aider', '--load', ID])
    expect(of({ agent: 'claude' }, { agents: mine }).unsetEnv).toContain('AIDER_INSIDE')
    expect(argv({ agent: 'claude' })).toEqual(['claude', '--resume', ID])
    // A global expression remembers where it stopped; the answer does not depend on the call before.
    const headless = { agents: mine, prompt: 'p', headless: true }
    for (let time = 0; time < 3; time++) expect(argv({ agent: 'aider', sessionId: 'x' }, headless)).toContain('x')
  })

  it('unsets what an outer agent left, and its own row\u2019s', () => {
    const { unsetEnv } = of({ agent: 'gemini' })
    for (const name of [
      'CLAUDECODE',
      'CLAUDE_CODE_CHILD_SESSION',
      'CLAUDE_CODE_SESSION_ID',
      'CLAUDE_PID',
      'GEMINI_CWD'
    ]) {
      expect(unsetEnv).toContain(name)
    }
  })
})

describe('the attempt', () => {
  const attempt = { id: 'open-1', kind: 'resume', owner: ownerOf(10), at: 1 } as const
  it('in the environment is the open one, or the caller\u2019s', () => {
    expect(of({ attempt }).env).toEqual({ CRASH_RESUME_SURFACE: 's1', CRASH_RESUME_ATTEMPT: 'open-1' })
    expect(of({ attempt }, { attemptId: 'mine' }).env).toMatchObject({ CRASH_RESUME_ATTEMPT: 'mine' })
    expect(of({ attempt }).unsetEnv).not.toContain('CRASH_RESUME_ATTEMPT')
  })

  it('of whoever started us is unset where this start has none', () => {
    expect(of({}).unsetEnv).toContain('CRASH_RESUME_ATTEMPT')
  })

  it('is checked', () => {
    refused({}, { attemptId: 'a b' })
  })
})

describe('what is refused', () => {
  it.each(['-x', 'a b', '../x', 'a;b', '', 'a\nb', 'x'.repeat(129), 'pending.a1'])('the session id %j', (sessionId) => {
    refused({ sessionId })
    refused({ sessionId, agent: 'claude' })
  })

  it.each([
    ['one that an agent would take for a flag', '--dangerously-skip-permissions'],
    ['a dash, which is the standard input for Codex', '-'],
    ['a blank one', ' \n'],
    ['one with a NUL', 'a\0b']
  ])('a prompt: %s', (_, prompt) => {
    for (const agent of ['claude', 'codex']) refused({ agent }, { prompt })
    refused({}, { prompt })
  })

  it('a prompt for an agent of which no form for one is known', () => {
    expect(refused({ agent: 'droid' }, { prompt: 'go on' })).toContain('droid')
    expect(refused({ agent: 'droid' }, { prompt: 'go on', headless: true })).toContain('without a terminal')
  })

  it('a headless resume without a prompt', () => {
    refused({ agent: 'claude' }, { headless: true })
    refused({}, { headless: true })
  })

  it.each([
    ['codex', 'not-a-uuid'],
    ['opencode', 'not-a-session']
  ])('without a terminal, an id with which %s would start another session', (agent, sessionId) => {
    refused({ agent, sessionId }, { headless: true, prompt: 'go on' })
    expect(argv({ agent, sessionId })).toContain(sessionId)
  })
})

it('does not let a message run a subcommand of Claude Code', () => {
  for (const fields of [{}, { agent: 'claude' }]) {
    expect(argv(fields, { prompt: 'update' }).at(-1)).toBe(' update')
    expect(argv(fields, { prompt: 'update it' }).at(-1)).toBe('update it')
    expect(argv(fields, { prompt: 'update', headless: true }).at(-1)).toBe('update')
  }
})

it('accepts an id in upper case, as uuidgen of macOS makes them', () => {
  const sessionId = ID.toUpperCase()
  expect(argv({ agent: 'claude', sessionId }, { headless: true, prompt: 'p' })).toContain(sessionId)
})

it('gives arguments that reach the program as they are', () => {
  const { args } = of({ agent: 'claude', flags: ['--model', 'claude-opus-4-6[1m]'] }, { prompt: 'a "b"\n$(c) \u00e9' })
  const { stdout } = spawnSync(process.execPath, [
    '-e',
    'console.log(JSON.stringify(process.argv.slice(1)))',
    '--',
    ...args
  ])
  expect(JSON.parse(stdout.toString())).toEqual(args)
})

describe('spawnSpec', () => {
  const spawn = (fields: Partial<Entry>, options: Partial<CommandOptions> = {}): string[] => {
    const { file, args } = spawnSpec(entryOf({ sessionId: ID, state: 'minted', ...fields }), { agents, ...options })
    return [file, ...args]
  }

  it.each([
    [undefined, ['golemsClaude', '--session-id', ID]],
    ['claude', ['claude', '--session-id', ID]]
  ])('pins the minted id: %s', (agent, expected) => {
    expect(spawn(agent === undefined ? {} : { agent })).toEqual(expected)
  })

  it.each([
    [undefined, ['golemsClaude']],
    ['codex', ['codex', '--model', 'm']],
    ['opencode', ['opencode', '--model', 'm']]
  ])('gives no id where the agent chooses it: %s', (agent, expected) => {
    const fields = { sessionId: 'pending.a1', flags: ['--model', 'm'] }
    expect(spawn(agent === undefined ? fields : { ...fields, agent })).toEqual(expected)
  })

  it('refuses an id that the agent cannot be given', () => {
    expect(thrownBy(() => spawn({ agent: 'codex' })).message).toContain('mint with capture')
    expect(thrownBy(() => spawn({ agent: 'claude', sessionId: 'no-uuid' })).code).toBe('ERR_INVALID_INPUT')
  })
})
