/**
 * From arguments to a command value, and nothing else: no index is looked at, nothing is printed.
 *
 * commands.ts declares what there is; commander checks and formats it, and is not seen outside of these two files.
 */
import { type Argument, Command, CommanderError, Option } from 'commander'
import { COMMANDS, type Declaration } from './declarations.js'
import { filled } from './option-values.js'

/** What was asked for; `options` are checked by the declarations. */
export interface Parsed {
  readonly name: string
  readonly args: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
  readonly path: string | undefined
  readonly json: boolean
}

export type ParseResult =
  | { readonly kind: 'command'; readonly command: Parsed }
  /** Help or the version; `asked`: and not for want of a command. */
  | { readonly kind: 'text'; readonly text: string; readonly asked: boolean }
  /** One line, and what to do. */
  | { readonly kind: 'usage'; readonly text: string; readonly advice: string; readonly command?: string }

const EXIT_TABLE = `
Exit codes:
  0 ok    1 failed    2 usage    4 nothing to resume    5 wait    6 refused or conflict    125 not run
  Whether a fresh start is right, decide says (4); a failure never does.

The index is CRASH_RESUME_INDEX_PATH, else ~/.golems/crash-resume-index.json.`

/** The names of the commands, in the order of the help text. */
export const COMMAND_NAMES: readonly string[] = COMMANDS.map(nameOf)

export function parse(argv: readonly string[], version: string): ParseResult {
  let command: Parsed | null = null
  let shown = ''
  let wrong = ''
  const program = new Command('crash-resume-index')
    .description('Remembers which agent session is on which terminal surface, and says what to do after a crash.')
    .version(version, '-V, --version', 'print the version')
    .configureHelp({ subcommandTerm: (each) => [each.name(), ...each.registeredArguments.map(termOf)].join(' ') })
    .addHelpText('after', EXIT_TABLE)
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
      const options = { ...program.opts(), ...child.opts() }
      command = { name: child.name(), args, options, path: options['path'], json: options['json'] === true }
    })
  }
  program.commandsGroup('More:').helpCommand('help [command]', 'show the help of a command')
  for (const each of [program, ...program.commands]) {
    each.exitOverride().showSuggestionAfterError()
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
  command.addOption(new Option('--path <file>', 'the index, in place of the default one').argParser(filled))
  command.addOption(new Option('--json', 'print data as JSON, and nothing else'))
}

/** Commander's complaint as one line; where no command was given it shows the help instead. */
function misused(argv: readonly string[], complaint: string): ParseResult {
  const [first = '', ...more] = complaint.split('\n').filter((line) => line.trim() !== '')
  const named = COMMAND_NAMES.find((name) => argv.includes(name))
  const help = named === undefined ? 'crash-resume-index --help' : `crash-resume-index ${named} --help`
  const advice = `see \`${help}\``
  if (!first.startsWith('error:')) return { kind: 'text', text: complaint, asked: false }
  const suggestion = more.find((line) => line.startsWith('(Did you mean'))
  const text = first.replace(/^error: /, '')
  const whole = suggestion === undefined ? advice : `${suggestion.slice(1, -1)} Or ${advice}`
  return { kind: 'usage', text, advice: whole, ...(named === undefined ? {} : { command: named }) }
}

function termOf(argument: Argument): string {
  return argument.required ? `<${argument.name()}>` : `[${argument.name()}]`
}

function nameOf({ usage }: Declaration): string {
  return usage.split(' ', 1)[0] ?? ''
}
