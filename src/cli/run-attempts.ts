/**
 * The commands that decide: decide and why, and mint and claim, which reserve what the decision allows.
 */
import {
  commandLineFor,
  type Decision,
  type Entry,
  type Evidence,
  explain,
  type GateOptions,
  gate,
  loadIndex,
  openStore,
  weigh
} from '../index.js'
import { EXIT } from './complain.js'
import { ownerFrom } from './owner-option.js'
import { renderDecision } from './render.js'
import type { Task } from './run.js'
import { arg, flag, given, json, text } from './task-values.js'
import { renderWhy } from './why.js'

const CODES: Readonly<Record<Decision['action'], number>> = {
  resume: EXIT.ok,
  fresh: EXIT.nothing,
  wait: EXIT.wait,
  refuse: EXIT.refused
}

export async function runDecide(task: Task): Promise<number> {
  const { decision } = await weighed(task)
  const sentence = explain(decision)
  task.out.print(task.json ? json({ ...decision, sentence }) : renderDecision(decision, sentence, task.look))
  return CODES[decision.action]
}

export async function runWhy(task: Task): Promise<number> {
  const { known, evidence, decision } = await weighed(task)
  const sentence = explain(decision)
  const entry = known === 'unreadable' ? null : known
  if (task.json) task.out.print(json({ entry, evidence, decision, sentence }))
  else task.out.print(renderWhy(arg(task, 0), known, evidence, decision, sentence, task.look))
  return CODES[decision.action]
}

function weighed(task: Task): ReturnType<typeof weigh> {
  const surfaceId = arg(task, 0)
  return weigh(openStore(task.file), { surfaceId, repo: '' }, evidenceOf(task, surfaceId))
}

/** What the caller says on the command line; it stands over what is found. */
function evidenceOf(task: Task, surfaceId: string): Evidence {
  const { entries } = loadIndex(task.file)
  const entry: Entry | undefined = Object.hasOwn(entries, surfaceId) ? entries[surfaceId] : undefined
  const session = text(task, 'session')
  const here = entry === undefined ? {} : { [entry.sessionId]: { at: surfaceId } }
  const running = { running: here, not_running: 'no', unknown: 'unknown' } as const
  const transcript = text(task, 'transcript') as 'found' | 'missing' | 'unknown' | undefined
  return given({
    running: session === undefined ? undefined : running[session as keyof typeof running],
    transcript: transcript && entry ? { [entry.sessionId]: transcript } : undefined,
    // A start whose id nobody knows has no transcript of its own: none is what a person can say of it.
    candidates: transcript === 'missing' && entry?.state === 'minted' ? [] : undefined,
    surface: text(task, 'surfaceState') as Evidence['surface'],
    task: text(task, 'task') as Evidence['task'],
    cwd: text(task, 'cwdState') as Evidence['cwd']
  })
}

export async function runMint(task: Task): Promise<number> {
  const surfaceId = arg(task, 0)
  const request = {
    surfaceId,
    repo: arg(task, 1),
    ...given({ role: task.args[2], agent: text(task, 'agent'), cwd: text(task, 'cwd') })
  }
  const options: GateOptions = {
    only: 'fresh',
    owner: ownerFrom(task),
    ...(flag(task, 'capture') ? { capture: true } : {})
  }
  const answer = await gate(openStore(task.file), request, evidenceOf(task, surfaceId), options)
  if (answer.attempt === undefined) return unmet(task, answer.decision)
  const { attempt, sessionId = null } = answer
  const command = answer.spec && quotedSpec(task, surfaceId, answer.spec)
  if (task.json) task.out.print(json({ surfaceId, sessionId, attempt, command, spec: answer.spec }))
  else task.out.print(`session ${sessionId ?? '(the agent will choose it)'}\nattempt ${attempt}\n${command}\n`)
  return EXIT.ok
}

export async function runClaim(task: Task): Promise<number> {
  const surfaceId = arg(task, 0)
  const { repo, agent } = recorded(task, surfaceId)
  const request = { surfaceId, repo, ...given({ agent }) }
  const options: GateOptions = { only: 'resume', owner: ownerFrom(task) }
  const answer = await gate(openStore(task.file), request, evidenceOf(task, surfaceId), options)
  if (answer.attempt === undefined) return unmet(task, answer.decision)
  const { attempt, sessionId } = answer
  const command = answer.spec && quotedSpec(task, surfaceId, answer.spec)
  if (task.json) task.out.print(json({ surfaceId, sessionId, attempt, command, spec: answer.spec }))
  else task.out.print(`session ${sessionId}\nattempt ${attempt}\n${command}\n`)
  return EXIT.ok
}

/** The decision was another than the command acts on. */
function unmet(task: Task, decision: Decision): number {
  const over = task.name === 'mint' && decision.action === 'resume'
  const sentence = over ? `Refused: there is a session to resume here. ${explain(decision)}` : explain(decision)
  if (task.json) task.out.print(json({ ...decision, sentence }))
  else task.out.note(sentence)
  // mint over something resumable is refused; claim where fresh is right has nothing to resume.
  return over ? EXIT.refused : CODES[decision.action]
}

function quotedSpec(task: Task, surfaceId: string, spec: Parameters<typeof commandLineFor>[1]): string {
  const entry = loadIndex(task.file).entries[surfaceId]
  return entry === undefined ? '' : commandLineFor(entry, spec)
}

function recorded(task: Task, surfaceId: string): { repo: string; agent: string | undefined } {
  const { entries } = loadIndex(task.file)
  const entry = Object.hasOwn(entries, surfaceId) ? entries[surfaceId] : undefined
  return { repo: entry?.repo ?? surfaceId, agent: entry?.agent }
}
