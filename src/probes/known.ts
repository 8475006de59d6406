/**
 * What a probe answers: a value, or that it could not look, and why.
 *
 * The two are apart in the type, so that "could not look" cannot be read as "there is none": an answer has no list, no
 * null and no false of its own, and a default behind it (`answer ?? []`) does not compile where a list is wanted.
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
