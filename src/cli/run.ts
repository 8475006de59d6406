/**
 * From a command value to its effect: which function does it, and what all of them share.
 */
import { runHookCommand } from './hook.js'
import { indexPath } from './index-path.js'
import type { Output } from './output.js'
import type { Parsed } from './parse.js'
import { runAgentCommand } from './run-agent.js'
import { runClaim, runDecide, runMint, runWhy } from './run-attempts.js'
import { runEnd, runLookup, runPolicy, runRecord, runRename, runResumeCommand, runTouch } from './run-entries.js'
import { runHooks } from './run-hooks.js'
import { runDoctor, runHistory, runList, runRestore } from './run-index.js'
import { runRecover } from './run-recover.js'
import { runForget, runPrune } from './run-removal.js'
import { runBegin, runSettle } from './run-settle.js'
import { runStatus } from './run-status.js'
import type { Look } from './table.js'

/** What a command works with. */
export interface Task extends Parsed {
  readonly file: string
  readonly out: Output
  readonly look: Look
}

type Runner = (task: Task) => Promise<number>

const RUNNERS: Readonly<Record<string, Runner>> = {
  run: runAgentCommand,
  recover: runRecover,
  status: runStatus,
  record: runRecord,
  touch: runTouch,
  hook: ({ args, path, json, options }) =>
    runHookCommand({ agent: args[0] ?? '', notified: args.length > 1, path, json, strict: options['strict'] === true }),
  hooks: runHooks,
  lookup: runLookup,
  'resume-cmd': runResumeCommand,
  list: runList,
  end: runEnd,
  policy: runPolicy,
  rename: runRename,
  forget: runForget,
  prune: runPrune,
  history: runHistory,
  restore: runRestore,
  doctor: runDoctor,
  decide: runDecide,
  why: runWhy,
  mint: runMint,
  claim: runClaim,
  begin: runBegin,
  settle: runSettle
}

/** @returns the exit code; errors are the caller's to tell */
export function run(command: Parsed, out: Output): Promise<number> {
  const runner = RUNNERS[command.name]
  if (runner === undefined) throw new TypeError(`no runner for ${command.name}`)
  const look = { colour: out.colour, width: out.width, now: Date.now() }
  return runner({ ...command, file: indexPath(command.path), out, look })
}
