/**
 * Who runs here: this machine, the identity of a process, and the verdict on a process that an entry names.
 *
 * core/owner.ts has the order of a verdict; this file only looks. A look never throws, and never takes "could not see"
 * for "is gone": a process is gone only if the kernel answers ESRCH to a signal that does nothing. The machine is
 * looked up once, a process each time.
 */
import type { Environment } from '../core/environment.js'
import { given } from '../core/given.js'
import { isPid, judgeOwner, needsNoLook, type ProcessSight } from '../core/owner.js'
import type { Machine, Owner, Verdict, Verdicts } from '../core/schema.js'
import { hostId } from './machine-id.js'
import {
  linuxArgv,
  linuxBootId,
  linuxEnvironment,
  linuxFacts,
  linuxHasTitle,
  linuxNamespace,
  type ProcessFacts,
  procIsOurs
} from './proc-linux.js'
import { darwinBootId, darwinFacts } from './ps-darwin.js'

/** The process table. `null`: not shown, which does not mean gone. */
export interface ProcessTable {
  readonly facts: (pid: number) => ProcessFacts | null
  readonly argv: (pid: number) => readonly string[] | null
  /** Whether its arguments are a title that it wrote over them; null, or absent: not known. */
  readonly hasTitle?: (pid: number) => boolean | null
  /** The variables that a process was started with. */
  readonly env: (pid: number) => Environment | null
}

const nothingShown: ProcessTable = { facts: () => null, argv: () => null, env: () => null }

let cached: Machine | undefined

/** This machine, its boot and this process's namespace; the same object at every call. */
export function thisMachine(): Machine {
  cached ??= readMachine()
  return cached
}

function readMachine(): Machine {
  const linux = process.platform === 'linux'
  const bootId = linux ? linuxBootId() : process.platform === 'darwin' ? darwinBootId() : undefined
  const ns = linux ? linuxNamespace() : undefined
  return Object.freeze({
    host: hostId(bootId),
    ...given({ bootId, ns })
  })
}

/** The process table of now. Linux reads each process when asked for it, macOS all at once. */
export function processTable(): ProcessTable {
  if (process.platform === 'linux') {
    return procIsOurs()
      ? { facts: linuxFacts, argv: linuxArgv, hasTitle: linuxHasTitle, env: linuxEnvironment }
      : nothingShown
  }
  const all = process.platform === 'darwin' ? darwinFacts() : null
  return all === null
    ? nothingShown
    : { ...nothingShown, facts: (pid) => all.get(pid) ?? null, argv: (pid) => all.get(pid)?.argv ?? null }
}

/**
 * The identity of a running process of this machine.
 * @returns null: no such process runs, or the number is impossible. It has no `start` if the system did not tell: every
 *   verdict on such an owner is `unknown` until the process is gone.
 */
export function ownerOf(pid: number): Owner | null {
  if (!isPid(pid)) return null
  const seen = look(pid, processTable())
  if (seen.state !== 'running') return null
  return { ...thisMachine(), pid, ...given({ start: seen.start }) }
}

/** Whether the process that `owner` names runs: `dead` and `alive` are proof, `unknown` is neither. */
export function verdictOf(owner: Owner, machine: Machine = thisMachine()): Verdict {
  return judge(owner, machine, processTable)
}

/** The verdicts on several owners, from one look at the process table. */
export function verdictsFor(owners: readonly Owner[]): Verdicts {
  const machine = thisMachine()
  let table: ProcessTable | undefined
  const once = (): ProcessTable => {
    table ??= processTable()
    return table
  }
  return owners.map((owner) => ({ owner, verdict: judge(owner, machine, once) }))
}

function judge(owner: Owner, machine: Machine, table: () => ProcessTable): Verdict {
  const seen: ProcessSight = needsNoLook(owner, machine) ? { state: 'unseen' } : look(owner.pid, table())
  return judgeOwner(owner, machine, seen)
}

function look(pid: number, table: ProcessTable): ProcessSight {
  const facts = table.facts(pid)
  if (facts !== null) return { state: facts.zombie ? 'zombie' : 'running', start: facts.start }
  return { state: answersSignals(pid) }
}

/** Signal 0 only asks. ESRCH alone proves absence; EPERM means that the process is another user's. */
function answersSignals(pid: number): 'running' | 'gone' | 'unseen' {
  try {
    process.kill(pid, 0)
    return 'running'
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ESRCH') return 'gone'
    return code === 'EPERM' ? 'running' : 'unseen'
  }
}
