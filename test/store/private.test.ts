/**
 * Nobody but the user reads what we write, whatever the umask says; and what others made with wider rights is told of
 * and left as it is.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { cli } from '../support/programs.js'

let folder: string
let index: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crash-resume-index-private-'))
  index = join(folder, 'new/deep/index.json')
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** Runs the CLI under a umask. */
function under(umask: string, ...args: string[]): { readonly status: number | null; readonly stdout: string } {
  const command = [
    'sh',
    ['-c', 'umask "$0"; exec "$@"', umask, process.execPath, cli(), '--path', index, ...args]
  ] as const
  const { status, stdout, stderr } = spawnSync(...command, { encoding: 'utf8' })
  expect(stderr).not.toContain('error:')
  return { status, stdout }
}

/** Every file and folder below `folder`, with its mode. */
function modes(): { readonly name: string; readonly mode: string }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map((file) => {
    const path = join(file.parentPath, file.name)
    const kind = file.isDirectory() ? 'folder' : 'file'
    return { name: relative(folder, path), mode: `${kind} ${(lstatSync(path).mode & 0o777).toString(8)}` }
  })
}

it.each(['000', '022', '077', '277'])('makes files 0600 and folders 0700 under umask %s', (umask) => {
  under(umask, 'record', 'pane', 'a', 'repo')
  writeFileSync(index, 'garbled', { mode: 0o666 })
  under(umask, 'record', 'pane', 'b', 'repo')
  under(umask, 'forget', 'pane', '--yes')
  const made = modes()
  for (const part of ['index.json', 'index.json.history/2', 'index.json.kept']) {
    expect(made.map(({ name }) => name)).toContain(`new/deep/${part}`)
  }
  expect(made.filter(({ mode }) => mode !== 'file 600' && mode !== 'folder 700')).toEqual([])
})

it('leaves a wider folder of somebody else as it is, and says so', () => {
  mkdirSync(join(folder, 'new/deep'), { recursive: true })
  chmodSync(join(folder, 'new/deep'), 0o755)
  under('022', 'record', 'pane', 'a', 'repo')
  expect(modes().find(({ name }) => name === 'new/deep')?.mode).toBe('folder 755')
  expect(modes().find(({ name }) => name === 'new/deep/index.json')?.mode).toBe('file 600')
  chmodSync(index, 0o644)
  const { stdout } = under('022', 'doctor', '--json')
  expect(JSON.parse(stdout)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ state: 'problem', detail: expect.stringContaining('mode 0644') })
    ])
  )
  expect(modes().find(({ name }) => name === 'new/deep/index.json')?.mode).toBe('file 644')
})
