/**
 * The demonstration (`npm run demo`): ten agents in the panes of a private tmux server record themselves, everything is
 * killed by SIGKILL, and a new process brings each of them back in its own session, by what the index holds.
 *
 *   node test/demo/demo.mjs [--panes N] [--plant FAULT]
 *
 * Exit code 0 only if every agent came back in the session that it had, with all turns, and none was started fresh;
 * else 1. All that it makes is in one temporary folder, which is removed at the end, on a failure and on a signal too.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { FAULTS } from './faults.mjs'
import { isDead, killAll, processesGiven, processOf } from './processes.mjs'
import { judge, newestWouldBeRight, table } from './result.mjs'
import { makeStage } from './stage.mjs'
import { tmuxServer } from './tmux.mjs'
import { until } from './until.mjs'

/** How many turns the agent in each pane takes; the panes take the repositories in turn, so that they share folders. */
const TURNS = [4, 2, 7, 1, 5, 3, 8, 2, 6, 3]
const WORDS = ['amber', 'birch', 'cobalt', 'dune', 'ember', 'fjord', 'garnet', 'hazel', 'indigo', 'juniper']
const DEATH_LIMIT_MS = 3000
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }

const { panes: count, plant } = readArguments()
const interrupt = new AbortController()
for (const name of Object.keys(EXIT_CODES)) process.on(name, () => interrupt.abort(name))
// Nobody reads on (`npm run demo | head`): an end like any other, with its cleaning up.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => interrupt.abort('nobody reads'))

const stage = makeStage(interrupt.signal)
const before = tmuxServer(stage, 'before')
const after = tmuxServer(stage, 'after')
/** Programs that we started ourselves and that may still run. */
const children = []
try {
  process.exitCode = (await demonstrate()) ? 0 : 1
} catch (error) {
  // A signal makes what was under way fail, maybe before its handler here has run.
  await setImmediate()
  if (!interrupt.signal.aborted) console.error(`The demonstration failed: ${error.message}`)
  process.exitCode = EXIT_CODES[interrupt.signal.reason] ?? 1
} finally {
  await cleanUp()
}

async function demonstrate() {
  const panes = await startAgents()
  await crash(panes)
  FAULTS[plant]?.(stage)
  const came = await resumeFromDisk(panes)
  const rows = judge(panes, came)
  console.log(`\n${table(rows)}\n`)
  const folders = new Set(panes.map(({ repo }) => repo)).size
  console.log(
    `The ${count} agents share ${folders} folders: "newest in the folder" would be right for ${newestWouldBeRight(panes)} of ${count}.`
  )
  const resumed = rows.filter(({ right }) => right).length
  console.log(`${resumed} of ${count} resumed`)
  return resumed === count
}

/** Opens the panes, starts an agent in each by its launcher, and has each take its turns. */
async function startAgents() {
  console.log(`${count} panes on a private tmux server, an agent in each; each records itself as it boots:`)
  const panes = TURNS.slice(0, count).map((turns, at) => {
    const surface = `work:${at + 1}`
    const env = { CRASH_RESUME_SURFACE: surface, STAND_IN_REPORT: stage.report('before', surface) }
    const prompts = Array.from({ length: turns }, (_, turn) => `turn ${turn + 1}: remember ${WORDS[at]} ${turn + 1}`)
    return { surface, env, prompts, repo: stage.repos[at % stage.repos.length] }
  })
  before.start()
  await before.openPanes(panes)
  for (const pane of panes) before.type(pane, [stage.launcherOf(pane.repo), ...pane.prompts])
  for (const pane of panes) {
    const report = await reported('before', pane.surface, (now) => now.turns.length === pane.prompts.length)
    if (report.start !== 'fresh' || report.hook !== 0) {
      throw new Error(`the agent on ${pane.surface} did not start and record itself:\n${before.screen(pane)}`)
    }
    Object.assign(pane, { sessionId: report.sessionId, transcript: report.transcript, agent: report.pid })
    console.log(`  ${pane.surface.padEnd(8)} ${stage.launcherOf(pane.repo).padEnd(14)} session ${report.sessionId}`)
  }
  return panes
}

