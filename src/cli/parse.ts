/**
 * From arguments to a command value, and nothing else: no index is looked at, nothing is printed.
 *
 * One line a command declares its arguments, options and examples; commander checks and formats them.
 */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'

export interface Common {
  readonly path: string | undefined
  readonly json: boolean
}

/** What was asked for; `options` are commander's, checked by the declarations below. */
export interface Parsed extends Common {
  readonly name: string
  readonly args: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
}

export type ParseResult =
  | { readonly kind: 'command'; readonly command: Parsed }
  /** Help or the version was asked for. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'usage'; readonly text: string }

interface Declaration {
  readonly usage: string
  readonly about: string
  readonly examples: readonly string[]
  readonly options?: readonly Option[]
}

const POLICY = ['auto', 'manual', 'off']
const KINDS = ['not_started', 'exited', 'session_gone', 'timeout', 'refused', 'other']
const agent = (): Option => new Option('--agent <name>', 'the agent program: claude, codex, gemini, ...')
const cwd = (): Option => new Option('--cwd <folder>', 'the folder that the agent was launched in')
const yes = (): Option => new Option('--yes', 'do it, without asking')
const owner = (): Option =>
  new Option('--owner <pid>', 'the living process that will settle, `--owner $$` in a shell')
    .argParser(processId)
    .makeOptionMandatory()
const evidence = (): Option[] => [
  new Option('--session <state>', 'does the session run?').choices(['running', 'not_running', 'unknown']),
  new Option('--transcript <state>', 'is its transcript there?').choices(['found', 'missing', 'unknown']),
  new Option('--surface-state <state>', 'is it the same surface?').choices(['same', 'recycled', 'unknown']),
  new Option('--task <state>', 'is its work still wanted?').choices(['open', 'closed', 'unknown']),
  new Option('--cwd-state <state>', 'is the launch folder there?').choices(['found', 'missing', 'unknown'])
]

const COMMANDS: readonly Declaration[] = [
  {
    usage: 'record <surface> <session> <repo> [role]',
    about: 'say that this session is on this surface',
    examples: [
      'record work:0.1 0d4ff5f1-6a5b-4f0e-9d55-3a9d7f6c1b2e golems',
      'record pane-7 a1b2 golems lead --agent claude --cwd "$PWD"'
    ],
    options: [agent(), cwd(), new Option('--policy <policy>', 'whether it may be resumed').choices(POLICY)]
  },
  { usage: 'touch <surface>', about: 'say that the session on this surface is alive', examples: ['touch work:0.1'] },
  {
    usage: 'hook <agent> [notification]',
    about: "take in an event that an agent's hook hands over on stdin; prints nothing and exits 0",
    examples: ['hook claude', 'hook claude --json --strict <payload.json'],
    options: [new Option('--strict', 'exit 1 when the event could not be taken in')]
  },
  { usage: 'lookup <surface>', about: 'print the entry of a surface as JSON, or null', examples: ['lookup work:0.1'] },
  {
    usage: 'resume-cmd <surface> [maxAgeMs]',
    about: 'print the line that resumes the session (exit 4: nothing to resume)',
    examples: ['resume-cmd work:0.1', 'resume-cmd work:0.1 86400000']
  },
  { usage: 'list', about: 'show what is on which surface', examples: ['list', 'list --json'] },
  {
    usage: 'end <surface>',
    about: 'end a session on purpose: it stays on file and is not resumed',
    examples: ['end work:0.1 --reason "done with it"'],
    options: [new Option('--reason <text>', 'why, in your own words')]
  },
  {
    usage: 'policy <surface> <policy>',
    about: 'auto: recovery may resume it; manual: only a person; off: nobody. Clears the count of attempts',
    examples: ['policy work:0.1 manual']
  },
  { usage: 'rename <from> <to>', about: 'give a surface another id', examples: ['rename work:0.1 work:2.0'] },
  {
    usage: 'forget <surface>',
    about: 'remove an entry (the revision before it is kept)',
    examples: ['forget work:0.1', 'forget work:0.1 --yes'],
    options: [yes()]
  },
  {
    usage: 'prune',
    about: 'remove entries that nothing was heard of for long',
    examples: ['prune --max-age 30d', 'prune --max-age 30d --yes'],
    options: [
      new Option('--max-age <span>', 'a number with ms, s, m, h or d').argParser(span).makeOptionMandatory(),
      yes()
    ]
  },
  { usage: 'history', about: 'show the revisions and the kept copies, and what changed', examples: ['history'] },
  {
    usage: 'restore <which>',
    about: 'take a revision or a kept copy back, as a new revision; entries that it lacks stay',
    examples: ['restore 41', 'restore 20261129T130500123Z-before-forget-0123456789abcdef']
  },
  { usage: 'doctor', about: 'look the index and its place over, and say what to do', examples: ['doctor'] },
  {
    usage: 'decide <surface>',
    about: 'may it be resumed? (exit 0 resume, 4 fresh, 5 wait, 6 refuse)',
    examples: ['decide work:0.1', 'decide work:0.1 --session not_running --transcript found'],
    options: evidence()
  },
  {
    usage: 'why <surface>',
    about: 'what is known of a surface, what was checked, what it means, what to do next',
    examples: ['why work:0.1'],
    options: evidence()
  },
  {
    usage: 'mint <surface> <repo> [role]',
    about: 'decide, and where fresh is right write a new session id ahead of its start',
    examples: [
      'mint work:0.1 golems --agent claude --owner $$',
      'mint work:0.1 golems --agent codex --capture --owner $$'
    ],
    options: [
      agent(),
      cwd(),
      new Option('--capture', 'for an agent that cannot be given an id'),
      owner(),
      ...evidence()
    ]
  },
  {
    usage: 'claim <surface>',
    about: 'decide, and where resume is right reserve the session and print its command',
    examples: ['claim work:0.1 --owner $$ --session not_running'],
    options: [owner(), ...evidence()]
  },
  {
    usage: 'begin <surface>',
    about: 'write long work inside a running session ahead',
    examples: ['begin work:0.1 --step "migrate 3 of 7" --owner $$'],
    options: [new Option('--step <text>', 'what is about to be done').makeOptionMandatory(), owner()]
  },
  {
    usage: 'settle <id> <result>',
    about: 'say how an attempt or a dispatch ended: ok or failed',
    examples: ['settle 4f8c…  ok', 'settle 4f8c…  failed --kind exited --why "no such option"'],
    options: [
      new Option('--kind <kind>', 'how it failed').choices(KINDS).default('other'),
      new Option('--why <text>', 'one line for the next morning'),
      new Option('--session-id <id>', 'the session that came up'),
      new Option('--pid <pid>', "the agent's own process").argParser(processId)
    ]
  }
]

/** The names of the commands, in the order of the help text. */
export const COMMAND_NAMES: readonly string[] = COMMANDS.map(({ usage }) => usage.split(' ', 1)[0] ?? '')

