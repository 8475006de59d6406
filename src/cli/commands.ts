/** Which function runs which command, and what all of them are given. */
import { runClaim, runDecide, runMint, runWhy } from './commands/attempts.js'
import { runEnd, runLookup, runPolicy, runRename, runResumeCommand } from './commands/entries.js'
import { runHookCommand } from './commands/hook.js'
import { runHooks } from './commands/hooks.js'
import { runRecord, runTouch } from './commands/record.js'
import { runRecover } from './commands/recover.js'
import { runForget, runPrune } from './commands/removal.js'
import { runAgentCommand } from './commands/run.js'
import { runBegin, runSettle } from './commands/settle.js'
import { runStatus } from './commands/status.js'
import { runDoctor, runHistory, runList, runRestore } from './commands/whole-index.js'
import { indexPath, type Parsed, type Task } from './task.js'
import type { Output } from './text/output.js'

const RUNNERS: Readonly<Record<string, (task: Task) => Promise<number>>> = {
  run: runAgentCommand,
  recover: runRecover,
  status: runStatus,
  record: runRecord,
  touch: runTouch,
  hook: runHookCommand,
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

/** @returns the exit code; the caller reports errors */
export function runCommand(command: Parsed, out: Output): Promise<number> {
  const runner = RUNNERS[command.name]
  if (runner === undefined) throw new TypeError(`no runner for ${command.name}`)
  const look = { colour: out.colour, width: out.width, now: Date.now() }
  return runner({ ...command, file: indexPath(command), out, look })
}
