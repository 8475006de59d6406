/**
 * The quick commands from their arguments, without a parser that would have to be loaded first. Pure; what is unusual
 * (help, an option that is not known, a word too many, a bad value) is none of them, and the full parser says what is
 * wrong with it. A test holds the two against each other.
 */
import type { Policy } from '../index.js'

export type QuickCommand =
  | {
      readonly name: 'record'
      readonly path: string | undefined
      readonly surfaceId: string
      readonly sessionId: string
      readonly repo: string
      readonly role: string | undefined
      readonly agent: string | undefined
      readonly cwd: string | undefined
      readonly policy: Policy | undefined
    }
  | { readonly name: 'touch'; readonly path: string | undefined; readonly surfaceId: string }
  | {
      readonly name: 'hook'
      readonly path: string | undefined
      readonly agent: string
      /** A payload was handed over as an argument. */
      readonly notified: boolean
      readonly json: boolean
      readonly strict: boolean
    }

/** The options that take a value, and those that do not. */
const OPTIONS = {
  record: [['--path', '--agent', '--cwd', '--policy'], []],
  touch: [['--path'], []],
  hook: [['--path'], ['--json', '--strict']]
} as const

const POLICIES: readonly Policy[] = ['auto', 'manual', 'off']

export function quickCommand([name, ...args]: readonly string[]): QuickCommand | null {
  if (name !== 'record' && name !== 'touch' && name !== 'hook') return null
  const parsed = wordsOf(name, args)
  if (parsed === null) return null
  const { positionals, text, flag } = parsed
  const [first, second, third, fourth] = positionals
  const path = text('--path')
  if (first === undefined || path === '') return null
  if (name === 'touch') return positionals.length === 1 ? { name, path, surfaceId: first } : null
  if (name === 'hook') {
    const notified = second !== undefined
    return positionals.length > 2
      ? null
      : { name, path, agent: first, notified, json: flag('--json'), strict: flag('--strict') }
  }
  const policy = POLICIES.find((each) => each === text('--policy'))
  const odd = positionals.length > 4 || policy !== text('--policy') || text('--cwd') === ''
  if (second === undefined || third === undefined || odd) return null
  const [agent, cwd] = [text('--agent'), text('--cwd')]
  return { name, path, surfaceId: first, sessionId: second, repo: third, role: fourth, agent, cwd, policy }
}

interface Words {
  readonly positionals: readonly string[]
  readonly text: (option: string) => string | undefined
  readonly flag: (option: string) => boolean
}

function wordsOf(name: keyof typeof OPTIONS, args: readonly string[]): Words | null {
  const [valued, bare]: readonly (readonly string[])[] = OPTIONS[name]
  const positionals: string[] = []
  const values = new Map<string, string>()
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? ''
    if (word === '--') {
      positionals.push(...args.slice(at + 1))
      break
    }
    if (!word.startsWith('-') || word === '-') {
      positionals.push(word)
      continue
    }
    const equals = word.indexOf('=')
    const option = equals === -1 ? word : word.slice(0, equals)
    if (equals === -1 && bare?.includes(option)) values.set(option, '')
    else if (!valued?.includes(option)) return null
    else if (equals !== -1) values.set(option, word.slice(equals + 1))
    else {
      const value = args[++at]
      // A value that looks like an option was more likely forgotten.
      if (value === undefined || value.startsWith('-')) return null
      values.set(option, value)
    }
  }
  return { positionals, text: (option) => values.get(option), flag: (option) => values.has(option) }
}
