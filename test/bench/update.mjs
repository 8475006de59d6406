/**
 * What an update costs a long-lived program that meets nobody, against the usual recipe (proper-lockfile around read,
 * change and write-file-atomic), which gives less: no safety against a paused holder, no synced folder, no history. Where
 * Node has SQLite (22.5 and later), against one row of that too. They take turns; medians.
 *
 *   node test/bench/update.mjs [rounds]
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import lockfile from 'proper-lockfile'
import writeFileAtomic from 'write-file-atomic'
import { openStore, record } from '../../dist/index.js'

const ENTRIES = 100
const GROUP = 50
const rounds = Number(process.argv[2] ?? 60)
const folder = mkdtempSync(join(tmpdir(), 'crash-resume-index-bench-'))
const entry = (at) => ({ surfaceId: `surface-${at % ENTRIES}`, sessionId: `session-${at}`, repo: 'bench' })

const plain = join(folder, 'plain.json')
writeFileSync(plain, JSON.stringify({ version: 1, entries: {} }))
async function recipe(at) {
  const release = await lockfile.lock(plain)
  const data = JSON.parse(readFileSync(plain, 'utf8'))
  data.entries[entry(at).surfaceId] = entry(at)
  await writeFileAtomic(plain, JSON.stringify(data, null, 2))
  await release()
}

const store = openStore(join(folder, 'index.json'))
const cases = {
  'lock and atomic write': recipe,
  update: (at) => store.update((index) => record(index, entry(at))),
  [`${GROUP} updates at once`]: (at) =>
    Promise.all(Array.from({ length: GROUP }, (_, place) => store.update((index) => record(index, entry(at + place)))))
}

const sqlite = process.getBuiltinModule?.('node:sqlite')
if (sqlite) {
  const database = new sqlite.DatabaseSync(join(folder, 'index.db'))
  database.exec(
    'PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE entries (id TEXT PRIMARY KEY, data TEXT)'
  )
  const put = database.prepare('INSERT OR REPLACE INTO entries VALUES (?, ?)')
  cases['SQLite, one row'] = async (at) => put.run(entry(at).surfaceId, JSON.stringify(entry(at)))
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]

try {
  for (let at = 0; at < ENTRIES; at++) for (const run of [recipe, cases.update]) await run(at)
  const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]))
  for (let round = 1; round <= rounds; round++) {
    for (const [name, run] of Object.entries(cases)) {
      const from = performance.now()
      await run(round)
      times[name].push(performance.now() - from)
    }
  }
  const base = median(times['lock and atomic write'])
  console.log(`one change at ${ENTRIES} entries, medians of ${rounds} (Node ${process.versions.node})`)
  for (const [name, each] of Object.entries(times)) {
    console.log(`${name.padEnd(22)} ${median(each).toFixed(2).padStart(7)} ms   ${(median(each) / base).toFixed(2)}`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
