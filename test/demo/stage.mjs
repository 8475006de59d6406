/**
 * The temporary folder that everything of the demonstration is in: a home of its own, three repositories, one launcher
 * for each on the PATH, and the signs by which panes and agents say how far they are.
 *
 * A launcher is what people have today: it goes to the repository and starts the agent there. Its agent's start hook
 * records the pane through the CLI.
 */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const agent = join(root, 'test/fixtures/agents/stand-in.mjs')
const cli = join(root, 'dist/cli.cjs')

/** Repositories and their launchers, in the established form: lower case, and `orc` for the orchestrator. */
const LAUNCHERS = { Billing: 'billingClaude', orchestrator: 'orcClaude', docs: 'docsClaude' }

export function makeStage(signal) {
  const stage = stageIn(mkdtempSync(join(realpathSync(tmpdir()), 'crash-resume-index-demo-')), signal)
  for (const folder of [stage.home, stage.signs, stage.bin]) mkdirSync(folder)
  for (const [repo, launcher] of Object.entries(LAUNCHERS)) {
    const work = join(stage.home, repo)
    mkdirSync(work)
    program(join(stage.bin, launcher), [
      `cd ${quote(work)} || exit 1`,
      `STAND_IN_ON_START='crash-resume-index record "$CRASH_RESUME_SURFACE" "$STAND_IN_SESSION" ${repo} worker'`,
      'export STAND_IN_ON_START',
      `exec ${quote(process.execPath)} ${quote(agent)} "$@"`
    ])
  }
  program(join(stage.bin, 'crash-resume-index'), [`exec ${quote(process.execPath)} ${quote(cli)} "$@"`])
  writeFileSync(stage.env.ENV, 'PS1=\'$ \'\n: > "$DEMO_SHELL_UP"\n')
  return stage
}

/** The stage in a folder that `makeStage` has filled. */
export function stageIn(folder, signal) {
  const home = join(folder, 'home')
  const bin = join(folder, 'bin')
  const { PATH = '', TERM = 'xterm' } = process.env
  return {
    folder,
    home,
    bin,
    signal,
    signs: join(folder, 'signs'),
    index: join(home, '.golems', 'crash-resume-index.json'),
    transcripts: join(home, '.stand-in', 'projects'),
    // Nothing else is passed on: no variable of the user's, of npm's or of a tmux around us reaches the panes.
    env: { PATH: `${bin}:${PATH}`, HOME: home, TERM, LC_ALL: 'C', ENV: join(folder, 'shell-start') },
    repos: Object.keys(LAUNCHERS),
    launcherOf: (repo) => LAUNCHERS[repo],
    /** Where the agent on a surface says what it is. */
    report: (act, surface) => join(folder, 'signs', `${act}-${surface}.json`),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function program(path, lines) {
  writeFileSync(path, `#!/bin/sh\n${lines.join('\n')}\n`)
  chmodSync(path, 0o755)
}

function quote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`
}
