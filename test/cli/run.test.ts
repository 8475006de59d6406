/** What depends on a terminal or on the moment, with an output that a test reads along. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from '../../src/cli/commands.js'
import { parse } from '../../src/cli/parse.js'
import type { Output } from '../../src/cli/text/output.js'
import { CrashResumeError, loadIndex, lookup, recordToFile } from '../../src/index.js'
import { IndexFolder } from '../support/index-folder.js'

let folder: IndexFolder
beforeEach(async () => {
  folder = new IndexFolder()
  await recordToFile(folder.path, { surfaceId: 's', sessionId: 'a', repo: 'r' }, { now: 1000 })
})
afterEach(() => {
  folder.remove()
})

interface Ran {
  readonly code: number | string
  readonly out: string
  readonly notes: readonly string[]
  readonly questions: readonly string[]
}

/** Runs a command on a terminal whose person answers like this; null: without a terminal. */
async function ran(answer: (() => boolean | Promise<boolean>) | null, ...argv: string[]): Promise<Ran> {
  const parsed = parse([...argv, '--path', folder.path], '0')
  if (parsed.kind !== 'command') throw new Error(parsed.text)
  let out = ''
  const notes: string[] = []
  const questions: string[] = []
  const output: Output = {
    print: (text) => {
      out += text
    },
    note: (line) => void notes.push(line),
    colour: false,
    width: Number.POSITIVE_INFINITY,
    ask:
      answer &&
      (async (question) => {
        questions.push(question)
        return answer()
      })
  }
  const code = await runCommand(parsed.command, output).catch((error: unknown) => {
    if (error instanceof CrashResumeError) return error.code
    throw error
  })
  return { code, out, notes, questions }
}

const there = (surfaceId = 's'): boolean => lookup(loadIndex(folder.path), surfaceId) !== null
const change = async (): Promise<boolean> => {
  await recordToFile(folder.path, { surfaceId: 's', sessionId: 'b', repo: 'r' })
  return true
}
const prune = ['prune', '--max-age', '1d']

describe.each([
  ['forget', ['forget', 's'], 'forget this entry?'],
  ['prune', prune, 'prune this entry?']
])('%s', (_, argv, question) => {
  it('asks once on a terminal, after it has shown what would go', async () => {
    const { code, out, questions } = await ran(
      () => {
        expect(there()).toBe(true)
        return true
      },
      ...argv
    )
    expect({ code, questions }).toEqual({ code: 0, questions: [question] })
    expect(out).toMatch(/GENERATION.*\ns /)
    expect(there()).toBe(false)
  })

  it('removes nothing on a no', async () => {
    const { code, notes } = await ran(() => false, ...argv)
    expect({ code, notes }).toEqual({ code: 6, notes: ['nothing was removed'] })
    expect(there()).toBe(true)
  })

  it('does not ask with --yes, with --json or without a terminal', async () => {
    const never = (): boolean => {
      throw new Error('asked')
    }
    expect(await ran(never, ...argv, '--json')).toMatchObject({ code: 6, questions: [] })
    expect(await ran(null, ...argv)).toMatchObject({ code: 6 })
    expect(there()).toBe(true)
    expect(await ran(never, ...argv, '--yes')).toMatchObject({ code: 0, questions: [] })
    expect(there()).toBe(false)
  })

  it('removes nothing that changed after it was shown', async () => {
    expect(await ran(change, ...argv)).toMatchObject({ code: 'ERR_CONFLICT' })
    expect(lookup(loadIndex(folder.path), 's')).toMatchObject({ sessionId: 'b' })
  })

  it('removes nothing that is gone since', async () => {
    const gone = async (): Promise<boolean> => (await ran(null, 'forget', 's', '--yes')).code === 0
    expect(await ran(gone, ...argv)).toMatchObject({ code: 'ERR_CONFLICT' })
  })
})

it('prune removes all that it showed or none', async () => {
  await recordToFile(folder.path, { surfaceId: 't', sessionId: 'c', repo: 'r' }, { now: 1000 })
  const { code, questions } = await ran(change, ...prune)
  expect({ code, questions }).toEqual({ code: 'ERR_CONFLICT', questions: ['prune these entries?'] })
  expect([there('s'), there('t')]).toEqual([true, true])
})

it('prune says when there is nothing to do', async () => {
  expect(await ran(null, 'prune', '--max-age', '52000w')).toMatchObject({
    code: 0,
    out: '',
    notes: ['nothing to prune: no entry is that old']
  })
})
