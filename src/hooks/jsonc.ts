/**
 * Edits JSON text in place, so that what a person wrote around the edit stays: comments, blank lines, order, indents.
 *
 * Comments and trailing commas are read, since some agents' settings have them. An edit returns the whole new text; the
 * nodes of the old one are of no use with it.
 */

export interface JsonNode {
  readonly kind: 'object' | 'array' | 'string' | 'other'
  readonly start: number
  /** Behind the last character. */
  readonly end: number
  /** Of an object or an array, in order. */
  readonly children: readonly JsonChild[]
  /** Of a string. */
  readonly text?: string
}

export interface JsonChild {
  /** Where the member or element begins: at its key, if it has one. */
  readonly start: number
  readonly key?: string
  readonly value: JsonNode
}

const MAX_DEPTH = 200
/** What may stand between two tokens. */
const BLANK = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y
const PLAIN_VALUE = /"[^"\\\n]*(?:\\.[^"\\\n]*)*"|[-+.\w]+/y

/** @throws SyntaxError with the position and nothing of the text */
export function parseJsonc(text: string): JsonNode {
  const root = parseValue(text, skipBlank(text, text.startsWith('\ufeff') ? 1 : 0), 0)
  const end = skipBlank(text, root.end)
  if (end < text.length) throw wrong(end)
  return root
}

function wrong(at: number): SyntaxError {
  return new SyntaxError(`no JSON at character ${at}`)
}

/** The next character that is neither blank nor in a comment. */
function skipBlank(text: string, from: number): number {
  return from + tokenAt(BLANK, text, from).length
}

function tokenAt(token: RegExp, text: string, at: number): string {
  token.lastIndex = at
  return token.exec(text)?.[0] ?? ''
}

function parseValue(text: string, start: number, depth: number): JsonNode {
  if (text[start] === '{' || text[start] === '[') return parseContainer(text, start, depth)
  const token = tokenAt(PLAIN_VALUE, text, start)
  const place = { start, end: start + token.length, children: [] }
  const value = plainValue(token, start)
  return typeof value === 'string' ? { ...place, kind: 'string', text: value } : { ...place, kind: 'other' }
}

function plainValue(token: string, start: number): unknown {
  try {
    return JSON.parse(token)
  } catch {
    // The parser's message quotes the text.
    throw wrong(start)
  }
}

function parseContainer(text: string, start: number, depth: number): JsonNode {
  if (depth > MAX_DEPTH) throw wrong(start)
  const isObject = text[start] === '{'
  const close = isObject ? '}' : ']'
  const children: JsonChild[] = []
  let at = skipBlank(text, start + 1)
  while (text[at] !== close) {
    const child = isObject ? parseMember(text, at, depth) : { start: at, value: parseValue(text, at, depth + 1) }
    children.push(child)
    at = skipBlank(text, child.value.end)
    if (text[at] === ',') at = skipBlank(text, at + 1)
    else if (text[at] !== close) throw wrong(at)
  }
  return { kind: isObject ? 'object' : 'array', start, end: at + 1, children }
}

function parseMember(text: string, start: number, depth: number): JsonChild {
  if (text[start] !== '"') throw wrong(start)
  const key = parseValue(text, start, depth)
  const colon = skipBlank(text, key.end)
  if (text[colon] !== ':') throw wrong(colon)
  const value = parseValue(text, skipBlank(text, colon + 1), depth + 1)
  return { start, key: key.text ?? '', value }
}

/** The value of a member; undefined where there is none. The last one counts, as for every parser. */
export function member(node: JsonNode, key: string): JsonNode | undefined {
  return node.children.findLast((child) => child.key === key)?.value
}

/** Adds a member (with a key) or an element at the end of the container. */
export function append(text: string, container: JsonNode, value: unknown, key?: string): string {
  const unit = indentUnit(text)
  const outer = lineIndent(text, container.start)
  const inner = outer + unit
  const json = JSON.stringify(value, null, unit).replaceAll('\n', `\n${inner}`)
  const added = key === undefined ? json : `${JSON.stringify(key)}: ${json}`
  const last = container.children.at(-1)
  // Behind the last thing in the container, which may be a comment.
  const blank = /\s*$/.exec(text.slice(container.start + 1, container.end - 1))?.[0].length ?? 0
  const behind = container.end - 1 - blank
  const tail = text.slice(container.end - 1)
  const head = text.slice(0, behind)
  if (last === undefined) return `${head}\n${inner}${added}\n${outer}${tail}`
  const comma = skipBlank(text, last.value.end)
  const parted = text[comma] === ',' ? head : `${text.slice(0, last.value.end)},${text.slice(last.value.end, behind)}`
  const inOneLine = !text.slice(container.start, container.end).includes('\n')
  return inOneLine ? `${parted} ${added}${text.slice(behind)}` : `${parted}\n${inner}${added}\n${outer}${tail}`
}

/** Puts another value in a node's place. */
export function replaceNode(text: string, node: JsonNode, value: unknown): string {
  const indent = lineIndent(text, node.start)
  const json = JSON.stringify(value, null, indentUnit(text)).replaceAll('\n', `\n${indent}`)
  return text.slice(0, node.start) + json + text.slice(node.end)
}

/** Takes a member or an element out, with its comma and its line; comments stay. */
export function remove(text: string, container: JsonNode, index: number): string {
  const child = container.children[index]
  if (child === undefined) return text
  const comma = skipBlank(text, child.value.end)
  const hasComma = text[comma] === ','
  const rest = hasComma ? text.slice(child.value.end, comma) + text.slice(comma + 1) : text.slice(child.value.end)
  // A line of its own goes; what stands behind on the same line must not come to stand behind a line's comment.
  const ownLine = /^[ \t]*\r?\n/.test(rest)
  const blank = ownLine ? (/\s*$/.exec(text.slice(0, child.start))?.[0].length ?? 0) : 0
  const from = child.start - blank
  const before = container.children[index - 1]
  if (hasComma || before === undefined) return text.slice(0, from) + rest
  const parting = skipBlank(text, before.value.end)
  return text.slice(0, parting) + text.slice(parting + 1, from) + rest
}

/** The blanks that the line of `at` begins with. */
function lineIndent(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at)
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}

/** How the text is indented: by its first indented line. */
function indentUnit(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
}
