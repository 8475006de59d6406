/*
 * `run -- <agent>` as a person types it, in panes of a real tmux, with stand-ins for the agents.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Entry } from '../../src/index.js'
import { eventually } from '../support/eventually.js'
import { type Life, TmuxLab } from '../support/tmux-lab.js'

let lab: TmuxLab
beforeEach(() => {
  lab = new TmuxLab()
})
afterEach(() => lab.close())

function pane(...command: string[]): void {
  lab.tmux('sock', 'new-session', '-d', '-s', 'work', '-x', '200', '-c', join(lab.home, 'project'), ...command)
}

/** The n-th start of an agent, once it is up. */
const life = (n: number): Promise<Life> =>
  eventually(`start ${n}`, () => {
    const one = lab.lives()[n - 1]
    return one !== undefined && lab.isUp(one.pid) ? one : null
  })
const settled = (): Promise<Entry> =>
  eventually('the proven start', () => lab.entries().find((one) => one.state === 'ready' && one.address) ?? null)
const shows = (text: string | RegExp): Promise<string> =>
  eventually(`the text ${text}`, () => {
    const screen = lab.screen('work')
    return (typeof text === 'string' ? screen.includes(text) : text.test(screen)) ? screen : null
  })

describe('run', () => {
  it('starts an agent with a pinned id that was on file before, and the same line resumes it after a kill', async () => {
    pane()
    const line = 'crash-resume-index run -- claude --model opus "fix it"; echo "code=$?"'
    lab.type('work', line)
    const first = await life(1)
    expect(first.form).toBe('fresh')
    expect(lab.entries()).toMatchObject([{ sessionId: first.sessionId, agent: 'claude', repo: 'project' }])
    const entry = await settled()
    expect(entry).toMatchObject({ address: 'work:0.0', proc: { pid: first.pid }, last_attempt: { result: 'ok' } })

    process.kill(first.pid, 'SIGKILL')
    await shows('code=137')
    lab.type('work', line)
    const second = await life(2)
    expect(second).toMatchObject({ form: 'resumed', sessionId: first.sessionId })
    expect(await shows('resuming')).toContain('left out, because the conversation continues: fix it')
    const told = readFileSync(join(lab.home, 'arguments'), 'utf8')
      .trim()
      .split('\n')
      .map((one) => JSON.parse(one))
    expect(told).toEqual([
      ['claude', '--session-id', first.sessionId, '--model', 'opus', 'fix it'],
      ['claude', '--resume', first.sessionId, '--model', 'opus']
    ])
  })

  it('says that nothing is lost where no prompt was ever sent', async () => {
    lab.behave({ silent: true, hook: lab.hookOf('AGENT') })
    pane()
    const line = 'crash-resume-index run -- claude; echo "code=$?"'
    lab.type('work', line)
    const first = await life(1)
    const { surfaceId } = await settled()
    process.kill(first.pid, 'SIGKILL')
    await shows('code=137')
    expect(lab.cli(['decide', surfaceId])).toMatchObject({
      status: 4,
      stdout: expect.stringContaining('nothing is lost')
    })
    expect(lab.cli(['status']).stdout).toContain('nothing is lost')
    expect(lab.cli(['recover', '--dry-run']).stdout).toContain('nothing is lost')
    lab.type('work', line)
    expect((await life(2)).form).toBe('fresh')
    expect(await shows('starting a new claude session')).toContain('so nothing is lost')
  })

  it('resumes with the account of its launch, and says that this counts', async () => {
    pane()
    lab.type('work', 'crash-resume-index run -- claude')
    const first = await life(1)
    await settled()
    process.kill(first.pid, 'SIGKILL')
    await eventually('the end', () => (lab.alive().length === 0 ? true : null))
    lab.type('work', 'CLAUDE_CONFIG_DIR=/elsewhere crash-resume-index run -- claude')
    expect(await life(2)).toMatchObject({ form: 'resumed', sessionId: first.sessionId })
    expect(await shows('which counts')).toMatch(
      /no CLAUDE_CONFIG_DIR, which counts; this terminal has CLAUDE_CONFIG_DIR=\/else/
    )
  })

  it('goes on with the conversation of the same position when the terminal server has died', async () => {
    pane()
    lab.type('work', 'crash-resume-index run -- claude')
    const first = await life(1)
    await settled()
    await lab.crash()
    pane()
    lab.type('work', 'crash-resume-index run -- claude')
    expect(await life(2)).toMatchObject({ form: 'resumed', sessionId: first.sessionId })
    expect(await shows('resuming')).toContain('continues with what was there before')
    expect(lab.entries()).toHaveLength(1)
    expect(Object.values(lab.forwarded())).toEqual(lab.entries().map(({ surfaceId }) => surfaceId))
  })

  it('names a free conversation of its folder in a new pane, and starts another one on a word', async () => {
    const window = (number: number, folder = 'project'): string =>
      lab.tmux('sock', 'new-window', '-t', `work:${number}`, '-c', lab.folder(folder))
    const says = (at: string, text: string): Promise<string> =>
      eventually(`the text ${text}`, () => (lab.screen(at).includes(text) ? lab.screen(at) : null))
    pane()
    window(7)
    lab.type('work:7', 'crash-resume-index run -- claude')
    const first = await life(1)
    // While the server lives every pane keeps its id.
    lab.type('work:0', 'crash-resume-index run -- claude')
    const second = await life(2)
    expect(second.form).toBe('fresh')
    await eventually('both', () => (lab.entries().filter(({ address }) => address).length === 2 ? true : null))
    await lab.crash()

    pane()
    window(8, 'other')
    lab.type('work:8', 'crash-resume-index run -- claude')
    expect(await life(3)).toMatchObject({ form: 'fresh' })
    window(9)
    lab.type('work:9', 'clear; crash-resume-index run -- claude; echo "code=$?"')
    const both = await says('work:9', 'code=125')
    expect(both).toContain('several conversations of claude in this folder are free')
    for (const { sessionId } of [first, second]) expect(both).toContain(`run -- claude --resume ${sessionId}`)
    // The one of this position goes on, as ever. Then one is left.
    lab.type('work:0', 'clear; crash-resume-index run -- claude')
    expect(await life(4)).toMatchObject({ form: 'resumed', sessionId: second.sessionId })
    lab.type('work:9', 'clear; crash-resume-index run -- claude; echo "code=$?"')
    expect(await says('work:9', 'a conversation of claude')).toContain(`run -- claude --resume ${first.sessionId}`)
    lab.type('work:9', 'clear; crash-resume-index run --new -- claude')
    expect(await life(5)).toMatchObject({ form: 'fresh' })
    window(10)
    lab.type('work:10', `crash-resume-index run -- claude --resume ${first.sessionId}`)
    expect(await life(6)).toMatchObject({ form: 'resumed', sessionId: first.sessionId })
  })

  it('does the same for a terminal that gives every pane a new id', async () => {
    pane()
    lab.type('work', 'crash-resume-index run --surface cmux:A -- claude; echo "code=$?"')
    const first = await life(1)
    await settled()
    process.kill(first.pid, 'SIGKILL')
    await shows('code=137')
    lab.type('work', 'clear; crash-resume-index run --surface cmux:B -- claude; echo "code=$?"')
    expect(await shows('code=125')).toContain(
      `\`crash-resume-index run --surface cmux:B -- claude --resume ${first.sessionId}\` resumes it here; --new starts another one`
    )
    const line = `run --surface cmux:B -- claude --resume ${first.sessionId}`
    lab.type('work', `clear; crash-resume-index ${line}; echo "code=$?"`)
    expect(await life(2)).toMatchObject({ form: 'resumed', sessionId: first.sessionId })
    expect(lab.forwarded()).toEqual({ 'cmux:A': 'cmux:B' })
  })

  it('passes the exit code, a first message and the signals on', async () => {
    pane()
    lab.type('work', 'crash-resume-index run --surface s1 -- claude "hello"; echo "code=$?"')
    const first = await life(1)
    lab.tmux('sock', 'send-keys', '-t', 'work', 'C-c')
    await eventually('the interrupt', () => readFileSync(join(lab.home, 'interrupts'), 'utf8'))
    await settled()
    expect(readFileSync(join(lab.home, 'interrupts'), 'utf8')).toBe(`${first.pid}\n`)
    lab.type('work', 'exit 42')
    await shows('code=42')
    expect(lab.entries()).toMatchObject([{ surfaceId: 's1', last_exit: { reason: 'exit code 42' } }])

    lab.type('work', 'clear; crash-resume-index run --surface s1 -- claude; echo "code=$?"')
    const second = await life(2)
    expect(second.sessionId).toBe(first.sessionId)
    const runner = Number(readFileSync(`/proc/${second.pid}/stat`, 'utf8').split(' ')[3])
    process.kill(runner, 'SIGTERM')
    await shows('code=143')
  })

  it('is refused while the first lives, naming its process', async () => {
    pane()
    lab.type('work', 'crash-resume-index run --surface s1 -- claude')
    const first = await life(1)
    // While the start is not yet proven, and after it.
    const early = lab.cli(['run', '--surface', 's1', '--', 'claude'])
    await settled()
    const late = lab.cli(['run', '--surface', 's1', '--', 'claude'])
    expect([early.status, late.status]).toEqual([125, 125])
    expect(early.stderr).toMatch(/Refused: .*(process \d+|running)/)
    expect(late.stderr).toContain(`(process ${first.pid},`)
    expect(lab.lives()).toHaveLength(1)
  })

  it('starts fresh in the same go where the session is gone, once, and says so', async () => {
    pane()
    lab.type('work', 'crash-resume-index run -- claude')
    const first = await life(1)
    await settled()
    process.kill(first.pid, 'SIGKILL')
    rmSync(lab.transcriptOf(first))
    lab.type('work', 'clear; crash-resume-index run -- claude')
    const second = await life(2)
    expect(second.form).toBe('fresh')
    expect(second.sessionId).not.toBe(first.sessionId)
    expect(await shows('starting a new')).toContain('the transcript of the one before is gone')
  })

  it('starts nothing over a transcript that is there, though the agent does not know the session', async () => {
    pane()
    lab.type('work', 'crash-resume-index run -- claude')
    const first = await life(1)
    await settled()
    process.kill(first.pid, 'SIGKILL')
    // It is there, and not where the agent looks.
    lab.type('work', 'clear; mv ../.claude/projects/* ../.claude/projects/-elsewhere; crash-resume-index run -- claude')
    const screen = await shows('but its transcript is')
    expect(lab.lives()[1]).toMatchObject({ form: 'resumed', sessionId: first.sessionId })
    expect(screen.replaceAll('\n', '')).toContain(`-elsewhere/${first.sessionId}.jsonl`)
    const settledAs = await eventually('the settled attempt', () =>
      lab.entries()[0]?.last_attempt?.result === 'exited' ? 'exited' : null
    )
    expect(settledAs).toBe('exited')
    expect(lab.entries()).toMatchObject([{ sessionId: first.sessionId }])
    expect(lab.lives()).toHaveLength(2)
  })

  it('sets the old conversation aside on --new, and says how to get it back', async () => {
    pane()
    lab.type('work', 'crash-resume-index run -- claude')
    const first = await life(1)
    await settled()
    lab.type('work', 'exit 1')
    lab.type('work', 'clear; crash-resume-index run --new -- claude')
    const second = await life(2)
    expect(second.form).toBe('fresh')
    expect(await shows('to return to it by hand')).toContain(`--resume ${first.sessionId}`)
    expect(lab.entries()).toMatchObject([
      { sessionId: second.sessionId, previous: [{ sessionId: first.sessionId, why: 'superseded' }] }
    ])
    // Not while it runs.
    const again = lab.cli(['run', '--new', '--surface', lab.entries()[0]?.surfaceId ?? '', '--', 'claude'])
    expect(again.status).toBe(125)
    expect(lab.entries()[0]?.sessionId).toBe(second.sessionId)
  })

  it.each(['claude', 'codex', 'gemini'])(
    'starts another conversation where %s was left, and names the old one',
    async (name) => {
      lab.behave({ hook: lab.hookOf('AGENT') })
      pane()
      lab.type('work', `crash-resume-index run -- ${name}`)
      const first = await life(1)
      await settled()
      lab.type('work', '/exit')
      await eventually('the leaving', () => (lab.entries()[0]?.reason === 'left' ? true : null))
      const [left] = lab.entries()
      expect(lab.cli(['decide', left?.surfaceId ?? ''])).toMatchObject({ status: 4 })
      expect(lab.cli(['why', left?.surfaceId ?? '']).stdout).toContain(`recover --left --only ${left?.surfaceId}`)
      lab.type('work', `clear; crash-resume-index run -- ${name}`)
      const second = await life(2)
      expect(second.form).toBe('fresh')
      expect(await shows('was left here')).toContain(first.sessionId)
      await eventually('the new session', () => (lab.entries()[0]?.sessionId === second.sessionId ? true : null))
      expect(lab.entries()[0]).toMatchObject({
        state: 'ready',
        previous: [{ sessionId: first.sessionId, why: 'ended' }]
      })
    }
  )

  it.each(['claude', 'gemini'])('takes the end of %s with its pane or its server for no leaving', async (name) => {
    lab.behave({ hook: lab.hookOf('AGENT') })
    pane()
    lab.type('work', `crash-resume-index run --surface s1 -- ${name}`)
    lab.tmux('sock', 'split-window', '-t', 'work', '-c', join(lab.home, 'project'), '/bin/sh')
    lab.type('work:0.1', name)
    const both = [await life(1), await life(2)]
    await eventually('both entries', () =>
      lab.entries().filter(({ proc }) => proc !== undefined).length === 2 ? true : null
    )
    await settled()
    lab.tmux('sock', 'kill-pane', '-t', 'work:0.1')
    lab.tmux('sock', 'kill-server')
    await eventually('the ends', () => (lab.alive().length === 0 ? true : null))
    expect(both).toHaveLength(2)
    expect(lab.entries().map(({ state }) => state)).toEqual(['ready', 'ready'])
  })

  it('takes a good end without a hook for leaving, once the agent has come up, and no other', async () => {
    pane()
    const end = async (line: string, starts: number): Promise<Entry | undefined> => {
      lab.type('work', 'clear; crash-resume-index run --surface s1 -- claude; echo "code=$?"')
      const { pid } = await life(starts)
      await eventually('the start', () =>
        lab.entries()[0]?.proc?.pid === pid && !lab.entries()[0]?.attempt ? true : null
      )
      lab.type('work', line)
      await shows(/code=\d/)
      return lab.entries()[0]
    }
    expect(await end('exit 3', 1)).toMatchObject({ state: 'ready', last_exit: { reason: 'exit code 3' } })
    expect(await end('exit 0', 2)).toMatchObject({
      state: 'ended',
      reason: 'left',
      last_exit: { reason: 'exit code 0' }
    })
  })

  describe('of a command that says which session', () => {
    const told = (): string[][] =>
      readFileSync(join(lab.home, 'arguments'), 'utf8')
        .trim()
        .split('\n')
        .map((one) => JSON.parse(one).slice(1))
    // Without what keeps codex out of a server that it would share.
    const typed = (words: readonly string[] = []): string =>
      words.join(' ').replace('-c features.daemon_auto_start=false ', '')
    const held = (sessionId: string): Promise<Entry> =>
      eventually(
        `the entry of ${sessionId}`,
        () => lab.entries().find((one) => one.sessionId === sessionId && one.proc !== undefined && !one.attempt) ?? null
      )
    const ended = (life: Life): Promise<true> =>
      eventually('the end', () => (lab.alive().some(({ pid }) => pid === life.pid) ? null : true))
    const killed = async (life: Life): Promise<void> => {
      process.kill(life.pid, 'SIGKILL')
      await ended(life)
      await shows('code=')
    }
    const run = (line: string, at = 'work'): void =>
      lab.type(at, `clear; crash-resume-index run -- ${line}; echo "code=$?"`)

    it.each([
      ['claude', '--resume ID --model opus "go on"'],
      ['claude', '-r ID'],
      ['codex', 'resume ID'],
      ['gemini', '--resume ID']
    ])('%s %s resumes one that no entry holds, just as it was typed', async (name, form) => {
      pane()
      lab.type('work', `${name}; echo "bare=$?"`)
      const first = await life(1)
      expect(
        lab.cli(['run', '--surface', 's2', '--', name, ...form.replace('ID', first.sessionId).split(' ')])
      ).toMatchObject({
        status: 125
      })
      lab.type('work', 'exit 0')
      await shows('bare=0')
      run(`${name} ${form.replace('ID', first.sessionId)}`)
      expect(await life(2)).toMatchObject({ form: 'resumed', sessionId: first.sessionId })
      expect(await held(first.sessionId)).toMatchObject({ agent: name, state: 'ready' })
      expect(typed(told()[1])).toBe(form.replace('ID', first.sessionId).replaceAll('"', ''))
    })

    it('moves one here from a pane where it no longer runs, and not from one where it does', async () => {
      pane()
      lab.tmux('sock', 'split-window', '-t', 'work', '-c', lab.folder('other'), '/bin/sh')
      run('claude', 'work:0.0')
      const first = await life(1)
      const { surfaceId } = await held(first.sessionId)
      run(`claude --resume ${first.sessionId}`, 'work:0.1')
      await eventually('the refusal', () => (lab.screen('work:0.1').includes('code=125') ? true : null))
      expect(lab.screen('work:0.1')).toContain('running')
      process.kill(first.pid, 'SIGKILL')
      await ended(first)
      run(`claude --resume ${first.sessionId}`, 'work:0.1')
      const second = await life(2)
      // In the folder of the session, and of what that surface was nothing is lost.
      expect(second).toMatchObject({ sessionId: first.sessionId, cwd: first.cwd })
      const now = await held(first.sessionId)
      expect(lab.forwarded()).toEqual({ [surfaceId]: now.surfaceId })
      expect(now.previous).toEqual([])
      // Where it was, another conversation begins on a word.
      await eventually('the shell', () => (lab.screen('work:0.0').includes('code=137') ? true : null))
      run('claude', 'work:0.0')
      await eventually('the refusal there', () => (lab.screen('work:0.0').includes('--new') ? true : null))
      lab.type('work:0.0', 'clear; crash-resume-index run --new -- claude')
      expect(await life(3)).toMatchObject({ form: 'fresh' })
    })

    it('puts it in the place of what the surface held, unless that runs or may run', async () => {
      pane()
      run('claude')
      const first = await life(1)
      await held(first.sessionId)
      await killed(first)
      lab.type('work', 'clear; crash-resume-index run --new -- claude; echo "code=$?"')
      const second = await life(2)
      await held(second.sessionId)
      await killed(second)
      run(`claude --resume ${first.sessionId}`)
      expect(await life(3)).toMatchObject({ form: 'resumed', sessionId: first.sessionId })
      expect((await held(first.sessionId)).previous).toMatchObject([{ sessionId: second.sessionId, why: 'replaced' }])
    })

    it('starts a new one under the id that the command gives, and resumes it by the same line', async () => {
      const id = '11111111-2222-4333-8444-555555555555'
      pane()
      run(`claude --session-id ${id} --model opus`)
      const first = await life(1)
      expect(first).toMatchObject({ form: 'fresh', sessionId: id })
      expect(told()[0]).toEqual(['--session-id', id, '--model', 'opus'])
      await held(id)
      await killed(first)
      run(`claude --session-id ${id} --model opus`)
      expect(await life(2)).toMatchObject({ form: 'resumed', sessionId: id })
      expect(told()[1]).toEqual(['--resume', id, '--model', 'opus'])
    })

    it('starts nothing in the place of one that there is not', async () => {
      mkdirSync(join(lab.home, '.claude/projects'), { recursive: true })
      const none = lab.cli([
        'run',
        '--surface',
        's1',
        '--',
        'claude',
        '--resume',
        '11111111-2222-4333-8444-555555555555'
      ])
      expect(none.status).toBe(125)
      expect(none.stderr).toContain('claude has no conversation 11111111-2222-4333-8444-555555555555')
      expect(lab.lives()).toEqual([])
      expect(lab.entries()).toEqual([])
      // Where nothing is known of its conversations, the agent says so itself.
      rmSync(join(lab.home, '.claude'), { recursive: true })
      const unknown = lab.cli(['run', '--surface', 's1', '--', 'claude', '-r', '11111111-2222-4333-8444-555555555555'])
      expect(unknown.status).toBe(125)
      expect(unknown.stderr).toContain('claude has no conversation 11111111-2222-4333-8444-555555555555')
      expect(lab.cli(['decide', 's1'])).toMatchObject({ status: 4 })
    })

    it.each(['claude', 'codex'])('hands on what leaves the choice to %s, and records what it chose', async (name) => {
      pane()
      lab.type('work', `${name}; echo "bare=$?"`)
      const first = await life(1)
      lab.type('work', 'exit 0')
      await shows('bare=0')
      const form = name === 'codex' ? 'resume --last' : '-c --model opus'
      run(`${name} ${form}`)
      const second = await life(2)
      expect(second).toMatchObject({ form: 'resumed', sessionId: first.sessionId })
      expect(typed(told()[1])).toBe(form)
      expect(await held(first.sessionId)).toMatchObject({ state: 'ready', agent: name, proc: { pid: second.pid } })
      await killed(second)
      // Its own, which the surface holds.
      run(`${name} ${form}`)
      expect(await life(3)).toMatchObject({ sessionId: first.sessionId })
      await eventually('the third', () => (lab.entries()[0]?.proc?.pid === lab.lives()[2]?.pid ? true : null))
      expect(lab.entries()).toMatchObject([{ sessionId: first.sessionId, previous: [] }])
    })

    it('keeps the conversation of the surface where the picker is left without a choice, and rotates it otherwise', async () => {
      pane()
      lab.type('work', 'claude; echo "bare=$?"')
      const other = await life(1)
      lab.type('work', 'exit 0')
      await shows('bare=0')
      run('claude')
      const own = await life(2)
      await held(own.sessionId)
      await killed(own)
      const [before] = lab.entries()
      run('claude -r')
      await shows('which one?')
      const open = lab.entries()[0]
      expect(open).toMatchObject({ sessionId: own.sessionId, attempt: { kind: 'resume' } })
      // While it is open, nobody else may start it.
      expect(lab.cli(['decide', open?.surfaceId ?? ''])).toMatchObject({ status: 6 })
      lab.type('work', 'exit 0')
      await shows('code=0')
      expect(lab.entries()).toEqual([before])
      run('claude -r')
      await shows('which one?')
      lab.type('work', `pick ${other.sessionId}`)
      expect(await held(other.sessionId)).toMatchObject({ previous: [{ sessionId: own.sessionId, why: 'rotated' }] })
    })
  })

  it('takes the id of an agent that chooses its own from the hook', async () => {
    lab.behave({ hook: lab.hookOf('codex') })
    pane()
    lab.type('work', 'crash-resume-index run --surface s1 -- codex')
    const first = await life(1)
    expect(await settled()).toMatchObject({ surfaceId: 's1', sessionId: first.sessionId, agent: 'codex' })
    process.kill(first.pid, 'SIGKILL')
    lab.type('work', 'clear; crash-resume-index run --surface s1 -- codex')
    expect(await life(2)).toMatchObject({ form: 'resumed', sessionId: first.sessionId })
  })

  it('takes it from what the process shows where there is no hook', async () => {
    pane()
    lab.type('work', 'crash-resume-index run --surface s1 -- codex')
    const first = await life(1)
    await eventually('the id', () => lab.entries().find(({ sessionId }) => sessionId === first.sessionId) ?? null)
    expect(lab.entries()).toMatchObject([{ state: 'ready', proc: { pid: first.pid } }])
    await settled()
    process.kill(first.pid, 'SIGKILL')
    lab.type('work', 'clear; crash-resume-index run --surface s1 -- codex')
    expect(await life(2)).toMatchObject({ form: 'resumed', sessionId: first.sessionId })
  })

  it.each([
    ['by its flag, where its help names one', '      --no-daemon  Run without the server', ['--no-daemon']],
    ['by a setting, where it does not', 'no such flag', ['-c', 'features.daemon_auto_start=false']]
  ])('keeps codex out of the server that it would share with other panes, %s', async (_, help, words) => {
    lab.behave({ help })
    pane()
    lab.type('work', 'crash-resume-index run --surface s1 -- codex -m o3')
    await life(1)
    expect(JSON.parse(readFileSync(join(lab.home, 'arguments'), 'utf8'))).toEqual(['codex', ...words, '-m', 'o3'])
  })

  it('says so where the person chose the server', async () => {
    pane()
    lab.type('work', 'crash-resume-index run --surface s1 -- codex --remote unix://')
    await shows('leaves its sessions to a server')
    await life(1)
    expect(JSON.parse(readFileSync(join(lab.home, 'arguments'), 'utf8'))).toEqual(['codex', '--remote', 'unix://'])
  })

  it('says which moves it cannot follow without a hook, until one has reported', async () => {
    lab.behave({ hook: lab.hookOf('gemini') })
    pane()
    lab.type('work', 'crash-resume-index run --surface s1 -- gemini')
    await shows('without its hooks, gemini is not followed through /clear; `crash-resume-index hooks install gemini`')
    const first = await life(1)
    await settled()
    process.kill(first.pid, 'SIGKILL')
    lab.type('work', 'clear; crash-resume-index run --surface s1 -- gemini')
    await life(2)
    expect(lab.screen('work')).not.toContain('not followed')
  })

  it('follows a conversation that is handed to the background, and waits beside it there', async () => {
    pane()
    lab.type('work', 'crash-resume-index run --surface s1 -- claude')
    const first = await life(1)
    await settled()
    lab.type('work', 'hand over')
    const [, id = ''] = await eventually('the new id', () =>
      /went on as (\S{36})/.exec(lab.screen('work').replaceAll('\n', ''))
    )
    const decided = (): { action: string; sessionId?: string } => JSON.parse(lab.cli(['decide', 's1', '--json']).stdout)
    // Without a turn there, the old session is still the one to resume.
    expect(lab.entries()).toMatchObject([{ sessionId: first.sessionId }])
    lab.type('work', 'turn')
    await eventually('the new session', () => lab.entries().find(({ sessionId }) => sessionId === id) ?? null)
    expect(lab.entries()).toMatchObject([{ previous: [{ sessionId: first.sessionId, why: 'rotated' }] }])

    lab.tmux('sock', 'kill-server')
    await eventually('the death of the first', () => (lab.alive().length === 0 ? true : null))
    expect(decided()).toMatchObject({ action: 'refuse', reason: 'running_elsewhere', sessionId: id })
    await lab.crash()
    expect(decided()).toMatchObject({ action: 'resume', sessionId: id })
  })

  it.each(['claude', 'codex'])(
    'follows a /clear of %s without a hook, and resumes what came after it',
    async (name) => {
      pane()
      lab.type('work', `crash-resume-index run -- ${name}`)
      const first = await life(1)
      await eventually(
        'the first session',
        () => lab.entries().find((one) => one.sessionId === first.sessionId) ?? null
      )
      await settled()
      lab.type('work', 'clear')
      const second = await eventually('the second session', () => {
        const [, id] = /cleared (\S+)/.exec(lab.screen('work').replaceAll('\n', '')) ?? []
        return lab.entries().find(({ sessionId }) => sessionId === id) ?? null
      })
      expect(second.previous).toMatchObject([{ sessionId: first.sessionId, why: 'rotated' }])
      expect(second.proc?.pid).toBe(first.pid)
      process.kill(first.pid, 'SIGKILL')
      lab.type('work', `clear; crash-resume-index run -- ${name}`)
      expect(await life(2)).toMatchObject({ form: 'resumed', sessionId: second.sessionId })
    }
  )

  it('starts nothing where tmux does not say what was in the pane, unless told that it is another matter', async () => {
    mkdirSync(join(lab.home, 'broken'))
    writeFileSync(join(lab.home, 'broken/tmux'), '#!/bin/sh\necho "server exited unexpectedly" >&2\nexit 1\n', {
      mode: 0o755
    })
    pane()
    lab.type('work', 'PATH=../broken:$PATH crash-resume-index run -- claude; echo "code=$?"')
    await shows('code=125')
    expect(lab.screen('work').replaceAll('\n', '')).toContain('tmux does not say what was in this pane before')
    expect(lab.lives()).toEqual([])
    lab.type('work', 'clear; PATH=../broken:$PATH crash-resume-index run --new -- claude')
    expect(await life(1)).toMatchObject({ form: 'fresh' })
  })

  it('gives up with 125 and a reason where nothing can be started', async () => {
    const run = (...words: string[]): { status: number | null; stderr: string } => lab.cli(['run', ...words])
    expect(run('--', 'claude')).toMatchObject({ status: 125, stderr: expect.stringContaining('--surface') })
    expect(run('--surface', 's', '--', 'vim')).toMatchObject({
      status: 125,
      stderr: expect.stringContaining('--agent')
    })
    expect(run('--surface', 's', '--agent', 'claude', '--', 'nowhere-to-be-found').stderr).toContain(
      'could not be started'
    )
    expect(lab.entries()).toMatchObject([{ state: 'spawn_failed', last_attempt: { result: 'not_started' } }])
    expect(run('--surface').status).toBe(125)
    expect(lab.lives()).toEqual([])
  })

  it('hands on what begins no conversation, and keeps nothing of it', () => {
    lab.behave({ quits: 7 })
    for (const words of [['-p', 'x'], ['mcp', 'list'], ['--version'], ['update']]) {
      expect(lab.cli(['run', '--', 'claude', ...words]).status).toBe(7)
    }
    expect(lab.cli(['run', '--', 'codex', 'exec', 'x']).status).toBe(7)
    expect(lab.entries()).toEqual([])
    const told = readFileSync(join(lab.home, 'arguments'), 'utf8').trim().split('\n')
    expect(told.map((line) => JSON.parse(line))).toEqual([
      ['claude', '-p', 'x'],
      ['claude', 'mcp', 'list'],
      ['claude', '--version'],
      ['claude', 'update'],
      ['codex', 'exec', 'x']
    ])
  })

  it('counts starts that end at once, and stops', async () => {
    lab.behave({ quits: 3 })
    const run = (): number | null => lab.cli(['run', '--surface', 's', '--', 'claude']).status
    expect(run()).toBe(3)
    expect(lab.entries()).toMatchObject([{ state: 'spawn_failed', last_attempt: { result: 'exited' } }])
    expect(lab.cli(['run', '--surface', 's', '--', 'claude']).stderr).toContain('Wait:')
    expect(lab.lives()).toHaveLength(1)
  })

  it('unsets what marks an agent inside another, and names the surface that was meant', async () => {
    pane()
    lab.type('work', 'CLAUDECODE=1 CLAUDE_CODE_CHILD_SESSION=1 crash-resume-index run --surface s1 -- claude')
    const first = await life(1)
    expect(first.nesting).toEqual([])
    const environ = readFileSync(`/proc/${first.pid}/environ`, 'utf8').split('\0')
    expect(environ).toContain('CRASH_RESUME_SURFACE=s1')
  })
})
