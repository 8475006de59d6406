/** docs/architecture.md against the sources: its rooms, the arrows between them, and the four ways through them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { blocks, page, root, section } from '../support/markdown.js'

const text = page('docs/architecture.md')
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => join('src', path))

/** A file at the top of src, the entry of a subpath too, is of the public names. */
function roomOf(path: string): string {
  const [, room = '', inside] = path.split('/')
  return inside === undefined ? 'index' : room
}

interface Import {
  readonly names: readonly string[]
  readonly to: string
}

/** What a file imports and exports from our own files, types included. */
function importsOf(path: string): readonly Import[] {
  const code = readFileSync(join(root, path), 'utf8')
  const found = code.matchAll(/^(?:import|export) (?:type )?([^;'"]*?) from '(\.{1,2}\/[^']+)\.js'/gms)
  return [...found].map(([, names = '', to = '']) => ({
    names: names.match(/\w+/g) ?? [],
    to: `${join(dirname(path), to)}.ts`
  }))
}

const imports = new Map(sources.map((path) => [path, importsOf(path)]))

/** The files that a file takes from; through the public names, those that define what it takes. */
function takenBy(path: string): ReadonlySet<string> {
  return new Set(
    (imports.get(path) ?? []).flatMap(({ names, to }) => {
      if (roomOf(to) !== 'index') return [to]
      const passedOn = imports.get(to) ?? []
      return passedOn.filter((one) => one.names.some((name) => names.includes(name))).map((one) => one.to)
    })
  )
}

it('names every room', () => {
  const rooms = section(text, 'The rooms')
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((file) => file.isDirectory())
  for (const { name } of folders) expect(rooms).toContain(`src/${name}/`)
})

describe('the arrows', () => {
  const [levels = '', pairs = ''] = blocks(section(text, 'The arrows'), '')
  const drawn = pairs
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const [from = '', ...to] = line.split(/ +/)
      return to.map((room) => `${from} -> ${room}`)
    })

  it('are the imports that there are', () => {
    const real = sources.flatMap((path) =>
      (imports.get(path) ?? []).map(({ to }) => `${roomOf(path)} -> ${roomOf(to)}`)
    )
    const between = real.filter((arrow) => new Set(arrow.split(' -> ')).size === 2)
    expect(new Set(between).size).toBeGreaterThan(20)
    expect([...drawn].sort()).toEqual([...new Set(between)].sort())
  })

  it('all point to the right', () => {
    const order: readonly (readonly string[])[] = levels.split(' -> ').map((level) => level.match(/\w+/g) ?? [])
    const at = (room: string): number => order.findIndex((level) => level.includes(room))
    for (const arrow of drawn) {
      const [from = '', to = ''] = arrow.split(' -> ')
      expect({ arrow, from: at(from) >= 0, rightward: at(from) < at(to) }).toEqual({
        arrow,
        from: true,
        rightward: true
      })
    }
  })
})

describe('the four ways', () => {
  const ways = (blocks(section(text, 'The four ways'), '')[0] ?? '').trimEnd().split('\n\n')

  it('are record, hook, gate and recover', () => {
    expect(ways.map((way) => way.split(' ')[0])).toEqual(['record', 'hook', 'gate', 'recover'])
  })

  it.each(ways.map((way) => [way.split(' ')[0] ?? '', way]))('%s is read in the order of the imports', (_, way) => {
    const steps = way.split('\n').map((line) => {
      const depth = line.indexOf('src/')
      return { depth, path: line.slice(depth).split(' ')[0] ?? '' }
    })
    expect(steps.length).toBeGreaterThan(5)
    for (const [at, { depth, path }] of steps.entries()) {
      expect(existsSync(join(root, path)), path).toBe(true)
      if (at === 0) continue
      const above = steps.slice(0, at).findLast((step) => step.depth < depth)
      expect([...takenBy(above?.path ?? '')], `${basename(above?.path ?? '')} imports`).toContain(path)
    }
  })
})
