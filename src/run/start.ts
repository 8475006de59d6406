/**
 * One start of an agent on this terminal. It writes down the proof that the agent started, or why it did not, and then
 * waits for its end. Once the agent runs, nothing here stops it: a failed write is reported, and the agent continues.
 */

import { type CommandSpec, environmentFor, withoutMarks } from '../agents/command.js'
import { type Composed, freshArgv, type NamedSession, resumeArgv, typedArgv } from '../agents/launch-argv.js'
import { agentEnv } from '../agents/launch-env.js'
import type { AgentRow } from '../agents/row.js'
import type { DecisionReason } from '../core/decision.js'
import { entryAt } from '../core/entry.js'
import { given } from '../core/given.js'
import { isPlaceholder } from '../core/ids.js'
import type { Entry } from '../core/schema.js'
import { withdraw } from '../core/settle.js'
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
  readonly named: NamedSession
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
  const argv = composed(task, answer, typeof own === 'string' ? [] : own)
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
  const notePlace = async (): Promise<void> => {
    if (pane === null) return
    const place = { surfaceId, address: formatPosition(pane.pane.position), scope: pane.pane.scope }
    await task.store.update((index) => noteAddress(index, place))
  }
  if (task.named.by === 'agent') {
    await written(say, notePlace)
    const ended = await agent.ended
    follow.stop()
    const handedOver = await follow.handedOver()
    await written(say, async () => {
      if (!(await closeUnseen(task, answer, ended))) await noteEnd(task, ended, begun, !handedOver)
    })
    return ended
  }
  const early = await Promise.race([agent.ended, after(task.proofMs)])
  if (early !== null && !(early.code === 0)) {
    follow.stop()
    if (early.cutOff) {
      await written(say, () => closeUnseen(task, answer, early))
      return early
    }
    const gone = answer.action === 'resume' && (await isGone(task, answer, before))
    const why = `it ended at once: ${wordsFor(early)}`
    await written(say, () => settle({ failed: gone ? 'session_gone' : 'exited', why }))
    return gone ? 'gone' : early
  }
  await written(say, async () => {
    await settle('ok', given({ proc: processOf(launch.row, agent.owner) }))
    await notePlace()
  })
  const note = (): Promise<void> => written(say, () => noteTranscript({ ...task, row: launch.row }))
  const notes = setInterval(() => void note(), NOTE_MS)
  await note()
  const ended = await agent.ended
  follow.stop()
  clearInterval(notes)
  await note()
  const handedOver = await follow.handedOver()
  await written(say, () => noteEnd(task, ended, begun, early === null && !handedOver))
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

/**
 * The agent has chosen its session, or has started none: until one is seen the attempt is open, in the name of this
 * process. What nothing was seen of has not been tried.
 */
async function closeUnseen(
  { store, surfaceId }: Start,
  { action, attempt, settle }: Begun,
  ended: Ended
): Promise<boolean> {
  if (entryAt(await store.load(), surfaceId)?.attempt?.id !== attempt) return false
  if (action === 'resume') await store.update((index) => withdraw(index, attempt))
  else await settle({ failed: 'exited', why: `no session of it was seen: ${wordsFor(ended)}` })
  return true
}

/** Why it is a new one. */
const INSTEAD: Partial<Record<DecisionReason, string>> = {
  session_gone: '; the transcript of the one before is gone',
  never_used: '; no prompt was ever sent in the one before, so nothing is lost'
}

