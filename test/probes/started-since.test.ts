/**
 * A session that started in the folder under another of its names may be the one whose id was not reported. Names that
 * differ prove two folders only where both are there and are two: a disk may fold case, a folder may be mounted twice,
 * a link may be gone by now.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { inOwnMounts } from '../support/calls.js'
import { program } from '../support/programs.js'

const ID = '01a22709-3309-7d00-9d7e-ff57391f5817'

let home = ''
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'cri-started-')))
})
afterEach(() => rmSync(home, { recursive: true }))

const folder = (name: string): string => {
  mkdirSync(join(home, name))
  return join(home, name)
}

/** A session of which Codex wrote down this folder. */
function startedIn(cwd: string): void {
  const day = join(home, '.codex/sessions/2026/11/29')
  mkdirSync(day, { recursive: true })
  const head = { type: 'session_meta', payload: { cwd, base_instructions: 'x'.repeat(100_000) } }
  writeFileSync(join(day, `rollout-2026-11-29T11-20-44-${ID}.jsonl`), `${JSON.stringify(head)}\n`)
}

function askedFor(cwd: string, mount?: { from: string; to: string }): string[] {
  const question = JSON.stringify({ since: 0, cwd, env: { HOME: home } })
  const command = [process.execPath, program('started-since'), question]
  // The same inode under two names of which none leads to the other: so a disk that folds case looks to us.
  const bound = ['sh', '-e', '-c', 'mount --bind "$1" "$2"; shift 2; exec "$@"', 'sh', mount?.from, mount?.to]
  const all = mount === undefined ? command : [...inOwnMounts(), ...bound.map(String), ...command]
  return JSON.parse(execFileSync(all[0] ?? '', all.slice(1), { encoding: 'utf8' }))
}

test('under the very same name, and under that of a link to it', () => {
  const real = folder('Proj')
  const link = join(home, 'link')
  symlinkSync(real, link)
  for (const [cwd, asked] of [
    [real, real],
    [real, link],
    [link, link],
    [link, real]
  ] as const) {
    startedIn(cwd)
    expect([cwd, asked, askedFor(asked)]).toEqual([cwd, asked, [ID]])
  }
})

test('under another name of the same inode, whichever was written down', () => {
  const mount = { from: folder('Proj'), to: folder('proj') }
  startedIn(mount.from)
  expect(askedFor(mount.to, mount)).toEqual([ID])
  startedIn(mount.to)
  expect(askedFor(mount.from, mount)).toEqual([ID])
})

test('not in a folder that is another one, though its name differs in case alone', () => {
  startedIn(folder('Proj'))
  expect(askedFor(folder('proj'))).toEqual([])
})

test('perhaps in one that is not there any more, and so cannot be told from this one', () => {
  startedIn(join(home, 'was-a-link-to-it'))
  expect(askedFor(folder('Proj'))).toEqual([ID])
  startedIn(folder('other'))
  expect(askedFor(join(home, 'removed'))).toEqual([ID])
})
