/** A project of somebody who uses the package: a folder of its own, elsewhere, with the package installed in it. */
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { transformSync } from 'esbuild'
import { root } from './markdown.js'
import { built } from './programs.js'

/** What every runtime has and the language's own library lacks; all of the DOM's would take half of the time. */
const GLOBALS = `
interface AbortSignal { readonly aborted: boolean }
declare const console: { log(line: string): void }
declare const process: { cwd(): string; readonly execPath: string }
declare module 'node:child_process' {
  interface Child { once(event: string, listener: (error: Error) => void): void }
  export function spawn(file: string, args: readonly string[], options: object): Child
}
`

interface Entry {
  /** What a caller imports. */
  readonly at: string
  /** The name of its files in dist. */
  readonly name: string
  /** From the package's folder. */
  readonly files: readonly string[]
}

const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, string | { readonly types: string; readonly default: string }>
}

/** The entries of the package, with their files. */
export const entries: readonly Entry[] = Object.entries(exports).flatMap(([at, to]) =>
  typeof to === 'string'
    ? []
    : [
        {
          at: `crash-resume-index${at.slice(1)}`,
          name: basename(to.default, '.js'),
          files: [to.default, to.types].map((file) => file.slice(2))
        }
      ]
)

export class Consumer {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'crash-resume-index-consumer-'))

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** What the strict compiler says about a module. No other package is there: not even Node's types. */
  problemsOf(code: string, options: object = {}): string[] {
    const types = join(this.folder, 'types')
    const installed = join(types, 'node_modules/crash-resume-index')
    mkdirSync(join(installed, 'dist'), { recursive: true })
    copyFileSync(join(root, 'package.json'), join(installed, 'package.json'))
    for (const name of declarations()) copyFileSync(join(root, 'dist', name), join(installed, 'dist', name))
    const compilerOptions = {
      target: 'ES2022',
      lib: ['ES2022'],
      module: 'NodeNext',
      strict: true,
      skipLibCheck: false,
      types: [],
      noEmit: true,
      ...options
    }
    writeFileSync(join(types, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(types, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts', 'globals.d.ts'] }))
    writeFileSync(join(types, 'main.ts'), code)
    writeFileSync(join(types, 'globals.d.ts'), GLOBALS)
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', types, '--pretty', 'false'], { encoding: 'utf8' })
    return stdout.split('\n').filter((line) => /^\S/.test(line))
  }

  /** A folder from which modules import the built package by its name. */
  project(): string {
    built('index.js')
    const project = join(this.folder, 'run')
    mkdirSync(join(project, 'node_modules'), { recursive: true })
    symlinkSync(root, join(project, 'node_modules/crash-resume-index'))
    return project
  }

  /** Runs a module against the built package, with a home folder of its own and no program on its PATH. */
  run(code: string): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
    const project = this.project()
    writeFileSync(join(project, 'main.mjs'), transformSync(code, { loader: 'ts', format: 'esm' }).code)
    const env: NodeJS.ProcessEnv = { ...process.env, HOME: project, PATH: project }
    delete env['CRASH_RESUME_INDEX_PATH']
    return spawnSync(process.execPath, ['main.mjs'], { cwd: project, env, encoding: 'utf8' })
  }
}

/** All files of declarations in dist. */
export function declarations(): readonly string[] {
  built('index.d.ts')
  return readdirSync(join(root, 'dist')).filter((name) => name.endsWith('.d.ts'))
}
