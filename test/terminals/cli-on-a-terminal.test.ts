/** The built bin on a terminal: a pane of a tmux server of its own. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Bin } from '../support/bin.js'
import { eventually } from '../support/eventually.js'
import { cli } from '../support/programs.js'

let bin: Bin
beforeEach(() => {
  bin = new Bin()
  bin.run('record', 'work:0.1', '0d4ff5f1-6a5b-4f0e-9d55-3a9d7f6c1b2e', 'a-repository-with-a-long-name', 'lead')
})
afterEach(() => {
  try {
    tmux('kill-server')
  } catch {
    // It was not started, or ended with its last pane.
  }
  bin.remove()
})

function tmux(...args: string[]): string {
  const socket = join(bin.folder, 'socket')
  return execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], { encoding: 'utf8', env: bin.env })
}

/** Starts a line in a pane of that many columns; `bin` stands for the bin. */
function start(columns: number, line: string): void {
  const script = `"$@"; echo $? >"$HOME/code.new"; mv "$HOME/code.new" "$HOME/code"; sleep 1000`
  const words = ['sh', '-c', script, 'sh', 'env', ...line.replace(/\bbin\b/, `${process.execPath} ${cli()}`).split(' ')]
  tmux('new-session', '-d', '-x', `${columns}`, '-y', '24', ...words)
}

/** What the pane shows, colours and all. */
function screen(): string {
  return tmux('capture-pane', '-p', '-e').trimEnd()
}

/** The exit code, once there is one, and what the pane shows then. */
async function ended(): Promise<{ code: number; shown: string; text: string }> {
  const file = join(bin.folder, 'code')
  await eventually('the command to end', () => (existsSync(file) ? true : null))
  const shown = screen()
  return { code: Number(readFileSync(file, 'utf8')), shown, text: stripVTControlCharacters(shown) }
}

describe('list', () => {
  it('is in colour, and as wide as the terminal', async () => {
    start(60, 'bin list')
    const { code, shown, text } = await ended()
    expect(code).toBe(0)
    expect(shown).toContain('\u001b[32mready')
    expect(text.split('\n')).toEqual([
      'SURFACE   AGENT  SESSION      REPO          ROLE  STATE  AGE',
      expect.stringMatching(/^work:0\.1 {2}- {6}0d4ff5f1-6… {2}a-repositor… {2}lead {2}ready {2}\d+s$/),
      '1 surface'
    ])
  })

  it.each([['NO_COLOR=1'], ['TERM=dumb']])('has no colour with %s', async (variable) => {
    start(60, `${variable} bin list`)
    const { shown, text } = await ended()
    expect(text).toContain('work:0.1')
    expect(shown).toBe(text)
  })
})

describe('forget', () => {
  const asked = async (): Promise<void> => {
    start(80, 'bin forget work:0.1')
    await eventually('the question', () => (screen().includes('forget this entry? [y/N]') ? true : null))
    expect(stripVTControlCharacters(screen())).toMatch(/SURFACE +GENERATION .*\nwork:0\.1 +1 /)
  }
  const there = (): boolean => bin.json('lookup', 'work:0.1') !== null

  it('asks, and goes on with a yes', async () => {
    await asked()
    tmux('send-keys', 'y', 'Enter')
    const { code, text } = await ended()
    expect(code).toBe(0)
    expect(text).toContain('crash-resume-index: forgot work:0.1; to undo it, run `crash-resume-index restore')
    expect(there()).toBe(false)
  })

  it.each([['n'], [''], ['C-c'], ['C-d'], ['yesterday']])('removes nothing where the answer is %j', async (keys) => {
    await asked()
    tmux('send-keys', ...(keys === '' ? [] : [keys]), ...(keys.startsWith('C-') ? [] : ['Enter']))
    const { code, text } = await ended()
    expect(code).toBe(6)
    expect(text).toMatch(/\ncrash-resume-index: nothing was removed$/)
    expect(there()).toBe(true)
  })
})
