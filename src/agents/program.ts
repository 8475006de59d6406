/**
 * Telling an agent's process by its arguments: run as a program of its own, or as a script by Node, Python or a shell.
 *
 * Only the program or the script counts, never a later argument: `tail claude` and `sh -c claude` are no agents.
 */

import { given } from '../core/given.js'

/** How an agent shows among processes. */
export interface AgentProgram {
  readonly name: string
  /** Names of its program, as in `argv[0]` or as a script's file name without its ending. */
  readonly programs: readonly string[]
  /** Other forms of `argv[0]` that it is run by, such as the file of one version. */
  readonly programPath?: RegExp
  /** npm packages whose scripts are the agent when Node runs them, whatever the file is called. */
  readonly packages?: readonly string[]
  /** The environment variable in which the agent tells its children its own process number. */
  readonly pidVariable?: string
}

/** What a process runs: `by` is what interprets the script, if something does. */
export interface ParsedArgv {
  readonly program: string
  readonly by: 'itself' | 'shell' | 'runtime'
  /** The script's path; absent for a program, and for code given on the command line. */
  readonly script?: string
  /** What follows the program or the script. */
  readonly args: readonly string[]
}

const SHELLS = new Set(['sh', 'ash', 'bash', 'csh', 'dash', 'fish', 'ksh', 'mksh', 'nu', 'tcsh', 'zsh'])
/** Programs that run another one for a moment, and say nothing of what it is. */
const WRAPPERS = new Set([
  ...['chrt', 'direnv', 'doas', 'env', 'flock', 'ionice', 'nice', 'nohup', 'npx', 'prlimit', 'setarch', 'setpriv'],
  ...['setsid', 'stdbuf', 'sudo', 'taskset', 'time', 'timeout', 'unbuffer', 'xargs']
])
/** This program, by the path of its bin. */
const OURS = /(^|\/)(cli\.cjs|crash-resume-index)$/
/** Its hook, in a line for a shell or after another program. */
const OUR_HOOK = /(cli\.cjs|crash-resume-index)\S*\s+hook(\s|$)/
/** `MainThread` is how Node 24 names its process where an agent does not (seen with Copilot CLI 1.0.102). */
const RUNTIME = /^(MainThread|bun|deno|node|nodejs|python[\d.]*)$/
/** Options of shells and of Node or Python that take the next argument. */
const SHELL_OPTIONS = new Set(['-O', '-o', '--init-file', '--rcfile'])
const RUNTIME_OPTIONS = new Set([
  ...['-C', '-r', '--conditions', '--env-file', '--import', '--loader', '--require'],
  ...['-W', '-X']
])
/** After these the command line itself holds the code, and what follows are its arguments. */
const SHELL_CODE = /^-\w*c$/
const RUNTIME_CODE = /^(-c|-e|-p|-pe|--eval|--print)$/

/** Reads what a process runs from its arguments. */
export function parseArgv(argv: readonly string[]): ParsedArgv {
  const program = baseName(argv[0] ?? '').replace(/^-/, '')
  const by = SHELLS.has(program) ? 'shell' : RUNTIME.test(program) ? 'runtime' : 'itself'
  if (by === 'itself') return { program, by, args: argv.slice(1) }
  const [code, valued] = by === 'shell' ? [SHELL_CODE, SHELL_OPTIONS] : [RUNTIME_CODE, RUNTIME_OPTIONS]
  let at = 1
  for (; at < argv.length; at++) {
    const arg = argv[at] ?? ''
    if (code.test(arg)) return { program, by, args: [] }
    // `bun run x` and `deno run x`. The module of `python -m x` is what it runs.
    if (!arg.startsWith('-') && !(by === 'runtime' && arg === 'run')) break
    if (valued.has(arg)) at++
  }
  const script = argv[at]
  return { program, by, ...given({ script }), args: argv.slice(at + 1) }
}

/** True when a process with these arguments is a process of the agent. */
export function runsAgent(argv: readonly string[], agent: AgentProgram): boolean {
  const { program, by, script } = parseArgv(argv)
  if (by === 'itself') return agent.programs.includes(program) || (agent.programPath?.test(argv[0] ?? '') ?? false)
  if (script === undefined) return false
  if (agent.programs.includes(programName(script))) return true
  return by === 'runtime' && (agent.packages ?? []).some((name) => script.includes(`/node_modules/${name}/`))
}

/** True when a process with these arguments is certainly no agent: a shell, this program, or what only runs another one. */
export function runsNoAgent(argv: readonly string[]): boolean {
  const { program, by } = parseArgv(argv)
  return by === 'shell' || WRAPPERS.has(program) || isOurs(argv) || OUR_HOOK.test(argv.join(' '))
}

/** True when it is a process of this program. */
export function isOurs(argv: readonly string[]): boolean {
  return argv.slice(0, 2).some((word) => OURS.test(word))
}

/**
 * True when `parent`, the parent process of the agent `argv`, is not another agent but what started this one: a shell
 * script of its name, or the agent's own launcher. Codex, Gemini, Copilot and Qwen come from npm with a launcher, a
 * script that Node runs and that starts the agent with the same arguments.
 */
export function launches(parent: readonly string[], argv: readonly string[], agent: AgentProgram): boolean {
  if (!runsAgent(parent, agent)) return false
  const [above, below] = [parseArgv(parent), parseArgv(argv)]
  if (above.by === 'itself') return false
  if (above.by === 'shell' || below.by === 'itself') return true
  return above.args.length === below.args.length && above.args.every((arg, at) => arg === below.args[at])
}

/** The name that a program of this path has among processes. */
export function programName(path: string): string {
  return baseName(path).replace(/\.[cm]?[jt]s$/, '')
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
