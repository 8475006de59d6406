/**
 * The package as its users get it: what the library imports, what its types name, and which files there are.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { built } from '../support/programs.js'

const root = resolve(import.meta.dirname, '../..')

const imported = (text: string): string[] =>
  [...text.matchAll(/^(?:import|export)\b(?:[^'"=]*\bfrom)?\s*['"]([^'"]+)['"]/gm)].map(([, name]) => name ?? '')

it('imports nothing at its start but Node', () => {
  const names = imported(readFileSync(built('index.js'), 'utf8'))
  expect(names.filter((name) => !name.startsWith('node:'))).toEqual([])
})

it('names no type of another package in its declarations', () => {
  const text = readFileSync(built('index.d.ts'), 'utf8')
  expect(text).toContain('export {')
  expect(imported(text)).toEqual([])
  expect(text).not.toMatch(/import\(|\/\/\/ <reference|\bNodeJS\./)
})

it('publishes the build, the documentation and the licence, and no source or test', () => {
  const [pack] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' })
  ) as { files: { path: string }[] }[]
  const paths = pack?.files.map(({ path }) => path) ?? []
  expect(paths).toEqual(expect.arrayContaining(['package.json', 'LICENSE', 'dist/index.js', 'dist/index.d.ts']))
  expect(
    paths.filter((path) => !/^(dist\/|docs\/|package\.json$|README\.md$|LICENSE$|CHANGELOG\.md$)/.test(path))
  ).toEqual([])
})

it('locks its packages by name, version and hash, not by the place they came from', () => {
  expect(readFileSync(resolve(root, 'package-lock.json'), 'utf8')).not.toMatch(/"resolved"/)
})
