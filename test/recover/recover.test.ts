/*
 * `recover` in a real tmux, with stand-ins for the agents: what a person types after the machine came back.
 */
import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { record } from '../../src/core/verbs.js'
import { type Entry, updateIndex } from '../../src/index.js'
import { eventually } from '../support/eventually.js'
import { cli, preload } from '../support/programs.js'
import { isBelow, type Life, TmuxLab } from '../support/tmux-lab.js'

let lab: TmuxLab
beforeEach(() => {
  lab = new TmuxLab()
})
afterEach(() => lab.close())

interface Where {
  readonly session: string
  readonly window: number
  readonly agent?: string
  readonly folder?: string
  readonly surface?: string
  readonly socket?: string
}

/** Agents in panes, each by `run`; a window that is named again is split. Back when all have come up. */
async function fill(places: readonly Where[]): Promise<void> {
  const before = lab.lives().length
  for (const { session, window, agent = 'claude', folder = 'project', surface, socket = 'sock' } of places) {
    const driver = lab.driver(socket)
    const cwd = lab.folder(folder)
    const named = surface === undefined ? [] : ['--surface', surface]
    const start = { argv: ['crash-resume-index', 'run', ...named, '--', agent], cwd, env: lab.env }
    const panes = (await lab.panes(socket)).filter(
      ({ position }) => position.session === session && position.window === window
    )
    const last = panes.at(-1)
    if (last === undefined) await driver.open({ session, window }, start)
    else await driver.split(last, start)
  }
  await eventually('the agents', () => {
    const settled = lab
      .entries()
      .filter(({ address, sessionId }) => address !== undefined && !sessionId.startsWith('pending.'))
    return lab.lives().length === before + places.length && settled.length >= places.length ? true : null
  })
}

interface Row {
  readonly surfaceId: string
  readonly sessionId: string
  readonly outcome: string
  readonly reason: string
  readonly was: string
  readonly address?: string
  readonly command?: string
  readonly error?: string
  readonly place?: string
}

function recover(...args: string[]): { status: number | null; rows: readonly Row[]; sums: number[]; stderr: string } {
  const { status, stdout, stderr } = lab.cli(['recover', '--json', '--stagger', '0ms', ...args])
  const { rows, resumed, pending, failed, skipped, total } = JSON.parse(stdout)
  return { status, rows, sums: [resumed, pending, failed, skipped, total], stderr }
}

/** Session by position, of what runs. */
async function living(socket = 'sock'): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const pane of await lab.panes(socket)) {
    const life = lab.alive().find(({ pid }) => isBelow(pid, pane.pid))
    const { session, window, pane: number } = pane.position
    if (life !== undefined) found[`${session}:${window}.${number}`] = life.sessionId
  }
  return found
}

const byAddress = (entries: readonly Entry[]): Record<string, string> =>
  Object.fromEntries(entries.map(({ address = '', sessionId }) => [address, sessionId]))

