/**
 * All commands, loaded when the quick path does not serve: parse, run, and say by the exit code how it ended.
 */
import { createInterface } from 'node:readline'
import { runCommand } from './commands.js'
import { parse } from './parse.js'
import { type Output, writeOut } from './text/output.js'
import { EXIT, exitCodeOf, next, reportError, say } from './text/report-error.js'

/** The package's, put in by the build. */
declare const VERSION: string

/** Runs one command line; returns the exit code. */
export async function full(argv: readonly string[]): Promise<number> {
  let path: string | undefined
  try {
    const parsed = parse(argv, VERSION)
    if (parsed.kind === 'command') {
      path = parsed.command.path
      return await runCommand(parsed.command, terminal())
    }
    if (parsed.kind === 'text') {
      if (parsed.asked) writeOut(parsed.text)
      else process.stderr.write(parsed.text)
      return parsed.asked ? EXIT.ok : EXIT.usage
    }
    say(parsed.text)
    next(parsed.advice)
    // Of `run`, 2 could be the agent's own.
    return parsed.command === 'run' ? EXIT.notRun : EXIT.usage
  } catch (error) {
    reportError(error, path)
    return exitCodeOf(error)
  }
}

function terminal(): Output {
  const { stdin, stdout, env } = process
  const colour = stdout.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  const width = stdout.isTTY === true ? stdout.columns || 80 : Number.POSITIVE_INFINITY
  const note: Output['note'] = (line, ...more) => {
    say(line)
    for (const each of more) next(each)
  }
  return { print: writeOut, note, colour, width, ask: stdin.isTTY && process.stderr.isTTY ? ask : null }
}

function ask(question: string): Promise<boolean> {
  const asked = createInterface({ input: process.stdin, output: process.stderr })
  return new Promise((resolve) => {
    // Closed without an answer, by Ctrl-C or Ctrl-D: the next line begins on its own.
    const closed = (): void => {
      process.stderr.write('\n')
      resolve(false)
    }
    asked.once('close', closed)
    asked.question(`${question} [y/N] `, (answer) => {
      resolve(/^y(es)?$/i.test(answer.trim()))
      asked.off('close', closed)
      asked.close()
    })
  })
}
