/**
 * What to do about a surface whose state differs from what the index says: one sentence with the next command. Pure.
 */
import { DEFAULT_AGENT } from '../agents/table.js'
import type { Decision } from '../core/decision.js'
import { inlineCommand, type OwnCommand } from '../core/own-command.js'
import type { Entry } from '../core/schema.js'
import type { Seen, StatusState } from './state.js'

/** Writes a command of this program for the advice. */
export type Commands = (command: OwnCommand) => string

/** @param path the index that the commands name by --path */
export function commandsFor(path: string | undefined): Commands {
  return (command) => inlineCommand(command, path)
}

/** The command that resumes one surface. A tmux id ends with its server, so the position names that surface. */
function recoverOf({ surfaceId, address }: Entry, seen: Seen, commands: Commands): string {
  const name = isNumbered(surfaceId) ? (seen.address ?? address ?? surfaceId) : surfaceId
  return commands({ name: 'recover', options: { '--only': name } })
}

/** The command for a new conversation. A surface that its terminal has numbered is known only in its pane. */
function freshOf({ surfaceId, agent = DEFAULT_AGENT }: Entry, commands: Commands): string {
  if (isNumbered(surfaceId)) return `${commands({ name: 'run', args: [agent] })} in its pane`
  return commands({ name: 'run', args: [agent], options: { '--surface': surfaceId } })
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
  const why = commands({ name: 'why', args: [surfaceId] })
  const recover = recoverOf(entry, seen, commands)
  const advice: Record<StatusState, () => string | null> = {
    alive: () =>
      seen.also.length > 0
        ? `end all of these processes but one, because they overwrite each other's work; ${why} shows what was checked`
        : aliveAdvice(entry, decision, commands, why),
    starting: () => `let it finish; ${why} names the process`,
    crashed: () => {
      if (decision.policy === 'manual') return `its policy leaves it to you: ${why} shows how to resume it`
      if (decision.warnings.includes('transcript_shrunk'))
        return `look at it first; then ${recover} resumes what is left`
      if (!seen.unreachable) return `${recover} resumes it`
      return `check its terminal server first, because it does not answer; then ${recover} resumes it`
    },
    closed: () => `${recover} brings it back; ${commands({ name: 'end', args: [surfaceId] })} gives it up`,
    left: () => null,
    held: () => heldAdvice(entry, decision, commands, { why, recover }),
    gone: () => `start a new session: ${freshOf(entry, commands)}`,
    unknown: () => `check whether it runs; ${why} shows what was checked`,
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
    return `go to ${place}; if it stays there, run ${commands({ name: 'rename', args: [surfaceId, at] })}`
  }
  if (state !== 'ended' && state !== 'spawn_failed') return null
  const record = commands({ name: 'record', args: [surfaceId, sessionId, repo], options: { '--agent': agent } })
  return `${record} takes it back, or end the process`
}

function heldAdvice(
  { surfaceId, policy, cwd }: Entry,
  { reason }: Decision,
  commands: Commands,
  { why, recover }: { readonly why: string; readonly recover: string }
): string {
  if (reason === 'policy_off') return `${commands({ name: 'policy', args: [surfaceId, 'auto'] })} allows it again`
  if (reason === 'attempts_exhausted') {
    return `fix the cause; then ${commands({ name: 'policy', args: [surfaceId, policy] })} clears the count`
  }
  if (reason === 'cwd_missing') return `bring ${cwd ?? 'its launch folder'} back; then ${recover} resumes it`
  return `${why} ${reason === 'cooldown' ? 'says when you can try again' : 'shows what was checked'}`
}
