/** Files of the real agents, under test/fixtures/files/<agent>-<version>/. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../fixtures/files')

export function fixturePath(...parts: string[]): string {
  return join(root, ...parts)
}

export function fixture(...parts: string[]): string {
  return readFileSync(fixturePath(...parts), 'utf8')
}

/** The names in a folder of fixtures. */
export function fixtureNames(...parts: string[]): string[] {
  return readdirSync(fixturePath(...parts)).sort()
}
