/** The built bin, as processes: exit codes, and what goes to which stream. */
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { placeOf } from '../../src/store/place.js'
import { Bin } from '../support/bin.js'
import { cli } from '../support/programs.js'

const NAME = 'crash-resume-index'
let bin: Bin
beforeEach(() => {
  bin = new Bin()
})
afterEach(() => {
  bin.remove()
})

const six = (surfaceId: string, fields: object = {}): object => ({
  surfaceId,
  sessionId: `session-${surfaceId}`,
  repo: 'golems',
  role: null,
  captured_at: 1000,
  last_active: 2000,
  ...fields
})
const file = (...entries: readonly object[]): string =>
  JSON.stringify({ version: 1, entries: Object.fromEntries(entries.map((entry) => [Object(entry).surfaceId, entry])) })

describe('record, touch, lookup and resume-cmd', () => {
  it('record prints nothing, lookup the entry, resume-cmd the line', () => {
    expect(bin.run('record', 'work:0.1', 'a1b2', 'Golems', 'lead')).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(bin.json('lookup', 'work:0.1')).toMatchObject({ sessionId: 'a1b2', repo: 'Golems', role: 'lead', gen: 1 })
    expect(bin.run('resume-cmd', 'work:0.1')).toEqual({ status: 0, stdout: 'golemsClaude --resume a1b2\n', stderr: '' })
    expect(bin.run('touch', 'work:0.1')).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  it('record takes the agent, the folder (made absolute) and the policy', () => {
    bin.run('record', 's', 'a', 'r', '--agent', 'claude', '--cwd', 'here', '--policy', 'manual')
    expect(bin.json('lookup', 's')).toMatchObject({ agent: 'claude', cwd: resolve('here'), policy: 'manual' })
    bin.run('record', 's', 'a', 'r', '--cwd', 'there', '--json')
    expect(bin.json('lookup', 's')).toMatchObject({ agent: 'claude', cwd: resolve('there'), policy: 'manual' })
  })

  it('record takes the variables of the account, and no others', () => {
    const given = ['--env', 'CLAUDE_CONFIG_DIR=/work', '--env', 'CODEX_HOME=/a=b']
    bin.run('record', 's', 'a', 'r', '--agent', 'claude', ...given)
    expect(bin.json('lookup', 's')).toMatchObject({ env: { CLAUDE_CONFIG_DIR: '/work', CODEX_HOME: '/a=b' } })
    expect(bin.run('resume-cmd', 's').stdout).toContain(' CLAUDE_CONFIG_DIR=/work ')
    expect(bin.run('why', 's').stdout).toContain('launched with CLAUDE_CONFIG_DIR=/work CODEX_HOME=/a=b')
    expect(bin.run('record', 's', 'b', 'r', '--env', 'ANTHROPIC_API_KEY=x')).toMatchObject({ status: 2 })
  })

  it('with --json record and touch print the entry as written', () => {
    const { stdout } = bin.run('record', 's', 'a', 'r', '--json')
    expect(JSON.parse(stdout)).toEqual(bin.json('lookup', 's'))
    expect(bin.json('touch', 's', '--json')).toEqual(bin.json('lookup', 's'))
    expect(bin.json('touch', 'nobody', '--json')).toBeNull()
  })

  it('an unknown surface is null for lookup, nothing to resume for resume-cmd, and nothing at all for touch', () => {
    expect(bin.run('lookup', 'nobody')).toEqual({ status: 0, stdout: 'null\n', stderr: '' })
    expect(bin.run('resume-cmd', 'nobody')).toEqual({
      status: 4,
      stdout: '',
      stderr: `${NAME}: nothing to resume on "nobody": nothing is recorded for it\n`
    })
    expect(bin.run('touch', 'nobody')).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(existsSync(bin.path)).toBe(false)
  })

  it('surface ids are data, whatever they look like', () => {
    const ids = [
      '__proto__',
      'constructor',
      'toString',
      '%0',
      '--help',
      ' a b ',
      'é日本🦊',
      '$(touch x)',
      's'.repeat(256)
    ]
    for (const [at, id] of ids.entries()) {
      expect(bin.run('record', '--', id, `session-${at}`, 'r')).toMatchObject({ status: 0, stderr: '' })
    }
    for (const [at, id] of ids.entries()) {
      expect(bin.json('lookup', '--', id)).toMatchObject({ surfaceId: id, sessionId: `session-${at}` })
    }
    expect(bin.json('list', '--json')).toHaveLength(ids.length)
  })

  it('resume-cmd says why there is nothing to resume', () => {
    const reason = (surface: string, ...age: string[]): string => {
      const { status, stdout, stderr } = bin.run('resume-cmd', surface, ...age)
      expect({ status, stdout }).toEqual({ status: 4, stdout: '' })
      return stderr
    }
    bin.write(
      file(
        six('ended', { state: 'ended', reason: 'done' }),
        six('moved', { state: 'ended', reason: 'moved', moved_to: 'there' }),
        six('minted', { state: 'minted' }),
        six('failed', { state: 'spawn_failed' }),
        six('off', { policy: 'off' }),
        six('old')
      )
    )
    expect(reason('ended')).toContain('its session ended (done)')
    expect(reason('moved')).toContain('its session moved to "there"')
    expect(reason('minted')).toContain('its session has not been seen to start')
    expect(reason('failed')).toContain('its session has not been seen to start')
    expect(reason('off')).toContain('its policy is off')
    expect(reason('old', '1000')).toContain('older than the age that you gave')
    expect(reason('old', '1h')).toContain('older than the age that you gave')
    expect(bin.run('resume-cmd', 'old', String(Date.now())).stdout).toBe('golemsClaude --resume session-old\n')
    expect(bin.run('resume-cmd', 'old', '--json')).toMatchObject({ status: 0 })
    expect(bin.run('resume-cmd', 'ended', '--json')).toMatchObject({ status: 4, stdout: 'null\n' })
  })

  it('resume-cmd --json gives the command in all forms', () => {
    bin.run('record', 'work:0.1', 'a1b2', 'golems')
    expect(bin.json('resume-cmd', 'work:0.1', '--json')).toMatchObject({
      surfaceId: 'work:0.1',
      sessionId: 'a1b2',
      command: 'golemsClaude --resume a1b2',
      file: 'golemsClaude',
      args: ['--resume', 'a1b2'],
      env: { CRASH_RESUME_SURFACE: 'work:0.1' }
    })
  })

  it('what is on file and cannot be resumed as it is has failed; it is neither nothing nor a usage error', () => {
    bin.run('record', 's', 'a', 'a repo with spaces')
    const { status, stdout, stderr } = bin.run('resume-cmd', 's')
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toContain('gives no safe launcher name')
  })
})

describe('what cannot be read is a failure and never an absence', () => {
  it('an entry', () => {
    bin.write(file(six('good'), { surfaceId: 'bad', sessionId: 'x' }))
    for (const command of ['lookup', 'resume-cmd', 'touch', 'end']) {
      const { status, stdout, stderr } = bin.run(command, 'bad')
      expect({ command, status, stdout }).toEqual({ command, status: 1, stdout: '' })
      expect(stderr).toContain('[ERR_ENTRY_UNREADABLE]')
      expect(stderr).toContain('repo')
    }
    expect(bin.json('lookup', 'good')).toMatchObject({ sessionId: 'session-good' })
    expect(bin.json('list', '--json')).toMatchObject([
      { surfaceId: 'good', state: 'ready' },
      { surfaceId: 'bad', state: 'unreadable', reason: expect.stringContaining('repo') }
    ])
    expect(bin.run('list').stdout).toContain('2 surfaces, 1 unreadable')
  })

  it.each([['{ "version": 1,'], ['']])('a file that holds %j', (text) => {
    bin.write(text)
    for (const command of [
      ['lookup', 's'],
      ['resume-cmd', 's'],
      ['list'],
      ['list', '--json'],
      ['forget', 's'],
      ['prune', '--max-age', '1d']
    ]) {
      const { status, stdout, stderr } = bin.run(...command)
      expect({ command, status, stdout }).toEqual({ command, status: 1, stdout: '' })
      expect(stderr).toContain('[ERR_INDEX_UNREADABLE]')
    }
    expect(bin.text).toBe(text)
  })

  it('the newest revision, for a surface that it might hold, until a person accepts the loss', () => {
    bin.run('record', 'old', 'a', 'r')
    bin.run('record', 'young', 'b', 'r')
    writeFileSync(`${bin.path}.history/2`, 'garbage')
    rmSync(bin.path)
    for (const write of [false, true]) {
      if (write) bin.run('record', 'next', 'c', 'r')
      expect(bin.json('lookup', 'old')).toMatchObject({ sessionId: 'a' })
      for (const command of ['lookup', 'resume-cmd']) {
        const { status, stdout, stderr } = bin.run(command, 'young')
        expect({ write, command, status, stdout }).toEqual({ write, command, status: 1, stdout: '' })
        expect(stderr).toContain('lost an earlier state')
      }
    }
    bin.run('doctor', '--accept-loss')
    expect(bin.run('lookup', 'young')).toEqual({ status: 0, stdout: 'null\n', stderr: '' })
    expect(bin.run('resume-cmd', 'young')).toMatchObject({ status: 4 })
  })
})

it('run says by the local clock when you can try again', () => {
  const minted = bin.run('mint', 's', 'r', '--agent', 'claude', '--owner', String(process.pid)).stdout
  bin.run('settle', /^attempt (.+)$/m.exec(minted)?.[1] ?? '', 'failed', '--kind', 'exited')
  const { status, stderr } = bin.run('run', '--surface', 's', '--', 'claude')
  expect(status).toBe(125)
  expect(stderr).toMatch(/decide again at or after [\d-]+ [\d:]+ \(in [1-5]?\ds\)/)
})

describe('what is odd about the index is said on stderr, once', () => {
  const QUESTIONS = ['decide', 'why', 'mint', 'claim', 'begin'] as const
  const asked = (command: (typeof QUESTIONS)[number]): string[] => {
    const owned = ['--owner', String(process.pid)]
    const more = { decide: [], why: [], mint: ['r', ...owned], claim: owned, begin: ['--step', 'x', ...owned] }
    return [command, 's', ...more[command]]
  }
  const warnings = (stderr: string): readonly string[] =>
    [...stderr.matchAll(/warning: .*\[(\w+)\]$/gm)].map(([, code = '']) => code)

  it.each(QUESTIONS)('%s, of a file that someone else wrote', (command) => {
    bin.run('record', 's', 'a', 'r')
    bin.write(file(six('other', { last_active: Date.now() })))
    expect(warnings(bin.run(...asked(command)).stderr)).toEqual(['view_foreign'])
  })

  it.each(QUESTIONS)('%s, of one that cannot be read while a revision can', (command) => {
    bin.run('record', 's', 'a', 'r')
    bin.write('garbage')
    const { stderr, stdout } = bin.run(...asked(command), '--json')
    expect(warnings(stderr)).toEqual(['view_unreadable'])
    expect(() => JSON.parse(stdout)).not.toThrow()
  })

  it.each(['decide', 'why', 'mint', 'claim'] as const)('%s, of one of which nothing can be read', (command) => {
    bin.write('garbage')
    const { status, stderr } = bin.run(...asked(command))
    expect({ status, warnings: warnings(stderr) }).toEqual({ status: 5, warnings: ['index_damaged'] })
  })

  it('begin and settle fail where nothing can be read, and do not say that the surface or the id is not known', () => {
    bin.write('garbage')
    for (const command of [asked('begin'), ['settle', 'x', 'ok']]) {
      const { status, stderr } = bin.run(...command)
      expect(status).toBe(1)
      expect(stderr).toContain('[ERR_INDEX_UNREADABLE]')
    }
    expect(bin.text).toBe('garbage')
  })
})

describe('record over trouble', () => {
  it('warns and ends well where the capture is on disk', () => {
    bin.write('garbage')
    mkdirSync(bin.folder, { recursive: true })
    bin.run('record', 's', 'a', 'r')
    expect(bin.json('lookup', 's')).toMatchObject({ sessionId: 'a' })
    expect(bin.run('record', 's', 'a', 'r').stderr).toMatch(
      /^crash-resume-index: warning: .* may lack entries: .*\n {2}`crash-resume-index history` lists .*\n$/
    )
    expect(bin.run('doctor', '--accept-loss').stderr).toContain('the loss is accepted')
    bin.write(file(six('good'), { surfaceId: 'bad' }))
    const { status, stdout, stderr } = bin.run('record', 'next', 'b', 'r')
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
    expect(stderr).toMatch(/^crash-resume-index: warning: the entry of surface "bad" cannot be read: .*\n$/)
  })

  it('fails where it is not: with the reason, what to do, and the code', () => {
    mkdirSync(bin.path)
    const { status, stdout, stderr } = bin.run('record', 's', 'a', 'r')
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^crash-resume-index: .*index\.json is not a regular file .*\[ERR_NOT_A_FILE\]$/),
      '  move it away or give another path'
    ])
  })

  it('fails at once where no folder can be made, though the one above is there', () => {
    const { status, stderr } = bin.run('record', 's', 'a', 'r', '--path', '/proc/none/index.json')
    expect(status).toBe(1)
    expect(stderr).toMatch(/ERR_IO/)
  })

  it('leaves a newer version as it is', () => {
    const newer = JSON.stringify({ version: 9, entries: {} })
    bin.write(newer)
    const { status, stderr } = bin.run('record', 's', 'a', 'r')
    expect(status).toBe(1)
    expect(stderr).toContain('[ERR_INDEX_NEWER]')
    expect(bin.text).toBe(newer)
  })
})

