/**
 * What to do about a surface whose state is not what the index believes: one sentence with the next command. Pure.
 */
import { DEFAULT_AGENT } from '../agents/table.js'
import type { Decision } from '../core/decide.js'
import { quoteArgv } from '../core/quote.js'
import type { Entry } from '../core/schema.js'
import type { Seen, StatusState } from './state.js'

/** A command line of our own, in backticks: the command, its arguments, its options. */
export type Commands = (name: string, args?: readonly string[], options?: readonly string[]) => string

/** @param everywhere options that each command gets, such as which index is meant */
export function commandsWith(everywhere: readonly string[]): Commands {
  return (name, args = [], options = []) => {
    // Behind `--` nothing is an option, so that the options come first there.
    const odd = args.some((word) => word.startsWith('-'))
    const words = odd ? [...options, ...everywhere, '--', ...args] : [...args, ...options, ...everywhere]
    return `\`${quoteArgv(['crash-resume-index', name, ...words])}\``
  }
}

/** The command that brings one surface back. An id of tmux's own ends with its server; its place is what is known. */
function recoverOf({ surfaceId, address }: Entry, seen: Seen, commands: Commands): string {
  const name = isNumbered(surfaceId) ? (seen.address ?? address ?? surfaceId) : surfaceId
  return commands('recover', [], name.startsWith('-') ? [`--only=${name}`] : ['--only', name])
}

/** A new conversation; a surface that a terminal has numbered is its pane's, wherever that is. */
function freshOf({ surfaceId, agent = DEFAULT_AGENT }: Entry, commands: Commands): string {
  const surface = surfaceId.startsWith('-') ? [`--surface=${surfaceId}`] : ['--surface', surfaceId]
  const line = commands('run', [], isNumbered(surfaceId) ? [] : surface)
  return `${line.slice(0, -1)} -- ${quoteArgv([agent])}\`${isNumbered(surfaceId) ? ' in its pane' : ''}`
}

function isNumbered(surfaceId: string): boolean {
  return /^tmux:.*:%\d+$/.test(surfaceId)
}

/** Null: there is nothing to do. */
export function adviceFor(
  entry: Entry,
  state: StatusState,
  decision: Decision,
  seen: Seen,
  commands: Commands
): string | null {
  const { surfaceId } = entry
  const why = commands('why', [surfaceId])
  const recover = recoverOf(entry, seen, commands)
  const advice: Record<StatusState, () => string | null> = {
    alive: () =>
      seen.also.length > 0
        ? `end all of these processes but one, before they write over each other; ${why} shows what was checked`
        : aliveAdvice(entry, decision, commands, why),
    starting: () => `let it finish; ${why} names who is at it`,
    crashed: () => {
      if (decision.policy === 'manual') return `its policy leaves it to you: ${why} shows how to resume it`
      if (!seen.unreachable) return `${recover} resumes it`
      return `look at its terminal server first, which does not answer; then ${recover} resumes it`
    },
    held: () => heldAdvice(entry, decision, commands, { why, recover }),
    gone: () => `start afresh: ${freshOf(entry, commands)}`,
    unknown: () => `look whether it runs; ${why} shows what was checked`,
    ended: () => null,
    nested: () => null,
    unrecorded: () => null,
    foreign: () => null
  }
  return advice[state]()
}

function aliveAdvice(entry: Entry, { reason, at }: Decision, commands: Commands, why: string): string | null {
  const { surfaceId, sessionId, repo, agent, state } = entry
  if (reason === 'running_elsewhere') {
    const place = at ?? 'another surface'
    if (at === undefined || /^process \d+$/.test(at)) return `go to ${place}; ${why} shows what was checked`
    return `go to ${place}; ${commands('rename', [surfaceId, at])} if it is to stay there`
  }
  if (state !== 'ended' && state !== 'spawn_failed') return null
  const named = agent === undefined ? [] : ['--agent', agent]
  return `${commands('record', [surfaceId, sessionId, repo], named)} takes it back, or end the process`
}

function heldAdvice(
  { surfaceId, policy, cwd }: Entry,
  { reason }: Decision,
  commands: Commands,
  { why, recover }: { readonly why: string; readonly recover: string }
): string {
  if (reason === 'policy_off') return `${commands('policy', [surfaceId, 'auto'])} allows it again`
  if (reason === 'attempts_exhausted') {
    return `mend the cause; ${commands('policy', [surfaceId, policy])} clears the count`
  }
  if (reason === 'cwd_missing') return `bring ${cwd ?? 'its launch folder'} back; then ${recover} resumes it`
  return `${why} ${reason === 'cooldown' ? 'says when it may be tried again' : 'shows what was checked'}`
}
