/**
 * Global setup: bundles every test/fixtures/programs/*.ts with the sources as they are now, so that tests can start
 * them with plain Node. Each run has a folder of its own, removed at the end: runs side by side do not meet.
 * Tests ask programs.ts for the path of a program.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import type { TestProject } from 'vitest/node'

const sources = resolve(import.meta.dirname, '../fixtures/programs')

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder with the built fixture programs. */
    programs: string
  }
}

export default async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'crash-resume-index-programs-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    await bundle(folder)
  } catch (error) {
    remove()
    throw error
  }
  project.provide('programs', folder)
  return remove
}

async function bundle(outdir: string): Promise<void> {
  const names = existsSync(sources) ? readdirSync(sources).filter((name) => name.endsWith('.ts')) : []
  const isPreload = (name: string): boolean => name.endsWith('.preload.ts')
  const paths = (wanted: (name: string) => boolean): string[] => names.filter(wanted).map((name) => join(sources, name))
  const common = {
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    logLevel: 'warning'
  } as const
  await build({
    ...common,
    entryPoints: paths((name) => !isPreload(name)),
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    // CommonJS packages inside the bundle ask for Node's modules by require(), and for the name of their file.
    banner: {
      js: "import { createRequire as asking } from 'node:module'; const require = asking(import.meta.url); const __filename = import.meta.filename;"
    }
  })
  // What is loaded ahead of another program, by --require: as CommonJS it does not start Node's ESM loader.
  await build({ ...common, entryPoints: paths(isPreload), outExtension: { '.js': '.cjs' }, format: 'cjs' })
}
