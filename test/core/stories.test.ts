import { describe, expect, it } from 'vitest'
import { beginDispatch, settleDispatch } from '../../src/core/dispatch.js'
import type { Evidence } from '../../src/core/evidence.js'
import { explain } from '../../src/core/explain.js'
import { resumableFor, setPolicy } from '../../src/core/verbs.js'
import { thrownBy } from './samples.js'
import { Story } from './story.js'

const free = (sessionId: string): Evidence => ({ running: { [sessionId]: 'no' }, transcript: { [sessionId]: 'found' } })
const gone = (sessionId: string): Evidence => ({
  running: { [sessionId]: 'no' },
  transcript: { [sessionId]: 'missing' }
})

describe('sessions that were only ever recorded', () => {
  it('are resumed after a reboot without a probe, and once only', () => {
    const story = new Story()
    story.record('session-a')
    expect(resumableFor(story.index, 's1', { now: story.now })).toBe('session-a')
    expect(story.say()).toBe('wait liveness_unknown')

    story.reboot()
    expect(story.say()).toBe('resume ok')
    const first = story.start()
    const second = story.start()
    const { attemptId, decision } = story.gate(first)
    expect(decision).toMatchObject({ action: 'resume', reason: 'ok', sessionId: 'session-a' })
    expect(story.gate(second).decision).toMatchObject({ reason: 'claimed', owner: first })

    story.settle(attemptId, 'ok')
    expect(story.at()).toMatchObject({ state: 'ready', seen: story.machine, last_attempt: { result: 'ok' } })
    expect(story.say()).toBe('wait liveness_unknown')
    story.reboot()
    expect(story.say()).toBe('resume ok')
  })

  it('are resumed after a reboot although the claim before it came to nothing', () => {
    const story = new Story()
    story.record('session-a')
    story.reboot()
    story.gate(story.start())
    story.reboot()
    expect(story.say()).toBe('resume ok')
    const { attemptId } = story.gate(story.start())
    story.settle(attemptId, { failed: 'timeout' })
    expect(story.say()).toBe('wait liveness_unknown')
    story.reboot()
    story.pass(60)
    expect(story.say()).toBe('resume ok')
  })
})

