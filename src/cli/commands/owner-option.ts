/** The process that --owner names. */
import { CrashResumeError, type Owner, ownerOf, verdictOf } from '../../index.js'
import type { Task } from '../task.js'
import { number } from '../task.js'

/** A dead owner is permission for the next gate, so only a living process may be one. */
export function ownerFrom(task: Task): Owner {
  const pid = number(task, 'owner') ?? 0
  const owner = ownerOf(pid)
  if (owner !== null && verdictOf(owner) === 'alive') return owner
  throw new CrashResumeError(
    'ERR_INVALID_INPUT',
    `--owner ${pid} is no living process; give the one that will settle, \`--owner $$\` in a shell`
  )
}
