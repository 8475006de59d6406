/**
 * How long an agent's hook waits: the built bin's `record`, `touch` and `hook` on an index of 100 entries, against
 * `node -e 0`, which is what a start of Node costs anyway. They take turns, so that a busy machine slows them alike;
 * medians. Each hook brings a new session on a new surface, so that each one writes; on a surface whose agent may live
 * it would change nothing.
 *
 *   node test/bench/cold-start.mjs [rounds]
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { forgetInFile } from '../../dist/admin.js'

const GOALS = { record: 1.25, touch: 1.25, hook: 1.4 }
const ENTRIES = 100
const rounds = Number(process.argv[2] ?? 60)
const bin = resolve(import.meta.dirname, '../../dist/cli.cjs')

const folder = mkdtempSync(join(tmpdir(), 'crash-resume-index-bench-'))
const path = join(folder, 'index.json')

const cases = {
  'node -e 0': () => ['-e', '0'],
  record: (round) => [bin, 'record', `surface-${round % ENTRIES}`, `session-${round}`, 'bench'],
  touch: (round) => [bin, 'touch', `surface-${round % ENTRIES}`],
  hook: () => [bin, 'hook', 'claude', '--strict']
}

/** As Claude Code's hook hands it over. */
const payload = (round) =>
  JSON.stringify({
    session_id: `00000000-0000-4000-9000-${String(round).padStart(12, '0')}`,
    cwd: folder,
    hook_event_name: 'SessionStart',
    source: 'startup'
  })

function start(args, round = 0) {
  const from = process.hrtime.bigint()
  const { status, stderr } = spawnSync(process.execPath, args, {
    env: { ...process.env, CRASH_RESUME_INDEX_PATH: path, CRASH_RESUME_SURFACE: `new-${round}` },
    input: args.includes('hook') ? payload(round) : '',
    stdio: ['pipe', 'ignore', 'pipe'],
    encoding: 'utf8'
  })
  const ms = Number(process.hrtime.bigint() - from) / 1e6
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`)
  return ms
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}

try {
  const now = Date.now()
  const entries = Array.from({ length: ENTRIES }, (_, at) => ({
    surfaceId: `surface-${at}`,
    sessionId: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
    repo: 'bench',
    role: null,
    captured_at: now,
    last_active: now
  }))
  const file = { version: 1, entries: Object.fromEntries(entries.map((entry) => [entry.surfaceId, entry])) }
  writeFileSync(path, `${JSON.stringify(file, null, 2)}\n`)

  for (const args of Object.values(cases)) start(args(0))
  const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]))
  for (let round = 1; round <= rounds; round++) {
    for (const [name, args] of Object.entries(cases)) times[name].push(start(args(round), round))
    // The index stays at its size. A surface that no hook has written is none that could be forgotten.
    await forgetInFile(path, { surfaceId: `new-${round}` })
  }

  const base = median(times['node -e 0'])
  console.log(`cold start at ${ENTRIES} entries, medians of ${rounds} (Node ${process.versions.node})`)
  for (const [name, each] of Object.entries(times)) {
    const ms = median(each)
    const goal = GOALS[name] === undefined ? '' : `   goal: at most ${GOALS[name]}`
    console.log(`${name.padEnd(10)} ${ms.toFixed(1).padStart(7)} ms   ${(ms / base).toFixed(2)}${goal}`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
