/**
 * Ten captures through the real bin at once, as ten panes that boot together do it: all are let go at one moment, in
 * every other round right before the call that commits, so that nine of ten must find their number taken.
 */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { IndexFolder } from '../support/index-folder.js'
import { WatchedCli } from '../support/watched-cli.js'
import { MANY_PROCESSES_MS } from '../support/writers.js'

const CAPTURES = 10
const ROUNDS = process.env['CRI_FULL'] === '1' ? 20 : 6

let folder: IndexFolder

beforeEach(() => {
  folder = new IndexFolder()
})
afterEach(() => folder.remove())

it(
  `keeps all of ${CAPTURES} captures started at once, ${ROUNDS} times`,
  async () => {
    const expected: string[] = []
    let conflicts = 0
    for (let round = 0; round < ROUNDS; round++) {
      const surfaces = Array.from({ length: CAPTURES }, (_, n) => `surface-${round}-${n}`)
      const gate = round % 2 === 0 ? 'commit' : 'start'
      const captures = surfaces.map(
        (surface) =>
          new WatchedCli({ folder: folder.root, gate }, [
            '--path',
            folder.path,
            'record',
            surface,
            `s-${surface}`,
            'demo'
          ])
      )
      await Promise.all(captures.map(({ atGate }) => atGate))
      for (const capture of captures) capture.openGate()
      const runs = await Promise.all(captures.map(({ ended }) => ended))

      expect(runs.filter(({ code }) => code !== 0)).toEqual([])
      expected.push(...surfaces)
      expect(folder.surfaces()).toEqual([...expected].sort())
      expect(folder.litter()).toEqual([])
      expect(folder.viewIsNewest()).toBe(true)
      const beaten = runs.filter(({ calls }) => calls.some(isConflict)).length
      // A first writer's folder may be swept before its rename: then all ten begin again.
      if (gate === 'commit') expect(beaten).toBeGreaterThanOrEqual(CAPTURES - 1)
      conflicts += beaten
    }
    // Also those that were let go at the start met each other now and then.
    expect(conflicts).toBeGreaterThan((ROUNDS / 2) * (CAPTURES - 1))
  },
  MANY_PROCESSES_MS
)

function isConflict(call: string): boolean {
  return /^(link|rename \S+\.unborn) .*(EEXIST|ENOTEMPTY|ENOENT)$/.test(call)
}
