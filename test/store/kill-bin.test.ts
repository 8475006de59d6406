/**
 * The real bin is killed by SIGKILL at each system call of a record. As in kill.test.ts; and here nothing of ours but
 * the watcher around `node:fs` is in the process.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadIndex, updateIndex } from '../../src/store/store.js'
import { IndexFolder, recorded, surfacesOf } from '../support/index-folder.js'
import type { Fault } from '../support/jobs.js'
import { firstEver, ontoEight, type Start } from '../support/starts.js'
import { type Run, WatchedCli } from '../support/watched-cli.js'
import { inLanes, MANY_PROCESSES_MS } from '../support/writers.js'

const LANES = 3
const full = process.env['CRI_FULL'] === '1'

function capture(folder: IndexFolder, surface: string, fault?: Fault): Promise<Run> {
  const args = ['--path', folder.path, 'record', surface, `session-of-${surface}`, 'demo']
  return new WatchedCli({ folder: folder.root, ...(fault && { fault }) }, args).ended
}

const starts: readonly (Start & { readonly when: readonly Fault['when'][] })[] = [
  { ...firstEver, when: full ? ['before', 'after'] : ['after'] },
  { ...ontoEight, when: full ? ['before', 'after'] : ['before'] }
]

describe.each(starts)('killed during $name', ({ make, when: moments }) => {
  const template = new IndexFolder()
  let acknowledged: readonly string[]
  let calls: readonly string[]

  beforeAll(async () => {
    acknowledged = await make(template)
    const folder = template.copy()
    const run = await capture(folder, 'killed')
    expect(run).toMatchObject({ code: 0, stderr: '' })
    calls = run.calls
    folder.remove()
  })
  afterAll(() => template.remove())

  it.each(moments)(
    '%s any call',
    async (when) => {
      const commit = calls.findLastIndex((call) => /^link .* ok$|^rename \S+ \S+\.history ok$/.test(call))
      expect(commit).toBeGreaterThan(10)
      await inLanes(LANES, [...calls.entries()], async ([place, call]) => {
        const where = `${when} ${place + 1}: ${call}`
        const folder = template.copy()
        const killed = await capture(folder, 'killed', { signal: 'SIGKILL', when, at: place + 1 })
        expect(killed.signal, where).toBe('SIGKILL')
        expect(killed.calls, where).toEqual(calls.slice(0, when === 'after' ? place + 1 : place))

        const index = loadIndex(folder.path)
        const committed = place > commit || (place === commit && when === 'after')
        expect(surfacesOf(index), where).toEqual([...acknowledged, ...(committed ? ['killed'] : [])].sort())
        expect(index.status, where).toBeUndefined()

        if (changesSomething(call)) {
          const next = await capture(folder, 'next')
          expect(next, where).toMatchObject({ code: 0, stderr: '' })
          // It waits for nobody: no lock is asked for.
          expect(
            next.calls.filter((done) => done.includes('.lock')),
            where
          ).toEqual([])
        } else await updateIndex(folder.path, recorded('next'))
        expect(folder.surfaces(), where).toEqual([...surfacesOf(index), 'next'].sort())
        expect(folder.viewIsNewest(), where).toBe(true)
        folder.remove()
      })
    },
    MANY_PROCESSES_MS
  )
})

function changesSomething(call: string): boolean {
  return /^(link|rename|mkdir|unlink|write|fsync) | create /.test(call)
}
