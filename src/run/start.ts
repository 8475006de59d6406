/**
 * One start of an agent on this terminal. It writes down the proof that the agent started, or why it did not, and then
 * waits for its end. Once the agent runs, nothing here stops it: a failed write is reported, and the agent continues.
 */

import { type CommandSpec, environmentFor, withoutMarks } from '../agents/command.js'
import { type Composed, freshArgv, resumeArgv } from '../agents/launch-argv.js'
import { agentEnv } from '../agents/launch-env.js'
import type { DecisionReason } from '../core/decide.js'
import { entryAt } from '../core/entry.js'
import { given } from '../core/given.js'
import { isPlaceholder } from '../core/ids.js'

import { noteAddress, noteExit, noteLeft } from '../core/verbs.js'
import { verdictOf } from '../probes/process.js'

import { serverWords } from '../probes/shared-server.js'
import { findTranscript } from '../probes/transcripts.js'
import type { GateAnswer } from '../resume/gate.js'
import { oneLine } from '../resume/reserve.js'
import { formatPosition } from '../terminals/driver.js'
import { type Attached, attach, type Ended, wordsFor } from './attach.js'
import { type Followed, followSession, processOf, written } from './follow-session.js'
import { noteTranscript } from './note-transcript.js'
import type { OwnPane } from './own-pane.js'
import { unfollowed } from './unfollowed.js'

/** What the gate allowed. */
export type Begun = Extract<GateAnswer, { readonly attempt: string }>

export interface Start extends Followed {
  readonly pane: OwnPane | null
  /** An agent that has lived this long has started, in ms. */
  readonly proofMs: number
  /** The index that printed commands name by --path. */
  readonly path?: string | undefined
}

/** How often to note the size of the transcript. */
const NOTE_MS = 30_000

/** It could not be started at all. */
export interface Unstarted {
  readonly unstarted: string
}

/** Starts what the gate allows. @returns how it ended; gone: the agent does not know the session to resume */
export async function start(task: Start, answer: Begun): Promise<Ended | 'gone' | Unstarted> {
  const { launch, surfaceId, env, pane, say } = task
  const { spec, settle } = answer
  const own = serverWords(launch.row, launch.program, launch.args, withoutMarks(env))
  if (typeof own === 'string') say(own)
  const { argv } = composed(task, answer, typeof own === 'string' ? [] : own)
  const hint = unfollowed(launch, entryAt(await task.store.load(), surfaceId), task.path)
  if (hint !== null) say(hint)
  const before = await shown(pane)
  let agent: Attached
  try {
    const where = answer.action === 'resume' ? (spec.cwd ?? task.cwd) : task.cwd
    agent = await attach(argv, { cwd: where, env: environmentFor(spec, env) })
  } catch (error) {
    await settle({ failed: 'not_started', why: oneLine(error) })
    return { unstarted: `${argv[0]} could not be started: ${oneLine(error)}` }
  }
  const begun = task.now()
  const follow = followSession(task, agent.owner)
  const early = await Promise.race([agent.ended, after(task.proofMs)])
  if (early !== null && !(early.code === 0)) {
    follow.stop()
    const gone = answer.action === 'resume' && (await isGone(task, answer, before))
    const why = `it ended at once: ${wordsFor(early)}`
    await written(say, () => settle({ failed: gone ? 'session_gone' : 'exited', why }))
    return gone ? 'gone' : early
  }
  await written(say, async () => {
    await settle('ok', given({ proc: processOf(launch.row, agent.owner) }))
    if (pane === null) return
    const place = { surfaceId, address: formatPosition(pane.pane.position), scope: pane.pane.scope }
    await task.store.update((index) => noteAddress(index, place))
  })
  const note = (): Promise<void> => written(say, () => noteTranscript({ ...task, row: launch.row }))
  const notes = setInterval(() => void note(), NOTE_MS)
  await note()
  const ended = await agent.ended
  follow.stop()
  clearInterval(notes)
  await note()
  const handedOver = await follow.handedOver()
  await written(say, () => noteEnd(task, { ...ended, left: ended.left && early === null && !handedOver }, begun))
  return ended
}