describe('a claude captured by its hooks in tmux', () => {
  function crashed(): Story {
    const story = new Story()
    const server = story.start()
    const claude = story.start()
    expect(story.hook('session-a', claude, { scope: 'server-1', ancestors: [server] })).toBe('captured')
    expect(story.say()).toBe('refuse already_running')
    story.pass(30)
    story.kill(server, claude)
    expect(story.say()).toBe('resume ok')
    return story
  }

  it('is resumed in a new pane whose hook reports before the orchestrator settles, and again after a second crash', () => {
    const story = crashed()
    const orchestrator = story.start()
    const { attemptId, decision } = story.gate(orchestrator)
    expect(decision).toMatchObject({ reason: 'ok', sessionId: 'session-a' })

    const claude = story.start()
    expect(story.hook('session-a', claude, { scope: 'server-2' })).toBe('refreshed')
    expect(story.at()).toMatchObject({ attempts: 1, last_attempt: { id: attemptId, result: 'seen' }, proc: claude })
    expect(story.at()).not.toHaveProperty('attempt')
    expect(story.say()).toBe('refuse already_running')
    const before = story.index
    story.settle(attemptId, 'ok', { proc: claude })
    expect(story.index).toBe(before)

    story.pass(1)
    story.kill(claude)
    expect(story.say()).toBe('resume ok')
    const again = story.gate(orchestrator)
    expect(story.at().attempts).toBe(2)
    story.settle(again.attemptId, 'ok', { proc: story.start() })
  })

  it.each([
    ['long after it came up', 20, 'unknown'],
    ['soon, with its terminal server', 1, 'gone']
  ] as const)('is resumed as often as it dies %s', (_, minutes, server) => {
    const story = crashed()
    const orchestrator = story.start()
    for (let round = 0; round < 4; round++) {
      expect(story.say({ server })).toBe('resume ok')
      const { attemptId } = story.gate(orchestrator, { server })
      const claude = story.start()
      story.hook('session-a', claude)
      story.settle(attemptId, 'ok', { proc: claude })
      story.pass(minutes)
      story.kill(claude)
    }
  })

  it('is resumed as often as it dies soon, with its machine', () => {
    const story = crashed()
    for (let round = 0; round < 4; round++) {
      expect(story.say()).toBe('resume ok')
      const { attemptId } = story.gate(story.start())
      const claude = story.start()
      story.hook('session-a', claude)
      story.settle(attemptId, 'ok', { proc: claude })
      story.reboot()
    }
  })

  it('counts the failed ones among good starts', () => {
    const story = crashed()
    for (const [result, answer] of [
      [{ failed: 'exited' }, 'resume ok'],
      ['ok', 'resume ok'],
      [{ failed: 'exited' }, 'refuse attempts_exhausted']
    ] as const) {
      const { attemptId } = story.gate(story.start(), { server: 'gone' })
      const claude = story.start()
      if (result === 'ok') story.hook('session-a', claude)
      story.settle(attemptId, result)
      story.kill(claude)
      story.pass(4)
      expect(story.say({ server: 'gone' })).toBe(answer)
    }
  })

  it('ends in a refusal where it dies at once after each resume', () => {
    const story = crashed()
    const orchestrator = story.start()
    for (const answer of ['resume ok', 'resume ok', 'refuse attempts_exhausted']) {
      expect(story.say()).toBe(answer)
      const { attemptId, decision } = story.gate(orchestrator)
      if (decision.action !== 'resume') break
      const claude = story.start()
      story.hook('session-a', claude)
      story.settle(attemptId, 'ok', { proc: claude })
      story.pass(1)
      story.kill(claude)
    }
    expect(story.at().attempts).toBe(2)
  })

  it('is forgiven its attempts once it has come through', () => {
    const story = crashed()
    const { attemptId } = story.gate(story.start())
    const claude = story.start()
    story.settle(attemptId, 'ok', { proc: claude })
    story.pass(4)
    story.hook('session-a', claude)
    expect(story.at().attempts).toBe(1)
    story.pass(1)
    story.hook('session-a', claude)
    expect(story.at().attempts).toBe(0)
  })

  it('moves where the hook of the new pane names that pane, and is settled and resumed there', () => {
    const story = crashed()
    const { attemptId } = story.gate(story.start())
    const claude = story.start()
    expect(story.hook('session-a', claude, { surfaceId: 's2' })).toBe('moved')
    expect(story.at('s2')).toMatchObject({ attempts: 1, last_attempt: { id: attemptId, result: 'seen' } })
    story.settle(attemptId, { failed: 'exited' })
    story.kill(claude)
    story.pass(2)
    expect(story.say()).toBe('refuse moved')
    expect(story.decide().at).toBe('s2')
    expect(story.say({}, 's2')).toBe('resume ok')
    story.gate(story.start(), {}, { surfaceId: 's2' })
    expect(story.at('s2').attempts).toBe(2)
  })

  it('comes back after the hook had closed the attempt and the resume failed all the same', () => {
    const story = crashed()
    const { attemptId } = story.gate(story.start())
    const claude = story.start()
    story.hook('session-a', claude)
    story.kill(claude)
    story.settle(attemptId, { failed: 'exited', why: 'signal 9' })
    expect(story.at()).toMatchObject({
      state: 'ready',
      last_attempt: { id: attemptId, result: 'exited', why: 'signal 9' }
    })
    expect(story.say()).toBe('wait cooldown')
    expect(story.decide().retryAt).toBe(story.now + 60_000)
    story.pass(1)
    expect(story.say()).toBe('resume ok')
  })
})

