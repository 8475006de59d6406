/**
 * Process identities and what was found out about them.
 *
 * An owner is compared as a whole: a verdict on one process never answers for another of the same number,
 * of another boot, or in another namespace. Without a verdict nothing is known, which is not "dead".
 */
import type { Machine, Owner, Verdict, Verdicts } from './schema.js'

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
  return {
    host: owner.host,
    ...(owner.bootId === undefined ? {} : { bootId: owner.bootId }),
    ...(owner.ns === undefined ? {} : { ns: owner.ns })
  }
}
