#!/usr/bin/env node
/**
 * The bin's entry. Agents' hooks start it at every session start, so `hook`, `record` and `touch` are done here.
 * Everything else, and any unusual form of these three, is in a file that is loaded only then.
 */
import { runHookCommand } from './commands/hook.js'
import { runRecord, runTouch } from './commands/record.js'
import { quickCommand } from './quick.js'
import { indexPath, type QuickTask } from './task.js'
import { writeOut } from './text/output.js'
import { EXIT, exitCodeOf, reportError } from './text/report-error.js'

const RUNNERS: Readonly<Record<string, (task: QuickTask) => Promise<number>>> = {
  record: runRecord,
  touch: runTouch,
  hook: runHookCommand
}

/** A hook disturbs no agent by an exit code or a word (some take 2 for a veto); only a person is told of the mistake. */
function isMisusedHook([name, ...words]: readonly string[]): boolean {
  const toldAnyway = words.some((word) => ['--strict', '--help', '-h'].includes(word))
  return name === 'hook' && !toldAnyway && process.stderr.isTTY !== true
}

async function main(argv: readonly string[]): Promise<number> {
  const command = quickCommand(argv)
  try {
    const runner = command && RUNNERS[command.name]
    if (runner) return await runner({ ...command, file: indexPath(command), out: { print: writeOut } })
    if (isMisusedHook(argv)) return EXIT.ok
    const { full } = await import('./full.js')
    return await full(argv)
  } catch (error) {
    reportError(error, command?.path)
    return exitCodeOf(error)
  }
}

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code
})
