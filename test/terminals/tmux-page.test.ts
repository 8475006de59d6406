/*
 * What docs/tmux.md tells people to put into their configuration, in a real tmux: it loads, and its keys do what the
 * page says, pressed in a client that is attached.
 */
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.js'
import { blocks, page } from '../support/markdown.js'
import { TmuxLab } from '../support/tmux-lab.js'

const configurations = blocks(page('docs/tmux.md'), 'tmux')
const [withPopup = '', withWindow = '', dry = '', status = ''] = configurations

let lab: TmuxLab
beforeEach(() => {
  lab = new TmuxLab()
})
afterEach(() => lab.close())

/** A configuration of the page, with the program where this test has it. */
function here(configuration: string): string {
  return configuration
    .replaceAll('/usr/local/bin/crash-resume-index', join(lab.home, 'bin/crash-resume-index'))
    .replaceAll('/usr/local/bin:', `${join(lab.home, 'bin')}:/usr/local/bin:`)
}

function configure(...lines: string[]): void {
  appendFileSync(join(lab.home, '.tmux.conf'), `${lines.join('\n')}\n`)
}

/** A terminal to look at: the client runs in a pane of another server. */
async function attach(): Promise<void> {
  const client = `env -u TMUX tmux -S '${lab.socket()}' attach`
  lab.tmux('outer', '-f', '/dev/null', 'new-session', '-d', '-s', 'outer', '-x', '160', '-y', '50', client)
  await eventually('the client', () => (lab.tmux('sock', 'list-clients') === '' ? null : true))
}

async function press(key: string): Promise<void> {
  lab.tmux('outer', 'send-keys', '-t', 'outer', 'C-b', key)
}

function shows(text: string): Promise<true> {
  return eventually(`"${text}"`, () => (lab.screen('outer', 'outer').includes(text) ? true : null), 30_000)
}

/** Escape is the program's until that has ended. */
async function closePopup(): Promise<void> {
  await eventually('the popup to close', async () => {
    lab.tmux('outer', 'send-keys', '-t', 'outer', 'Escape')
    await new Promise((wake) => setTimeout(wake, 700))
    return lab.screen('outer', 'outer').includes('conversations to resume') ? null : true
  })
}

/** An agent at work:1.1 and one beside it, each typed into its shell; all is dead afterwards. */
async function workAndCrash(): Promise<Record<string, string>> {
  const [one, other] = [lab.folder('project'), lab.folder('another one')]
  lab.tmux('sock', 'new-session', '-d', '-s', 'work', '-x', '150', '-y', '40', '-c', one)
  lab.tmux('sock', 'split-window', '-d', '-t', 'work:1.1', '-c', other)
  for (const pane of ['work:1.1', 'work:1.2']) lab.type(pane, 'crash-resume-index run -- claude')
  const places = await eventually('the agents', () => {
    const known = lab
      .entries()
      .flatMap(({ address, sessionId }) => (address === undefined ? [] : [[address, sessionId]]))
    return known.length === 2 && lab.alive().every(({ pid }) => lab.isUp(pid)) ? Object.fromEntries(known) : null
  })
  await lab.crash()
  return places
}

function places(): Record<string, string | undefined> {
  return Object.fromEntries(lab.entries().map(({ address = '', sessionId }) => [address, sessionId]))
}

