/** Paths of what tests start as processes of their own: the built fixture programs and what is in dist. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { inject } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

/** The path of test/fixtures/programs/<name>.ts as built for this run; start it with `fork` or `node`. */
export function program(name: string): string {
  return fixture(name, `${name}.mjs`)
}

/** The path of test/fixtures/programs/<name>.preload.ts as built for this run, for `node --require`. */
export function preload(name: string): string {
  return fixture(`${name}.preload`, `${name}.preload.cjs`)
}

function fixture(source: string, name: string): string {
  const path = join(inject('programs'), name)
  if (!existsSync(path)) throw new TypeError(`no program test/fixtures/programs/${source}.ts`)
  return path
}

/** The path of a file in dist; throws where it is missing or older than a source, so that no test runs old code. */
export function built(name: string): string {
  const path = join(root, 'dist', name)
  const time = existsSync(path) ? statSync(path).mtimeMs : 0
  const newest = Math.max(
    ...readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => statSync(join(file.parentPath, file.name)).mtimeMs)
  )
  if (time < newest) throw new Error(`${path} is missing or older than src: run npm run build`)
  return path
}

/** The path of the built bin. */
export const cli = (): string => built('cli.cjs')
