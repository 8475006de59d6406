/**
 * The commands that decide: decide and why, and mint and claim, which reserve what the decision allows.
 */
import { commandLineFor, gateFor } from '../../admin.js'
import {
  type Decision,
  type Entry,
  type Evidence,
  explain,
  type GateOptions,
  type Index,
  loadIndex,
  openStore,
  preview,
  type SurfaceRequest
} from '../../index.js'
import { arg, flag, json, type Task, text } from '../task.js'
import { renderDecision } from '../text/entries.js'
import { type Asked, giveUpStep, nextSteps } from '../text/next-steps.js'
import { EXIT } from '../text/report-error.js'
import { momentAhead } from '../text/table.js'
import { renderWhy } from '../text/why.js'
import { evidenceFrom, ownerFrom, statedEvidence } from './caller-options.js'
import { warnedIndex } from './readable-index.js'

const CODES: Readonly<Record<Decision['action'], number>> = {
  resume: EXIT.ok,
  fresh: EXIT.nothing,
  wait: EXIT.wait,
  refuse: EXIT.refused
}

export async function runDecide(task: Task): Promise<number> {
  const { decision } = await decided(task)
  const sentence = inWords(task, decision)
  task.out.print(task.json ? json({ ...decision, sentence }) : renderDecision(decision, sentence, task.look))
  return CODES[decision.action]
}

export async function runWhy(task: Task): Promise<number> {
  const { entry: known, evidence, decision } = await decided(task)
  const sentence = inWords(task, decision)
  const entry = known === 'unreadable' ? null : known
  if (task.json) task.out.print(json({ entry, evidence, decision, sentence }))
  else task.out.print(renderWhy(askedOf(task), known, evidence, decision, sentence, task.look))
  return CODES[decision.action]
}

/** Times are by the local clock; the number is in the decision itself. */
function inWords(task: Task, decision: Decision): string {
  return explain(decision, { moment: (time) => momentAhead(time, task.look.now) })
}

function decided(task: Task): ReturnType<typeof preview> {
  return preview(openStore(task.file), { surfaceId: arg(task, 0), repo: '' }, evidenceOf(task))
}

function evidenceOf(task: Task): Evidence {
  const surfaceId = arg(task, 0)
  return evidenceFrom(task, surfaceId, entryIn(warnedIndex(task), surfaceId))
}

function entryIn({ entries }: Index, surfaceId: string): Entry | null {
  return Object.hasOwn(entries, surfaceId) ? (entries[surfaceId] ?? null) : null
}

function askedOf(task: Task): Asked {
  return { surfaceId: arg(task, 0), evidence: statedEvidence(task), path: task.path }
}

export async function runMint(task: Task): Promise<number> {
  const surfaceId = arg(task, 0)
  const [, repo = '', role] = task.args
  const request = { surfaceId, repo, role, agent: text(task, 'agent'), cwd: text(task, 'cwd') }
  return reserved(task, request, { owner: ownerFrom(task), capture: flag(task, 'capture') || undefined })
}

export async function runClaim(task: Task): Promise<number> {
  const surfaceId = arg(task, 0)
  const entry = entryIn(loadIndex(task.file), surfaceId)
  const request = { surfaceId, repo: entry?.repo ?? surfaceId, agent: entry?.agent }
  return reserved(task, request, { owner: ownerFrom(task) })
}

/** Reserves what the decision allows, and prints how to start it. */
async function reserved(task: Task, request: SurfaceRequest, options: GateOptions): Promise<number> {
  const action = task.name === 'mint' ? 'fresh' : 'resume'
  const answer = await gateFor(action, openStore(task.file), request, evidenceOf(task), options)
  if (answer.attempt === undefined) return unmet(task, answer.decision)
  const { attempt, sessionId = null, spec } = answer
  const entry = entryIn(loadIndex(task.file), request.surfaceId)
  const command = spec && entry ? commandLineFor(entry, spec) : ''
  if (task.json) task.out.print(json({ surfaceId: request.surfaceId, sessionId, attempt, command, spec }))
  else task.out.print(`session ${sessionId ?? '(the agent chooses it)'}\nattempt ${attempt}\n${command}\n`)
  return EXIT.ok
}

/** The command does not act on this decision. */
function unmet(task: Task, decision: Decision): number {
  const asked = askedOf(task)
  // mint over something resumable is refused; claim where fresh is right has nothing to resume.
  const over = task.name === 'mint' && decision.action === 'resume'
  const first = over
    ? `Refused: session ${decision.sessionId} can be resumed here, so no new one was written. `
    : decision.action === 'fresh'
      ? 'Nothing was reserved, because there is nothing to resume. '
      : ''
  const sentence = first + inWords(task, decision)
  if (task.json) task.out.print(json({ ...decision, sentence }))
  else {
    const steps = nextSteps(asked, entryIn(loadIndex(task.file), asked.surfaceId), decision)
    task.out.note(sentence, ...steps, ...(over ? [giveUpStep(asked)] : []))
  }
  return over ? EXIT.refused : CODES[decision.action]
}
