/**
 * Puts a copy of a conversation back in its place. Never under a session that may run, and what it replaces is copied
 * first.
 */
import { existsSync } from 'node:fs'
import { CrashResumeError, invalidInput } from '../core/errors.js'
import { provenAbsent, runningOf } from '../core/evidence.js'
import { inlineCommand } from '../core/own-command.js'
import { noteMark } from '../core/verbs.js'
import { clock } from '../probes/clock.js'
import { probeAgents } from '../probes/probe.js'
import { markOf } from '../probes/transcript-mark.js'
import { type ConversationCopy, conversationCopies, copyConversation, putBack } from '../store/conversations.js'
import type { Store } from '../store/store.js'
import { type PreviewOptions, previewOn } from './preview.js'

/**
 * Puts a copy back where its transcript was.
 * @param name as `historyOf` gives it
 * @param options `notRunning`: your word that the session does not run, if nothing can tell
 * @throws ERR_INVALID_INPUT if there is no such copy; ERR_IN_USE if the session may run; and what copying throws, with
 *   nothing changed
 */
export async function restoreConversation(
  store: Store,
  name: string,
  options: PreviewOptions = {}
): Promise<ConversationCopy> {
  const copy = conversationCopies(store.path).find((one) => one.name === name)
  if (copy === undefined) throw invalidInput(`copy ${JSON.stringify(name)}`, 'does not exist')
  const { sessionId, agent, path } = copy
  if (!(await isAbsent(store, sessionId, options))) {
    const what = `session ${sessionId} may be running, and would write over the copy`
    const next = (index?: string): string => {
      const restore = { name: 'restore', args: [name], options: { '--not-running': true } } as const
      return `end it first; if you have seen that it does not run: ${inlineCommand(restore, index)}`
    }
    throw new CrashResumeError('ERR_IN_USE', what, { next })
  }
  if (existsSync(path)) copyConversation(store.path, { sessionId, agent, path }, clock(options.now), Infinity)
  putBack(store.path, copy)
  const mark = markOf(path, sessionId)
  if (mark !== undefined) {
    await store.update((index) =>
      Object.values(index.entries)
        .filter((entry) => entry.mark !== undefined)
        .reduce((left, { surfaceId }) => noteMark(left, { surfaceId, sessionId, mark }), index)
    )
  }
  return copy
}

/** Proven on every surface that holds the session, or held it. */
async function isAbsent(store: Store, sessionId: string, options: PreviewOptions): Promise<boolean> {
  const index = await store.load()
  const probe = options.probe ?? probeAgents(options)
  const holders = Object.values(index.entries).filter(
    (entry) => entry.sessionId === sessionId || entry.previous.some((before) => before.sessionId === sessionId)
  )
  for (const { surfaceId, repo } of holders) {
    const { entry, evidence, decision } = await previewOn(index, { surfaceId, repo }, {}, options, probe)
    if (entry === null || entry === 'unreadable') return false
    if (decision.reason === 'claimed' || decision.reason === 'owner_unverified') return false
    const isOwn = entry.sessionId === sessionId
    if (isOwn ? !provenAbsent(entry, evidence) : runningOf(evidence, sessionId) !== 'no') return false
  }
  return holders.length > 0 || options.notRunning === true
}
