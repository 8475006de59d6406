#!/usr/bin/env node
/**
 * The bin's entry. Agents' hooks start it at every session start, so `hook`, `record` and `touch` are done here;
 * everything else, and whatever is unusual about these, is loaded when it is asked for.
 */
import { resolve } from 'node:path'
import { recordToFile, touchInFile } from '../index.js'
import { runHookCommand } from './commands/hook.js'
import { indexPath } from './index-path.js'
import { type QuickCommand, quickCommand } from './quick.js'
import { complain, EXIT, exitCodeOf, warnAbout } from './text/report-error.js'

async function runQuick(command: QuickCommand): Promise<number> {
  if (command.name === 'hook') return runHookCommand(command)
  const options = { onWarning: warnAbout }
  if (command.name === 'touch') {
    await touchInFile(indexPath(command.path), command.surfaceId, options)
    return EXIT.ok
  }
  const { path, surfaceId, sessionId, repo, role, agent, cwd, policy } = command
  const entry = {
    surfaceId,
    sessionId,
    repo,
    ...(role === undefined ? {} : { role }),
    ...(agent === undefined ? {} : { agent }),
    ...(cwd === undefined ? {} : { cwd: resolve(cwd) }),
    ...(policy === undefined ? {} : { policy })
  }
  await recordToFile(indexPath(path), entry, options)
  return EXIT.ok
}

/** A hook disturbs no agent by an exit code or a word (some take 2 for a veto); only a person is told of the mistake. */
function isMisusedHook([name, ...words]: readonly string[]): boolean {
  const toldAnyway = words.some((word) => ['--strict', '--help', '-h'].includes(word))
  return name === 'hook' && !toldAnyway && process.stderr.isTTY !== true
}

async function main(argv: readonly string[]): Promise<number> {
  try {
    const command = quickCommand(argv)
    if (command !== null) return await runQuick(command)
    if (isMisusedHook(argv)) return EXIT.ok
    const { full } = await import('./full.js')
    return await full(argv)
  } catch (error) {
    complain(error)
    return exitCodeOf(error)
  }
}

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code
})