describe('a session minted ahead of its start', () => {
  function minted(): { story: Story; sessionId: string; attemptId: string; kill: () => void } {
    const story = new Story()
    const orchestrator = story.start()
    const { decision, sessionId, attemptId } = story.gate(orchestrator)
    expect(decision).toMatchObject({ action: 'fresh', reason: 'unknown_surface' })
    expect(resumableFor(story.index, 's1', { now: story.now })).toBeNull()
    expect(story.say()).toBe('refuse claimed')
    return { story, sessionId, attemptId, kill: () => story.kill(orchestrator) }
  }

  it('is started anew where the orchestrator died before the spawn', () => {
    const { story, sessionId, kill } = minted()
    kill()
    expect(story.say()).toBe('wait liveness_unknown')
    expect(story.say(gone(sessionId))).toBe('fresh never_started')
    const again = story.gate(story.start(), gone(sessionId))
    expect(again.sessionId).not.toBe(sessionId)
    expect(story.at()).toMatchObject({
      gen: 2,
      attempts: 1,
      previous: [{ sessionId, why: 'never_started' }]
    })
  })

  it('is not started twice where the orchestrator died after the spawn and the agent runs', () => {
    const { story, sessionId, kill } = minted()
    const claude = story.start()
    kill()
    const running: Evidence = { running: { [sessionId]: { at: 's1' } } }
    expect(story.say(running)).toBe('refuse already_running')
    expect(story.hook(sessionId, claude)).toBe('refreshed')
    expect(story.at()).toMatchObject({ state: 'ready', last_attempt: { result: 'seen' } })
    expect(story.say()).toBe('refuse already_running')
  })

  it('is resumed where orchestrator and agent died after the spawn, and the transcript is there', () => {
    const { story, sessionId, kill } = minted()
    kill()
    expect(story.say({ running: { [sessionId]: 'no' } })).toBe('wait start_unproven')
    expect(story.say(free(sessionId))).toBe('resume ok_unconfirmed')
    const { attemptId } = story.gate(story.start(), free(sessionId))
    expect(story.at().state).toBe('minted')
    story.settle(attemptId, { failed: 'not_started' })
    story.pass(1)
    expect(story.say(free(sessionId))).toBe('resume ok_unconfirmed')
    const again = story.gate(story.start(), free(sessionId))
    story.settle(again.attemptId, 'ok', { proc: story.start() })
    expect(story.at()).toMatchObject({ sessionId, state: 'ready', gen: 1 })
  })

  it('is resumed after a reboot that took everything but its transcript', () => {
    const { story, sessionId } = minted()
    story.reboot()
    expect(story.say()).toBe('wait start_unproven')
    expect(story.say({ transcript: { [sessionId]: 'found' } })).toBe('resume ok_unconfirmed')
  })

  it('is started anew where both died after the spawn without a transcript', () => {
    const { story, sessionId, kill } = minted()
    kill()
    expect(story.say(gone(sessionId))).toBe('fresh never_started')
  })

  it('ends in a refusal where each start comes up and dies at once without a transcript', () => {
    const story = new Story()
    const orchestrator = story.start()
    const said: string[] = []
    for (let round = 0; round < 5; round++) {
      const { sessionId: last } = { sessionId: '', ...story.index.entries['s1'] }
      const { decision, attemptId } = story.gate(orchestrator, last === '' ? {} : gone(last))
      said.push(`${decision.action} ${decision.reason}`)
      if (decision.action !== 'fresh') continue
      const claude = story.start()
      story.settle(attemptId, 'ok', { proc: claude })
      story.kill(claude)
      story.pass(2)
    }
    const again = 'fresh session_gone'
    const enough = 'refuse attempts_exhausted'
    expect(said).toEqual(['fresh unknown_surface', again, again, enough, enough])
  })

  it('is not held against the next start when it lived for long before it lost its transcript', () => {
    const story = new Story()
    const { attemptId, sessionId } = story.gate(story.start())
    const claude = story.start()
    story.settle(attemptId, 'ok', { proc: claude })
    story.pass(5)
    story.kill(claude)
    expect(story.gate(story.start(), gone(sessionId)).decision.reason).toBe('session_gone')
    expect(story.at().attempts).toBe(0)
  })

  it('goes no further than the failed start, which counts', () => {
    const { story, sessionId, attemptId } = minted()
    story.settle(attemptId, { failed: 'not_started', why: 'no such program' })
    expect(story.at()).toMatchObject({ sessionId, state: 'spawn_failed', last_attempt: { why: 'no such program' } })
    expect(story.say()).toBe('wait cooldown')
    for (const attempts of [1, 2]) {
      story.pass(1)
      expect(story.say()).toBe('fresh spawn_failed')
      const { attemptId: next } = story.gate(story.start())
      expect(story.at().attempts).toBe(attempts)
      story.settle(next, { failed: 'not_started' })
    }
    story.pass(1)
    expect(story.say()).toBe('refuse attempts_exhausted')
    story.pass(60)
    expect(story.say()).toBe('fresh spawn_failed')
  })
})

