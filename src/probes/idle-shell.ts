/**
 * Whether a shell is idle, so that a program may take its pane.
 */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { type Known, known, unknown } from './known.js'
import { childrenOf, linuxArgv, linuxFacts } from './proc-linux.js'

const SHELLS: ReadonlySet<string> = new Set(['ash', 'bash', 'dash', 'fish', 'ksh', 'mksh', 'nu', 'sh', 'tcsh', 'zsh'])
const MAX_SHELLS = 3
const YOUNG_S = 10

/** By its name. The name of a login shell begins with a dash. */
export function isShell(program: string): boolean {
  return SHELLS.has(basename(program).replace(/^-/, ''))
}

/** A shell without a job, or a shell that only runs another idle shell, as tmux's default-command does. */
export function isIdleShell(pid: number, depth = 0): Known<boolean> {
  const argv = linuxArgv(pid)
  if (argv === null) return unknown(`the arguments of process ${pid} cannot be read`)
  const [program = '', ...words] = argv
  if (!isShell(program) || depth > MAX_SHELLS) return known(false)
  const waits = words.every((word) => word.startsWith('-') && !/^-\w*c$/.test(word))
  // The pane itself may have been started with a script. Below that, a script is a person's work.
  if (depth > 0 && !waits) return known(false)
  const children = childrenOf(pid)
  if (!children.known) return children
  const [only, ...more] = children.value
  if (more.length > 0) return known(false)
  return only === undefined ? known(waits) : isIdleShell(only, depth + 1)
}

/** Started just now. A new shell first reads its settings, and may start other programs to do so. */
export function isYoung(pid: number): boolean {
  const start = Number(linuxFacts(pid)?.start)
  try {
    const uptime = Number.parseFloat(readFileSync('/proc/uptime', 'utf8'))
    // The kernel gives the start in ticks of 10 ms since the boot.
    return uptime - start / 100 < YOUNG_S
  } catch {
    return false
  }
}
