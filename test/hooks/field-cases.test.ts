/*
 * Cases from the public bug reports of other tools, by kind; each title names the report. What is expected is that the
 * same input goes right here.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claudeProjectSlug } from '../../src/agents/claude-slug.js'
import { commandLineFor, resumeSpec } from '../../src/agents/command.js'
import { AGENTS } from '../../src/agents/table.js'
import { claim } from '../../src/core/attempts.js'
import { decide } from '../../src/core/decide.js'
import { emptyIndex, record } from '../../src/core/verbs.js'
import type { Finding } from '../../src/probes/transcript-files.js'
import { findTranscript } from '../../src/probes/transcripts.js'
import { loadIndex, updateIndex } from '../../src/store/store.js'
import { claudeEvent, type Tmux, World } from '../support/world.js'

let world: World
let tmux: Tmux
let home: string
beforeEach(() => {
  world = new World()
  tmux = world.tmux()
  home = mkdtempSync(join(tmpdir(), 'cri-cases-'))
})
afterEach(() => {
  world.remove()
  rmSync(home, { recursive: true })
})

const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const [A, B] = [id(1), id(2)]
const event = claudeEvent
const spec = (ending = ''): readonly string[] => resumeSpec(world.entry(ending), { agents: AGENTS }).args

function transcript(cwd: string, sessionId: string): string {
  const path = join(home, '.claude/projects', claudeProjectSlug(cwd), `${sessionId}.jsonl`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `{"type":"user","cwd":${JSON.stringify(cwd)}}\n`)
  return path
}
async function findClaude(sessionId: string, cwd?: string): Promise<Finding> {
  const row = AGENTS['claude']
  if (row === undefined) throw new Error('no row')
  return findTranscript(row, { sessionId, ...(cwd === undefined ? {} : { cwd }) }, { env: { HOME: home } })
}

describe('wrong session in the same folder', () => {
  async function panes(count: number, agent = 'claude'): Promise<number[]> {
    const pids: number[] = []
    for (let pane = 0; pane < count; pane++) pids.push(await world.pane(tmux, `%${pane}`, id(pane), agent))
    return pids
  }
  const decisions = (count: number): (string | undefined)[] =>
    Array.from({ length: count }, (_, pane) => world.decide(`:%${pane}`, { [id(pane)]: 'found' }).sessionId)

  test('five codex panes, stopped: each keeps its own (agent-of-empires#3300)', async () => {
    for (const pid of await panes(5, 'codex')) world.kill(pid)
    expect(decisions(5)).toEqual([0, 1, 2, 3, 4].map(id))
  })

  test('a person starts claude again by hand: the pane is followed, the old id kept (ccmux#55)', async () => {
    world.kill(await world.pane(tmux, '%0', A))
    const second = world.start(tmux.server, 'claude')
    const report = await world.hook('claude', second, tmux.env('%0'), event('SessionStart', B))
    expect(report.outcome).toBe('rotated')
    expect(world.entry()).toMatchObject({ sessionId: B, previous: [{ sessionId: A, why: 'rotated' }] })
  })

  test('a check may reject the stored id, never put another in its place (agent-of-empires#3555)', async () => {
    transcript('/home/dev/p1', B)
    expect((await findClaude(A, '/home/dev/p1')).state).toBe('missing')
    world.kill(await world.pane(tmux, '%0', A))
    expect(world.decide('', { [A]: 'missing', [B]: 'found' })).toMatchObject({
      action: 'fresh',
      reason: 'session_gone'
    })
  })

  test('two tabs in one worktree resume their own, by id (tuicommander#119, kanban#411)', async () => {
    await panes(2)
    expect([spec(':%0'), spec(':%1')]).toEqual([
      ['--resume', id(0)],
      ['--resume', id(1)]
    ])
  })

  test('ten in one folder at once after a reboot, and none twice (agent-of-empires#3516)', async () => {
    for (const pid of await panes(10)) world.kill(pid)
    expect(new Set(decisions(10)).size).toBe(10)
    const input = { surfaceId: 'another', sessionId: id(3), repo: 'r', attemptId: 'a', owner: world.owner(1) }
    const evidence = { candidates: [id(3)], running: 'no', verdicts: [] } as const
    const taken = claim(world.index(), { ...input, evidence }, { now: world.now })
    const held = claim(taken.index, { ...input, surfaceId: 'third', attemptId: 'b', evidence }, { now: world.now })
    expect(held.decision.action).not.toBe('resume')
  })

  test('a pane attached anew has another tty and is the same surface (gajae-code#432)', async () => {
    const claude = await world.pane(tmux, '%0', A)
    const again = { ...tmux.env('%0'), SSH_TTY: '/dev/ttys009', TTY: '/dev/ttys009' }
    await world.hook('claude', claude, again, event('UserPromptSubmit', A))
    expect(world.surfaces()).toHaveLength(1)
  })

  test('four panes of one folder have four ids (lazy-tmux#276)', async () => {
    await panes(4)
    expect(new Set(Object.values(world.index().entries).map((entry) => entry.sessionId)).size).toBe(4)
  })

  test('a plain claude elsewhere in the folder takes nothing from a dead pane (agent-deck#411)', async () => {
    world.kill(await world.pane(tmux, '%0', A))
    const plain = world.start(1, 'claude')
    expect((await world.hook('claude', plain, {}, event('SessionStart', B))).outcome).toBe('unbound')
    expect(world.decide('', { [A]: 'found' })).toMatchObject({ action: 'resume', sessionId: A })
  })

  test('codex is resumed by its id, never by --last (skill-codex#24)', async () => {
    await world.pane(tmux, '%0', A, 'codex')
    expect(spec()).toEqual(['resume', A])
  })
})

describe('a pane id comes back', () => {
  test('the next server counts from %0 again: another surface (thurbox#971, reevesagents#17)', async () => {
    world.kill(await world.pane(tmux, '%3', A))
    world.kill(tmux.server)
    const next = world.tmux()
    await world.pane(next, '%3', B)
    const [before, after] = world.surfaces().map((surfaceId) => world.index().entries[surfaceId])
    expect(before).toMatchObject({ sessionId: A })
    expect(after).toMatchObject({ sessionId: B })
    expect(before?.scope).not.toBe(after?.scope)
  })

  test('two live agents under one surface: the first stays (cmux#8425)', async () => {
    const env = { CMUX_SURFACE_ID: '11111111-2222-3333-4444-555555555555' }
    const first = world.start(world.start(1, 'zsh'), 'claude')
    const second = world.start(world.start(1, 'zsh'), 'claude')
    await world.hook('claude', first, env, event('SessionStart', A))
    expect((await world.hook('claude', second, env, event('SessionStart', B))).outcome).toBe('nested')
    expect(world.entry().sessionId).toBe(A)
  })

  test('another agent in the pane is another session of another kind (repowire#19)', async () => {
    world.kill(await world.pane(tmux, '%0', A))
    const gemini = world.start(tmux.server, 'node /usr/bin/gemini')
    await world.hook('gemini', gemini, tmux.env('%0'), event('SessionStart', B))
    expect(world.entry()).toMatchObject({ agent: 'gemini', sessionId: B, previous: [{ sessionId: A }] })
  })

  test('a surface has the id that is stable, where a terminal has two (cmux#9767)', async () => {
    const env = { CMUX_SURFACE_ID: '11111111-2222-3333-4444-555555555555', CMUX_TAB_ID: 'surface:3' }
    await world.hook('claude', world.start(1, 'claude'), env, event('SessionStart', A))
    expect(world.surfaces()).toEqual(['cmux:11111111-2222-3333-4444-555555555555'])
  })

  test('a pane of a server that is gone is no surface (gastown#4342)', async () => {
    const env = tmux.env('%812')
    world.kill(tmux.server)
    const claude = world.start(world.tmux().server, 'claude')
    expect(await world.hook('claude', claude, env, event('SessionStart', A))).toMatchObject({ outcome: 'unbound' })
  })

  test('every surface names the life of its server (live-log-viewer-next#19)', async () => {
    await world.pane(tmux, '%0', A)
    await world.pane(tmux, '%1', B)
    const scopes = Object.values(world.index().entries).map((entry) => entry.scope)
    expect(new Set(scopes)).toEqual(new Set([`tmux:${tmux.socket}:${tmux.server}.${tmux.server}0@boot-1`]))
  })
})

describe('the id changes under way', () => {
  test('a clear without a start event: the next event of the process tells (claude-code#28692)', async () => {
    for (const [pane, name] of [
      ['%0', 'UserPromptSubmit'],
      ['%1', 'Stop']
    ] as const) {
      const [first, next] = pane === '%0' ? [id(10), id(11)] : [id(20), id(21)]
      const claude = await world.pane(tmux, pane, first)
      expect((await world.hook('claude', claude, tmux.env(pane), event(name, next))).outcome).toBe('rotated')
    }
  })

  test('a resume under a new id: the newest with a transcript is resumed (claude-code#12235)', async () => {
    world.kill(await world.pane(tmux, '%0', A))
    const second = world.start(tmux.server, `claude --resume ${A}`)
    await world.hook('claude', second, tmux.env('%0'), event('SessionStart', B, { source: 'resume' }))
    world.kill(second)
    const no = { running: { [A]: 'no', [B]: 'no' } } as const
    expect(world.decide('', { [A]: 'found', [B]: 'missing' }, no)).toMatchObject({ action: 'resume', sessionId: A })
    expect(world.decide('', { [A]: 'found', [B]: 'found' }, no)).toMatchObject({ action: 'resume', sessionId: B })
  })

  test("the agent's own registry does not speak against its hook (claude-code#53037)", async () => {
    const claude = await world.pane(tmux, '%0', A)
    mkdirSync(join(home, '.claude/sessions'), { recursive: true })
    writeFileSync(join(home, `.claude/sessions/${claude}.json`), JSON.stringify({ pid: claude, sessionId: A }))
    const env = { ...tmux.env('%0'), HOME: home }
    await world.hook('claude', claude, env, event('SessionStart', B, { source: 'clear' }))
    expect(world.entry().sessionId).toBe(B)
  })

  test('the end of the old session is no exit of the agent (cmux#13021)', async () => {
    const claude = await world.pane(tmux, '%0', A)
    await world.hook('claude', claude, tmux.env('%0'), event('SessionEnd', A, { reason: 'resume' }))
    expect(world.entry()).toMatchObject({ sessionId: A, state: 'ready', last_exit: { reason: 'resume' } })
    await world.hook('claude', claude, tmux.env('%0'), event('SessionStart', B, { source: 'resume' }))
    expect(world.entry()).toMatchObject({ sessionId: B, state: 'ready', policy: 'auto' })
    expect(world.entry().last_exit).toBeUndefined()
  })

  test('a clear right after the start, before any prompt (termic#307)', async () => {
    const claude = await world.pane(tmux, '%0', A)
    await world.hook('claude', claude, tmux.env('%0'), event('SessionEnd', A, { reason: 'clear' }))
    await world.hook('claude', claude, tmux.env('%0'), event('SessionStart', B, { source: 'clear' }))
    world.kill(claude)
    expect(world.decide('', { [B]: 'found' })).toMatchObject({ action: 'resume', sessionId: B })
  })

  test('a real session takes the place of an empty one (herdr#627)', async () => {
    const claude = await world.pane(tmux, '%0', A)
    await world.hook('claude', claude, tmux.env('%0'), event('SessionStart', B, { source: 'resume' }))
    world.kill(claude)
    const decision = world.decide('', { [A]: 'missing', [B]: 'found' })
    expect(decision).toMatchObject({ action: 'resume', reason: 'ok', sessionId: B })
  })
})

describe('an agent inside an agent', () => {
  const inner = async (line: string, payload: object, marks: Record<string, string> = {}): Promise<string> => {
    const outer = await world.pane(tmux, '%0', A)
    const nested = world.start(world.start(outer, 'bash -c x', 'bash'), line)
    return (await world.hook('claude', nested, { ...tmux.env('%0'), ...marks }, payload)).outcome
  }

  test.each(['startup', 'compact', 'resume', 'clear'])('whatever its event says: %s (herdr#672)', async (source) => {
    expect(await inner('claude', event('SessionStart', B, { source }))).toBe('nested')
    expect(world.entry().sessionId).toBe(A)
  })

  test('an agent below a shell of a shell is none (ccgram#135)', async () => {
    const shell = world.start(tmux.server, 'bash -lc x', 'bash')
    const claude = world.start(world.start(shell, 'bash'), 'claude')
    expect((await world.hook('claude', claude, tmux.env('%0'), event('SessionStart', A))).outcome).toBe('captured')
  })

  test('claude -p of a plugin, in another folder (herdr#511)', async () => {
    const outcome = await inner('claude -p hi', event('SessionStart', B, { cwd: '/tmp', source: 'startup' }))
    expect(outcome).toBe('nested')
    expect(world.entry()).toMatchObject({ sessionId: A, cwd: '/home/dev/p1' })
  })

  test('claude --print where its place among the processes does not tell (herdr#531)', async () => {
    const outer = await world.pane(tmux, '%0', A)
    const headless = world.start(tmux.server, 'claude --print Reply OK')
    const report = await world.hook('claude', headless, tmux.env('%0'), event('SessionStart', B))
    expect(report.outcome).toBe('nested')
    world.kill(outer)
    await world.hook('claude', headless, tmux.env('%0'), event('SessionStart', B))
    expect(world.entry().sessionId).toBe(A)
  })
})

describe('the environment names a wrong pane, or none', () => {
  test('a window in the background has its own pane (bendrucker/claude#626)', async () => {
    await world.pane(tmux, '%0', A)
    await world.pane(tmux, '%7', B)
    expect(world.entry(':%7').sessionId).toBe(B)
  })

  test("a background session carries its daemon's pane (orca#9236)", async () => {
    await world.pane(tmux, '%0', A)
    const daemon = world.start(tmux.server, 'claude daemon')
    const env = { ...tmux.env('%0'), CLAUDE_JOB_DIR: '/home/dev/.claude/jobs/1' }
    const report = await world.hook('claude', world.start(daemon, 'claude'), env, event('SessionStart', B))
    expect(report).toMatchObject({ outcome: 'unbound', why: 'background' })
    expect(world.entry().sessionId).toBe(A)
  })

  test("a job's folder is nobody's project (workmux#231)", async () => {
    const claude = world.start(tmux.server, 'claude')
    const payload = event('SessionStart', B, { cwd: '/home/dev/.claude/jobs/1' })
    const report = await world.hook('claude', claude, tmux.env('%0'), payload)
    expect(report).toMatchObject({ outcome: 'unbound', why: 'background' })
  })

  test('no pane in the environment: none is guessed (claude-code#84892)', async () => {
    const claude = world.start(tmux.server, 'claude')
    expect((await world.hook('claude', claude, {}, event('SessionStart', A))).outcome).toBe('unbound')
    const { TMUX = '' } = tmux.env('%0')
    expect((await world.hook('claude', claude, { TMUX }, event('SessionStart', A))).outcome).toBe('unbound')
    expect(world.surfaces()).toEqual([])
  })
})

describe('how a folder is spelled', () => {
  test('the reported path goes before any encoding (dr-claw#207, claude-code#54865)', async () => {
    const odd = join(home, 'elsewhere', `${A}.jsonl`)
    const claude = world.start(tmux.server, 'claude')
    const payload = event('SessionStart', A, { transcript_path: odd, cwd: '/Users/you/Documents/项目/demo' })
    await world.hook('claude', claude, tmux.env('%0'), payload)
    expect(world.entry()).toMatchObject({ transcript: odd, cwd: '/Users/you/Documents/项目/demo' })
  })

  test('through a link and by its real name (notebook-intelligence#171, claude-code#74043)', async () => {
    const [real, link] = [join(home, 'real'), join(home, 'link')]
    mkdirSync(real)
    symlinkSync(real, link)
    transcript(real, A)
    transcript(link, B)
    expect(await findClaude(A, link)).toMatchObject({ state: 'found', where: 'own' })
    expect(await findClaude(B, link)).toMatchObject({ state: 'found', where: 'own' })
    expect(await findClaude(B, real)).toMatchObject({ state: 'found', where: 'elsewhere' })
  })

  test('case is kept, and what another case keeps is found all the same (claude-code#76043, #90588)', async () => {
    transcript('/mnt/c/Proj', A)
    expect(await findClaude(A, '/mnt/c/proj')).toMatchObject({ state: 'found', where: 'elsewhere' })
  })

  test.each([
    ['/mnt/c/Proj', '/mnt/c/proj'],
    ['/mnt/c/proj', '/mnt/c/Proj']
  ])(
    'a disk that folds case: %s keeps the transcript and is where it is resumed (claude-code#62276)',
    async (kept, other) => {
      const transcript_path = `/home/dev/.claude/projects/${claudeProjectSlug(kept)}/${A}.jsonl`
      for (const [cwd, reported] of [
        [kept, other],
        [other, kept]
      ] as const) {
        const known = { surfaceId: 's', sessionId: A, repo: 'proj', agent: 'claude', cwd }
        await updateIndex(world.path, (index) => record(index, known, world.now))
        const payload = event('SessionStart', A, { transcript_path, cwd: reported })
        await world.hook('claude', world.start(1, 'claude'), { CRASH_RESUME_SURFACE: 's' }, payload)
        expect(world.entry()).toMatchObject({ cwd: kept, transcript: transcript_path, repo: 'proj' })
        expect(commandLineFor(world.entry(), resumeSpec(world.entry(), { agents: AGENTS }))).toContain(
          `cd -- ${kept} && `
        )
      }
    }
  )

  test('the spelling that was recorded is the one that is emitted (codex#16690)', async () => {
    const codex = world.start(tmux.server, 'codex')
    await world.hook('codex', codex, tmux.env('%0'), event('SessionStart', A, { cwd: '/mnt/x/Harness' }))
    await world.hook('codex', codex, tmux.env('%0'), event('UserPromptSubmit', A, { cwd: '/mnt/x/harness' }))
    expect(resumeSpec(world.entry(), { agents: AGENTS }).cwd).toBe('/mnt/x/Harness')
  })

  test('two folders of one encoding: the id decides, not the folder (claude-code#40946)', async () => {
    transcript('/p/외주/app', A)
    expect((await findClaude(A, '/p/개인/app')).state).toBe('found')
    expect((await findClaude(B, '/p/외주/app')).state).toBe('missing')
  })
})

describe('there is no such session', () => {
  test('an id that never got a message is started afresh (cmux#6622)', async () => {
    world.kill(await world.pane(tmux, '%0', A))
    expect(world.decide('', { [A]: 'missing' })).toMatchObject({ action: 'fresh', reason: 'session_gone' })
  })

  test('a process number means nothing in another container (claude-code#47128)', async () => {
    await world.pane(tmux, '%0', A)
    const { proc } = world.entry()
    if (proc === undefined) throw new Error('no process')
    const elsewhere = { ...proc, ns: 'another' }
    expect(world.probes.verdictsFor([elsewhere])[0]?.verdict).toBe('unknown')
    expect(world.probes.verdictsFor([{ ...proc, start: '1' }])[0]?.verdict).toBe('dead')
  })

  test('a session of claude -p is resumed by its id (gemini-for-kubernetes-development#1496)', async () => {
    await world.pane(tmux, '%0', A)
    expect(spec()).toEqual(['--resume', A])
  })

  test('codex killed before its rollout: fresh, and no loop (agent-deck#756, #758)', async () => {
    world.kill(await world.pane(tmux, '%0', A, 'codex'))
    expect(world.decide('', { [A]: 'missing' }).action).toBe('fresh')
    expect(world.entry().sessionId).toBe(A)
  })

  test('the transcript of another folder is told apart (cmux#6194)', async () => {
    transcript('/home/dev/p2', A)
    expect(await findClaude(A, '/home/dev/p1')).toMatchObject({ state: 'found', where: 'elsewhere' })
    expect((await findClaude(B, '/home/dev/p1')).state).toBe('missing')
  })

  test('age alone says nothing; the file does (claude-code#90371)', async () => {
    world.kill(await world.pane(tmux, '%0', A))
    world.now += 400 * 24 * 60 * 60 * 1000
    expect(world.decide('', { [A]: 'found' })).toMatchObject({ action: 'resume', sessionId: A })
    expect(world.decide('', { [A]: 'missing' }).action).toBe('fresh')
  })

  test('the id comes from the hook, not from the screen (gemini-cli#24820)', async () => {
    const gemini = world.start(tmux.server, `node /usr/bin/gemini --resume ${A}`)
    await world.hook('gemini', gemini, tmux.env('%0'), event('SessionStart', A, { source: 'resume', message: B }))
    expect(world.entry().sessionId).toBe(A)
  })
})

describe('resumed in a wrong folder', () => {
  const gone = { cwd: 'missing' } as const
  const decideGone = (bound: boolean, elsewhere = false): ReturnType<typeof decide> => {
    const verdicts = world.probes.verdictsFor([world.entry().proc].filter((proc) => proc !== undefined))
    const evidence = { machine: world.machine, verdicts, transcript: { [A]: 'found' }, ...gone } as const
    return decide(world.entry(), evidence, { now: world.now, resumeBoundToCwd: bound, elsewhere })
  }

  test('a folder that is gone is an answer of its own (munder-difflin#298, autonomous-harness#72, orca#17745)', async () => {
    world.kill(await world.pane(tmux, '%0', A))
    expect(decideGone(true)).toMatchObject({ action: 'refuse', reason: 'cwd_missing', sessionId: A })
    expect(decideGone(true, true)).toMatchObject({ action: 'refuse', reason: 'cwd_missing' })
    expect(decideGone(false)).toMatchObject({ action: 'refuse', reason: 'cwd_missing' })
    expect(decideGone(false, true)).toMatchObject({
      action: 'resume',
      warnings: expect.arrayContaining(['cwd_missing'])
    })
    expect(world.entry()).toMatchObject({ repo: 'p1', cwd: '/home/dev/p1' })
  })

  test('a removed worktree can be made again, and is resumed there (fast-resume#87, munder-difflin#298)', async () => {
    const git = (...args: string[]): void => {
      const who = ['-c', 'user.name=x', '-c', 'user.email=x@example.org']
      execFileSync('git', [...who, '-C', origin, ...args], { stdio: 'ignore' })
    }
    const [origin, tree] = [join(home, 'billing'), join(home, 'trees', 'x')]
    mkdirSync(origin)
    git('init')
    git('commit', '--allow-empty', '-m', 'first')
    git('worktree', 'add', '-b', 'feature/x', tree)
    const claude = world.start(tmux.server, 'claude')
    const transcript_path = transcript(tree, A)
    const payload = event('SessionStart', A, { cwd: tree, transcript_path })
    await world.hook('claude', claude, tmux.env('%0'), payload)
    git('worktree', 'remove', tree)
    // The agent goes on for a while in the folder that is gone.
    await world.hook('claude', claude, tmux.env('%0'), event('UserPromptSubmit', A, { cwd: tree, transcript_path }))
    world.kill(claude)
    expect(decideGone(true)).toMatchObject({ action: 'refuse', reason: 'cwd_missing' })
    const { repo, cwd, worktree } = world.entry()
    expect({ repo, cwd, worktree }).toEqual({
      repo: 'x',
      cwd: tree,
      worktree: { path: tree, origin, branch: 'feature/x' }
    })
    git('worktree', 'add', '--', worktree?.path ?? '', worktree?.branch ?? '')
    expect(existsSync(cwd ?? '')).toBe(true)
    expect(world.decide('', { [A]: 'found' }, { cwd: 'found' })).toMatchObject({ action: 'resume', sessionId: A })
  })

  test('the folder is data for whoever spawns, and quoted where it is a line (resurrect.wezterm#142)', async () => {
    const cwd = "/home/dev/it's; rm -rf $HOME"
    const claude = world.start(tmux.server, 'claude')
    const transcript_path = `/home/dev/.claude/projects/${claudeProjectSlug(cwd)}/${A}.jsonl`
    await world.hook('claude', claude, tmux.env('%0'), event('SessionStart', A, { cwd, transcript_path }))
    const command = resumeSpec(world.entry(), { agents: AGENTS })
    expect(command.cwd).toBe(cwd)
    expect(command.args).toEqual(['--resume', A])
    expect(commandLineFor(world.entry(), command)).toContain(`cd -- '/home/dev/it'\\''s; rm -rf $HOME' && `)
  })

  test('the folder that the agent ran in, not the top of the worktree (orca#17087)', async () => {
    const claude = world.start(tmux.server, 'claude')
    const cwd = '/home/dev/p1/packages/api'
    const transcript_path = `/home/dev/.claude/projects/${claudeProjectSlug(cwd)}/${A}.jsonl`
    await world.hook('claude', claude, tmux.env('%0'), event('SessionStart', A, { cwd, transcript_path }))
    expect(resumeSpec(world.entry(), { agents: AGENTS }).cwd).toBe(cwd)
  })

  test('a session that moved into a worktree is resumed where it was launched (claude-code#82800)', async () => {
    const claude = await world.pane(tmux, '%0', A)
    const payload = event('UserPromptSubmit', A, { cwd: '/home/dev/p1/.worktrees/x' })
    world.now += 60_000
    await world.hook('claude', claude, tmux.env('%0'), payload)
    expect(world.entry()).toMatchObject({ cwd: '/home/dev/p1', repo: 'p1' })
  })

  test('a project that was moved: its folder is missing, its transcript found (claude-code#81603)', async () => {
    transcript('/home/dev/foo/bar', A)
    expect((await findClaude(A, '/home/dev/baz/bar')).state).toBe('found')
    world.kill(await world.pane(tmux, '%0', A))
    expect(decideGone(true)).toMatchObject({ action: 'refuse', reason: 'cwd_missing' })
  })
})

describe('gaps in what is captured', () => {
  test('an id that is known at the start is on file before the first event (herdr#3517)', () => {
    const evidence = { candidates: [A], running: 'no' } as const
    const owner = world.owner(1)
    const input = { surfaceId: 's', repo: 'r', agent: 'codex', attemptId: 'a', owner, evidence }
    const { index } = claim(emptyIndex(), input, { now: 1 })
    expect(index.entries['s']).toMatchObject({ sessionId: A, agent: 'codex', attempt: { kind: 'resume' } })
  })

  test('an event is on disk when its hook has ended (orca#5240)', async () => {
    await world.pane(tmux, '%0', A)
    expect(Object.values(loadIndex(world.path).entries).map((entry) => entry.sessionId)).toEqual([A])
    await updateIndex(world.path, (index) => index)
    expect(world.entry().sessionId).toBe(A)
  })
})
