/**
 * From arguments to a command value, and nothing else: it reads no index and prints nothing.
 *
 * declarations.ts says which commands there are; commander checks and formats them, and is used in these two files and
 * in options.ts only.
 */
import { type Argument, Command, CommanderError, Option } from 'commander'
import { inlineCommand } from '../admin.js'
import { COMMANDS, type Declaration } from './declarations.js'
import { filled } from './options.js'
import type { Parsed } from './task.js'

export type ParseResult =
  | { readonly kind: 'command'; readonly command: Parsed }
  /** Help or the version; `asked`: the person asked for it, and did not leave out the command. */
  | { readonly kind: 'text'; readonly text: string; readonly asked: boolean }
  /** What is wrong, and what to do, each in one line. */
  | { readonly kind: 'usage'; readonly text: string; readonly advice: string; readonly command: string | undefined }

const AFTER = `
Words:
  surface   a place where an agent runs, such as a pane of tmux
  session   the conversation of an agent, which it resumes by an id
  index     the file that says which session is on which surface

Exit codes:
  0 ok    1 failed    2 usage    4 nothing to resume    5 wait    6 refused or conflict    125 not run
  Start a new session only where decide says so (4). No failure ends with 4.

The index is CRASH_RESUME_INDEX_PATH, or ~/.golems/crash-resume-index.json without it.`

/** The names of the commands, in the order of the help text. */
export const COMMAND_NAMES: readonly string[] = COMMANDS.map(nameOf)

export function parse(argv: readonly string[], version: string): ParseResult {
  let command: Parsed | null = null
  let shown = ''
  let wrong = ''
  const program = new Command('crash-resume-index')
    .description('Remember which agent session runs where, and resume it after a crash.')
    .version(version, '-V, --version', 'print the version')
    .configureHelp({ subcommandTerm: (each) => [each.name(), ...each.registeredArguments.map(termOf)].join(' ') })
    .addHelpText('after', AFTER)
  common(program)
  for (const declared of COMMANDS) {
    if (declared.group !== undefined) program.commandsGroup(declared.group)
    const child = declare(program.command(declared.usage), declared)
    child.action((...given: unknown[]) => {
      const args = given
        .slice(0, -2)
        .flat()
        .filter((word) => typeof word === 'string')
      // An option may stand before the command as well as after it; the later word counts.
      const { path, json, ...options } = { ...program.opts(), ...child.opts() }
      command = { name: child.name(), args, options, path, json: json === true }
    })
  }
  program.commandsGroup('More:').helpCommand('help [command]', 'show the help of a command')
  for (const each of [program, ...program.commands]) {
    each.exitOverride().showSuggestionAfterError().helpOption('-h, --help', 'show this help')
    each.configureOutput({ writeOut: (text) => (shown += text), writeErr: (text) => (wrong += text) })
  }
  try {
    program.parse([...argv], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return { kind: 'text', text: shown, asked: true }
    return misused(argv, wrong)
  }
  return command === null ? misused(argv, wrong) : { kind: 'command', command }
}

function declare(command: Command, { about, more, options, examples }: Declaration): Command {
  for (const option of options ?? []) command.addOption(option)
  common(command)
  const lines = examples.map((line) => `  $ ${line.startsWith('eval') ? line : `crash-resume-index ${line}`}`)
  const after = [...(more === undefined ? [] : [more, '']), 'Examples:', ...lines]
  return command.description(about).addHelpText('after', `\n${after.join('\n')}`)
}

function common(command: Command): void {
  command.addOption(new Option('--path <file>', 'use this index instead of the default one').argParser(filled))
  command.addOption(new Option('--json', 'print JSON and nothing else'))
}

/** Commander's message as one line; where no command was given it is the help instead. */
function misused(argv: readonly string[], message: string): ParseResult {
  const [first = '', ...more] = message.split('\n').filter((line) => line.trim() !== '')
  const named = argv.find((word) => COMMAND_NAMES.includes(word))
  const help = inlineCommand({ name: named ?? '', options: { '--help': true } })
  if (!first.startsWith('error:')) return { kind: 'text', text: message, asked: false }
  const suggestion = more.find((line) => line.startsWith('(Did you mean'))
  const advice = suggestion === undefined ? `see ${help}` : `${suggestion.slice(1, -1)} Or see ${help}`
  return { kind: 'usage', text: first.replace(/^error: /, ''), advice, command: named }
}

function termOf(argument: Argument): string {
  return argument.required ? `<${argument.name()}>` : `[${argument.name()}]`
}

function nameOf({ usage }: Declaration): string {
  return usage.split(' ', 1)[0] ?? ''
}
