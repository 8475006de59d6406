import fc from 'fast-check'
import { expect, test } from 'vitest'
import { append, type JsonNode, member, parseJsonc, remove, replaceNode } from '../../src/hooks/jsonc.js'

/** The value that a node stands for. */
function meaning(text: string, node: JsonNode): unknown {
  if (node.kind === 'object') {
    const pairs = node.children.map(({ key, value }): [string, unknown] => [key ?? '', meaning(text, value)])
    return Object.fromEntries(pairs)
  }
  if (node.kind === 'array') return node.children.map(({ value }) => meaning(text, value))
  return node.kind === 'string' ? node.text : JSON.parse(text.slice(node.start, node.end))
}
const read = (text: string): unknown => meaning(text, parseJsonc(text))

const commented = `// top
{
  // about a
  "a": [1, 2.5e3, -0.1], /* b */ "b": {"c": "// no comment", "\\u0064": null,},
  "e": true, // last
}
// bottom
`

test('comments and trailing commas are read', () => {
  expect(read(commented)).toEqual({ a: [1, 2500, -0.1], b: { c: '// no comment', d: null }, e: true })
  expect(read('\ufeff{"a":1}')).toEqual({ a: 1 })
})

test.each([
  [''],
  ['{'],
  ['{"a"}'],
  ['{"a":}'],
  ['{a:1}'],
  ['[1 2]'],
  ['{} {}'],
  ['"a\nb"'],
  ['/* x'],
  ['tru'],
  ['01x'],
  ['"\\x"'],
  ['['.repeat(300)]
])('no JSON: %j', (text) => {
  expect(() => parseJsonc(text)).toThrow(SyntaxError)
})

test('an error quotes nothing of the text', () => {
  expect(() => parseJsonc('{"token": CANARY}')).toThrow(/^no JSON at character 10$/)
})

test('a member is added behind everything, in the manner of the text', () => {
  const root = parseJsonc(commented)
  const added = append(commented, root, [1], 'f')
  expect(added).toBe(commented.replace('// last\n}', '// last\n  "f": [\n    1\n  ]\n}'))
  expect(append('{}', parseJsonc('{}'), 1, 'a')).toBe('{\n  "a": 1\n}')
  expect(append('{"a":1}', parseJsonc('{"a":1}'), 2, 'b')).toBe('{"a":1, "b": 2}')
  const tabs = '{\n\t"a": 1 // one\n}'
  expect(append(tabs, parseJsonc(tabs), { c: 2 }, 'b')).toBe('{\n\t"a": 1, // one\n\t"b": {\n\t\t"c": 2\n\t}\n}')
  const noted = '{\n  // nothing yet\n}'
  expect(append(noted, parseJsonc(noted), 1, 'a')).toBe('{\n  // nothing yet\n  "a": 1\n}')
})

test('what is taken out takes its comma along and leaves the comments', () => {
  const take = (key: string): string => {
    const root = parseJsonc(commented)
    return remove(
      commented,
      root,
      root.children.findIndex((child) => child.key === key)
    )
  }
  expect(read(take('a'))).toEqual({ b: { c: '// no comment', d: null }, e: true })
  expect(take('a')).toContain('// about a')
  expect(take('b')).toContain('/* b */')
  expect(read(take('b'))).toEqual({ a: [1, 2500, -0.1], e: true })
  expect(read(take('e'))).toEqual({ a: [1, 2500, -0.1], b: { c: '// no comment', d: null } })
  const one = '{"a":1}'
  expect(remove(one, parseJsonc(one), 0)).toBe('{}')
  const two = '[1, /* two */ 2]'
  expect(remove(two, parseJsonc(two), 1)).toBe('[1 /* two */ ]')
})

test('a value in the place of another', () => {
  const node = member(parseJsonc(commented), 'e')
  if (node === undefined) throw new Error('no member')
  expect(replaceNode(commented, node, 'x')).toBe(commented.replace('true', '"x"'))
})

test('whatever the text, an edit gives the value that was meant, and taking it out again the one before', () => {
  const key = fc.string({ minLength: 1 }).filter((text) => text !== '__proto__')
  const json = fc.jsonValue({ maxDepth: 3 }).filter((value) => !JSON.stringify(value).includes('__proto__'))
  const object = fc.dictionary(key, json, { noNullPrototype: true })
  const layout = fc.constantFrom(0, 1, 2, 4, '\t')
  fc.assert(
    fc.property(object, layout, key, json, (value, space, name, added) => {
      fc.pre(!Object.hasOwn(value, name))
      const text = JSON.stringify(value, null, space)
      const more = append(text, parseJsonc(text), added, name)
      expect(read(more)).toEqual(JSON.parse(JSON.stringify({ ...value, [name]: added })))
      const root = parseJsonc(more)
      const less = remove(more, root, root.children.length - 1)
      expect(read(less)).toEqual(JSON.parse(text))
    })
  )
})