export function parse(argv: readonly string[], version: string): ParseResult {
  let command: Parsed | null = null
  let out = ''
  let err = ''
  const program = new Command('crash-resume-index')
    .description('Remembers which agent session is on which terminal surface, and says what to do after a crash.')
    .version(version, '-V, --version', 'print the version')
    .addHelpText('after', EXIT_TABLE)
  common(program)
  for (const declared of COMMANDS) {
    const child = program.command(declared.usage).description(declared.about)
    for (const option of declared.options ?? []) child.addOption(option)
    common(child)
    child.addHelpText(
      'after',
      `\nExamples:\n${declared.examples.map((line) => `  $ crash-resume-index ${line}`).join('\n')}`
    )
    child.action((...given: unknown[]) => {
      const options = child.optsWithGlobals()
      const args = given.slice(0, -2).flatMap((word) => (typeof word === 'string' ? [word] : []))
      command = { name: child.name(), args, options, path: options['path'], json: options['json'] === true }
    })
  }
  for (const each of [program, ...program.commands]) {
    each.exitOverride().showSuggestionAfterError()
    each.configureOutput({ writeOut: (text) => (out += text), writeErr: (text) => (err += text) })
  }
  try {
    program.parse(argv as string[], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? { kind: 'text', text: out } : { kind: 'usage', text: err || out }
  }
  return command ? { kind: 'command', command } : { kind: 'usage', text: err || out || program.helpInformation() }
}

const EXIT_TABLE = `
Exit codes:
  0 ok    1 failed    2 usage    4 nothing to resume    5 wait    6 refused or conflict
  Only 4 means that a fresh start is right.`

function common(command: Command): void {
  command.addOption(
    new Option('--path <file>', 'the index (else CRASH_RESUME_INDEX_PATH, else ~/.golems/crash-resume-index.json)')
  )
  command.addOption(new Option('--json', 'print data as JSON, and nothing else'))
}

/** Milliseconds in a span such as 30d. */
export function span(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text)
  const unit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[match?.[2] ?? '']
  if (match === null || unit === undefined)
    throw new InvalidArgumentError('It must be a number with ms, s, m, h or d, such as 30d.')
  return Number(match[1]) * unit
}

function processId(text: string): number {
  const pid = Number(text)
  if (!/^[0-9]+$/.test(text) || pid < 1 || pid > 4_194_304) throw new InvalidArgumentError('It must be a process id.')
  return pid
}
