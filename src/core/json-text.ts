/**
 * Where a string of a JSON text ends, and where a text stops being JSON.
 *
 * JSON.parse's own message quotes the text, which may be private, and often leaves the place out.
 * `whereJsonBreaks` is called once JSON.parse has refused a text; it walks over the tokens until one is out of
 * place, and quotes nothing.
 */

const SPACE = /[ \t\r\n]*/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/g
// A backslash that escapes nothing, or C0; DEL and C1 are allowed in a JSON string.
const BROKEN = /(?![\x7f-\x9f])[\\\p{Cc}]/u
const LITERAL = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y

type Expected = 'a value' | 'a value or ]' | 'a key' | 'a key or }' | ':' | ', or ]' | ', or }' | 'the end'

/** One line such as "line 3, column 7: , or } expected". */
export function whereJsonBreaks(text: string): string {
  const open: ('[' | '{')[] = []
  let awaited: Expected = 'a value'
  let at = 0
  const afterValue = (): Expected => (open.length === 0 ? 'the end' : open.at(-1) === '[' ? ', or ]' : ', or }')
  const skip = (token: RegExp): boolean => {
    token.lastIndex = at
    if (!token.test(text)) return false
    at = token.lastIndex
    return true
  }
  const skipString = (): boolean => {
    const end = endOfString(text, at)
    if (text[end - 1] !== '"' || end - 1 === at) return false
    if (BROKEN.test(text.slice(at, end).replace(ESCAPE, ''))) return false
    at = end
    return true
  }
  for (;;) {
    skip(SPACE)
    const next = text[at]
    if (next === undefined) return `${place(text, at)}: the text ends where ${awaited} is expected`
    const isClose: boolean = awaited.endsWith(next) && (next === ']' || next === '}')
    if (isClose) {
      open.pop()
      awaited = afterValue()
      at += 1
    } else if (next === ',' && awaited.startsWith(',')) {
      awaited = open.at(-1) === '[' ? 'a value' : 'a key'
      at += 1
    } else if (next === ':' && awaited === ':') {
      awaited = 'a value'
      at += 1
    } else if (next === '"' && (awaited.startsWith('a key') || awaited.startsWith('a value'))) {
      if (!skipString()) return `${place(text, at)}: a string that is broken or never ends`
      awaited = awaited.startsWith('a key') ? ':' : afterValue()
    } else if (awaited.startsWith('a value') && (next === '[' || next === '{')) {
      open.push(next)
      awaited = next === '[' ? 'a value or ]' : 'a key or }'
      at += 1
    } else if (awaited.startsWith('a value') && skip(LITERAL)) {
      awaited = afterValue()
    } else {
      return `${place(text, at)}: ${awaited} expected`
    }
  }
}

/**
 * The place after the closing quote of the string that opens at `open`; the end of the text when none closes it.
 * A regular expression would do, but overflows its stack in a string of some megabytes.
 */
export function endOfString(text: string, open: number): number {
  for (let quote = text.indexOf('"', open + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1
    if (backslashes % 2 === 0) return quote + 1
  }
  return text.length
}

function place(text: string, at: number): string {
  const before = text.slice(0, at).split('\n')
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
}
