/**
 * The quick commands from their arguments, without a parser that would have to be loaded first. Pure. Help, an unknown
 * option, a word too many or a bad value is left to the full parser, which says what is wrong. A test holds the two
 * against each other.
 */
import { POLICIES } from '../index.js'
import type { Parsed } from './task.js'

interface Form {
  readonly words: readonly [least: number, most: number]
  /** Options with a value, and those without. */
  readonly valued: readonly string[]
  readonly bare: readonly string[]
}

const FORMS: Readonly<Record<string, Form>> = {
  record: { words: [3, 4], valued: ['path', 'agent', 'cwd', 'policy'], bare: [] },
  touch: { words: [1, 1], valued: ['path'], bare: [] },
  hook: { words: [1, 2], valued: ['path'], bare: ['json', 'strict'] }
}

/** Null: the full parser's. */
export function quickCommand([name = '', ...words]: readonly string[]): Parsed | null {
  const form = Object.hasOwn(FORMS, name) ? FORMS[name] : undefined
  const read = form && readWords(form, words)
  if (!form || !read) return null
  const { args, options } = read
  const { path, json, ...more } = options
  const { cwd, policy } = more
  const odd = path === '' || cwd === '' || (policy !== undefined && !POLICIES.some((known) => known === policy))
  const [least, most] = form.words
  if (odd || args.length < least || args.length > most) return null
  return { name, args, options: more, path: typeof path === 'string' ? path : undefined, json: json === true }
}

interface Words {
  readonly args: readonly string[]
  readonly options: Readonly<Record<string, string | true>>
}

function readWords({ valued, bare }: Form, words: readonly string[]): Words | null {
  const args: string[] = []
  const options: Record<string, string | true> = {}
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '--') return { args: [...args, ...words.slice(at + 1)], options }
    if (!word.startsWith('-') || word === '-') {
      args.push(word)
      continue
    }
    const [, option = '', joined] = /^--([a-z]+)(?:=(.*))?$/s.exec(word) ?? []
    if (joined === undefined && bare.includes(option)) options[option] = true
    else if (!valued.includes(option)) return null
    else {
      const value = joined ?? words[++at]
      // A value that looks like an option was more likely forgotten.
      if (value === undefined || (joined === undefined && value.startsWith('-'))) return null
      options[option] = value
    }
  }
  return { args, options }
}
