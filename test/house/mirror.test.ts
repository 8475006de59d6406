/** The folders of tests are those of the sources, and a few that are about more than one of them. */
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const ACROSS = ['bench', 'demo', 'docs', 'house', 'lint', 'model', 'package', 'real-agents', 'types']
const HELP = ['fixtures', 'support']

const foldersIn = (name: string): string[] =>
  readdirSync(resolve(root, name), { withFileTypes: true }).flatMap((each) => (each.isDirectory() ? [each.name] : []))

it('have the names of the rooms', () => {
  expect(foldersIn('test').sort()).toEqual([...foldersIn('src'), ...ACROSS, ...HELP].sort())
})

it('leave no room without a test', () => {
  const empty = foldersIn('src').filter(
    (room) => !readdirSync(resolve(root, 'test', room)).some((name) => name.endsWith('.test.ts'))
  )
  expect(empty).toEqual([])
})

it('leave no test loose', () => {
  expect(readdirSync(resolve(root, 'test')).filter((name) => name.includes('.'))).toEqual([])
})