describe('recover', () => {
  it('takes panes that somebody has laid out again, and never one that runs something else', async () => {
    await fill([
      { session: 'work', window: 0 },
      { session: 'work', window: 1 },
      { session: 'work', window: 1 }
    ])
    const before = byAddress(lab.entries())
    await lab.crash()
    const cwd = join(lab.home, 'project')
    // tmux 3.3a on a busy machine may say "server exited unexpectedly"; a person types it again.
    await eventually('the new server', async () => {
      const opened = await lab
        .driver()
        .open({ session: 'work', window: 0 }, { cwd, env: lab.env })
        .catch(() => null)
      return opened ?? (await lab.panes())[0] ?? null
    })
    lab.tmux('sock', 'new-window', '-d', '-t', 'work:1', '-c', cwd, 'exec sleep 987')
    lab.tmux('sock', 'split-window', '-d', '-t', 'work:1.0', '-c', cwd)
    const panes = await lab.panes()
    const { sums, rows } = recover('--yes')
    expect(rows.filter(({ outcome }) => outcome !== 'resumed').map(({ error }) => error)).toEqual([])
    expect(sums).toEqual([3, 0, 0, 0, 3])
    const places = Object.fromEntries(rows.map(({ was, place }) => [was, place]))
    expect(places).toEqual({ 'work:0.0': 'old place', 'work:1.0': 'new window', 'work:1.1': 'old place' })
    const now = await living()
    expect(now).toMatchObject({
      'work:0.0': before['work:0.0'],
      'work:1.1': before['work:1.1'],
      'work:2.0': before['work:1.0']
    })
    const sleeper = (await lab.panes()).find(({ position }) => position.window === 1 && position.pane === 0)
    expect(sleeper?.pid).toBe(panes.find(({ command }) => command === 'sleep')?.pid)
  })

  it('shows a plan, starts nothing without a yes, and then brings each back to its place', async () => {
    await fill([
      { session: 'work', window: 0 },
      { session: 'work', window: 0 },
      { session: 'work', window: 3, agent: 'codex', folder: 'other' },
      { session: 'side', window: 1, agent: 'gemini', surface: 'coder-1' }
    ])
    const before = byAddress(lab.entries())
    await lab.crash()

    const plan = lab.cli(['recover', '--dry-run'])
    expect(plan.status).toBe(0)
    expect(plan.stdout).toMatch(/SURFACE +WAS AT +SESSION +AGENT +DECISION +WHY/)
    expect(plan.stdout).toContain('4 of 4 conversations to resume')
    expect(lab.cli(['recover'])).toMatchObject({ status: 6, stderr: expect.stringContaining('--yes') })
    expect(await lab.panes()).toEqual([])

    const { status, sums, rows } = recover('--yes')
    const [gemini, ...others] = rows.map(({ outcome, reason, error }) => [outcome, reason, error])
    expect(others).toEqual(Array(3).fill(['resumed', 'ok', undefined]))
    // Without its hook it shows nothing of its session.
    const last = expect.stringContaining('side:1.0; the last line there is: gemini resumes ')
    expect(gemini).toEqual(['pending', 'not_confirmed', last])
    expect([status, sums]).toEqual([0, [3, 1, 0, 0, 4]])
    expect(await living()).toEqual(before)
    expect(byAddress(lab.entries())).toEqual(before)
    expect(
      lab
        .lives()
        .slice(4)
        .every(({ form }) => form === 'resumed')
    ).toBe(true)
    // Each is on the surface that its pane has now, and a named one keeps its name.
    const ids = new Set((await lab.panes()).map(({ surfaceId }) => surfaceId))
    expect(
      lab
        .entries()
        .filter(({ surfaceId }) => !ids.has(surfaceId))
        .map(({ surfaceId }) => surfaceId)
    ).toEqual(['coder-1'])
    // Once more: all of them run.
    expect(recover('--yes')).toMatchObject({ status: 0, sums: [0, 0, 0, 4, 4] })
    expect(lab.lives()).toHaveLength(8)
  })

  it('hands nothing of an agent that it is run by on to the server that it starts', async () => {
    await fill([{ session: 'work', window: 0 }])
    await lab.crash()
    const outer = {
      ...{ CLAUDECODE: '1', CLAUDE_CODE_CHILD_SESSION: '1', COPILOT_CLI: '1' },
      ...{ CRASH_RESUME_SURFACE: 'outer', CRASH_RESUME_ATTEMPT: 'outer-1' }
    }
    expect(lab.cli(['recover', '--yes'], outer).status).toBe(0)
    const [agent] = lab.alive()
    const environment = readFileSync(`/proc/${agent?.pid}/environ`, 'utf8').split('\0')
    expect(environment).toContain(`CRASH_RESUME_SURFACE=${(await lab.panes())[0]?.surfaceId}`)
    const global = lab.tmux('sock', 'show-environment', '-g').split('\n')
    expect(global).toContain(`HOME=${lab.home}`)
    for (const pair of Object.entries(outer).map((words) => words.join('='))) {
      expect(environment).not.toContain(pair)
      expect(global).not.toContain(pair)
    }
  })

  it('leaves what is typed or runs behind a shell alone', async () => {
    await fill([{ session: 'work', window: 0 }])
    await lab.crash()
    lab.tmux('sock', 'new-session', '-d', '-s', 'work')
    lab.type('work', 'sleep 986 &')
    await eventually('the job', () =>
      lab.screen('work').includes('sleep 986') && spawnSync('pgrep', ['-f', 'sleep 986']).status === 0 ? true : null
    )
    expect(recover('--yes').rows).toMatchObject([{ outcome: 'resumed', place: 'new window', address: 'work:1.0' }])
    expect(spawnSync('pgrep', ['-f', 'sleep 986']).status).toBe(0)
  })

  it('sets apart what its person left and what was in a closed pane, and brings it back on a word', async () => {
    await fill([
      { session: 'work', window: 0 },
      { session: 'work', window: 1 },
      { session: 'work', window: 2 },
      { session: 'work', window: 3 }
    ])
    const at = byAddress(lab.entries())
    const entryAt = (address: string): Entry => lab.entries().find((one) => one.address === address) as Entry
    const dead = (address: string): Promise<true> =>
      eventually(`the end of ${address}`, () =>
        lab.alive().some(({ sessionId }) => sessionId === at[address]) ? null : true
      )
    // The pane of the one that is killed stays, as with a shell around it.
    lab.tmux('sock', 'set-option', '-g', 'remain-on-exit', 'on')
    lab.type('work:1', '/exit')
    await eventually('the leaving', () => (entryAt('work:1.0').reason === 'left' ? true : null))
    process.kill(lab.alive().find(({ sessionId }) => sessionId === at['work:2.0'])?.pid ?? 0, 'SIGKILL')
    await dead('work:2.0')
    lab.tmux('sock', 'kill-pane', '-t', 'work:3.0')
    await dead('work:3.0')

    const plan = recover('--dry-run')
    expect(plan.rows.map(({ was, outcome, reason }) => [was, outcome, reason])).toEqual([
      ['work:0.0', 'skipped', 'already_running'],
      ['work:1.0', 'skipped', 'left'],
      ['work:2.0', 'pending', 'planned'],
      ['work:3.0', 'pending', 'pane_closed']
    ])
    const { stdout } = lab.cli(['recover', '--dry-run'])
    expect(stdout).toContain('1 in closed panes (--closed resumes them); 1 left by their person (--left resumes them)')
    expect(lab.cli(['status']).stdout).toMatch(/^1 alive, 1 crashed, 1 closed, 1 left/m)
    const planned = (...args: string[]): string[] =>
      recover('--dry-run', ...args).rows.flatMap(({ was, reason }) => (reason === 'planned' ? [was] : []))
    expect(planned('--left')).toEqual(['work:1.0', 'work:2.0'])
    expect(planned('--closed')).toEqual(['work:2.0', 'work:3.0'])
    expect(planned('--only', 'work:*')).toEqual(['work:2.0'])
    expect(planned('--only', 'work:3.0')).toEqual(['work:3.0'])
    expect(planned('--only', entryAt('work:3.0').surfaceId)).toEqual(['work:3.0'])
    expect(recover('--yes', '--left', '--closed').sums).toEqual([3, 0, 0, 1, 4])
    expect(Object.values(await living()).sort()).toEqual(Object.values(at).sort())
    expect(lab.entries().map(({ state }) => state)).toEqual(['ready', 'ready', 'ready', 'ready'])
  })

  it('takes five of many by a pattern', async () => {
    await fill([
      { session: 'work', window: 0 },
      { session: 'work', window: 1 },
      { session: 'side', window: 0, folder: 'other' }
    ])
    await lab.crash()
    expect(recover('--dry-run', '--only', 'work:*').sums[4]).toBe(2)
    expect(recover('--dry-run', '--only', 'other').rows.map(({ was }) => was)).toEqual(['side:0.0'])
    expect(recover('--yes', '--only', 'side:0').sums).toEqual([1, 0, 0, 0, 1])
    expect(Object.keys(await living())).toEqual(['side:0.0'])
  })

  it('leaves a transcript that has lost something to a person, and says so everywhere', async () => {
    await fill([
      { session: 'work', window: 0 },
      { session: 'work', window: 1 }
    ])
    await eventually('the marks', () => lab.entries().every(({ mark }) => mark !== undefined) || null)
    const [cut] = lab.entries().filter(({ address }) => address === 'work:1.0')
    if (cut === undefined) throw new Error('no such entry')
    await lab.crash()
    // A message is left of it.
    writeFileSync(lab.transcriptOf(cut), '{"type":"user"}\n')

    const words = 'smaller than when it was last seen'
    const plan = lab.cli(['recover', '--dry-run']).stdout
    expect(plan).toContain('1 of 2 conversations to resume')
    expect(plan).toContain(words)
    expect(lab.cli(['why', cut.surfaceId]).stdout).toContain(words)
    expect(lab.cli(['decide', cut.surfaceId]).stdout).toContain(words)
    const shown = lab.cli(['status']).stdout
    expect(shown).toContain(words)
    expect(shown).toContain('resumes what is left')
    const { rows, sums } = recover('--yes')
    expect(sums).toEqual([1, 1, 0, 0, 2])
    const [left] = rows.filter(({ outcome }) => outcome === 'pending')
    expect(left).toMatchObject({ surfaceId: cut.surfaceId, reason: 'transcript_shrunk' })
    expect(await living()).not.toHaveProperty('work:1.0')
    // The person's word, as the report gives it.
    expect(left?.command).toContain('recover --only')
    expect(recover('--yes', '--only', 'work:1.0').sums).toEqual([1, 0, 0, 0, 1])
    expect((await living())['work:1.0']).toBe(cut.sessionId)
  })

  it('says which conversation its agent is about to remove by its age', async () => {
    await fill([{ session: 'work', window: 0 }])
    await lab.crash()
    const [entry] = lab.entries()
    if (entry === undefined) throw new Error('no entry')
    const old = Date.now() / 1000 - 25.5 * 86_400
    utimesSync(lab.transcriptOf(entry), old, old)
    for (const command of [['recover', '--dry-run'], ['status'], ['why', entry.surfaceId], ['doctor']]) {
      expect(lab.cli(command).stdout).toContain('its agent removes it in 5 days')
    }
    writeFileSync(join(lab.home, '.claude/settings.json'), '{"cleanupPeriodDays":365}')
    expect(lab.cli(['status']).stdout).not.toContain('removes it')
  })

  it('gives back what loosens an agent on --grants and one more yes alone', async () => {
    const cwd = lab.folder('project')
    const argv = ['crash-resume-index', 'run', '--', 'claude', '--verbose', '--dangerously-skip-permissions']
    await lab.driver().open({ session: 'work', window: 0 }, { argv, cwd, env: lab.env })
    await eventually('the agent', () => lab.entries().find(({ address }) => address !== undefined) ?? null)
    await lab.crash()
    const told = (): readonly string[][] =>
      readFileSync(join(lab.home, 'arguments'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    expect(lab.cli(['recover', '--dry-run']).stdout).toContain('without --dangerously-skip-permissions')
    expect(lab.cli(['recover', '--dry-run', '--grants']).stdout).toContain('with --dangerously-skip-permissions')
    // A terminal for the person, beside the server that died.
    const asked = async (answers: readonly string[]): Promise<void> => {
      lab.type('ops', 'clear; crash-resume-index recover --grants; echo "code=$?"', 'other')
      for (const [at, question] of ['Resume 1 conversation?', 'Give 1 agent back the flags'].entries()) {
        await eventually(question, () => (lab.screen('ops', 'other').includes(question) ? true : null))
        lab.type('ops', answers[at] ?? '', 'other')
      }
      await eventually('the end', () => (/code=\d/.test(lab.screen('ops', 'other')) ? true : null))
    }
    lab.tmux('other', 'new-session', '-d', '-s', 'ops', '-x', '200', '-y', '50')
    await asked(['y', 'n'])
    expect(lab.screen('ops', 'other')).toContain('nothing was started; without --grants they start without these flags')
    expect(told()).toHaveLength(1)
    await asked(['y', 'y'])
    const [, again = []] = told()
    expect(again).toEqual(expect.arrayContaining(['--resume', '--verbose', '--dangerously-skip-permissions']))
    await lab.crash()
    // Once given, it is asked for again.
    expect(recover('--yes').sums[0]).toBe(1)
    expect(told()[2]).toContain('--verbose')
    expect(told()[2]).not.toContain('--dangerously-skip-permissions')
  })

  it('tries again what failed as often as allowed, and what cannot be told to run, on a person’s word alone', async () => {
    await fill([{ session: 'work', window: 0 }])
    await lab.crash()
    lab.behave({ quits: 3 })
    for (const round of [1, 2]) expect([round, recover('--yes', '--retry').sums[2]]).toEqual([round, 1])
    lab.behave({})
    expect(recover('--yes').rows).toMatchObject([{ outcome: 'skipped', reason: 'attempts_exhausted' }])
    expect(recover('--yes', '--retry').sums).toEqual([1, 0, 0, 0, 1])
    await lab.crash()
    // As a hook leaves it that could not tell its process.
    const [entry] = lab.entries()
    if (entry === undefined) throw new Error('no entry')
    const { proc: _, last_attempt: __, ...rest } = entry
    const unclear: Entry = { ...rest, proc_unknown: true, attempts: 0 }
    await updateIndex(lab.index, (index) => ({ ...index, entries: { ...index.entries, [entry.surfaceId]: unclear } }))
    expect(recover('--yes').rows).toMatchObject([{ outcome: 'pending', reason: 'liveness_unknown' }])
    expect(recover('--yes', '--not-running').sums).toEqual([1, 0, 0, 0, 1])
  })

  it('says that an agent waits at a question, in place of a success', async () => {
    await fill([{ session: 'work', window: 0 }])
    await lab.crash()
    lab.behave({ question: 'Is this a project you created or one you trust?' })
    const { status, rows, sums } = recover('--yes')
    expect([status, sums]).toEqual([1, [0, 0, 1, 0, 1]])
    expect(rows[0]).toMatchObject({
      outcome: 'failed',
      reason: 'timeout',
      error: 'it asks something first; answer it in work:0.0',
      command: `tmux -S ${lab.socket()} attach -t work:0.0`
    })
    // It is there, so that nobody starts another.
    expect(recover('--yes').sums).toEqual([0, 0, 0, 1, 1])
    expect(lab.lives()).toHaveLength(2)
  })

  /** Two in two folders, of which the first one's transcript is not where its agent looks; where it is now. */
  async function movedTranscript(): Promise<{ sessionId: string | undefined; path: string }> {
    await fill([
      { session: 'work', window: 0 },
      { session: 'work', window: 1, folder: 'other' }
    ])
    const [first] = lab.lives()
    await lab.crash()
    const projects = join(lab.home, '.claude/projects')
    const folder =
      readdirSync(projects).find((name) => existsSync(join(projects, name, `${first?.sessionId}.jsonl`))) ?? ''
    renameSync(join(projects, folder), join(projects, '-elsewhere'))
    return { sessionId: first?.sessionId, path: join(projects, '-elsewhere', `${first?.sessionId}.jsonl`) }
  }

  it('tells a session that its agent does not know from one that failed', async () => {
    const { sessionId, path } = await movedTranscript()
    // It cannot be told whether this is a transcript, so that the agent is believed.
    writeFileSync(path, 'nothing that could be read')
    // Nor what it was before: an earlier version noted no size.
    await updateIndex(lab.index, (index) => {
      const unmarked = Object.values(index.entries).map(({ mark: _, ...entry }) => [entry.surfaceId, entry])
      return { ...index, entries: Object.fromEntries(unmarked) }
    })
    const { rows, sums } = recover('--yes')
    expect(sums).toEqual([1, 1, 0, 0, 2])
    expect(rows.find((row) => row.sessionId === sessionId)).toMatchObject({
      outcome: 'pending',
      reason: 'session_gone',
      command: expect.stringContaining('crash-resume-index run --surface')
    })
    lab.behave({ quits: 4 })
    await lab.crash()
    expect(recover('--yes').rows.map(({ outcome, reason }) => [outcome, reason])).toContainEqual(['failed', 'exited'])
  })

  it('believes a transcript that is there over what an agent says on the screen', async () => {
    const { sessionId, path } = await movedTranscript()
    const { rows, sums } = recover('--yes')
    expect(sums).toEqual([1, 0, 1, 0, 2])
    expect(rows.find((row) => row.sessionId === sessionId)).toMatchObject({
      outcome: 'failed',
      reason: 'exited',
      error: expect.stringContaining(`but its transcript is ${path}`)
    })
  })

  it('copies what it lets agents write to first, and gives a copy back while its session does not run', async () => {
    await fill([
      { session: 'work', window: 0 },
      { session: 'work', window: 1, agent: 'codex' }
    ])
    const [claude, codex] = lab.lives()
    if (claude === undefined || codex === undefined) throw new Error('no lives')
    await lab.crash()
    const before = readFileSync(lab.transcriptOf(claude), 'utf8')
    const { stderr, sums } = recover('--yes')
    expect(sums).toEqual([2, 0, 0, 0, 2])
    expect(stderr).toContain('2 conversations are copied')
    expect(readFileSync(lab.transcriptOf(claude), 'utf8')).not.toBe(before)
    const { conversations } = JSON.parse(lab.cli(['history', '--json']).stdout)
    const copy = conversations.find(({ sessionId }: Life) => sessionId === claude.sessionId)
    expect(conversations.map(({ sessionId }: Life) => sessionId).sort()).toEqual(
      [claude.sessionId, codex.sessionId].sort()
    )
    expect(lab.cli(['restore', copy.name])).toMatchObject({
      status: 6,
      stderr: expect.stringContaining('may be running')
    })
    expect(lab.cli(['restore', copy.name, '--not-running'])).toMatchObject({ status: 6 })
    await lab.crash()
    expect(lab.cli(['restore', copy.name])).toMatchObject({ status: 0 })
    expect(readFileSync(lab.transcriptOf(claude), 'utf8')).toBe(before)
    expect(JSON.parse(lab.cli(['history', '--json']).stdout).conversations).toHaveLength(3)
  })

  it('resumes in spite of a copy that fails, and says so', async () => {
    await fill([
      { session: 'work', window: 0 },
      { session: 'work', window: 1 }
    ])
    await lab.crash()
    writeFileSync(`${lab.index}.conversations`, 'in the way')
    const { stderr, sums } = recover('--yes')
    expect(sums).toEqual([2, 0, 0, 0, 2])
    expect(stderr).toMatch(/is not copied: ENOTDIR/)
  })

  it('copies a conversation of Gemini aside first, unless its retention is off', async () => {
    await fill([{ session: 'work', window: 0, agent: 'gemini' }])
    await lab.crash()
    const { stderr } = recover('--yes')
    expect(stderr).toContain('gemini may delete a resumed conversation')
    const [copy = ''] = readdirSync(`${lab.index}.conversations`)
    const [life] = lab.lives()
    expect(readFileSync(join(`${lab.index}.conversations`, copy, 'transcript'), 'utf8')).toContain(life?.sessionId)
    await lab.crash()
    mkdirSync(join(lab.home, '.gemini'), { recursive: true })
    writeFileSync(join(lab.home, '.gemini/settings.json'), '{"general":{"sessionRetention":{"enabled":false}}}')
    expect(recover('--yes').sums.slice(0, 3)).toEqual([0, 1, 0])
    expect(readdirSync(`${lab.index}.conversations`)).toHaveLength(1)
  })

  it('claims nothing where the server does not answer, the program is missing, or another terminal has the pane', async () => {
    await fill([{ session: 'work', window: 0 }])
    const [entry] = lab.entries()
    await lab.crash()
    rmSync(join(lab.home, 'bin/claude'))
    await updateIndex(lab.index, (index) =>
      record(
        index,
        { ...(entry as Entry), surfaceId: 'zellij:12.34:5', sessionId: '11111111-2222-4333-8444-555555555555' },
        Date.now()
      )
    )
    const { rows } = recover('--yes')
    expect(rows.map(({ reason }) => reason)).toContain('program_missing')
    expect(rows.find(({ surfaceId }) => surfaceId.startsWith('zellij'))?.outcome).toBe('pending')
    expect(lab.entries().every(({ last_attempt: last }) => last?.kind !== 'resume')).toBe(true)
  })

  it('resumes each once when two recoveries run at once', async () => {
    await fill([
      { session: 'work', window: 0 },
      { session: 'work', window: 0 },
      { session: 'work', window: 1 },
      { session: 'side', window: 0 }
    ])
    const before = byAddress(lab.entries())
    await lab.crash()
    const start = (): Promise<string> =>
      new Promise((resolve) => {
        const child = spawn(process.execPath, [cli(), 'recover', '--yes', '--json', '--stagger', '0ms'], {
          env: lab.env,
          cwd: lab.home
        })
        let text = ''
        child.stdout.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        child.once('close', () => resolve(text))
      })
    const reports = (await Promise.all([start(), start()])).map((text) => JSON.parse(text))
    expect(reports.map(({ total }) => total)).toEqual([4, 4])
    expect(reports[0].resumed + reports[1].resumed).toBe(4)
    expect(
      lab
        .lives()
        .slice(4)
        .map(({ sessionId }) => sessionId)
        .sort()
    ).toEqual(Object.values(before).sort())
    expect(Object.values(await living()).sort()).toEqual(Object.values(before).sort())
  })

  it('finishes the rest, and doubles nothing, after it was killed at any step', async () => {
    lab.behave({ hook: lab.hookOf('claude') })
    await fill([
      { session: 'work', window: 0 },
      { session: 'work', window: 0 }
    ])
    const before = byAddress(lab.entries())
    const steps = join(lab.home, 'steps')
    const stepwise = (at: number): NodeJS.Signals | null => {
      rmSync(steps, { force: true })
      const args = [
        '--require',
        preload('step-killer'),
        cli(),
        'recover',
        '--yes',
        '--json',
        '--at-once',
        '1',
        '--stagger',
        '0ms'
      ]
      const env = { ...lab.env, STEP_TO_DIE: String(at), STEPS_REACHED: steps }
      return spawnSync(process.execPath, args, { env, cwd: lab.home }).signal
    }
    const reset = async (): Promise<void> => {
      await lab.crash()
      // Of the attempts that were killed the next pass is to see nothing but what they did.
      for (const { surfaceId } of lab.entries()) expect(lab.cli(['policy', surfaceId, 'auto']).status).toBe(0)
    }
    await reset()
    expect(stepwise(0)).toBeNull()
    const all = readFileSync(steps, 'utf8').trim().split('\n')
    expect(all.filter((line) => line.endsWith('commit')).length).toBeGreaterThan(3)
    const stride = process.env['CRI_FULL'] === '1' ? 1 : 3
    // How many steps there are depends on how long a pane takes: until a run comes to its end before it is killed.
    for (let at = 1, signal: NodeJS.Signals | null = 'SIGKILL'; signal !== null; at += stride) {
      await reset()
      const started = lab.lives().length
      signal = stepwise(at)
      if (signal === null) expect(at).toBeGreaterThan(all.length / 2)
      await eventually('the agents that it has started', () =>
        lab.alive().every(({ pid }) => lab.isUp(pid)) ? true : null
      )
      const { sums } = recover('--yes')
      expect(sums[2], `after step ${all[at - 1]}`).toBe(0)
      const since = lab.lives().slice(started)
      expect(since.map(({ form, sessionId }) => `${form} ${sessionId}`).sort(), `killed before ${all[at - 1]}`).toEqual(
        Object.values(before)
          .map((id) => `resumed ${id}`)
          .sort()
      )
      expect(Object.values(await living()).sort()).toEqual(Object.values(before).sort())
    }
  })
})
