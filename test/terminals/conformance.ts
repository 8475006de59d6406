/**
 * What a terminal driver must do, whichever multiplexer it drives. A driver's test calls this with a server of its own.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { formatPosition, type LivePane, parsePosition, type TerminalDriver } from '../../src/terminals/driver.js'
import { eventually } from '../support/eventually.js'

export interface DriverLab {
  readonly driver: TerminalDriver
  /** A driver for the same server that waits 300 ms for an answer. */
  readonly impatient: TerminalDriver
  /** The server's process. */
  readonly serverPid: () => number
  /** Ends the server; the driver is then asked about one that is not there. */
  readonly endServer: () => void
}

export function conforms(name: string, open: (folder: string) => DriverLab): void {
  describe(`${name}, as a terminal driver`, () => {
    let folder: string
    let lab: DriverLab
    beforeEach(() => {
      folder = realpathSync(mkdtempSync(join(tmpdir(), 'driver-')))
      lab = open(folder)
    })
    afterEach(() => {
      lab.endServer()
      rmSync(folder, { recursive: true, force: true })
    })

    const panes = async (): Promise<readonly LivePane[]> => {
      const listing = await lab.driver.list()
      if (listing.state !== 'live') throw new Error(`the listing is ${listing.state}`)
      return listing.panes
    }
    /** The pane as it is listed once its program has come up. */
    const settled = ({ surfaceId }: LivePane): Promise<LivePane> =>
      eventually('the pane', async () => {
        const [before, after] = [await panes(), await panes()].map((all) =>
          all.find((one) => one.surfaceId === surfaceId)
        )
        return after !== undefined && before?.command === after.command && after.command !== 'env' ? after : null
      })
    const report = (file: string): string[] => [
      'sh',
      '-c',
      `printf '%s|' "$@" >${file}; pwd >>${file}; env >>${file}; exec sleep 60`,
      'sh'
    ]

    it('tells a server that is not there from one that does not answer', async () => {
      expect(await lab.driver.list()).toEqual({ state: 'absent' })
      await lab.driver.open({ session: 'work' }, { argv: ['sleep', '60'] })
      const server = lab.serverPid()
      process.kill(server, 'SIGSTOP')
      expect(await lab.impatient.list()).toMatchObject({ state: 'unknown' })
      process.kill(server, 'SIGCONT')
      expect(await lab.driver.list()).toMatchObject({ state: 'live' })
      lab.endServer()
      expect(await lab.driver.list()).toEqual({ state: 'absent' })
    })

    it('lists the others beside a pane whose folder and program are named with line ends and tabs', async () => {
      const odd = join(folder, 'one\ntwo\tthree|')
      mkdirSync(odd)
      const plain = await lab.driver.open({ session: 'work' }, { argv: ['sleep', '60'], cwd: folder })
      const program = join(odd, 'sl\ne\tep')
      copyFileSync('/bin/sleep', program)
      const pane = await lab.driver.open({ session: 'work' }, { argv: [program, '60'], cwd: odd })
      const listed = await eventually('both panes', async () => {
        const all = await panes()
        return all.some((one) => one.cwd === odd) && all.some((one) => one.cwd === folder) ? all : null
      })
      expect(listed.map(({ surfaceId }) => surfaceId).sort()).toEqual([plain.surfaceId, pane.surfaceId].sort())
    })

    it('starts a program with its arguments byte for byte, in its folder, with its variables', async () => {
      const file = join(folder, 'report')
      const odd = ['a b', "it's", '$HOME', ';', 'end;', '', '*', '#{pane_id}', '日本', '-x', '"']
      const env = { CRI_ODD: "a 'b' $c;", PATH: `${folder}:${process.env['PATH']}` }
      const start = { argv: [...report(file), ...odd], cwd: folder, env }
      const pane = await lab.driver.open({ session: 'work', windowName: 'named' }, start)
      const text = await eventually('the report', () => {
        const found = readFileSync(file, 'utf8')
        return found.includes('CRI_ODD') ? found : null
      })
      expect(text.split(`${folder}\n`)[0]).toBe(odd.map((word) => `${word}|`).join(''))
      expect(text).toContain(`\nCRI_ODD=a 'b' $c;\n`)
      expect(text).toContain(`\nPATH=${env.PATH}\n`)
      expect((await panes())[0]).toMatchObject({
        surfaceId: pane.surfaceId,
        windowName: 'named',
        dead: false,
        cwd: folder
      })
    })

    it('gives panes the ids that hold the life of their server', async () => {
      const first = await lab.driver.open({ session: 'work' }, { argv: ['sleep', '60'] })
      const second = await lab.driver.open({ session: 'work' }, { argv: ['sleep', '60'] })
      const other = await lab.driver.open({ session: 'other' }, { argv: ['sleep', '60'] })
      expect(new Set([first, second, other].map(({ surfaceId }) => surfaceId)).size).toBe(3)
      expect(formatPosition(first.position)).toBe('work:0.0')
      expect(formatPosition(second.position)).toBe('work:1.0')
      expect(other.position.session).toBe('other')
      expect((await panes()).map(({ surfaceId }) => surfaceId).sort()).toEqual(
        [first, second, other].map(({ surfaceId }) => surfaceId).sort()
      )
      lab.endServer()
      const again = await lab.driver.open({ session: 'work' }, { argv: ['sleep', '60'] })
      expect(again.surfaceId).not.toBe(first.surfaceId)
      expect(again.scope).not.toBe(first.scope)
    })

    it('replaces what a pane runs, and keeps the pane', async () => {
      const pane = await settled(await lab.driver.open({ session: 'work' }, { argv: ['sleep', '61'] }))
      const replaced = await lab.driver.replace(pane, { argv: ['sleep', '62'], cwd: folder })
      expect(replaced.surfaceId).toBe(pane.surfaceId)
      expect(replaced.pid).not.toBe(pane.pid)
      await eventually('the end of the old program', () => (isThere(pane.pid) ? null : true))
      expect((await panes()).length).toBe(1)
    })

    it('opens a window at its number, in a session that is there and in one that is not', async () => {
      const first = await lab.driver.open({ session: 'work', window: 7 }, { argv: ['sleep', '60'] })
      expect(formatPosition(first.position)).toBe('work:7.0')
      const second = await lab.driver.open({ session: 'work', window: 3 }, { argv: ['sleep', '60'] })
      expect(formatPosition(second.position)).toBe('work:3.0')
      await expect(lab.driver.open({ session: 'work', window: 3 }, { argv: ['sleep', '60'] })).rejects.toThrow()
      expect((await panes()).length).toBe(2)
    })

    it('splits a window again and again, each pane after the one it was asked for', async () => {
      let pane = await lab.driver.open({ session: 'work' }, { argv: ['sleep', '60'] })
      for (let at = 1; at <= 11; at++) {
        pane = await lab.driver.split(pane, { argv: ['sleep', '60'], cwd: folder })
        expect(pane.position.pane).toBe(at)
      }
      // Of a pane that has only just been made the folder is not known yet.
      const cwds = await eventually('the folders', async () => {
        const all = (await panes()).map(({ cwd }) => cwd)
        return all.includes('') ? null : all.slice(1)
      })
      expect(cwds).toEqual(Array(11).fill(folder))
    })

    it('starts a shell where it is told no program, and shows what a pane shows', async () => {
      const pane = await lab.driver.open({ session: 'work' }, { cwd: folder, env: { PS1: 'ready> ', ENV: '' } })
      expect(pane.pid).toBeGreaterThan(0)
      const shows = await lab.driver.replace(await settled(pane), {
        argv: ['sh', '-c', 'echo seen-$((6*7)); sleep 60']
      })
      await eventually('the text', async () => ((await lab.driver.screen(shows))?.includes('seen-42') ? true : null))
    })

    it('does not end what was started in the pane since it was listed', async () => {
      const listed = await settled(await lab.driver.open({ session: 'work' }, { argv: ['sleep', '61'] }))
      const since = await settled(await lab.driver.replace(listed, { argv: ['sleep', '62'] }))
      await expect(lab.driver.replace(listed, { argv: ['sleep', '63'] })).rejects.toThrow(/something other/)
      await expect(lab.driver.replace({ ...since, command: 'sh' }, { argv: ['sleep', '63'] })).rejects.toThrow()
      expect(await panes()).toMatchObject([{ pid: since.pid }])
      expect(isThere(since.pid)).toBe(true)
    })

    it('replaces with arguments byte for byte', async () => {
      const file = join(folder, 'report')
      const odd = ['a b', "it's", '$HOME', ';', 'end;', '', '#{pane_id}', '日本', '"', '\\', "'", '~', '%1', '{ }']
      const odder = join(folder, "it's #{pid} $HOME")
      mkdirSync(odder)
      const pane = await settled(await lab.driver.open({ session: 'work' }, { argv: ['sleep', '60'] }))
      const env = { CRI_ODD: "a 'b' $c; #{pid};" }
      await lab.driver.replace(pane, { argv: [...report(file), ...odd], cwd: odder, env })
      const text = await eventually('the report', () => {
        const found = readFileSync(file, 'utf8')
        return found.includes('CRI_ODD') ? found : null
      })
      expect(text.split(`${odder}\n`)[0]).toBe(odd.map((word) => `${word}|`).join(''))
      expect(text).toContain(`\nCRI_ODD=${env.CRI_ODD}\n`)
    })

    it('says so when the pane is gone', async () => {
      const pane = await lab.driver.open({ session: 'work' }, { argv: ['sleep', '60'] })
      await lab.driver.open({ session: 'stays' }, { argv: ['sleep', '60'] })
      process.kill(pane.pid, 'SIGKILL')
      await eventually('the end of the pane', async () => ((await panes()).length === 1 ? true : null))
      await expect(lab.driver.replace(pane, { argv: ['sleep', '60'] })).rejects.toThrow()
    })
  })

  it('reads an address back as it was written', () => {
    for (const position of [
      { session: 'a:b.c', window: 3, pane: 0 },
      { session: 'work', window: 12, pane: 4 }
    ]) {
      expect(parsePosition(formatPosition(position))).toEqual(position)
    }
    expect(parsePosition('work')).toBeNull()
    expect(parsePosition('work:x.1')).toBeNull()
  })
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
