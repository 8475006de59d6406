import { expect, test } from 'vitest'
import { claudeProjectSlug, claudeProjectSlugUnshortened } from '../../src/agents/claude-slug.js'
import { fixture } from '../support/fixtures.js'

interface Vector {
  name: string
  cwd: string
  slug: string
}
const vectors: Vector[] = fixture('claude-2.1.332', 'folders.jsonl')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

test.each(vectors)('as Claude Code 2.1.332 does: $name', ({ cwd, slug }) => {
  expect(claudeProjectSlug(cwd)).toBe(slug)
})

// Reported cases of encoders that differ from Claude's.
test.each([
  ['an underscore (#24067)', '/home/chris/2_project-files', '-home-chris-2-project-files'],
  ['a dot (#889)', '/Users/yinglong.li', '-Users-yinglong-li'],
  ['spaces, dots and CJK (#71)', '/Users/me/OneDrive-amazon.com/项目 1', '-Users-me-OneDrive-amazon-com----1'],
  ['Windows (#560)', 'D:\\Users\\me\\ss\\my-app', 'D--Users-me-ss-my-app'],
  ['a drive in lower case stays so (#90588)', 'd:\\papriqa', 'd--papriqa'],
  ['a UNC path (#54865)', '\\\\server\\u\\x', '--server-u-x'],
  ['case is kept (#76043)', '/mnt/c/Proj', '-mnt-c-Proj']
])('%s', (_, path, folder) => {
  expect(claudeProjectSlug(path)).toBe(folder)
})

test('two folders can share a name, so that it is never turned back (#40946)', () => {
  expect(claudeProjectSlug('/p/외주/app')).toBe(claudeProjectSlug('/p/개인/app'))
})

test('a long name is cut and told apart by a hash; older versions keep it whole', () => {
  const long = (last: string): string => `/home/${'n'.repeat(200)}${last}`
  expect(claudeProjectSlug(long('a'))).toMatch(/^-home-n{194}-[0-9a-z]+$/)
  expect(claudeProjectSlug(long('a'))).not.toBe(claudeProjectSlug(long('b')))
  expect(claudeProjectSlugUnshortened(long('a'))).toBe(`-home-${'n'.repeat(200)}a`)
})
