/**
 * The quick commands from their arguments, with the parser that Node brings. Pure; what is unusual (help, an option
 * that is not known, a word too many, a bad value) is none of them, and the full parser says what is wrong with it.
 */
import { parseArgs } from 'node:util'
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

const OPTIONS = {
  record: { path: { type: 'string' }, agent: { type: 'string' }, cwd: { type: 'string' }, policy: { type: 'string' } },
  touch: { path: { type: 'string' } },
  hook: { path: { type: 'string' }, json: { type: 'boolean' }, strict: { type: 'boolean' } }
} as const

const POLICIES: readonly Policy[] = ['auto', 'manual', 'off']

export function quickCommand([name, ...args]: readonly string[]): QuickCommand | null {
  if (name !== 'record' && name !== 'touch' && name !== 'hook') return null
  const parsed = wordsOf(name, args)
  if (parsed === null) return null
  const { positionals, text, flag } = parsed
  const [first, second, third, fourth] = positionals
  const path = text('path')
  if (first === undefined || path === '') return null
  if (name === 'touch') return positionals.length === 1 ? { name, path, surfaceId: first } : null
  if (name === 'hook') {
    const notified = second !== undefined
    return positionals.length > 2
      ? null
      : { name, path, agent: first, notified, json: flag('json'), strict: flag('strict') }
  }
  const policy = POLICIES.find((each) => each === text('policy'))
  const odd = positionals.length > 4 || policy !== text('policy') || text('cwd') === ''
  if (second === undefined || third === undefined || odd) return null
  const [agent, cwd] = [text('agent'), text('cwd')]
  return { name, path, surfaceId: first, sessionId: second, repo: third, role: fourth, agent, cwd, policy }
}

interface Words {
  readonly positionals: readonly string[]
  readonly text: (option: string) => string | undefined
  readonly flag: (option: string) => boolean
}

function wordsOf(name: keyof typeof OPTIONS, args: string[]): Words | null {
  try {
    const parsed = parseArgs({ args, options: OPTIONS[name], allowPositionals: true, strict: true })
    const values = new Map<string, unknown>(Object.entries(parsed.values))
    const text = (option: string): string | undefined => {
      const value = values.get(option)
      return typeof value === 'string' ? value : undefined
    }
    return { positionals: parsed.positionals, text, flag: (option) => values.get(option) === true }
  } catch {
    return null
  }
}
