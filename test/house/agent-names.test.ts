/**
 * What is known of an agent is in its row: no agent's name stands in src outside src/agents, so that a new agent is one
 * file there. The compiler's scanner tells comments from code.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { AGENTS } from '../../src/agents/table.js'

const sources = resolve(import.meta.dirname, '../../src')

/** Names in help texts and examples, which a person types; and the public names, which come from src/agents. */
const CODE_MAY_NAME = [/^cli\//, /^(index|agents)\.ts$/]
/** Examples in the comments of public names. */
const COMMENTS_MAY_NAME = ['api/commands.ts', 'api/files.ts', 'core/schema.ts', 'hooks/install.ts', 'resume/gate.ts']

const names = Object.values(AGENTS).flatMap(({ name, seen }) => (seen === undefined ? [] : [name]))
const NAME = new RegExp(names.join('|'), 'i')

interface Text {
  readonly code: string
  readonly comments: string
}

function read(text: string): Text {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, ts.LanguageVariant.Standard, text)
  const found = { code: '', comments: '' }
  for (let token = scanner.scan(); token !== ts.SyntaxKind.EndOfFileToken; token = scanner.scan()) {
    const isComment = token === ts.SyntaxKind.SingleLineCommentTrivia || token === ts.SyntaxKind.MultiLineCommentTrivia
    found[isComment ? 'comments' : 'code'] += `${scanner.getTokenText()} `
  }
  return found
}

const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.ts') && !name.startsWith('agents/'))
const texts = files.map((file) => ({ file, ...read(readFileSync(join(sources, file), 'utf8')) }))
const naming = (part: keyof Text): string[] => texts.filter((text) => NAME.test(text[part])).map(({ file }) => file)

it('no agent is named in code outside src/agents', () => {
  expect(naming('code').filter((file) => !CODE_MAY_NAME.some((pattern) => pattern.test(file)))).toEqual([])
})

it('a comment names one only as an example', () => {
  expect(naming('comments').filter((file) => !file.startsWith('cli/'))).toEqual(COMMENTS_MAY_NAME)
})

it('a name would be found in code, in a string and in a comment', () => {
  expect(names.toSorted()).toEqual(['claude', 'codex', 'copilot', 'gemini', 'opencode', 'qwen'])
  for (const planted of ["if (agent === 'claude') run()", 'const codexHome = 1', "join(home, '.gemini')"]) {
    expect(NAME.test(read(planted).code)).toBe(true)
  }
  expect(read('f() // as Qwen does\n/* Copilot too */')).toMatchObject({
    comments: '// as Qwen does /* Copilot too */ '
  })
  expect(NAME.test(read('f() // as Qwen does').code)).toBe(false)
})
