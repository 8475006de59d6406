/** The tests see the surroundings that test/support/surroundings.ts makes, whatever they are run in. */
import { homedir, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { topOf } from '../../src/probes/repo.js'

it('have a home and a temporary folder of their own, outside of any repository', () => {
  expect(homedir()).toBe(join(tmpdir(), 'home'))
  expect(homedir()).not.toBe(userInfo().homedir)
  expect(topOf(tmpdir())).toBeNull()
})

it('have no variable of a terminal, an agent, git or the product', () => {
  const foreign = /^(TMUX|STY|ZELLIJ|KITTY|WEZTERM|CMUX|CLAUDE|CODEX|GEMINI|QWEN|COPILOT|OPENCODE|XDG|GIT|CRASH_RESUME)/
  expect(Object.keys(process.env).filter((name) => foreign.test(name))).toEqual([])
})

it('have one language, one time zone, one kind of terminal and one umask', () => {
  expect(process.env['TZ']).toBeDefined()
  const { LANG, LC_ALL, TERM } = process.env
  expect({ LANG, LC_ALL, TERM }).toEqual({ LANG: 'C.UTF-8', LC_ALL: undefined, TERM: 'xterm-256color' })
  expect(process.umask()).toBe(0o022)
})
