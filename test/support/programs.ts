/** Paths of what tests start as processes of their own: the built fixture programs and the built bin. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { inject } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

/** The path of test/fixtures/programs/<name>.ts as built for this run; start it with `fork` or `node`. */
export function program(name: string): string {
  const path = join(inject('programs'), `${name}.mjs`)
  if (!existsSync(path)) throw new TypeError(`no program test/fixtures/programs/${name}.ts`)
  return path
}

/** The path of the built bin; throws where it is missing or older than a source, so that no test runs old code. */
export function cli(): string {
  const path = join(root, 'dist/cli.cjs')
  const built = existsSync(path) ? statSync(path).mtimeMs : 0
  const newest = Math.max(
    ...readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => statSync(join(file.parentPath, file.name)).mtimeMs)
  )
  if (built < newest) throw new Error(`${path} is missing or older than src: run npm run build`)
  return path
}
