/**
 * An orchestrator that survives its own crash: every agent goes on in the session that it had, and none runs twice.
 *
 *   node orchestrator.mjs <agent program> <index file>
 *
 * Kill it and its agents as you like (SIGKILL, power) and start it again by the same line. Three things do that:
 *   1. recovery pass  first of all, resume what the last run left behind, and account for each
 *   2. gate           before a fresh start, ask; the answer is on disk before anything is started
 *   3. boot capture   as an agent comes up, record which session is on which pane, and in which process
 *
 * Here a pane is a child process with pipes, so that it runs anywhere; with a multiplexer only `start` changes. The
 * agent takes Claude Code's arguments, names its session on its first line, and reads prompts from its input. Without a
 * real one: test/fixtures/agents/stand-in.mjs of the repository.
 */
import { spawn } from 'node:child_process'
import { basename, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { environmentFor, gate, lookup, observe, openStore, ownerOf, recoverAll, verdictsFor } from 'crash-resume-index'
import { AGENTS, saysSessionGone, withAgents } from 'crash-resume-index/agents'

const START_LIMIT_MS = 30_000
const PANES = [
  { surfaceId: 'example:api', repo: 'billing', task: 'Add a health endpoint.' },
  { surfaceId: 'example:tests', repo: 'billing', task: 'Find the flaky test.' },
  { surfaceId: 'example:docs', repo: 'docs', task: 'Describe the health endpoint.' }
]

const [program, indexFile] = process.argv.slice(2)
if (program === undefined || indexFile === undefined) {
  console.error('usage: node orchestrator.mjs <agent program> <index file>')
  process.exit(2)
}

const store = openStore(indexFile)
const agent = 'stand-in'
const agents = withAgents([
  {
    // For an agent that is in the table already, `agent: 'claude'` is all that is needed.
    ...AGENTS.claude,
    name: agent,
    file: resolve(program),
    // How its processes are known among all others, and where its conversations are: the evidence rests on both.
    programs: [basename(program).replace(/\.[cm]?js$/, '')],
    packages: [],
    transcripts: (sessionId, { home, env }) => {
      const folder = join(env.STAND_IN_HOME || join(home, '.stand-in'), 'projects')
      return [{ kind: 'folder', folder, depth: 1, name: `${sessionId}.jsonl` }]
    }
  }
])
/** The agents of this run, by surface. */
const running = new Map()

await recover()
for (const pane of PANES) if (!running.has(pane.surfaceId)) await begin(pane)
console.log(`${running.size} agents are running`)

/** Resumes what an earlier run has left. What is still alive is skipped; nothing is started fresh here. */
async function recover() {
  const report = await recoverAll(store, {
    agents,
    only: ({ surfaceId }) => PANES.some((pane) => pane.surfaceId === surfaceId),
    // Agents that all start at once stand in each other's way.
    concurrency: 2,
    staggerMs: 100,
    // The attempt is on disk by now. What is returned here settles it; a throw would settle it as failed.
    resume: ({ entry, spec }) => start(entry, spec)
  })
  for (const { surfaceId, outcome, reason, sessionId = '' } of report.rows) {
    console.log(`recovery: ${surfaceId} ${outcome} (${reason}) ${sessionId}`)
  }
  const { resumed, pending, failed, skipped } = report
  console.log(`recovery: ${resumed} resumed, ${pending} pending, ${failed} failed, ${skipped} skipped`)
}

/** Starts an agent on a pane, where the gate allows it: a session that is there is resumed, never replaced. */
async function begin({ surfaceId, repo, task }) {
  const request = { surfaceId, repo, agent, cwd: process.cwd() }
  // What failed in the recovery a moment ago is not tried again here: the answer is to wait.
  const answer = await gate(store, request, {}, { agents })
  console.log(`gate: ${surfaceId} ${answer.action} (${answer.reason}) ${answer.sentence}`)
  if (answer.spec === undefined) return
  const { result, ...more } = await start({ ...request, sessionId: answer.sessionId }, answer.spec)
  // Both ways: an attempt that nobody settles is refused to everybody until this process has died.
  await answer.settle(result, more)
  if (result === 'ok') running.get(surfaceId).stdin.write(`${task}\n`)
}

/** Starts the command. That a process is there proves nothing; it is up once the agent itself names the session. */
async function start(pane, spec) {
  const child = spawn(spec.file, spec.args, { cwd: spec.cwd, env: environmentFor(spec), stdio: 'pipe' })
  const limit = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS)
  let said = ''
  const up = new Promise((named) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        said += `${line}\n`
        console.log(`${pane.surfaceId} | ${line}`)
        if (stream === child.stdout && line.includes(pane.sessionId)) named('ok')
      })
    }
  })
  const down = new Promise((ended) => {
    child.once('error', ({ message }) => ended({ failed: 'not_started', why: message }))
    // This kind frees the session for the next attempt: it is said only of a process that is seen to be gone.
    child.once('close', (code, signal) => {
      running.delete(pane.surfaceId)
      const failed = saysSessionGone(agent, said, agents) ? 'session_gone' : 'exited'
      ended({ failed, why: `ended with ${signal ?? code}` })
    })
    // Written to an agent that has just died: its end is told above.
    child.stdin.once('error', () => {})
  })
  const result = await Promise.race([up, down])
  clearTimeout(limit)
  if (result !== 'ok') return { result }
  const proc = ownerOf(child.pid)
  if (proc === null) return { result: await down }
  running.set(pane.surfaceId, child)
  await capture(pane, proc)
  return { result, proc }
}

/** Boot capture. An agent's own hook does the same, and follows it through `/clear`; the second of the two changes nothing. */
async function capture({ surfaceId, sessionId, repo, cwd }, proc) {
  await store.update((index) => {
    const known = lookup(index, surfaceId)?.proc
    const sighting = { surfaceId, sessionId, repo, agent, cwd, proc }
    return observe(index, sighting, verdictsFor(known === undefined ? [] : [known])).index
  })
}
