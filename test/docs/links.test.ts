/** The documentation's links and the files that it names: all of them are there. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { codes, page, pages, root } from '../support/markdown.js'

interface Link {
  readonly from: string
  readonly to: string
}

const links: readonly Link[] = pages().flatMap((from) =>
  [...page(from).matchAll(/\]\(([^)\s]+)\)/g)].map(([, to]) => ({ from, to: to ?? '' }))
)
const inside = links.filter(({ to }) => !/^[a-z]+:/.test(to))

/** As GitHub makes them: lower case, punctuation dropped, hyphens for blanks. */
function anchors(path: string): string[] {
  return [...page(path).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    (heading ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-')
  )
}

function resolves({ from, to }: Link): boolean {
  const [path = '', anchor] = to.split('#')
  const target = path === '' ? from : join(dirname(from), path)
  if (!existsSync(join(root, target))) return false
  return anchor === undefined || anchors(target).includes(anchor)
}

it('resolve, with their anchors', () => {
  expect(inside.length).toBeGreaterThan(10)
  expect(inside.filter((link) => !resolves(link))).toEqual([])
})

it('reach every page of docs/ from the README', () => {
  const reached = new Set(['README.md'])
  for (const path of reached) {
    for (const { from, to } of inside) {
      const target = join(dirname(from), to.split('#')[0] ?? '')
      if (from === path && target.endsWith('.md')) reached.add(target)
    }
  }
  expect(pages().filter((path) => path !== 'CHANGELOG.md' && !reached.has(path))).toEqual([])
})

it('name only files of the repository that are there', () => {
  const named = pages().flatMap((from) =>
    codes(page(from))
      .filter((code) => /^(src|test|docs)\/[\w./-]+$/.test(code))
      .map((path) => ({ from, path }))
  )
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter(({ path }) => !existsSync(join(root, path)))).toEqual([])
})