/** Which variables count where those of the launch are not those of this terminal. */
function otherHomes({ launch, env }: Start, { env: set, unsetEnv }: CommandSpec): readonly string[] {
  return launch.row.homeVariables.flatMap((name) => {
    const [then, now] = [set[name], env[name]]
    if (then === now || (then === undefined && !unsetEnv.includes(name))) return []
    const words = (value: string | undefined): string => (value === undefined ? `no ${name}` : `${name}=${value}`)
    return [`it was launched with ${words(then)}, which counts; this terminal has ${words(now)}`]
  })
}

/** Why it is a new one. */
const INSTEAD: Partial<Record<DecisionReason, string>> = {
  session_gone: '; the transcript of the one before is gone',
  never_used: '; no prompt was ever sent in the one before, so nothing is lost'
}

/** The command to run. It tells the person first. */
function composed(task: Start, { action, decision, sessionId, spec }: Begun, own: readonly string[]): Composed {
  const { launch, surfaceId, pane, say } = task
  const { name } = launch.row
  const place = pane?.pane.surfaceId === surfaceId ? formatPosition(pane.pane.position) : surfaceId
  if (action === 'resume' && sessionId !== undefined) {
    const resumed = resumeArgv(launch, sessionId, own)
    say(`resuming ${name} session ${sessionId} on ${place}`)
    for (const line of otherHomes(task, spec)) say(line)
    for (const note of decision.notes) say(`mind: ${note}`)
    if (resumed.leftOut.length > 0) say(`left out, because the conversation continues: ${resumed.leftOut.join(' ')}`)
    return resumed
  }
  const fresh = freshArgv(launch, sessionId ?? null, own)
  const known = sessionId === undefined ? '' : ` ${sessionId}`
  const instead = INSTEAD[decision.reason] ?? ''
  say(`starting a new ${name} session${known} on ${place}${instead}`)
  if (fresh.leftOut.length > 0) say(`left out, because it names another session: ${fresh.leftOut.join(' ')}`)
  return fresh
}

/**
 * True if the transcript is missing. If it is unknown, true if the agent itself says so: its message with the session's
 * id is on the screen, and was not there before. That message and an existing transcript contradict each other; the
 * person is told, and it decides nothing.
 */
async function isGone(
  { launch, env, pane, store, surfaceId, say }: Start,
  { sessionId = '' }: Begun,
  before: string | null
): Promise<boolean> {
  const entry = entryAt(await store.load(), surfaceId)
  const { cwd, transcript } = entry ?? {}
  const own = agentEnv(launch.row, entry ?? {}, env)
  const { state, path } = await findTranscript(launch.row, { sessionId, ...given({ cwd, transcript }) }, { env: own })
  if (state === 'missing') return true
  const count = (text: string | null): number => {
    const flat = (text ?? '').replaceAll('\n', '')
    return launch.row.sessionGone?.test(text ?? '') ? flat.split(sessionId).length - 1 : 0
  }
  const says = before !== null && count(await shown(pane)) > count(before)
  if (says && state === 'found')
    say(`${launch.row.name} does not know session ${sessionId}, but its transcript is ${path}`)
  return says && state === 'unknown'
}

async function shown(pane: OwnPane | null): Promise<string | null> {
  return pane === null ? null : pane.driver.screen(pane.pane)
}

/**
 * If a hook has reported the end, that stays, because the hook knows more: its other reasons speak against a person. What
 * ended at once may never have come up.
 */
async function noteEnd({ store, launch, surfaceId, now }: Start, ended: Ended, begun: number): Promise<void> {
  const { ownExits } = launch.row
  await store.update((index) => {
    const entry = entryAt(index, surfaceId)
    if (entry === null || entry.state === 'ended' || isPlaceholder(entry.sessionId)) return index
    const { sessionId, proc, last_exit: last } = entry
    const said = last !== undefined && last.at >= begun ? last.reason : null
    const noted = said === null ? noteExit(index, { surfaceId, sessionId, reason: wordsFor(ended) }, now()) : index
    const speaksAgainst = said !== null && ownExits.length > 0 && !ownExits.includes(said)
    const lives = proc !== undefined && verdictOf(proc) === 'alive'
    return ended.left && !speaksAgainst && !lives ? noteLeft(noted, surfaceId, now()) : noted
  })
}

function after(ms: number): Promise<null> {
  return new Promise((wake) => {
    setTimeout(wake, ms, null).unref()
  })
}
