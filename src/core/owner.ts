/**
 * Owners: the identity of a process, and the verdict on it: is the one that an entry names still running?
 *
 * An owner is compared as a whole: a verdict on one process never answers for another of the same number, of another
 * boot, or in another namespace. What was seen of the process number is an argument. The order of the questions is the
 * rule. A process of another machine cannot be looked at from here; none survives its boot; a number means another
 * process in another namespace; and only then does it matter what was seen. Every doubt, and a missing
 * verdict, is `unknown`, which is never "dead".
 */
import { given } from './given.js'
import type { Machine, Owner, Verdict, Verdicts } from './schema.js'

/**
 * What a look at a process number found. `gone`: the kernel says that no process has it. `running` includes
 * one that belongs to another user. `unseen`: it could not be told.
 */
export interface ProcessSight {
  readonly state: 'running' | 'zombie' | 'gone' | 'unseen'
  /** The kernel's start time, in the form that `Owner.start` has on the same system. */
  readonly start?: string
}

/** Linux's upper limit of process numbers; no other system's is larger. */
const PID_LIMIT = 2 ** 22

/** True for a number that can be one process: not 0 or negative, which stand for groups of them. */
export function isPid(pid: number): boolean {
  return Number.isSafeInteger(pid) && pid > 0 && pid <= PID_LIMIT
}

/** The verdict on `owner`, as `machine` sees it after looking at the owner's process number. */
export function judgeOwner(owner: Owner, machine: Machine, seen: ProcessSight): Verdict {
  if (!isPid(owner.pid)) return 'unknown'
  if (owner.host !== machine.host) return 'unknown'
  if (owner.bootId !== undefined && machine.bootId !== undefined && owner.bootId !== machine.bootId) return 'dead'
  if (owner.ns !== machine.ns) return 'unknown'
  if (seen.state === 'unseen') return 'unknown'
  if (seen.state === 'gone' || seen.state === 'zombie') return 'dead'
  if (owner.start === undefined || seen.start === undefined) return 'unknown'
  return owner.start === seen.start ? 'alive' : 'dead'
}

/** True when the verdict is settled before anything is looked at: `judgeOwner` gives it whatever `seen` says. */
export function needsNoLook(owner: Owner, machine: Machine): boolean {
  return judgeOwner(owner, machine, { state: 'unseen' }) === judgeOwner(owner, machine, { state: 'gone' })
}

/** True when both name one process: machine, boot, namespace, number and start time. */
export function sameOwner(a: Owner, b: Owner): boolean {
  return a.pid === b.pid && a.start === b.start && a.host === b.host && a.bootId === b.bootId && a.ns === b.ns
}

/** The verdict on this very owner; unknown when none is listed. */
export function verdictFor(verdicts: Verdicts, owner: Owner): Verdict {
  return verdicts.find((listed) => sameOwner(listed.owner, owner))?.verdict ?? 'unknown'
}

/** The machine and boot that an owner is of. */
export function machineOf(owner: Owner): Machine {
  const { host, bootId, ns } = owner
  return { host, ...given({ bootId, ns }) }
}
