/** The sentences of why, mint and settle that a person goes by, and the commands that they name. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OwnOptions } from '../../src/admin.js'
import { runCommand } from '../../src/cli/commands.js'
import { parse } from '../../src/cli/parse.js'
import { renderList } from '../../src/cli/text/entries.js'
import { type Asked, nextSteps } from '../../src/cli/text/next-steps.js'
import type { Output } from '../../src/cli/text/output.js'
import { moment } from '../../src/cli/text/table.js'
import {
  type Decision,
  type DecisionReason,
  loadIndex,
  observe,
  ownerOf as realOwner,
  recordToFile,
  updateIndex
} from '../../src/index.js'
import { entryOf, ownerOf } from '../core/samples.js'
import { IndexFolder } from '../support/index-folder.js'

let folder: IndexFolder
beforeEach(() => {
  folder = new IndexFolder()
})
afterEach(() => {
  folder.remove()
})

async function ran(...argv: string[]): Promise<{ code: number; out: string; notes: readonly string[] }> {
  const parsed = parse([...argv, '--path', folder.path], '0')
  if (parsed.kind !== 'command') throw new Error(parsed.text)
  let out = ''
  const notes: string[] = []
  const output: Output = {
    print: (text) => {
      out += text
    },
    note: (...lines) => void notes.push(...lines),
    colour: false,
    width: Number.POSITIVE_INFINITY,
    ask: null
  }
  const code = await runCommand(parsed.command, output)
  return { code, out, notes }
}

const owner = ['--owner', String(process.pid)]
const minted = async (...more: string[]): Promise<string> =>
  /^attempt (.+)$/m.exec((await ran('mint', 's', 'r', ...owner, ...more)).out)?.[1] ?? ''

describe('an agent that no row knows', () => {
  it('is shown and decided on, and resumed only by a row of its own', async () => {
    const agent = { surfaceId: 's', sessionId: 'abc', repo: 'r', agent: 'some-agent', seen: { host: 'h' } }
    await updateIndex(folder.path, (index) => observe(index, agent, [], Date.now()).index)
    const said = ['--session', 'not_running']
    expect((await ran('list')).out).toContain('some-agent')
    expect((await ran('why', 's')).out).toContain('session abc of some-agent')
    expect((await ran('decide', 's', ...said, '--transcript', 'found')).code).toBe(0)
    expect(await ran('status')).toMatchObject({ out: expect.stringContaining('some-agent') })
    expect((await ran('recover', '--dry-run')).out).toContain('total 1')
    const refused = { code: 'ERR_INVALID_INPUT', next: expect.stringContaining('give its row') }
    const claimed = ran('claim', 's', ...owner, ...said, '--transcript', 'found')
    await expect(claimed).rejects.toMatchObject(refused)
  })
})

describe('why', () => {
  it('says of a reserved session that it was never seen alive', async () => {
    await minted()
    const { out } = await ran('why', 's')
    expect(out).toContain('reserved 0 s ago, never seen alive')
    expect(out).toContain('  reserved in this boot\n')
    expect(out).not.toContain('last seen')
  })

  it('says so too where the start before it came up', async () => {
    await ran('settle', await minted('--agent', 'codex'), 'ok')
    await minted('--agent', 'codex', '--session', 'not_running', '--transcript', 'missing')
    expect((await ran('why', 's')).out).toContain('reserved 0 s ago, never seen alive')
  })

  it('takes the name of a session for nothing else', async () => {
    await recordToFile(folder.path, { surfaceId: 's', sessionId: 'constructor', repo: 'r' })
    await recordToFile(folder.path, { surfaceId: 's', sessionId: 'toString', repo: 'r' })
    expect((await ran('why', 's', '--session', 'running')).out).not.toContain('native code')
  })

  it('shows, as list does, what can be settled and whether its owner lives', async () => {
    const sleeper = spawn('sleep', ['60'])
    const gone = once(sleeper, 'exit')
    const attempt = await minted()
    await ran('begin', 's', '--step', 'one', '--owner', String(sleeper.pid))
    const step = loadIndex(folder.path).entries['s']?.dispatch?.id
    const open = `spawn open by process ${process.pid} (alive), settle ${attempt}`
    const at = (verdict: string): string => `step "one" open by process ${sleeper.pid} (${verdict}), settle ${step}`
    expect((await ran('why', 's')).out).toContain(`  ${open}\n  ${at('alive')}\n`)
    sleeper.kill('SIGKILL')
    await gone
    expect((await ran('why', 's')).out).toContain(`  ${open}\n  ${at('dead')}\n`)
    expect((await ran('list')).out).toContain(`${open}; ${at('dead')}\n`)
  })

  it('shows, as list does, the last failure and its cause', async () => {
    await ran('settle', await minted('--agent', 'claude'), 'failed', '--kind', 'exited', '--why', 'no key')
    for (const command of [['why', 's'], ['list']]) {
      expect((await ran(...command)).out).toContain('last spawn failed 0 s ago: exited (no key)\n')
    }
  })

  it("takes the caller's statement that no session was started by an agent that chooses its ids", async () => {
    const attempt = await minted('--agent', 'codex')
    await ran('settle', attempt, 'ok')
    const { code, out } = await ran('why', 's', '--session', 'not_running', '--transcript', 'missing')
    expect(out).toContain('started 0 s ago, its session is not known yet')
    expect(out).toContain('fresh: never_started')
    expect(code).toBe(4)
  })
})

describe('next steps', () => {
  const decision = (action: Decision['action'], reason: DecisionReason, more: Partial<Decision> = {}) =>
    ({
      action,
      reason,
      expect: '',
      warnings: [],
      notes: [],
      ...more
    }) as Decision
  const asked = (evidence: OwnOptions = {}): Asked => ({ surfaceId: 'a b', evidence, path: undefined })
  const attempt = { id: 'x', kind: 'resume', owner: ownerOf(71), at: 1 } as const
  const known = entryOf({ agent: 'codex', policy: 'manual', attempt })
  const unnamed = entryOf({ agent: 'codex', state: 'minted', sessionId: 'pending.x' })

  it.each([
    [decision('resume', 'ok'), "claim 'a b' --owner $$  # reserves it and prints its command"],
    [
      decision('fresh', 'session_gone'),
      "mint 'a b' golems --agent codex --owner $$  # reserves a new session before you start it"
    ],
    [decision('wait', 'liveness_unknown'), "why 'a b' --session not_running  # if you have seen that it does not run"],
    [
      decision('refuse', 'foreign_host'),
      "why 'a b' --session not_running  # if you have seen that it does not run there"
    ],
    [decision('refuse', 'entry_unreadable'), 'doctor  # says what is wrong with it'],
    [decision('wait', 'start_unproven'), "why 'a b' --transcript missing  # (or found) says what you saw"],
    [decision('wait', 'cooldown', { retryAt: 42_000 }), "why 'a b'  # asks again"],
    [decision('refuse', 'policy_off'), "policy 'a b' auto  # allows it again"],
    [decision('refuse', 'attempts_exhausted'), "policy 'a b' manual  # clears the count"],
    [decision('refuse', 'moved', { at: 'c' }), 'why c  # asks about the other surface'],
    [decision('refuse', 'claimed'), 'settle x ok  # (or failed) says how it went, if you know'],
    [decision('refuse', 'claimed', { at: 'c' }), 'why c  # asks about the surface that it is open on'],
    [
      decision('refuse', 'owner_unverified'),
      'settle x failed --kind exited  # if you have seen that it and its agent are gone'
    ]
  ])('names the command that goes on from %j', (answer, line) => {
    expect(nextSteps(asked(), known, answer)).toEqual([`crash-resume-index ${line}`])
  })

  it('asks for the id of an unknown session, or for the statement that there is none', () => {
    const record =
      "crash-resume-index record 'a b' <session> golems --agent codex  # says which session it is, if there is one"
    const none = "crash-resume-index why 'a b' --transcript missing --session not_running  # says that there is none"
    for (const answer of [decision('wait', 'probe_failed'), decision('wait', 'start_unproven')]) {
      const evidence = { '--transcript': 'found', '--session': 'not_running' }
      expect(nextSteps(asked(evidence), unnamed, answer)).toEqual([record, none])
    }
    expect(nextSteps(asked(), null, decision('wait', 'probe_failed'))).toEqual([
      "crash-resume-index record 'a b' <session> <repo>  # says which session it is, if there is one"
    ])
  })

  it('repeats what the caller stated, and the index that is meant', () => {
    const said = { ...asked({ '--session': 'not_running' }), path: '/i dx' }
    expect(nextSteps(said, known, decision('resume', 'ok'))[0]).toContain(
      "claim 'a b' --session not_running --path '/i dx' --owner $$  #"
    )
    expect(nextSteps(said, null, decision('fresh', 'unknown_surface'))[0]).toContain(
      "mint 'a b' <repo> --session not_running --path '/i dx' --owner $$  #"
    )
    expect(nextSteps(said, known, decision('refuse', 'policy_off'))[0]).toContain("policy 'a b' auto --path '/i dx'  #")
  })

  it('names lines that run as they stand, whatever the surface is called', () => {
    for (const surfaceId of ['--help', "it's", '$(x)', '# x']) {
      const [line = ''] = nextSteps({ ...asked({ '--task': 'open' }), surfaceId }, known, decision('resume', 'ok'))
      const script = line.replace('crash-resume-index', "printf '%s\\n'")
      const words = execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\n').slice(0, -1)
      const parsed = parse(words, '0')
      if (parsed.kind !== 'command') throw new Error(parsed.text)
      expect(parsed.command).toMatchObject({ name: 'claim', args: [surfaceId], options: { task: 'open' } })
    }
  })

  it('takes back what was ended on purpose', () => {
    expect(nextSteps(asked(), known, decision('fresh', 'ended'))).toEqual([
      expect.stringContaining('crash-resume-index mint '),
      'crash-resume-index record s1 session-a golems  # takes the session back'
    ])
  })

  it('closes an interrupted step, whatever else is to do', () => {
    const dispatch = { id: 'd', step: 'migrate', owner: ownerOf(72), at: 1, result: 'open' } as const
    const answer = decision('refuse', 'already_running', { interrupted: 'migrate' })
    expect(nextSteps(asked(), { ...known, dispatch }, answer)).toEqual([
      'crash-resume-index settle d failed  # (or ok) closes the interrupted step, once you have looked'
    ])
  })

  it('offers both ways out of a loss', () => {
    expect(nextSteps(asked(), null, decision('wait', 'index_damaged'))).toEqual([
      'crash-resume-index history  # lists what you can restore',
      'crash-resume-index doctor --accept-loss  # accepts the loss'
    ])
  })

  it('has none where only looking helps', () => {
    expect(nextSteps(asked({ '--task': 'unknown' }), null, decision('wait', 'probe_failed'))).toEqual([])
    expect(nextSteps(asked(), known, decision('wait', 'probe_failed'))).toEqual([])
    expect(nextSteps(asked(), null, decision('refuse', 'already_running'))).toEqual([])
  })

  it('of why lead from a statement of the caller to a claim that holds', async () => {
    await recordToFile(folder.path, { surfaceId: 's', sessionId: 'a', repo: 'r', agent: 'claude' })
    const { out } = await ran('why', 's', '--session', 'not_running', '--transcript', 'found')
    const line = /crash-resume-index (claim .*) --owner/.exec(out)?.[1] ?? ''
    expect(line).toBe(`claim s --session not_running --transcript found --path ${folder.path}`)
    expect(await ran(...line.split(' ').slice(0, -2), ...owner)).toMatchObject({ code: 0 })
  })

  it('says how to bring a removed worktree back, where its branch is known', () => {
    const gone = decision('refuse', 'cwd_missing')
    const worktree = { path: '/trees/a b', origin: '/billing' }
    expect(nextSteps(asked(), entryOf({ worktree: { ...worktree, branch: 'feature/x' } }), gone)).toEqual([
      "git -C /billing worktree add -- '/trees/a b' feature/x  # brings its folder back"
    ])
    expect(nextSteps(asked(), entryOf({ worktree }), gone)).toEqual([])
    expect(nextSteps(asked(), entryOf(), gone)).toEqual([])
  })
})

describe('what a person states where no id is known', () => {
  const pending = async (): Promise<void> => {
    await ran('settle', await minted('--agent', 'codex'), 'ok')
  }
  const absent = ['--session', 'not_running', '--transcript']

  it.each([
    ['missing', 'fresh: never_started', 4, 'none'],
    ['found', 'wait: probe_failed', 5, 'unknown'],
    ['unknown', 'wait: probe_failed', 5, 'unknown']
  ])('of a start: its transcript is %s', async (transcript, so, code, which) => {
    await pending()
    const { out, ...rest } = await ran('why', 's', ...absent, transcript)
    expect(out).toContain(`  ${so}\n`)
    expect(out).toContain(`  transcripts that belong here: ${which}\n`)
    expect(rest.code).toBe(code)
  })

  it('of a start does not stand over the id that a hook tells', async () => {
    await pending()
    await recordToFile(folder.path, { surfaceId: 's', sessionId: 'a', repo: 'r' })
    expect((await ran('why', 's', ...absent, 'found')).out).toContain('  resume: ok\n')
  })

  it.each([[['--transcript', 'found']], [['--session', 'running']]])(
    'of a surface that the index lacks: %j is no fresh start',
    async (said) => {
      const { out, code } = await ran('why', 's', ...said)
      expect(out).toContain('  wait: probe_failed\n')
      expect(out).toContain(`crash-resume-index record s <session> <repo> --path ${folder.path}`)
      expect(code).toBe(5)
      expect((await ran('mint', 's', 'r', ...owner, ...said)).code).toBe(5)
    }
  )
})

describe('decide and why', () => {
  it('say once what to know before a resume, in words', async () => {
    await recordToFile(folder.path, { surfaceId: 's', sessionId: 'a', repo: 'r', agent: 'claude', policy: 'manual' })
    const said = ['--session', 'not_running', '--transcript', 'unknown', '--surface-state', 'recycled']
    for (const command of ['decide', 'why']) {
      const { out } = await ran(command, 's', ...said)
      for (const line of [
        'the surface is not the same as before',
        'it is unknown whether its transcript exists',
        'its policy is manual: recover leaves it to you'
      ]) {
        expect(out.split(`note: ${line}\n`)).toHaveLength(2)
      }
    }
  })

  it('why shows the transcript of the earlier session that a resume falls back to', async () => {
    const known = { surfaceId: 's', repo: 'r', agent: 'claude' }
    for (const sessionId of ['one', 'two']) await recordToFile(folder.path, { ...known, sessionId })
    const { out } = await ran('why', 's', '--session', 'not_running', '--transcript', 'missing')
    expect(out).toMatch(/ {2}transcript: missing\n {2}transcript of one: \w+\n/)
  })

  it('say by the local clock when a wait is over, and in --json in numbers too', async () => {
    await ran('settle', await minted('--agent', 'claude'), 'failed', '--kind', 'exited')
    const over = (loadIndex(folder.path).entries['s']?.last_attempt?.at ?? 0) + 60_000
    const start = `Wait: the last attempt failed just now; decide again at or after ${moment(over)} (in `
    const answers = [await ran('decide', 's'), await ran('why', 's'), await ran('mint', 's', 'r', ...owner)]
    for (const { out, notes } of answers) {
      const said = out + notes.join('\n')
      expect(said).toMatch(/ \(in [1-5]\ds\)\.\n/)
      expect(said).toContain(start)
    }
    const data: unknown = JSON.parse((await ran('decide', 's', '--json')).out)
    expect(data).toMatchObject({ retryAt: over, sentence: expect.stringContaining(start) })
  })

  it('say once what could not be found out', async () => {
    for (const command of ['decide', 'why']) {
      const { out } = await ran(command, 's', '--task', 'unknown')
      expect(out.split('whether the task is still open')).toHaveLength(2)
    }
  })
})

describe('mint and claim', () => {
  it('mint says first that it refuses where there is something to resume, and then what to do', async () => {
    await recordToFile(folder.path, { surfaceId: 's', sessionId: 'a', repo: 'r' })
    const evidence = ['--session', 'not_running', '--transcript', 'found']
    const path = `--path ${folder.path}`
    const { code, notes, out } = await ran('mint', 's', 'r', ...owner, ...evidence)
    expect({ code, out }).toEqual({ code: 6, out: '' })
    expect(notes).toEqual([
      expect.stringMatching(
        /^Refused: session a can be resumed here, so no new one was written\. Resume session a: it is not running and /
      ),
      `crash-resume-index claim s ${evidence.join(' ')} ${path} --owner $$  # reserves it and prints its command`,
      `crash-resume-index end s ${path}  # gives it up, so that you can start a new one`
    ])
    const json = await ran('mint', 's', 'r', ...owner, ...evidence, '--json')
    expect(JSON.parse(json.out)).toMatchObject({ action: 'resume', sentence: expect.stringMatching(/^Refused: /) })
    expect(json.notes).toEqual([])
  })

  it('claim says that it reserved nothing where a fresh start is right', async () => {
    const { code, notes } = await ran('claim', 's', ...owner)
    expect({ code, sentence: notes[0] }).toEqual({
      code: 4,
      sentence:
        'Nothing was reserved, because there is nothing to resume. Start fresh: nothing was ever recorded for this surface.'
    })
    expect(notes[1]).toMatch(/^crash-resume-index mint s <repo> /)
  })
})

describe('settle', () => {
  const UNKNOWN = /s is minted; its session is not known yet: its hook reports it, or you record it$/

  it('says of an attempt that was settled before that nothing changed, and what stands', async () => {
    const attempt = await minted('--agent', 'claude')
    const failed = ['settle', attempt, 'failed', '--kind', 'exited', '--why', 'no key']
    expect((await ran(...failed)).notes).toEqual([`settled ${attempt} as failed (exited): s is spawn_failed`])
    const stands = `nothing changed: ${attempt} was already settled as failed (exited); s is spawn_failed`
    const { sessionId } = loadIndex(folder.path).entries['s'] ?? {}
    expect((await ran('settle', attempt, 'ok')).notes).toEqual([
      `${stands}. If it did start, run \`crash-resume-index record s ${sessionId} r --path ${folder.path}\``
    ])
    expect((await ran(...failed)).notes).toEqual([`settled ${attempt} as failed (exited) again: s is spawn_failed`])
    expect((await ran('settle', attempt, 'failed', '--kind', 'timeout')).notes).toEqual([
      `noted ${attempt} as failed (timeout), which was already settled as failed (exited): s is spawn_failed`
    ])
  })

  it('says of an attempt that a hook closed what is known since', async () => {
    const attempt = await minted('--agent', 'claude')
    const { sessionId = '' } = loadIndex(folder.path).entries['s'] ?? {}
    await recordToFile(folder.path, { surfaceId: 's', sessionId, repo: 'r' })
    const seen = `${attempt} was already closed, when its session was seen; s is ready with session ${sessionId}`
    expect((await ran('settle', attempt, 'ok')).notes).toEqual([`nothing changed: ${seen}`])
    expect((await ran('settle', attempt, 'failed', '--kind', 'timeout')).notes[0]).toMatch(
      /^noted \S+ as failed \(timeout\), which was already closed, when its session was seen, and its session was seen since: s is ready /
    )
  })

  it('names the step of a dispatch, and what it was settled as before', async () => {
    await recordToFile(folder.path, { surfaceId: 's', sessionId: 'a', repo: 'r' })
    const step = /^dispatch (.+)$/m.exec((await ran('begin', 's', '--step', 'one', ...owner)).out)?.[1] ?? ''
    expect((await ran('settle', step, 'failed', '--why', 'full')).notes).toEqual([
      `settled ${step} as failed: the step "one" on s`
    ])
    const stands = `nothing changed: ${step} was already settled as failed (full): the step "one" on s`
    expect((await ran('settle', step, 'ok')).notes).toEqual([stands])
    expect((await ran('settle', step, 'failed')).notes).toEqual([stands])
  })

  it('says where the session of a start that came up is still not known', async () => {
    const { notes } = await ran('settle', await minted('--agent', 'codex'), 'ok')
    expect(notes[0]).toMatch(UNKNOWN)
  })

  it('changes nothing for an id that is not known', async () => {
    await minted()
    const text = readFileSync(folder.path, 'utf8')
    await expect(ran('settle', 'nobody', 'ok')).rejects.toMatchObject({ code: 'ERR_ENTRY_UNKNOWN' })
    expect(readFileSync(folder.path, 'utf8')).toBe(text)
  })

  it('warns that a process which is gone was left out', async () => {
    const attempt = await minted('--agent', 'claude')
    const { notes, code } = await ran('settle', attempt, 'ok', '--pid', '4194304')
    expect({ code, second: notes[1] }).toEqual({
      code: 0,
      second: `warning: --pid 4194304 is not a living process, and was left out; if the agent has ended, run \`crash-resume-index settle ${attempt} failed --kind exited --path ${folder.path}\``
    })
    expect(loadIndex(folder.path).entries['s']?.proc).toBeUndefined()
  })

  it('does not warn of what a hook was faster with', async () => {
    const attempt = await minted('--agent', 'claude')
    const { sessionId = '' } = loadIndex(folder.path).entries['s'] ?? {}
    await updateIndex(folder.path, (index) => {
      const sighting = { surfaceId: 's', sessionId, repo: 'r', proc: realOwner(process.pid) ?? ownerOf(1) }
      return observe(index, sighting, [], Date.now()).index
    })
    const { notes } = await ran('settle', attempt, 'ok', '--pid', String(process.pid), '--session-id', sessionId)
    expect(notes).toEqual([expect.stringMatching(/^nothing changed: /)])
  })

  it('warns of what only the ok of an open attempt takes', async () => {
    const attempt = await minted('--agent', 'claude')
    const pid = ['--pid', String(process.pid), '--session-id', 'x']
    const warned = 'warning: --pid and --session-id left out: only the ok of an open attempt takes them'
    expect((await ran('settle', attempt, 'failed', ...pid)).notes[1]).toBe(warned)
    expect((await ran('settle', attempt, 'ok', ...pid)).notes[1]).toBe(warned)
  })
})

it('list shows a step that failed, and why', () => {
  const dispatch = { id: 'x', step: 'migrate', owner: ownerOf(71), at: 1, result: 'failed', why: 'no space' } as const
  const look = { colour: false, width: Number.POSITIVE_INFINITY, now: 0 }
  expect(renderList([entryOf({ dispatch })], [], look)).toContain('step "migrate" failed (no space)')
})
