/**
 * The quick commands from their arguments, without a parser that would have to be loaded first. Pure. Help, an unknown
 * option, a word too many or a bad value is left to the full parser, which says what is wrong. A test holds the two
 * against each other.
 */
import { parseArgs } from 'node:util'
import { POLICIES } from '../core.js'
import type { Parsed } from './task.js'

const TEXT = { type: 'string' } as const
const FLAG = { type: 'boolean' } as const

interface Form {
  readonly words: readonly [least: number, most: number]
  readonly options: Readonly<Record<string, typeof TEXT | typeof FLAG>>
}

const FORMS: Readonly<Record<string, Form>> = {
  record: { words: [3, 4], options: { path: TEXT, agent: TEXT, cwd: TEXT, policy: TEXT } },
  touch: { words: [1, 1], options: { path: TEXT } },
  hook: { words: [1, 2], options: { path: TEXT, json: FLAG, strict: FLAG } }
}

/** Null: the full parser's. */
export function quickCommand([name = '', ...args]: readonly string[]): Parsed | null {
  const form = Object.hasOwn(FORMS, name) ? FORMS[name] : undefined
  const read = form && readWords(form, args)
  if (!form || !read) return null
  const { path, json, ...options } = read.values
  const { cwd, policy } = options
  const odd = path === '' || cwd === '' || (policy !== undefined && !POLICIES.some((known) => known === policy))
  const [least, most] = form.words
  const { positionals: words } = read
  if (odd || words.length < least || words.length > most) return null
  return { name, args: words, options, path: typeof path === 'string' ? path : undefined, json: json === true }
}

function readWords({ options }: Form, args: string[]): ReturnType<typeof parseArgs> | null {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch {
    // An unknown option, or a value that is missing or looks like an option.
    return null
  }
}