describe('an agent that cannot be given an id', () => {
  function begun(): { story: Story; orchestrator: ReturnType<Story['start']>; attemptId: string } {
    const story = new Story()
    const orchestrator = story.start()
    const { attemptId, sessionId } = story.gate(orchestrator, {}, { capture: true })
    expect(sessionId).toBe(`pending.${attemptId}`)
    return { story, orchestrator, attemptId }
  }

  it('is started anew where it was killed before its first prompt', () => {
    const { story, orchestrator, attemptId } = begun()
    const codex = story.start()
    story.settle(attemptId, 'ok', { proc: codex })
    expect(story.at()).toMatchObject({ state: 'minted', proc: codex })
    expect(resumableFor(story.index, 's1', { now: story.now })).toBeNull()
    expect(story.say({ candidates: [] })).toBe('refuse already_running')
    story.kill(codex, orchestrator)
    expect(story.say()).toBe('wait start_unproven')
    expect(story.say({ candidates: [] })).toBe('fresh never_started')
    story.gate(story.start(), { candidates: [] }, { capture: true })
    expect(story.at()).toMatchObject({ gen: 2, attempts: 1, previous: [] })
  })

  it('is resumed by its one transcript where it was killed after its first prompt, unseen', () => {
    const { story, orchestrator, attemptId } = begun()
    const codex = story.start()
    story.settle(attemptId, 'ok', { proc: codex })
    story.kill(codex, orchestrator)
    expect(story.say({ candidates: ['c1', 'c2'] })).toBe('refuse ambiguous')
    expect(story.say({ candidates: ['c1'] })).toBe('wait liveness_unknown')
    const evidence: Evidence = { candidates: ['c1'], running: { c1: 'no' } }
    const { decision } = story.gate(story.start(), evidence)
    expect(decision).toMatchObject({ reason: 'ok_from_transcript', sessionId: 'c1' })
    expect(story.at()).toMatchObject({ sessionId: 'c1', state: 'ready', previous: [] })
  })

  it('is known by its hook after its first prompt, and resumed by that', () => {
    const { story, orchestrator, attemptId } = begun()
    const shell = story.start()
    const codex = story.start()
    const intruder = story.start()
    expect(story.hook('session-x', intruder)).toBe('nested')
    expect(story.hook('session-c', codex, { ancestors: [shell, orchestrator] })).toBe('captured')
    expect(story.at()).toMatchObject({ sessionId: 'session-c', state: 'ready', last_attempt: { id: attemptId } })
    story.kill(codex, orchestrator)
    expect(story.say()).toBe('resume ok')
  })
})

describe('two failed resumes', () => {
  it('stop the third until a person mends the cause and says so', () => {
    const story = new Story()
    story.record('session-a', { agent: 'claude' })
    story.reboot()
    for (const round of [1, 2]) {
      const { attemptId, decision } = story.gate(story.start())
      expect(decision.reason).toBe('ok')
      expect(story.at().attempts).toBe(round)
      story.settle(attemptId, { failed: 'exited', why: 'the agent is not logged in' })
      expect(story.say()).toBe(round === 1 ? 'wait cooldown' : 'refuse attempts_exhausted')
      story.pass(1)
    }
    const refused = story.decide()
    expect(refused.reason).toBe('attempts_exhausted')
    expect(explain(refused)).toContain('set the policy again')
    expect(story.at().last_attempt).toMatchObject({ result: 'exited', why: 'the agent is not logged in' })

    story.index = setPolicy(story.index, 's1', 'auto')
    expect(story.say()).toBe('resume ok')
    const { attemptId } = story.gate(story.start())
    expect(story.at().attempts).toBe(1)
    story.settle(attemptId, 'ok', { proc: story.start() })
    expect(story.say()).toBe('refuse already_running')
  })

  it('are forgotten when they fall out of the window', () => {
    const story = new Story()
    story.record('session-a')
    story.reboot()
    for (let round = 0; round < 2; round++) {
      story.settle(story.gate(story.start()).attemptId, { failed: 'exited' })
      story.pass(2)
    }
    expect(story.say()).toBe('refuse attempts_exhausted')
    story.pass(60)
    expect(story.say()).toBe('resume ok')
    story.gate(story.start())
    expect(story.at().attempts).toBe(1)
  })

  it('do not come of probes that failed', () => {
    const story = new Story()
    story.record('session-a')
    for (let round = 0; round < 10; round++) {
      const { decision } = story.gate(story.start(), { running: 'unknown', transcript: { 'session-a': 'unknown' } })
      expect(decision).toMatchObject({ action: 'wait', reason: 'liveness_unknown' })
    }
    expect(story.at()).toMatchObject({ attempts: 0, state: 'ready', gen: 1 })
  })
})

