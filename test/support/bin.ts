/** The built bin as a process, on an index of its own in a folder that the test removes. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cli } from './programs.js'

export interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export class Bin {
  readonly folder: string
  readonly path: string

  constructor(parent: string = tmpdir()) {
    this.folder = mkdtempSync(join(parent, 'crash-resume-index-cli-'))
    this.path = join(this.folder, 'index.json')
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** The environment of the process: no colour of its own choice, and no index but this one. */
  get env(): NodeJS.ProcessEnv {
    const { NO_COLOR: _, FORCE_COLOR: __, ...env } = process.env
    return { ...env, HOME: this.folder, CRASH_RESUME_INDEX_PATH: this.path }
  }

  run(...args: string[]): Ended {
    return this.runWith({}, ...args)
  }

  runWith(env: NodeJS.ProcessEnv, ...args: string[]): Ended {
    const { status, stdout, stderr } = spawnSync(process.execPath, [cli(), ...args], {
      env: { ...this.env, ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe']
    })
    return { status, stdout, stderr }
  }

  /** A line of a shell, in which `bin` stands for the bin. */
  shell(line: string): Ended {
    const script = `bin() { "$NODE" "$BIN" "$@"; }\n${line}`
    const env = { ...this.env, NODE: process.execPath, BIN: cli() }
    return spawnSync('bash', ['-c', script], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  }

  /** What a command prints as data. */
  json(...args: string[]): unknown {
    const { status, stdout, stderr } = this.run(...args)
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
    return JSON.parse(stdout)
  }

  /** The bytes of the view. */
  get text(): string {
    return readFileSync(this.path, 'utf8')
  }

  write(text: string): void {
    writeFileSync(this.path, text)
  }
}
