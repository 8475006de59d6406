/**
 * Which of a launch's arguments a later resume keeps.
 *
 * Only flags on the agent's allow-list, each with exactly the arguments it takes: a boolean flag never swallows the
 * word after it, so a prompt is never taken for a flag's value and replayed. Flags that name a session give way to
 * ours, prompts go, and so does everything that is not known.
 */
import type { AgentRow } from './agent-row.js'

export interface KeepOptions {
  /** More flags to keep, on a person's word: a permission bypass or a settings path, for example. */
  readonly also?: AgentRow['keepFlags']
}

/** The arguments of `argv` (without the program) that are kept, in their order. */
export function keepFlags(row: AgentRow, argv: readonly string[], { also = {} }: KeepOptions = {}): readonly string[] {
  const keep = { ...row.keepFlags, ...also }
  const kept: string[] = []
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? ''
    if (word === '--') break
    const [flag = '', joined] = splitFlag(word)
    const identity = Object.hasOwn(row.identityFlags, flag) ? row.identityFlags[flag] : undefined
    if (identity !== undefined) {
      at += joined === undefined ? argumentsAfter(argv, at, identity) : 0
      continue
    }
    const arity = Object.hasOwn(keep, flag) ? keep[flag] : undefined
    if (arity === 0 && joined === undefined) kept.push(word)
    if (arity !== 1) continue
    if (joined !== undefined) kept.push(word)
    else if (at + 1 < argv.length) kept.push(word, argv[++at] ?? '')
  }
  return kept
}

function splitFlag(word: string): [string, string | undefined] {
  const equals = word.indexOf('=')
  return word.startsWith('-') && equals > 0 ? [word.slice(0, equals), word.slice(equals + 1)] : [word, undefined]
}

/** An optional argument is there where the next word is no flag. */
function argumentsAfter(argv: readonly string[], at: number, arity: 0 | 1 | 'optional'): number {
  if (arity !== 'optional') return arity
  const next = argv[at + 1]
  return next !== undefined && !next.startsWith('-') ? 1 : 0
}
