/** The sentences of why, mint and settle that a person goes by, and the commands that they name. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nextSteps } from '../../src/cli/next-steps.js'
import type { Output } from '../../src/cli/output.js'
import { parse } from '../../src/cli/parse.js'
import { renderList } from '../../src/cli/render.js'
import { run } from '../../src/cli/run.js'
import { type Decision, type DecisionReason, loadIndex, recordToFile } from '../../src/index.js'
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
    note: (line) => void notes.push(line),
    colour: false,
    width: Number.POSITIVE_INFINITY,
    ask: null
  }
  const code = await run(parsed.command, output)
  return { code, out, notes }
}

const owner = ['--owner', String(process.pid)]
const minted = async (...more: string[]): Promise<string> =>
  /^attempt (.+)$/m.exec((await ran('mint', 's', 'r', ...owner, ...more)).out)?.[1] ?? ''

describe('why', () => {
  it('says of a session that was only written ahead that nobody has seen it alive', async () => {
    await minted()
    const { out } = await ran('why', 's')
    expect(out).toContain('never seen alive, last written 0s ago')
    expect(out).not.toContain('last seen alive')
  })

  it('shows what settle asks for: the id of the open attempt and of the open step', async () => {
    const attempt = await minted()
    await ran('begin', 's', '--step', 'one', ...owner)
    const step = loadIndex(folder.path).entries['s']?.dispatch?.id
    const { out } = await ran('why', 's')
    expect(out).toContain(`  to be settled: ${attempt} (spawn)\n`)
    expect(out).toContain(`  to be settled: ${step} (step)\n`)
  })

  it('takes it on a word that no session was started by an agent that chooses its ids', async () => {
    const attempt = await minted('--agent', 'codex')
    await ran('settle', attempt, 'ok')
    const { code, out } = await ran('why', 's', '--session', 'not_running', '--transcript', 'missing')
    expect(out).toContain('fresh: never_started')
    expect(code).toBe(4)
  })
})

describe('next steps', () => {
  const decision = (action: Decision['action'], reason: DecisionReason, more: Partial<Decision> = {}): Decision => ({
    action,
    reason,
    expect: '',
    warnings: [],
    notes: [],
    ...more
  })
  it.each([
    [decision('resume', 'ok'), "crash-resume-index claim 'a b' --owner $$ reserves it and prints its command"],
    [
      decision('fresh', 'ended'),
      "crash-resume-index mint 'a b' golems --agent codex --owner $$ writes a new session ahead of its start"
    ],
    [
      decision('wait', 'liveness_unknown'),
      "crash-resume-index why 'a b' --session not_running says so, once you have looked"
    ],
    [
      decision('wait', 'start_unproven'),
      "crash-resume-index why 'a b' --transcript missing (or found) says what you saw"
    ],
    [decision('wait', 'cooldown', { retryAt: 42_000 }), "crash-resume-index why 'a b' asks again; it is over in 41s"],
    [decision('refuse', 'policy_off'), "crash-resume-index policy 'a b' auto allows it again"],
    [decision('refuse', 'attempts_exhausted'), "crash-resume-index policy 'a b' manual clears the count"],
    [decision('refuse', 'moved', { at: 'c' }), 'crash-resume-index why c asks for the other surface']
  ])('names the command that goes on from %j', (known, line) => {
    expect(nextSteps('a b', entryOf({ agent: 'codex', policy: 'manual' }), known, 1000)).toEqual([line])
  })

  it('does not repeat what the sentence holds already, and has none where only looking helps', () => {
    expect(nextSteps('s', null, decision('wait', 'probe_failed', { notes: ['whether it runs'] }), 0)).toEqual([])
    expect(nextSteps('s', null, decision('refuse', 'already_running'), 0)).toEqual([])
    expect(nextSteps('s', null, decision('resume', 'ok', { notes: ['mind'] }), 0)[0]).toBe('mind')
  })
})

describe('mint', () => {
  it('says that it refuses where there is something to resume, as text and as JSON', async () => {
    await recordToFile(folder.path, { surfaceId: 's', sessionId: 'a', repo: 'r' })
    const evidence = ['--session', 'not_running', '--transcript', 'found']
    const { code, notes, out } = await ran('mint', 's', 'r', ...owner, ...evidence)
    expect({ code, out }).toEqual({ code: 6, out: '' })
    expect(notes).toEqual([expect.stringMatching(/^Refused: there is a session to resume here\. Resume session a: /)])
    const json = await ran('mint', 's', 'r', ...owner, ...evidence, '--json')
    expect(JSON.parse(json.out)).toMatchObject({ action: 'resume', sentence: expect.stringMatching(/^Refused: /) })
    expect(json.notes).toEqual([])
  })
})

describe('settle', () => {
  it('does not say ok of an attempt that stays failed', async () => {
    const attempt = await minted('--agent', 'claude')
    await ran('settle', attempt, 'failed', '--kind', 'exited')
    const { notes } = await ran('settle', attempt, 'ok')
    expect(notes).toEqual([`${attempt} was settled as exited before, and that stays: s is spawn_failed`])
  })

  it('names the step of a dispatch, and what it was settled as before', async () => {
    await recordToFile(folder.path, { surfaceId: 's', sessionId: 'a', repo: 'r' })
    const step = /^dispatch (.+)$/m.exec((await ran('begin', 's', '--step', 'one', ...owner)).out)?.[1] ?? ''
    expect((await ran('settle', step, 'failed')).notes).toEqual([`settled ${step} as failed: the step "one" on s`])
    const again = await ran('settle', step, 'ok')
    expect(again.notes).toEqual([`${step} was settled as failed before, and that stays: s is ready`])
  })

  it('says where the session of a start that came up is still not known', async () => {
    const { notes } = await ran('settle', await minted('--agent', 'codex'), 'ok')
    expect(notes[0]).toMatch(/s is minted; its session is not known yet: its hook says it, or record it$/)
  })

  it('says that a process which is gone was left out', async () => {
    const { notes } = await ran('settle', await minted('--agent', 'claude'), 'ok', '--pid', '4194304')
    expect(notes[1]).toBe('--pid 4194304 is no living process; it was left out')
    expect(loadIndex(folder.path).entries['s']?.proc).toBeUndefined()
  })
})

it('list shows a step that failed, and why', () => {
  const dispatch = { id: 'x', step: 'migrate', owner: ownerOf(71), at: 1, result: 'failed', why: 'no space' } as const
  const look = { colour: false, width: Number.POSITIVE_INFINITY, now: 0 }
  expect(renderList([entryOf({ dispatch })], [], look)).toContain('step "migrate" failed (no space)')
})
