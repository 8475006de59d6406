/** With a real git, where there is one; its files are what is read. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { repoOf } from '../../src/probes/repo.js'
import { worktreeAt, worktreeOf } from '../../src/probes/worktree.js'

let home = ''
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'cri-worktree-')))
})
afterEach(() => rmSync(home, { recursive: true }))

const at = (...path: string[]): string => join(home, ...path)

function git(cwd: string, ...args: readonly string[]): void {
  const env = { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' }
  const who = ['-c', 'user.name=x', '-c', 'user.email=x@example.org', '-c', 'init.defaultBranch=main']
  execFileSync('git', [...who, ...args], { cwd, env, stdio: 'ignore' })
}

/** A repository with one commit. */
function repository(name: string): string {
  mkdirSync(at(name))
  git(at(name), 'init')
  git(at(name), 'commit', '--allow-empty', '-m', 'first')
  return at(name)
}

describe('a worktree', () => {
  it('is known by its repository and branch, and bears its own name', () => {
    const origin = repository('billing')
    git(origin, 'worktree', 'add', '-b', 'feature/x', at('trees', 'x'))
    expect(worktreeAt(at('trees', 'x'))).toEqual({ path: at('trees', 'x'), origin, branch: 'feature/x' })
    mkdirSync(at('trees', 'x', 'packages', 'api'), { recursive: true })
    expect(repoOf(at('trees', 'x', 'packages', 'api'))).toBe('x')
    expect(worktreeOf(at('trees', 'x', 'packages', 'api'))).toEqual(worktreeAt(at('trees', 'x')))
  })

  it('has no branch while none is checked out', () => {
    const origin = repository('billing')
    git(origin, 'worktree', 'add', '--detach', at('x'))
    expect(worktreeAt(at('x'))).toEqual({ path: at('x'), origin })
  })

  it.each(['billing.git', '.bare'])('of a bare repository %s', (name) => {
    const origin = at('work', name)
    mkdirSync(at('work'))
    git(repository('seed'), 'clone', '--bare', '.', origin)
    git(origin, 'worktree', 'add', at('work', 'x'), 'main')
    expect(worktreeAt(at('work', 'x'))).toEqual({ path: at('work', 'x'), origin, branch: 'main' })
    expect(repoOf(at('work', 'x'))).toBe('x')
  })
})

describe('a folder .git', () => {
  it('with nothing in it is no repository, and hides none above it', () => {
    const origin = repository('billing')
    mkdirSync(join(origin, 'packages', '.git'), { recursive: true })
    mkdirSync(join(origin, 'packages', 'api'))
    expect(repoOf(join(origin, 'packages', 'api'))).toBe('billing')
    mkdirSync(at('elsewhere', '.git'), { recursive: true })
    expect(repoOf(at('elsewhere'))).toBe('elsewhere')
    mkdirSync(at('elsewhere', 'deep'))
    expect(repoOf(at('elsewhere', 'deep'))).toBe('deep')
  })

  it('with nothing in it hides no worktree above it', () => {
    const origin = repository('billing')
    git(origin, 'worktree', 'add', '-b', 'feature/x', at('trees', 'x'))
    mkdirSync(at('trees', 'x', 'packages', '.git'), { recursive: true })
    expect(worktreeOf(at('trees', 'x', 'packages'))).toEqual({ path: at('trees', 'x'), origin, branch: 'feature/x' })
  })

  it('that a file of other content stands for is no repository', () => {
    mkdirSync(at('notes', 'deep'), { recursive: true })
    writeFileSync(at('notes', '.git'), 'remember the milk\n')
    expect(repoOf(at('notes', 'deep'))).toBe('deep')
  })
})

describe('no worktree', () => {
  it('is the main one, a submodule, or a folder without git', () => {
    const origin = repository('billing')
    repository('part')
    git(origin, '-c', 'protocol.file.allow=always', 'submodule', 'add', at('part'), 'libs/part')
    const folders = [origin, join(origin, 'libs/part'), home]
    expect(folders.map((folder) => worktreeAt(folder))).toEqual([null, null, null])
    expect(folders.map((folder) => worktreeOf(folder))).toEqual([null, null, null])
    expect(repoOf(join(origin, 'libs/part'))).toBe('part')
  })

  it.each(['', 'gitdir: ', 'gitdir: /nowhere', 'gitdir: elsewhere', `gitdir: ${'x'.repeat(9000)}`])(
    'is a folder whose file says %j',
    (text) => {
      writeFileSync(at('.git'), text)
      expect(worktreeAt(home)).toBeNull()
    }
  )

  it('is a removed one', () => {
    const origin = repository('billing')
    git(origin, 'worktree', 'add', at('x'))
    git(origin, 'worktree', 'remove', at('x'))
    expect(worktreeAt(at('x'))).toBeNull()
  })
})
