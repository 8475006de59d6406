/**
 * docs/api.md is what its generator writes from the built declarations, and the examples in docstrings compile.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Consumer } from '../support/consumer.js'
import { page, root } from '../support/markdown.js'
import { built } from '../support/programs.js'

let consumer: Consumer
beforeEach(() => {
  consumer = new Consumer()
})
afterEach(() => consumer.remove())

const printed = (file: string, ...args: string[]): string =>
  execFileSync(process.execPath, [join(root, 'test/docs', file), ...args], { encoding: 'utf8', maxBuffer: 1 << 26 })

it('docs/api.md is up to date; `npm run docs:api` writes it', () => {
  built('index.d.ts')
  expect(readFileSync(join(root, 'docs/api.md'), 'utf8')).toBe(printed('generate-api.mjs', '--print'))
})

interface Door {
  readonly entry: string
  readonly names: readonly {
    readonly name: string
    readonly tags: readonly { readonly name: string; readonly text: string }[]
  }[]
}

it('the examples in the docstrings compile', () => {
  built('index.d.ts')
  const api = JSON.parse(printed('public-api.mjs')) as readonly Door[]
  const examples = api.flatMap(({ names }) =>
    names.flatMap(({ tags }) => tags.filter(({ name }) => name === 'example').map(({ text }) => text))
  )
  expect(examples.length).toBeGreaterThan(5)
  // All in one module, for one run of the compiler: the imports first, then each example in a block of its own.
  const statement = /^import \{ ([^}]*) \} from '([^']+)'\n/gm
  const imports = new Map<string, Set<string>>()
  for (const [, names = '', from = ''] of examples.flatMap((text) => [...text.matchAll(statement)])) {
    imports.set(from, new Set([...(imports.get(from) ?? []), ...names.split(', ')]))
  }
  const head = [...imports].map(([from, names]) => `import { ${[...names].join(', ')} } from '${from}'`)
  const blocks = examples.map((text) => `{\n${text.replaceAll(statement, '')}\n}`)
  const code = [...head, ...blocks, 'export {}'].join('\n')
  expect(consumer.problemsOf(code, { exactOptionalPropertyTypes: true })).toEqual([])
})

it('the page names every entry with what it is for', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: object }
  const names = Object.keys(exports).filter((at) => at !== './package.json')
  for (const at of names) expect(page('docs/api.md')).toContain(`| \`crash-resume-index${at.slice(1)}\` |`)
})
