/**
 * Processes as macOS shows them. It has no /proc, so this starts `ps` and `sysctl`, each at most once a question and
 * for at most 50 ms. Without an answer in time the processes are unknown. Nothing here throws.
 */
import type { ProcessFacts } from './proc-linux.js'

/** Starts a program and returns what it printed; null: it failed or took too long. */
export type Runner = (file: string, args: readonly string[]) => string | null

const LIMIT_MS = 50
const MAX_BYTES = 4 * 1024 * 1024

/** The real runner. node:child_process is loaded at the first use: Linux never needs it. */
export function runProgram(file: string, args: readonly string[], limitMs: number = LIMIT_MS): string | null {
  try {
    return process.getBuiltinModule('node:child_process').execFileSync(file, [...args], {
      encoding: 'utf8',
      // The date depends on the locale and the time zone, and a start time must always read the same.
      env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/bin:/usr/bin:/usr/sbin' },
      maxBuffer: MAX_BYTES,
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: limitMs
    })
  } catch {
    return null
  }
}

/** This boot's id. It is new at every boot and, unlike kern.boottime, does not change with the clock. */
export function darwinBootId(run: Runner = runProgram): string | undefined {
  return run('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'])?.trim() || undefined
}

/** A process with its arguments, split at blanks: ps does not show where one argument ends. */
export interface DarwinFacts extends ProcessFacts {
  readonly argv: readonly string[]
}

/** Every process by its number; null: ps printed nothing. */
export function darwinFacts(run: Runner = runProgram): ReadonlyMap<number, DarwinFacts> | null {
  const text = run('/bin/ps', ['-A', '-ww', '-o', 'pid=,ppid=,stat=,lstart=,command='])
  if (text === null) return null
  const facts = new Map<number, DarwinFacts>()
  for (const line of text.split('\n')) {
    const one = parsePsLine(line)
    if (one !== null) facts.set(one.pid, one)
  }
  return facts.size === 0 ? null : facts
}

/** A line such as `  412     1 Ss   Mon Nov 30 09:12:44 2026     -zsh`. */
function parsePsLine(line: string): DarwinFacts | null {
  const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4})\s+(.*)$/.exec(line)
  if (match === null) return null
  const [, pid = '', ppid = '', stat = '', start = '', command = ''] = match
  const argv = command.trim().split(/\s+/)
  const comm = argv[0]?.split('/').at(-1) ?? ''
  return { pid: Number(pid), ppid: Number(ppid), zombie: stat.startsWith('Z'), start, comm, argv }
}
