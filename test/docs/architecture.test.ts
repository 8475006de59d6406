/** docs/architecture.md against the tree. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { page, root, section } from '../support/markdown.js'

it('names every room', () => {
  const rooms = section(page('docs/architecture.md'), 'The rooms')
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((file) => file.isDirectory())
  for (const { name } of folders) expect(rooms).toContain(`src/${name}/`)
})