describe('bad input is a usage error, in two lines, and writes nothing', () => {
  let kept: Bin
  let before: string
  beforeAll(() => {
    kept = new Bin()
    kept.run('record', 's', 'before', 'r')
    before = kept.text
  })
  afterAll(() => {
    kept.remove()
  })

  it.each([
    [['record', '', 'a', 'r']],
    [['record', ' ', 'a', 'r']],
    [['record', 's', '-rf', 'r']],
    [['record', 's', 'a b', 'r']],
    [['record', 's', 'pending.x', 'r']],
    [['record', 's', 'a', '']],
    [['record', 's\n', 'a', 'r']],
    [['record', 's'.repeat(513), 'a', 'r']],
    [['record', 's', 'a', 'r', '--policy', 'maybe']],
    [['record', 's', 'a']],
    [['touch']],
    [['resume-cmd', 's', 'soon']],
    [['policy', 's', 'maybe']],
    [['prune', '--max-age', '30']],
    [['restore', '99']],
    [['restore', 'nonsense']],
    [['restore', '']],
    [['nonsense']],
    [['list', '--nonsense']]
  ])('%j', (args) => {
    const { status, stdout, stderr } = kept.run(...args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(/^crash-resume-index: [^\n]+\n {2}[^\n]+\n$/)
    expect(kept.text).toBe(before)
  })

  it.each([
    [['hook']],
    [['hook', 'claude', '--nonsense']],
    [['hook', 'claude', 'notification', 'more']],
    [['hook', 'claude', '--path', '']]
  ])('but for a hook, which disturbs no agent, unless it is to be strict: %j', (args) => {
    expect(kept.run(...args)).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(kept.run(...args, '--strict')).toMatchObject({ status: 2, stdout: '' })
    expect(kept.text).toBe(before)
  })

  it('without any argument it shows the help, on stderr', () => {
    const { status, stdout, stderr } = bin.run()
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain('Usage: crash-resume-index')
  })

  it('help that was asked for is on stdout, as is the version', () => {
    expect(bin.run('--help')).toMatchObject({ status: 0, stderr: '' })
    expect(bin.run('record', '--help')).toMatchObject({ status: 0, stderr: '' })
    expect(bin.run('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

describe('changes by hand', () => {
  it('end, policy and rename say on stderr what they did, or print the entry', () => {
    bin.run('record', 's', 'a', 'r')
    expect(bin.run('policy', 's', 'off')).toEqual({
      status: 0,
      stdout: '',
      stderr: `${NAME}: the policy of s is off now; its count of attempts is cleared\n`
    })
    expect(bin.run('rename', 's', 't')).toMatchObject({ status: 0, stdout: '' })
    expect(bin.run('end', 't', '--reason', 'done')).toMatchObject({ status: 0, stdout: '' })
    expect(bin.json('end', 't', '--reason', 'really', '--json')).toMatchObject({ state: 'ended', reason: 'really' })
    expect(bin.json('policy', 't', 'auto', '--json')).toMatchObject({ policy: 'auto' })
    expect(bin.json('rename', 't', 'u', '--json')).toMatchObject({ surfaceId: 'u' })
  })

  it.each([
    ['end', ['nobody']],
    ['policy', ['nobody', 'off']],
    ['rename', ['nobody', 't']],
    ['forget', ['nobody', '--yes']]
  ])('%s of an unknown surface fails', (command, args) => {
    const { status, stderr } = bin.run(command, ...args)
    expect(status).toBe(1)
    expect(stderr).toContain('[ERR_ENTRY_UNKNOWN]')
  })

  it('rename onto another session is refused', () => {
    bin.run('record', 's', 'a', 'r')
    bin.run('record', 't', 'b', 'r')
    const { status, stderr } = bin.run('rename', 's', 't')
    expect(status).toBe(6)
    expect(stderr).toContain('[ERR_CONFLICT]')
  })

  it('a reserved reason is refused', () => {
    bin.run('record', 's', 'a', 'r')
    expect(bin.run('end', 's', '--reason', 'moved').status).toBe(2)
  })
})

describe('removals', () => {
  it('without --yes and without a terminal forget shows what would go, and removes nothing', () => {
    bin.run('record', 's', 'a', 'r')
    const { status, stdout, stderr } = bin.run('forget', 's')
    expect(status).toBe(6)
    expect(stdout).toMatch(/^SURFACE +GENERATION +SESSION .*\ns +1 +a +r +ready/)
    expect(stderr).toBe(`${NAME}: nothing was removed; add --yes to forget it\n`)
    expect(bin.json('lookup', 's')).not.toBeNull()
    expect(bin.run('forget', 's', '--json')).toMatchObject({ status: 6 })
    expect(JSON.parse(bin.run('forget', 's', '--json').stdout)).toMatchObject([{ surfaceId: 's', gen: 1 }])
  })

  it('with --yes it goes, the revision before it is kept, and restore takes it back', () => {
    bin.run('record', 's', 'a', 'r')
    const { status, stdout, stderr } = bin.run('forget', 's', '--yes')
    expect(status).toBe(0)
    expect(stdout).toContain('GENERATION')
    const back = /to undo it, run `crash-resume-index restore (\S+)`/.exec(stderr)?.[1] ?? ''
    expect(readdirSync(`${bin.path}.kept`)).toContain(back)
    expect(bin.json('lookup', 's')).toBeNull()
    expect(bin.run('restore', back)).toMatchObject({ status: 0, stdout: '+s\n' })
    expect(bin.json('lookup', 's')).toMatchObject({ sessionId: 'a', gen: 2 })
  })

  it('forget removes what cannot be read, and says so first', () => {
    bin.write(file(six('good'), { surfaceId: 'bad' }))
    expect(bin.run('forget', 'bad').stdout).toMatch(/\nbad +- .*unreadable/)
    expect(bin.run('forget', 'bad', '--yes')).toMatchObject({ status: 0 })
    expect(bin.json('list', '--json')).toMatchObject([{ surfaceId: 'good' }])
  })

  it('prune takes the old ones only, and says what may be in use', () => {
    const self = { host: 'another-machine', pid: 1 }
    bin.write(file(six('old'), six('used', { proc: self }), six('young', { last_active: Date.now() })))
    const shown = bin.run('prune', '--max-age', '30d')
    expect(shown.status).toBe(6)
    expect(shown.stdout).toMatch(/\nold +1 /)
    expect(shown.stdout).not.toMatch(/young|used/)
    expect(shown.stderr).toContain('1 older entry may be in use and will stay')
    expect(bin.run('prune', '--max-age', '30d', '--yes')).toMatchObject({ status: 0 })
    expect(bin.json('list', '--json')).toMatchObject([{ surfaceId: 'young' }, { surfaceId: 'used' }])
    expect(bin.run('prune', '--max-age', '30d', '--json')).toMatchObject({ status: 0, stdout: '[]\n' })
  })

  it('what a process may use is not forgotten', () => {
    bin.write(file(six('s', { proc: { host: 'another-machine', pid: 1 } })))
    const { status, stderr } = bin.run('forget', 's', '--yes')
    expect(status).toBe(6)
    expect(stderr).toContain('[ERR_IN_USE]')
  })
})

describe('list, history and restore', () => {
  it('an empty index lists [] as JSON, and for people says how to go on', () => {
    expect(bin.run('list', '--json')).toEqual({ status: 0, stdout: '[]\n', stderr: '' })
    expect(bin.run('list').stdout).toContain('nothing is recorded yet')
    expect(bin.json('history', '--json')).toEqual({ revisions: [], kept: [], conversations: [] })
  })

  it('is plain where stdout is no terminal, whatever the environment wants', () => {
    bin.run('record', 's', 'a', 'r')
    for (const env of [{}, { NO_COLOR: '1' }, { FORCE_COLOR: '1' }, { COLUMNS: '10' }]) {
      expect(bin.runWith(env, 'list').stdout).toMatch(
        /^SURFACE {2}AGENT {2}SESSION {2}REPO {2}ROLE {2}STATE {2}AGE\ns {8}-/
      )
    }
  })

  it('history has each revision and what it changed', () => {
    bin.run('record', 's', 'a', 'r')
    bin.run('record', 's', 'b', 'r')
    bin.run('policy', 's', 'off')
    expect(bin.json('history', '--json')).toMatchObject({
      revisions: [
        { revision: 3, entries: 1, changes: [{ surfaceId: 's', change: 'changed', fields: ['policy'] }] },
        { revision: 2, entries: 1 },
        { revision: 1, entries: 1, changes: [{ surfaceId: 's', change: 'added' }] }
      ],
      kept: []
    })
    expect(bin.run('history').stdout).toMatch(/^REVISION .*\n3 .* ~s \(policy\)\n2 .* ~s \(sessionId\)\n1 .* \+s\n/)
  })

  it('restore takes a revision back as a new one, and can itself be undone', () => {
    bin.run('record', 's', 'a', 'r')
    bin.run('record', 's', 'b', 'r')
    expect(bin.run('restore', '1')).toMatchObject({ status: 0, stdout: '~s (sessionId)\n' })
    expect(bin.json('lookup', 's')).toMatchObject({ sessionId: 'a', gen: 3, previous: [{ sessionId: 'b' }] })
    expect(bin.json('restore', '2', '--json')).toMatchObject({ revision: 4, changes: [{ surfaceId: 's' }] })
    expect(bin.json('lookup', 's')).toMatchObject({ sessionId: 'b', gen: 4 })
    const again = bin.run('restore', '4')
    expect(again).toMatchObject({ status: 0, stdout: '' })
    expect(again.stderr).toContain('nothing to restore')
  })

  it('restore takes a unique prefix of a name', () => {
    bin.run('record', 's', 'a', 'r')
    mkdirSync(`${bin.path}.kept`)
    for (const [day, id] of [
      ['28', 'x'],
      ['29', 'y']
    ] as const) {
      const name = `202611${day}T130500123Z-before-forget-0123456789abcdef`
      writeFileSync(join(`${bin.path}.kept`, name), file(six(id)))
    }
    expect(bin.run('restore', '20261129T1')).toMatchObject({ status: 0, stdout: '+y\n' })
    const { status, stderr } = bin.run('restore', '202611')
    expect(status).toBe(2)
    expect(bin.run('restore', '20261130T').stderr).toContain('is neither a revision nor a kept copy')
    expect(stderr).toContain('revision 202611 does not exist')
  })
})

describe('the bin among other programs', () => {
  it('ends well when the reader of a pipe goes away', () => {
    // More than a pipe holds, so the bin is still writing when head has gone.
    bin.write(file(...Array.from({ length: 1000 }, (_, at) => six(`surface-${at}`))))
    expect(bin.run('list', '--json').stdout.length).toBeGreaterThan(100_000)
    const { stdout, stderr } = bin.shell('{ bin list --json; echo "rc $?" >&2; } | head -c 1')
    expect({ stdout, stderr }).toEqual({ stdout: '[', stderr: 'rc 0\n' })
  })

  it('fails where stdout is full', () => {
    bin.run('record', 's', 'a', 'r')
    const { stderr, stdout } = bin.shell('bin lookup s >/dev/full; echo "rc $?"')
    expect(stdout).toBe('rc 1\n')
    expect(stderr).toMatch(/the output cannot be written \(ENOSPC\) \[ERR_IO\]\n {2}\S/)
  })

  it('writes all of a large output into a slow pipe', () => {
    const many = Array.from({ length: 2000 }, (_, at) => six(`surface-${at}`))
    bin.write(file(...many))
    const { stdout } = bin.shell('bin list --json | { sleep 0.2; cat; } | tail -c 2')
    expect(stdout).toBe(']\n')
    expect(JSON.parse(bin.run('list', '--json').stdout)).toHaveLength(2000)
  })

  it('works with closed streams', () => {
    expect(bin.shell('bin record s a r <&- >&- 2>&-; echo "rc $?"').stdout).toBe('rc 0\n')
    expect(bin.json('lookup', 's')).toMatchObject({ sessionId: 'a' })
  })

  it('a line of resume-cmd can be evaluated as it is', () => {
    bin.run('record', "it's $HOME", 'a1', 'golems')
    const fake = join(bin.folder, 'golemsClaude')
    writeFileSync(fake, '#!/bin/sh\nprintf "%s\\n" "$@"\n')
    chmodSync(fake, 0o755)
    const { stdout } = bin.shell(`PATH="$HOME:$PATH"; eval "$(bin resume-cmd "it's \\$HOME")"`)
    expect(stdout).toBe('--resume\na1\n')
  })

  it('--path stands over the environment, which stands over the default', () => {
    const other = join(bin.folder, 'other.json')
    bin.run('record', 's', 'a', 'r', '--path', other)
    expect(existsSync(other)).toBe(true)
    expect(bin.json('lookup', 's')).toBeNull()
    bin.runWith({ CRASH_RESUME_INDEX_PATH: '' }, 'record', 's', 'a', 'r')
    expect(existsSync(join(bin.folder, '.golems/crash-resume-index.json'))).toBe(true)
  })

  it('record and touch work without the file that holds the other commands', () => {
    const alone = join(bin.folder, 'alone.cjs')
    cpSync(cli(), alone)
    const { stdout, stderr } = bin.shell(
      `BIN=${alone}; bin record s a r role --agent claude --policy off; bin touch s; echo "rc $?"; bin list; echo "rc $?"`
    )
    expect(stdout).toBe('rc 0\nrc 1\n')
    expect(stderr).toContain('cli-full.cjs')
    expect(existsSync(join(dirname(cli()), 'cli-full.cjs'))).toBe(true)
    expect(bin.json('lookup', 's')).toMatchObject({ sessionId: 'a', policy: 'off' })
  })
})

describe('doctor', () => {
  it('says that there are no problems, or which, and the exit code says it too; it leaves nothing behind', () => {
    const home = new Bin(dirname(dirname(cli())))
    try {
      home.run('record', 's', 'a', 'r')
      // The checkout itself may be in a folder that is cleaned up.
      const here = placeOf(home.folder).volatile === null ? [] : ['folder']
      const problems = (): string[] => {
        const { status, stdout } = home.run('doctor', '--json')
        const all = JSON.parse(stdout) as { state: string; check: string }[]
        const checks = all.filter(({ state }) => state === 'problem').map(({ check }) => check)
        expect(status).toBe(checks.length === 0 ? 0 : 1)
        return checks
      }
      expect(problems()).toEqual(here)
      expect(home.run('doctor').stdout).toContain(here.length === 0 ? 'no problems found' : '1 thing needs attention')
      expect(readdirSync(home.folder).sort()).toEqual(['index.json', 'index.json.history'])
      chmodSync(home.path, 0o644)
      writeFileSync(`${home.path}.lock`, '')
      expect(problems()).toEqual(['access', ...here, 'lock'])
    } finally {
      home.remove()
    }
  })

  it('says so where nothing exists, and makes nothing', () => {
    const { stdout } = bin.run('doctor')
    expect(stdout).toContain('nothing is recorded yet')
    expect(readdirSync(bin.folder)).toEqual([])
  })

  it('looks at a folder in the place of the index without failing over it', () => {
    mkdirSync(bin.path)
    const { status, stdout, stderr } = bin.run('doctor')
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' })
    expect(stdout).toMatch(/problem {2}index .*is not a regular file/)
  })
})
