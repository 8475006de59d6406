/**
 * Twenty processes that write at once, five updates each, let go together: how long until all are through, and how many
 * of the hundred entries are there then; against the usual recipe (proper-lockfile around read, change and
 * write-file-atomic, with retries). They take turns; medians.
 *
 *   node test/bench/contention.mjs [rounds]
 */
import { fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import lockfile from 'proper-lockfile'
import writeFileAtomic from 'write-file-atomic'
import { record, updateIndex } from '../../dist/index.js'

const PROCESSES = 20
const UPDATES = 5
const PATIENT_MS = 60_000

const write = {
  async 'lock and atomic write'(path, entry) {
    const retries = { retries: PATIENT_MS, factor: 1.2, minTimeout: 4, maxTimeout: 50, randomize: true }
    const release = await lockfile.lock(path, { retries })
    const data = JSON.parse(readFileSync(path, 'utf8'))
    data.entries[entry.surfaceId] = entry
    await writeFileAtomic(path, JSON.stringify(data, null, 2))
    await release()
  },
  update: (path, entry) => updateIndex(path, (index) => record(index, entry))
}

if (process.send) serve()
else await measure(Number(process.argv[2] ?? 5))

function serve() {
  process.on('message', async ({ name, path, place }) => {
    for (let at = 0; at < UPDATES; at++) {
      const surfaceId = `surface-${place}-${at}`
      await write[name](path, { surfaceId, sessionId: `session-${surfaceId}`, repo: 'bench' })
    }
    process.send('done')
  })
  process.on('disconnect', () => process.exit())
  process.send('up')
}

async function measure(rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'crash-resume-index-bench-'))
  const writers = Array.from({ length: PROCESSES }, () => fork(import.meta.filename))
  const said = (writer) => new Promise((resolve) => writer.once('message', resolve))
  const times = Object.fromEntries(Object.keys(write).map((name) => [name, []]))
  const there = Object.fromEntries(Object.keys(write).map((name) => [name, []]))
  try {
    await Promise.all(writers.map(said))
    // The first round is not counted: the processes are cold.
    for (let round = 0; round <= rounds; round++) {
      for (const name of Object.keys(write)) {
        const path = join(folder, `${name.replaceAll(/\W+/g, '-')}-${round}.json`)
        writeFileSync(path, JSON.stringify({ version: 1, entries: {} }))
        const from = performance.now()
        await Promise.all(
          writers.map((writer, place) => {
            writer.send({ name, path, place })
            return said(writer)
          })
        )
        if (round === 0) continue
        times[name].push(performance.now() - from)
        there[name].push(Object.keys(JSON.parse(readFileSync(path, 'utf8')).entries).length)
      }
    }
    const base = median(times['lock and atomic write'])
    const all = PROCESSES * UPDATES
    console.log(`${PROCESSES} processes, ${UPDATES} changes each, medians of ${rounds} (Node ${process.versions.node})`)
    for (const [name, each] of Object.entries(times)) {
      const least = Math.min(...there[name])
      const line = `${median(each).toFixed(0).padStart(6)} ms   ${(median(each) / base).toFixed(2)}   ${least} of ${all} there`
      console.log(`${name.padEnd(22)} ${line}`)
    }
  } finally {
    for (const writer of writers) writer.disconnect()
    rmSync(folder, { recursive: true, force: true })
  }
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]
}
