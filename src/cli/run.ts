/**
 * From a command value to its effect: which function does it, and what all of them share.
 */

import { runClaim, runDecide, runMint, runWhy } from './commands/attempts.js'
import { runEnd, runLookup, runPolicy, runRecord, runRename, runResumeCommand, runTouch } from './commands/entries.js'
import { runHookCommand } from './commands/hook.js'
import { runHooks } from './commands/hooks.js'
import { runRecover } from './commands/recover.js'
import { runForget, runPrune } from './commands/removal.js'
import { runAgentCommand } from './commands/run.js'
import { runBegin, runSettle } from './commands/settle.js'
import { runStatus } from './commands/status.js'
import { runDoctor, runHistory, runList, runRestore } from './commands/whole-index.js'
import { indexPath } from './index-path.js'
import type { Parsed } from './parse.js'
import type { Task } from './task.js'
import type { Output } from './text/output.js'

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
