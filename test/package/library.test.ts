/**
 * The package as its users get it: what the library imports, what its types name, and which files there are.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { entries } from '../support/consumer.js'
import { built } from '../support/programs.js'

const root = resolve(import.meta.dirname, '../..')

const imported = (text: string): string[] =>
  [...text.replaceAll(/\/\*.*?\*\//gs, '').matchAll(/^(?:import|export)\b(?:[^'"=]*\bfrom)?\s*['"]([^'"]+)['"]/gm)].map(
    ([, name]) => name ?? ''
  )

/** An entry's file and all that it shares with other entries, with what each imports. */
function files(name: string, ending: string, found: Map<string, readonly string[]> = new Map()): typeof found {
  if (found.has(name)) return found
  const names = imported(readFileSync(built(name), 'utf8'))
  found.set(name, names)
  for (const other of names) if (other.startsWith('./')) files(basename(other, '.js') + ending, ending, found)
  return found
}

it.each(entries)('$at imports nothing at its start but Node', ({ name }) => {
  const names = [...files(`${name}.js`, '.js').values()].flat()
  expect(names).toContain('node:os')
  expect(names.filter((each) => !/^(node:|\.\/)/.test(each))).toEqual([])
})

it.each(entries)('$at names no type of another package in its declarations', ({ name }) => {
  const all = [...files(`${name}.d.ts`, '.d.ts')]
  expect(all.flatMap(([, names]) => names).filter((each) => !each.startsWith('./'))).toEqual([])
  for (const [file] of all) {
    const text = readFileSync(built(file), 'utf8')
    expect(text).toMatch(/export (type )?\{/)
    expect(text).not.toMatch(/import\(|\/\/\/ <reference|\bNodeJS\./)
  }
})

it('publishes the build, the documentation and the licence, and no source or test', () => {
  const [pack] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' })
  ) as { files: { path: string }[] }[]
  const paths = pack?.files.map(({ path }) => path) ?? []
  expect(paths).toEqual(expect.arrayContaining(['package.json', 'LICENSE', ...entries.flatMap(({ files }) => files)]))
  expect(
    paths.filter((path) => !/^(dist\/|docs\/|package\.json$|README\.md$|LICENSE$|CHANGELOG\.md$)/.test(path))
  ).toEqual([])
})

it('locks its packages by name, version and hash, not by the place they came from', () => {
  expect(readFileSync(resolve(root, 'package-lock.json'), 'utf8')).not.toMatch(/"resolved"/)
})
