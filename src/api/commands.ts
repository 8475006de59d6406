/**
 * The established call for commands, with the clock.
 */

import { type CommandOptions, commandLineFor, resumeSpec } from '../agents/command.js'
import { entryAt } from '../core/entry.js'
import type { Index } from '../core/schema.js'
import { resumableFor } from '../core/verbs.js'
import { clock } from '../probes/clock.js'

/**
 * The command line that resumes the session of this surface, safe to type and to give to a POSIX shell. It is null
 * exactly if `resumableFor` is. It rests on no evidence: it does not check whether the session is already running.
 * @throws ERR_ENTRY_UNREADABLE, ERR_INVALID_INPUT
 * @example
 * import { loadIndex, resumeCommand } from 'crash-resume-index'
 * const line = resumeCommand(loadIndex(), 'pane-1') // 'golemsClaude --resume a1b2'
 */
export function resumeCommand(
  index: Index,
  surfaceId: string,
  choices: CommandOptions & {
    readonly maxAgeMs?: number | undefined
    readonly now?: number | (() => number) | undefined
  } = {}
): string | null {
  const { maxAgeMs, now, ...options } = choices
  if (resumableFor(index, surfaceId, { now: clock(now), maxAgeMs }) === null) return null
  const entry = entryAt(index, surfaceId)
  return entry && commandLineFor(entry, resumeSpec(entry, options))
}
