/**
 * The commands on the whole index: list, history, restore, doctor.
 */
import {
  acceptLossInFile,
  historyOf,
  inspectStore,
  type PastName,
  restoreConversation,
  restoreInFile
} from '../../admin.js'
import { hooksStatus } from '../../hooks.js'
import { openStore, verdictsFor } from '../../index.js'
import { planRecovery } from '../../tmux.js'
import { arg, flag, inline, json, mistake, type Task } from '../task.js'
import { byActivity, renderList, unreadableIn } from '../text/entries.js'
import { findingsOf, hookFindings, renderFindings, sessionFindings } from '../text/findings.js'
import { renderChanges, renderHistory } from '../text/history.js'
import { EXIT, warner } from '../text/report-error.js'
import { count } from '../text/table.js'
import { readableIndex } from './readable-index.js'

export async function runList(task: Task): Promise<number> {
  const index = readableIndex(task)
  const all = Object.values(index.entries)
  const entries = flag(task, 'all') ? all : all.filter(({ moved_to }) => moved_to === undefined)
  const unreadable = unreadableIn(index)
  // The state tells an unreadable entry from the others, and it is not left out either.
  if (task.json) task.out.print(json([...byActivity(entries), ...unreadable]))
  else {
    const holders = entries.flatMap(({ attempt, dispatch }) => [
      ...(attempt ? [attempt.owner] : []),
      ...(dispatch?.result === 'open' ? [dispatch.owner] : [])
    ])
    task.out.print(renderList(entries, unreadable, task.look, { verdicts: verdictsFor(holders), path: task.path }))
  }
  return EXIT.ok
}

export async function runHistory(task: Task): Promise<number> {
  const past = historyOf(task.file)
  task.out.print(task.json ? json(past) : renderHistory(past, task.look, task.path))
  return EXIT.ok
}

export async function runRestore(task: Task): Promise<number> {
  const which = pastName(task)
  if ('conversation' in which) {
    const notRunning = flag(task, 'notRunning')
    const copy = await restoreConversation(openStore(task.file), which.conversation, { notRunning })
    if (task.json) task.out.print(json(copy))
    else task.out.note(`restored ${copy.path}; what was there is copied`)
    return EXIT.ok
  }
  const { index, changes } = await restoreInFile(task.file, which, { onWarning: warner(task.path) })
  if (task.json) task.out.print(json({ revision: index.revision ?? null, changes }))
  else {
    task.out.print(renderChanges(changes))
    const name = 'revision' in which ? `revision ${which.revision}` : which.kept
    const done = `restored ${count(changes.length, 'surface', 'surfaces')} from ${name}, in revision ${index.revision}`
    task.out.note(changes.length === 0 ? `nothing to restore: the index already has all of ${name}` : done)
  }
  return EXIT.ok
}

/** Digits are a revision; anything else is the name of a kept copy or of a copied conversation, or a prefix of one. */
function pastName(task: Task): PastName | { readonly conversation: string } {
  const given = arg(task, 0)
  if (/^[0-9]{1,15}$/.test(given)) return { revision: Number(given) }
  const { kept, conversations } = historyOf(task.file)
  const names = [
    ...kept.map(({ name }) => ({ kept: name, name })),
    ...conversations.map(({ name }) => ({ conversation: name, name }))
  ]
  const meant = names.filter(({ name }) => name === given || (given !== '' && name.startsWith(given)))
  const [first] = meant
  if (first !== undefined && meant.length === 1) return first
  const problem =
    first === undefined ? 'is neither a revision nor a kept copy' : `is a prefix of ${meant.length} copies`
  throw mistake(`${JSON.stringify(given)} ${problem}`, `${inline(task, { name: 'history' })} lists them`)
}

export async function runDoctor(task: Task): Promise<number> {
  if (flag(task, 'acceptLoss')) {
    const accepted = await acceptLossInFile(task.file, { onWarning: warner(task.path) })
    task.out.note(accepted ? 'the loss is accepted; the state before is kept' : 'there is no loss to accept')
  }
  const facts = inspectStore(task.file)
  const plan = 'error' in facts.index || !facts.index.there ? [] : await planRecovery(openStore(task.file))
  const findings = [
    ...findingsOf(facts, task.path),
    ...sessionFindings(plan, task.path),
    ...hookFindings(hooksStatus())
  ]
  task.out.print(task.json ? json(findings) : renderFindings(findings, task.look))
  return findings.some(({ state }) => state === 'problem') ? EXIT.failed : EXIT.ok
}