describe('the file on another machine', () => {
  it('is no permission to resume there, unless the session is known to be free and its transcript came along', () => {
    const story = new Story()
    const claude = story.start()
    story.hook('session-a', claude)
    story.carryTo('machine-2')
    expect(story.say()).toBe('refuse foreign_host')
    expect(story.decide().at).toBe('machine-1')
    expect(story.say({ running: 'no' })).toBe('refuse foreign_host')
    expect(story.say({ transcript: { 'session-a': 'found' } })).toBe('refuse foreign_host')
    expect(story.say(free('session-a'))).toBe('resume ok')

    const { attemptId } = story.gate(story.start(), free('session-a'))
    story.settle(attemptId, 'ok', { proc: story.start() })
    expect(story.at().seen).toMatchObject({ host: 'machine-2' })
    story.carryTo('machine-1')
    expect(story.say()).toBe('refuse foreign_host')
  })

  it('holds an open attempt for its owner, whom nobody can look at from there', () => {
    const story = new Story()
    story.record('session-a')
    story.reboot()
    story.gate(story.start())
    story.carryTo('machine-2')
    expect(story.say(free('session-a'))).toBe('refuse owner_unverified')
  })
})

describe('a session seen on a new surface after a reboot', () => {
  it('moves there, and the next crash resumes it once', () => {
    const story = new Story()
    story.hook('session-a', story.start(), { address: 'work:1.1' })
    story.reboot()
    // A person resumed it by hand, in another pane.
    const claude = story.start()
    expect(story.hook('session-a', claude, { surfaceId: 's2', address: 'work:2.1' })).toBe('moved')
    expect(story.at('s2')).toMatchObject({ state: 'ready', address: 'work:2.1' })
    expect(story.say()).toBe('refuse moved')
    expect(resumableFor(story.index, 's1', { now: story.now })).toBeNull()

    story.kill(claude)
    const gates = ['s1', 's2', 's1', 's2'].map((surfaceId) => story.gate(story.start(), {}, { surfaceId }).decision)
    expect(gates.map(({ action, reason }) => `${action} ${reason}`)).toEqual([
      'refuse moved',
      'resume ok',
      'refuse claimed',
      'refuse claimed'
    ])
  })

  it('stays where it lives when another pane shows it too', () => {
    const story = new Story()
    const claude = story.start()
    story.hook('session-a', claude)
    const before = story.index
    expect(story.hook('session-a', story.start(), { surfaceId: 's2' })).toBe('duplicate')
    expect(story.index).toBe(before)
  })
})

