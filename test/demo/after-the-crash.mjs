/**
 * What comes after the crash, in a process of its own: it knows the folder of the stage and nothing of the sessions.
 * It reads the surfaces from the index on disk, asks for the resume command of each, and types it into a new pane of a
 * new tmux server. It prints one line of JSON a surface, `{ surface, command, pane }`, command and pane null where
 * there is nothing to resume; what the agents then say is for others to judge.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { stageIn } from './stage.mjs'
import { tmuxServer } from './tmux.mjs'

const NOTHING_TO_RESUME = 4

const stage = stageIn(process.argv[2], new AbortController().signal)
const entries = JSON.parse(ask('list', '--json'))
// Another order than that of the recording: which pane is which must come from the index alone.
const surfaces = entries.map(({ surfaceId }) => surfaceId).reverse()
const commands = new Map(surfaces.map((surface) => [surface, resumeCommand(surface)]))

const tmux = tmuxServer(stage, 'after')
tmux.start()
const panes = surfaces
  .filter((surface) => commands.get(surface) !== null)
  .map((surface) => ({
    surface,
    env: { CRASH_RESUME_SURFACE: surface, STAND_IN_REPORT: stage.report('after', surface) }
  }))
await tmux.openPanes(panes)
for (const pane of panes) tmux.type(pane, [commands.get(pane.surface)])
for (const surface of surfaces) {
  const pane = panes.find((each) => each.surface === surface)?.id ?? null
  console.log(JSON.stringify({ surface, command: commands.get(surface), pane }))
}

function resumeCommand(surface) {
  const line = ask('resume-cmd', surface)
  return line === null ? null : line.trimEnd()
}

/** What the CLI prints, or null where it says that there is nothing to resume. */
function ask(...args) {
  const options = { env: stage.env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }
  const { status, stdout } = spawnSync(join(stage.bin, 'crash-resume-index'), args, options)
  if (status === NOTHING_TO_RESUME) return null
  if (status !== 0) throw new Error(`crash-resume-index ${args.join(' ')} failed with exit code ${status}`)
  return stdout
}