/** The command to run. It tells the person first. */
function composed(task: Start, { action, decision, sessionId, spec }: Begun, own: readonly string[]): Composed['argv'] {
  const { launch, named, surfaceId, pane, say } = task
  const { row } = launch
  const place = pane?.pane.surfaceId === surfaceId ? formatPosition(pane.pane.position) : surfaceId
  if (named.by === 'agent') {
    say(`starting ${row.name} on ${place} as you typed it; its session is recorded once it is seen`)
    return typedArgv(launch, own)
  }
  if (action === 'resume' && sessionId !== undefined) {
    say(`resuming ${row.name} session ${sessionId} on ${place}`)
    for (const line of otherHomes(task, spec)) say(line)
    for (const note of decision.notes) say(`mind: ${note}`)
    if (named.by === 'resume' && sessionId === named.sessionId) return typedArgv(launch, own)
    const { argv, leftOut } = resumeArgv(launch, sessionId, own)
    if (leftOut.length > 0) say(`left out, because the conversation continues: ${leftOut.join(' ')}`)
    return argv
  }
  const known = sessionId === undefined ? '' : ` ${sessionId}`
  const instead = named.by === 'none' ? (INSTEAD[decision.reason] ?? '') : ''
  say(`starting a new ${row.name} session${known} on ${place}${instead}`)
  return named.by === 'pin' ? typedArgv(launch, own) : freshArgv(launch, sessionId ?? null, own)
}

/**
 * True if the transcript is missing. If it is unknown, true if nothing but the command knows the session, or if the agent itself says so: its message with the session's
 * id is on the screen, and was not there before. That message and an existing transcript contradict each other; the
 * person is told, and it decides nothing.
 */
async function isGone(
  { launch, env, pane, store, surfaceId, say }: Start,
  { sessionId = '' }: Begun,
  before: string | null
): Promise<boolean> {
  const entry = entryAt(await store.load(), surfaceId)
  const { state, path } = await transcriptOf(launch.row, { ...entry, sessionId }, env)
  if (state === 'missing' || (state === 'unknown' && entry?.seen === undefined)) return true
  const count = (text: string | null): number => {
    const flat = (text ?? '').replaceAll('\n', '')
    return launch.row.sessionGone?.test(text ?? '') ? flat.split(sessionId).length - 1 : 0
  }
  const says = before !== null && count(await shown(pane)) > count(before)
  if (says && state === 'found')
    say(`${launch.row.name} does not know session ${sessionId}, but its transcript is ${path}`)
  return says && state === 'unknown'
}

function transcriptOf(
  row: AgentRow,
  entry: Pick<Entry, 'sessionId'> & Partial<Entry>,
  env: Start['env']
): ReturnType<typeof findTranscript> {
  const { sessionId, cwd, transcript } = entry
  return findTranscript(row, { sessionId, ...given({ cwd, transcript }) }, { env: agentEnv(row, entry, env) })
}

async function shown(pane: OwnPane | null): Promise<string | null> {
  return pane === null ? null : pane.driver.screen(pane.pane)
}

/**
 * If a hook has reported the end, that stays, because the hook knows more: its other reasons speak against a person. What
 * ended at once may never have come up, and a session without a transcript was never begun.
 * @param isOver it came up, and nothing of it goes on
 */
async function noteEnd(
  { store, launch, surfaceId, env, now }: Start,
  ended: Ended,
  begun: number,
  isOver: boolean
): Promise<void> {
  const { ownExits } = launch.row
  const at = entryAt(await store.load(), surfaceId)
  const isWell = ended.code === 0 && !ended.cutOff && isOver
  const hasBegun = at !== null && isWell && (await transcriptOf(launch.row, at, env)).state !== 'missing'
  await store.update((index) => {
    const entry = entryAt(index, surfaceId)
    if (entry === null || entry.state === 'ended' || isPlaceholder(entry.sessionId)) return index
    const { sessionId, proc, last_exit: last } = entry
    const said = last !== undefined && last.at >= begun ? last.reason : null
    const noted = said === null ? noteExit(index, { surfaceId, sessionId, reason: wordsFor(ended) }, now()) : index
    const speaksAgainst = said !== null && ownExits.length > 0 && !ownExits.includes(said)
    const lives = proc !== undefined && verdictOf(proc) === 'alive'
    return hasBegun && sessionId === at.sessionId && !speaksAgainst && !lives
      ? noteLeft(noted, surfaceId, now())
      : noted
  })
}

function after(ms: number): Promise<null> {
  return new Promise((wake) => {
    setTimeout(wake, ms, null).unref()
  })
}