/** SIGKILL to everything that runs on the stage; resolves once all of it is seen dead. */
async function crash(panes) {
  const victims = processesGiven(`HOME=${stage.home}`)
  const missing = [before.pid(), ...panes.flatMap(({ agent, shell }) => [agent, shell])].filter(
    (pid) => !victims.some((victim) => victim.pid === pid)
  )
  if (missing.length > 0) throw new Error(`not running before the crash: processes ${missing.join(', ')}`)
  killAll(victims)
  if (plant === 'survivor') victims.push(survivor())
  await until('the death of all processes', () => victims.every(isDead) || undefined, {
    limitMs: DEATH_LIMIT_MS,
    signal: stage.signal
  })
  if (before.answers()) throw new Error('a tmux server still answers after the crash')
  console.log(
    `\nSIGKILL to the tmux server and all that runs in its panes: ${victims.length} processes, all of them dead.`
  )
}

/** A new process reads the index and types the resume commands; resolves with what the agents that come up report. */
async function resumeFromDisk(panes) {
  console.log('\nA new process reads the index from disk and types each resume command into a new pane:')
  const program = resolve(import.meta.dirname, 'after-the-crash.mjs')
  const child = start(process.execPath, [program, stage.folder], ['ignore', 'pipe', 'inherit'])
  const [[code], output] = await Promise.all([once(child, 'close', { signal: stage.signal }), text(child.stdout)])
  if (code !== 0) throw new Error(`the process that resumes ended with exit code ${code}`)
  const opened = output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const came = new Map()
  for (const { surface } of panes) {
    const pane = opened.find((each) => each.surface === surface)
    console.log(`  ${surface.padEnd(8)} ${pane?.command ?? 'nothing to resume'}`)
    if (pane?.command) came.set(surface, await answer(pane))
  }
  return came
}

/** What the agent in a pane reports, or that it did not come up. */
async function answer({ surface, pane }) {
  try {
    return await reported('after', surface, () => true)
  } catch (error) {
    stage.signal.throwIfAborted()
    console.log(`${error.message}. The pane shows:\n${after.screen({ id: pane })}`)
    return { start: 'silent', sessionId: '', turns: [] }
  }
}

/** The report of the agent on a surface, once it is as wanted. */
function reported(act, surface, wanted) {
  const path = stage.report(act, surface)
  const look = () => {
    const report = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
    return report !== undefined && wanted(report) ? report : undefined
  }
  return until(`the report of the agent on ${surface}`, look, { folder: stage.signs, signal: stage.signal })
}

function start(file, args, stdio) {
  const child = spawn(file, args, { env: stage.env, stdio })
  children.push(child)
  return child
}

/** A process of the stage that nobody kills. */
function survivor() {
  return processOf(start('sleep', ['60'], 'ignore').pid)
}

async function cleanUp() {
  for (const child of children) child.kill('SIGKILL')
  before.stop()
  after.stop()
  // What is left was about to start when its pane died.
  let left = processesGiven(`HOME=${stage.home}`)
  while (left.length > 0) {
    killAll(left)
    await until('the end of what the demonstration started', () => left.every(isDead) || undefined)
    left = processesGiven(`HOME=${stage.home}`)
  }
  stage.remove()
}

function readArguments() {
  const { values } = parseArgs({ options: { panes: { type: 'string' }, plant: { type: 'string' } } })
  const panes = Number(values.panes ?? TURNS.length)
  if (!Number.isInteger(panes) || panes < 4 || panes > TURNS.length) {
    console.error(`--panes must be a number from 4 to ${TURNS.length}`)
    process.exit(2)
  }
  if (values.plant !== undefined && !Object.hasOwn(FAULTS, values.plant)) {
    console.error(`--plant must be one of ${Object.keys(FAULTS).join(', ')}`)
    process.exit(2)
  }
  return { panes, plant: values.plant }
}
