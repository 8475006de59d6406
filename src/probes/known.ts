/**
 * The answer of a probe: a value, or the reason why it could not look.
 *
 * The type keeps the two apart, so "could not look" cannot be read as "there is none". An answer is no list, no null
 * and no false by itself, and a default for it (`answer ?? []`) does not compile where a list is expected.
 */
export type Known<T> = { readonly known: true; readonly value: T } | Unknown

export interface Unknown {
  readonly known: false
  /** One line for people. */
  readonly why: string
}

export function known<T>(value: T): Known<T> {
  return { known: true, value }
}

export function unknown(why: string): Unknown {
  return { known: false, why }
}
