/**
 * Every command line of ours that a text prints, and a shell that runs one as a person would: in a folder of its own,
 * with nothing on the PATH but what a test put there and the system's programs.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cli } from './programs.js'

const NAME = 'crash-resume-index '

/** The lines, without comments behind them; what a person fills in is filled in. */
export function printedCommands(text: string, blanks: Readonly<Record<string, string>>): readonly string[] {
  const lines = text.split('\n').filter((line) => !line.startsWith('Usage: '))
  const found = lines.flatMap((line) => commandsIn(line)).map((line) => filledIn(line, blanks))
  return [...new Set(found)]
}

/** Each place that names the program: up to the backtick that closes it, or to the end of the line. */
function commandsIn(line: string): readonly string[] {
  const found: string[] = []
  for (let at = line.indexOf(NAME); at !== -1; at = line.indexOf(NAME, at + 1)) {
    const end = endOf(line, at, line[at - 1] === '`')
    if (found.length === 0 || !found.at(-1)?.includes(line.slice(at, end))) found.push(line.slice(at, end))
  }
  return found.map((command) => command.replace(/ {2}# .*$/, '').trimEnd())
}

/** A quote or a backslash hides the backtick that closes the command. */
function endOf(line: string, from: number, inBackticks: boolean): number {
  let quoted = false
  for (let at = from; at < line.length; at++) {
    const character = line[at]
    if (character === "'") quoted = !quoted
    else if (!quoted && character === '\\') at++
    else if (!quoted && inBackticks && character === '`') return at
  }
  return line.length
}

function filledIn(line: string, blanks: Readonly<Record<string, string>>): string {
  return line.replace(/(?<= )<([a-z-]+)>/g, (blank, name: string) => blanks[name] ?? blank)
}

export interface RanLine {
  readonly status: number | null
  readonly stderr: string
  /** The arguments that reached the bin. */
  readonly argv: readonly string[]
}

/** A shell in a folder of its own. */
export class PersonsShell {
  readonly #folder: string
  readonly #log: string

  /** @param programs names of agents that end at once */
  constructor(folder: string, programs: readonly string[]) {
    this.#folder = folder
    this.#log = join(folder, 'argv')
    mkdirSync(join(folder, 'bin'), { recursive: true })
    this.#program('crash-resume-index', `printf '%s\\0' "$@" >"$ARGV_LOG"\nexec "$NODE" "$BIN" "$@"`)
    for (const name of programs) this.#program(name, 'exit 0')
  }

  #program(name: string, script: string): void {
    const file = join(this.#folder, 'bin', name)
    writeFileSync(file, `#!/bin/sh\n${script}\n`)
    chmodSync(file, 0o755)
  }

  get env(): NodeJS.ProcessEnv {
    return {
      PATH: `${join(this.#folder, 'bin')}:/usr/bin:/bin`,
      HOME: this.#folder,
      TMUX_TMPDIR: this.#folder,
      ARGV_LOG: this.#log,
      NODE: process.execPath,
      BIN: cli()
    }
  }

  run(line: string): RanLine {
    rmSync(this.#log, { force: true })
    const { status, stderr } = spawnSync('sh', ['-c', line], {
      cwd: this.#folder,
      env: this.env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe']
    })
    const argv = existsSync(this.#log) ? readFileSync(this.#log, 'utf8').split('\0').slice(0, -1) : []
    return { status, stderr, argv }
  }
}
