/** What the README shows is what happens. */
import { execFileSync } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/declarations.js'
import { parseIndex } from '../../src/core/codec.js'
import { Consumer } from '../support/consumer.js'
import { blocks, page, rows, section } from '../support/markdown.js'
import { cli } from '../support/programs.js'

const readme = page('README.md')
const FENCE = '```'

describe('the lines of TypeScript', () => {
  let consumer: Consumer
  beforeEach(() => {
    consumer = new Consumer()
  })
  afterEach(() => consumer.remove())

  const [code = '', ...others] = blocks(readme, 'ts')

  it('are one block of about ten lines', () => {
    expect(others).toEqual([])
    expect(code.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(12)
  })

  it('pass the strict compiler', () => {
    expect(consumer.problemsOf(code)).toEqual([])
  })

  it('print what the README says', () => {
    const { status, stdout, stderr } = consumer.run(code)
    expect(stderr).toBe('')
    const [output] = blocks(readme.slice(readme.indexOf(code) + code.length + FENCE.length), 'text')
    expect(stdout).toBe(output)
    expect(status).toBe(0)
  })
})

describe('the command line', () => {
  const part = section(readme, 'The command line')
  const help = execFileSync(process.execPath, [cli(), '--help'], { encoding: 'utf8' })

  it('lists the commands that there are', () => {
    const commands = COMMANDS.map(({ usage }) => usage.split(' ')[0] ?? '')
    for (const name of commands) expect(help).toMatch(new RegExp(`^  ${name} `, 'm'))
    const [block = ''] = blocks(part, 'text')
    const listed = block.split('\n').flatMap((line) => line.split(/ {2}| [<[]/)[0]?.split(', ') ?? [])
    expect(listed.filter((name) => name !== '').sort()).toEqual(commands.sort())
  })

  it('lists the exit codes that there are', () => {
    const codes = [...(/^Exit codes:\n(.*)$/m.exec(help)?.[1] ?? '').matchAll(/(\d+) [a-z]/g)].map(([, code]) => code)
    expect(codes.length).toBeGreaterThan(5)
    expect(rows(part).map(([code]) => code)).toEqual(codes)
  })
})

it('shows a file that is an index', () => {
  const [example = ''] = blocks(section(readme, 'The file'), 'json')
  const index = parseIndex(example)
  expect(Object.keys(index.entries)).toEqual(['work:1'])
  expect(index.unreadable).toBeUndefined()
})
