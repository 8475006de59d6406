/** Reads the documentation as data, so that tests can hold it against the code. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

export const root: string = resolve(import.meta.dirname, '../..')

/** README, CHANGELOG and all of docs/, by their paths from the top. */
export function pages(): string[] {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && file.name.endsWith('.md'))
    .map((file) => relative(root, join(file.parentPath, file.name)))
  return ['README.md', 'CHANGELOG.md', ...docs.sort()]
}

export function page(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** The text under a heading, up to the next one of the same or a higher level. */
export function section(text: string, heading: string): string {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.replace(/^#+ /, '') === heading && line.startsWith('#'))
  if (start === -1) throw new TypeError(`no heading "${heading}"`)
  const level = lines[start]?.indexOf(' ') ?? 0
  const length = lines.slice(start + 1).findIndex((line) => new RegExp(`^#{1,${level}} `).test(line))
  return lines.slice(start + 1, length === -1 ? undefined : start + 1 + length).join('\n')
}

/** The rows of the tables in a text, heads left out; a cell is its markdown. */
export function rows(text: string): string[][] {
  const lines = text.split('\n')
  return lines.flatMap((line, at) => {
    const isHead = /^\|[ :|-]+\|$/.test(lines[at + 1] ?? '')
    if (!line.startsWith('|') || /^\|[ :|-]+\|$/.test(line) || isHead) return []
    // A bar in code is written \|.
    return [
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll('\\|', '|'))
    ]
  })
}

/** What stands in backticks, in order. */
export function codes(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? '')
}

/** The fenced blocks of a language. */
export function blocks(text: string, language: string): string[] {
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].flatMap(([, name, body]) =>
    name === language ? [body ?? ''] : []
  )
}
