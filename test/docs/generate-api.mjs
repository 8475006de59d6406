/**
 * Writes docs/api.md from the built declarations; with --print it goes to stdout. `npm run docs:api` builds first.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { firstSentence, publicApi, root } from './public-api.mjs'

const page = join(root, 'docs/api.md')
const MARK = '<!-- generated: the part below is written by `npm run docs:api` -->'

function pageOf(api) {
  const [head] = readFileSync(page, 'utf8').split(MARK)
  const described = new Set()
  const parts = api.flatMap(({ entry, names }) => {
    const again = names.filter(({ id }) => described.has(id)).map(({ name }) => `\`${name}\``)
    const first = names.filter(({ id }) => !described.has(id))
    for (const { id } of first) described.add(id)
    const also = again.length === 0 ? [] : [`Also here, and described above: ${again.join(', ')}.`]
    return [`## ${entry}`, ...also, ...sections(first)]
  })
  return `${[`${head}${MARK}`, ...parts].join('\n\n')}\n`
}

function sections(names) {
  const isType = ({ kind }) => kind === 'type' || kind === 'interface'
  const parts = [names.filter((one) => !isType(one)), names.filter(isType)]
  return parts
    .filter((part) => part.length > 0)
    .map((part) => ['```ts', part.map(lines).join('\n\n'), '```'].join('\n'))
}

function lines({ doc, tags, signature }) {
  const thrown = tags
    .filter(({ name }) => name === 'throws')
    .map(({ text }) => ` @throws ${text.replaceAll(/\s+/g, ' ')}`)
  return `/** ${firstSentence(doc)}${thrown.join('')} */\n${signature}`
}

const text = pageOf(publicApi())
if (process.argv.includes('--print')) process.stdout.write(text)
else writeFileSync(page, text)
