import { describe, expect, it } from 'vitest'
import { resumableFor } from '../../src/core/entries.js'
import type { Evidence } from '../../src/core/evidence.js'
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

  it('is started anew where both died after the spawn without a transcript', () => {
    const { story, sessionId, kill } = minted()
    kill()
    expect(story.say(gone(sessionId))).toBe('fresh never_started')
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