describe('the configurations of the page', () => {
  it('load in tmux, each for itself, and are then there', () => {
    expect(configurations).toHaveLength(5)
    for (const [at, configuration] of configurations.entries()) {
      const path = join(lab.home, `${at}.conf`)
      writeFileSync(path, configuration)
      const socket = `sock${at}`
      lab.tmux(socket, '-f', '/dev/null', 'new-session', '-d')
      lab.tmux(socket, 'source-file', path)
      const keys = lab.tmux(socket, 'list-keys', '-T', 'prefix').replaceAll(/ +/g, ' ')
      for (const [, key, command] of configuration.matchAll(/^bind-key (\w) ([\w-]+)/gm)) {
        expect(keys).toMatch(
          new RegExp(`^bind-key -T prefix ${key} ${command} .*crash-resume-index (recover|status)`, 'm')
        )
      }
      for (const [, option = '', value] of configuration.matchAll(/^set(?:-option)? -g (\S+) (\S+)$/gm)) {
        expect(lab.tmux(socket, 'show-options', '-gv', option)).toBe(value)
      }
      if (configuration.includes('status-right')) {
        expect(lab.tmux(socket, 'show-options', '-gv', 'status-right')).toContain('status --line)')
      }
      if (configuration.includes('set-environment')) {
        const path = lab.tmux(socket, 'show-environment', '-g', 'PATH')
        expect(path).toContain(`PATH=${lab.home}/.local/bin:`)
      }
    }
  })

  it('have a key that brings everyone back into the login shells of a restored layout, and keeps the report', async () => {
    writeFileSync(join(lab.home, '.bash_profile'), `PS1='$ '\nexport PATH='${lab.env['PATH']}'\n`)
    configure('set -g base-index 1', 'setw -g pane-base-index 1', 'set -g default-command ""')
    configure('set -g default-shell /bin/bash', here(withPopup), here(dry), here(status))
    const before = await workAndCrash()
    // As tmux-resurrect does with the contents of panes, and without.
    writeFileSync(join(lab.home, 'contents'), 'what stood there\n')
    const shell = `cat '${lab.home}/contents'; exec -l /bin/bash`
    lab.tmux('sock', 'new-session', '-d', '-s', 'work', '-c', join(lab.home, 'project'), shell)
    lab.tmux('sock', 'split-window', '-d', '-t', 'work:1', '-c', join(lab.home, 'another one'))
    await attach()
    await press('A')
    await shows('2 of 2 conversations to resume')
    expect(lab.alive()).toEqual([])
    await closePopup()
    await press('S')
    await shows('SURFACE')
    expect(lab.screen('outer', 'outer')).toContain('2 crashed')
    lab.tmux('outer', 'send-keys', '-t', 'outer', 'C-c')
    await eventually('the popup to close', () => (lab.screen('outer', 'outer').includes('SURFACE') ? null : true))
    await press('R')
    await shows('[y/N]')
    lab.tmux('outer', 'send-keys', '-t', 'outer', 'y', 'Enter')
    await shows('resumed 2, pending 0, failed 0, skipped 0, total 2')
    expect(lab.screen('outer', 'outer').match(/in its old place/g)).toHaveLength(2)
    expect(places()).toEqual(before)
    expect(lab.alive().map(({ form }) => form)).toEqual(['resumed', 'resumed'])
    expect(await lab.panes()).toHaveLength(2)
    await closePopup()
  })

  it('have a window for it in an older tmux, which takes no place that somebody goes back to', async () => {
    configure('set -g base-index 1', 'setw -g pane-base-index 1', here(withWindow))
    const before = await workAndCrash()
    lab.tmux('sock', 'new-session', '-d', '-s', 'work', '-c', lab.home)
    lab.tmux('sock', 'move-window', '-s', 'work:1', '-t', 'work:7')
    await attach()
    await press('R')
    await shows('[y/N]')
    lab.tmux('outer', 'send-keys', '-t', 'outer', 'y', 'Enter')
    await shows('resumed 2, pending 0, failed 0, skipped 0, total 2')
    expect(places()).toEqual(before)
    const windows = new Set((await lab.panes()).map(({ position }) => position.window))
    expect([...windows]).toEqual([1, 7, 99])
  })
})

it('opens what only a hook has recorded in a new window of a session with the name of the repository', async () => {
  lab.behave({ hook: lab.hookOf('claude') })
  lab.tmux('sock', 'new-session', '-d', '-s', 'work', '-c', lab.folder('billing'))
  lab.type('work:0.0', 'claude')
  await eventually('the hook', () => (lab.entries().length === 1 ? true : null))
  await lab.crash()
  expect(lab.cli(['recover', '--yes']).stdout).toContain('resumed 1, pending 0, failed 0, skipped 0, total 1')
  expect(lab.entries().map(({ address }) => address)).toEqual(['billing:0.0'])
})

it('has the place of what only a hook has recorded once the status bar was drawn', async () => {
  lab.behave({ hook: lab.hookOf('claude') })
  configure(here(status))
  lab.tmux('sock', 'new-session', '-d', '-s', 'work', '-c', lab.folder('billing'))
  lab.type('work:0.0', 'claude')
  await eventually('the hook', () => (lab.entries().length === 1 ? true : null))
  lab.tmux('sock', 'select-pane', '-t', 'work:0.0', '-T', 'a title that is rather long')
  await attach()
  await shows('1 alive')
  expect(lab.entries().map(({ address }) => address)).toEqual(['work:0.0'])
  await lab.crash()
  expect(lab.cli(['recover', '--yes']).stdout).toContain('resumed 1, pending 0, failed 0, skipped 0, total 1')
  expect(lab.entries().map(({ address }) => address)).toEqual(['work:0.0'])
})

it('gives each session back to its own server, from outside of all of them', async () => {
  for (const socket of ['one', 'two']) {
    lab.tmux(socket, 'new-session', '-d', '-s', 'work', '-c', lab.folder('project'))
    lab.type('work:0.0', 'crash-resume-index run -- claude', socket)
  }
  await eventually('the agents', () =>
    lab.entries().filter(({ address }) => address === 'work:0.0').length === 2 ? true : null
  )
  const before = lab.entries().map(({ sessionId }) => sessionId)
  await lab.crash()
  expect(lab.cli(['recover', '--yes']).stdout).toContain('resumed 2, pending 0, failed 0, skipped 0, total 2')
  for (const socket of ['one', 'two']) expect(await lab.panes(socket)).toHaveLength(1)
  expect(
    lab
      .entries()
      .map(({ sessionId }) => sessionId)
      .sort()
  ).toEqual(before.sort())
})

it('says what the page says where nothing is there', () => {
  const { status, stdout } = lab.cli(['recover'])
  const outside = lab.cli(['run', '--', 'claude'])
  expect([status, outside.status]).toEqual([0, 125])
  const text = page('docs/tmux.md')
  for (const words of ['nothing to recover: no entry matches', 'the surface is not known here']) {
    expect(text).toContain(`\`${words}\``)
    expect(`${stdout}${outside.stderr}`).toContain(words)
  }
})