describe('an agent that changes its session', () => {
  it('by clear: the new one takes the surface, the old one is remembered', () => {
    const story = new Story()
    const claude = story.start()
    story.hook('session-a', claude)
    story.exit('session-a', 'clear')
    expect(story.say()).toBe('refuse already_running')
    expect(story.hook('session-b', claude)).toBe('rotated')
    expect(story.at()).toMatchObject({
      sessionId: 'session-b',
      gen: 2,
      previous: [{ sessionId: 'session-a', why: 'rotated' }]
    })
    expect(story.at()).not.toHaveProperty('last_exit')
    story.kill(claude)
    expect(story.decide()).toMatchObject({ reason: 'ok', sessionId: 'session-b' })
  })

  it('by clear with nothing said since: the earlier one is what can be resumed', () => {
    const story = new Story()
    const claude = story.start()
    story.hook('session-a', claude)
    story.hook('session-b', claude)
    story.kill(claude)
    const evidence: Evidence = { running: 'no', transcript: { 'session-b': 'missing', 'session-a': 'found' } }
    const { decision } = story.gate(story.start(), evidence)
    expect(decision).toMatchObject({ reason: 'ok_from_previous', sessionId: 'session-a' })
    expect(story.at()).toMatchObject({ sessionId: 'session-a', gen: 3, previous: [{ sessionId: 'session-b' }] })
  })

  it('by a resume of its own: back and forth, one surface, each session once', () => {
    const story = new Story()
    const claude = story.start()
    for (const sessionId of ['session-a', 'session-b', 'session-a']) story.hook(sessionId, claude)
    expect(story.at()).toMatchObject({ sessionId: 'session-a', gen: 3 })
    expect(story.at().previous.map(({ sessionId }) => sessionId)).toEqual(['session-b'])
  })

  it('by a resume of what another surface held: it moves here', () => {
    const story = new Story()
    const other = story.start()
    story.hook('session-b', other, { surfaceId: 's2' })
    const claude = story.start()
    story.hook('session-a', claude)
    expect(story.hook('session-b', claude)).toBe('duplicate')
    story.kill(other)
    expect(story.hook('session-b', claude)).toBe('moved')
    expect(story.at()).toMatchObject({ sessionId: 'session-b', proc: claude })
    expect(story.at().previous).toMatchObject([{ sessionId: 'session-a', why: 'rotated' }])
    expect(story.say({}, 's2')).toBe('refuse moved')
  })

  it('a nested agent is none: neither its sessions nor its end touch the surface', () => {
    const story = new Story()
    const claude = story.start()
    story.hook('session-a', claude)
    const shell = story.start()
    const nested = story.start()
    const before = story.index
    expect(story.hook('session-n', nested, { nested: true })).toBe('nested')
    expect(story.hook('session-n', nested, { ancestors: [shell, claude] })).toBe('nested')
    story.exit('session-n', 'logout')
    expect(story.index).toBe(before)
    story.kill(nested, shell)
    expect(story.say()).toBe('refuse already_running')
  })
})

describe('a dispatch in flight', () => {
  it('is named as interrupted to whoever comes after its owner, and its settled steps are not', () => {
    const story = new Story()
    const claude = story.start()
    story.hook('session-a', claude)
    const orchestrator = story.start()
    const begin = (id: string, step: string, owner = orchestrator): void => {
      story.index = beginDispatch(story.index, { surfaceId: 's1', id, step, owner }, story.verdicts, story.now)
    }
    begin('d1', 'write the tests')
    story.index = settleDispatch(story.index, { id: 'd1', result: 'ok' }, story.now)
    begin('d2', 'run the migration')
    const next = story.start()
    expect(thrownBy(() => begin('d3', 'deploy', next)).message).toContain(`process ${orchestrator.pid} (started at`)
    expect(story.decide()).not.toHaveProperty('interrupted')

    story.kill(orchestrator, claude)
    expect(story.decide()).toMatchObject({ action: 'resume', interrupted: 'run the migration' })
    const { attemptId } = story.gate(next)
    story.settle(attemptId, 'ok', { proc: story.start() })
    expect(story.decide()).toMatchObject({ reason: 'already_running', interrupted: 'run the migration' })
    begin('d3', 'run the migration', next)
    story.index = settleDispatch(story.index, { id: 'd2', result: 'ok' }, story.now)
    expect(story.at().dispatch).toMatchObject({ id: 'd3', result: 'open', owner: next })
  })
})

describe('a verdict', () => {
  it('on one owner is never applied to the attempt of another of that number', () => {
    const story = new Story()
    story.record('session-a')
    story.reboot()
    const owner = story.start()
    story.gate(owner)
    for (const mistaken of [
      { ...owner, start: 'later' },
      { ...owner, bootId: 'machine-1-boot-0' },
      { ...owner, ns: '2' },
      { ...owner, host: 'machine-2' },
      { host: owner.host, pid: owner.pid }
    ]) {
      const verdicts = [{ owner: mistaken, verdict: 'dead' }] as const
      expect(story.say({ ...free('session-a'), verdicts })).toBe('refuse owner_unverified')
    }
    expect(story.say({ ...free('session-a'), verdicts: [{ owner, verdict: 'dead' }] })).toBe('resume ok')
  })
})
