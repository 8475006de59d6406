/** A temporary folder with an index in it, and short ways to make and look at indexes. */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Index } from '../../src/core/schema.js'
import { record } from '../../src/core/verbs.js'
import { indexPaths } from '../../src/store/paths.js'
import { loadIndex, updateIndex } from '../../src/store/store.js'

export class IndexFolder {
  readonly root: string
  readonly path: string
  readonly history: string
  readonly kept: string
  readonly lock: string

  constructor() {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), 'crash-resume-index-store-')))
    this.path = join(this.root, 'index.json')
    const { history, kept, lock } = indexPaths(this.path)
    this.history = history
    this.kept = kept
    this.lock = lock
  }

  /** Another folder with the same files in it. */
  copy(): IndexFolder {
    const folder = new IndexFolder()
    cpSync(this.root, folder.root, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
    return folder
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true })
  }

  /** Records these surfaces, one update each. */
  async record(...surfaces: readonly string[]): Promise<void> {
    for (const surfaceId of surfaces) await updateIndex(this.path, recorded(surfaceId))
  }

  surfaces(): string[] {
    return surfacesOf(loadIndex(this.path))
  }

  /** The numbers of the revisions, ascending. */
  revisions(): number[] {
    return existsSync(this.history) ? readdirSync(this.history).filter(isNumber).map(Number).sort(ascending) : []
  }

  /** The texts of the kept copies of this reason, oldest first. */
  keptTexts(reason: string): string[] {
    const names = existsSync(this.kept) ? readdirSync(this.kept).sort() : []
    return names
      .filter((name) => name.includes(`-${reason}-`))
      .map((name) => readFileSync(join(this.kept, name), 'utf8'))
  }

  /** Whether the view is the newest revision, byte for byte, as it must be once all writers rest. */
  viewIsNewest(): boolean {
    const newest = join(this.history, `${this.revisions().at(-1)}`)
    return readFileSync(this.path).equals(readFileSync(newest))
  }

  /** Names that a finished writer must not leave: staged, unborn and unnamed files, and the lock. */
  litter(): string[] {
    const inside = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])
    return [
      ...inside(this.history).filter((name) => !isNumber(name)),
      ...inside(this.kept).filter((name) => name.startsWith('t-')),
      ...inside(this.root).filter((name) => /\.history\.|\.lock$/.test(name))
    ]
  }
}

export function recorded(surfaceId: string, sessionId = `session-of-${surfaceId}`): (index: Index) => Index {
  return (index) => record(index, { surfaceId, sessionId, repo: 'demo' }, Date.now())
}

export function surfacesOf(index: Index): string[] {
  return Object.keys(index.entries).sort()
}

export function warningsOf(index: Index): string[] {
  return (index.status?.warnings ?? []).map(({ code }) => code)
}

function isNumber(name: string): boolean {
  return /^[1-9]\d*$/.test(name)
}

function ascending(a: number, b: number): number {
  return a - b
}
