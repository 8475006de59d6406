/**
 * The commands: arguments, options and examples of each. One more command is one more line here, and a runner.
 */
import { Option } from 'commander'
import { HOOK_AGENTS } from '../index.js'
import { filled, positive, processId, seconds, spanOption } from './option-values.js'

export interface Declaration {
  readonly usage: string
  readonly about: string
  /** The heading in the list of all commands; absent: that of the one before. */
  readonly group?: string
  readonly examples: readonly string[]
  /** What the help says below the description. */
  readonly more?: string
  readonly options?: readonly Option[]
}

const POLICY = ['auto', 'manual', 'off']
const KINDS = ['not_started', 'exited', 'session_gone', 'timeout', 'refused', 'other']
const agent = (): Option => new Option('--agent <name>', 'the agent program: claude, codex, gemini, ...')
const cwd = (): Option => new Option('--cwd <folder>', 'the folder that the agent was launched in').argParser(filled)
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

const CONFIRMED = `It shows what would go. On a terminal it then asks; elsewhere it stops there (exit code 6) unless --yes is given.
An entry that changed after it was shown is not removed (exit code 6).`

export const COMMANDS: readonly Declaration[] = [
  {
    group: 'In the terminal:',
    usage: 'run <command...>',
    about: 'start an agent whose conversation the same line brings back after a crash',
    more: `It resumes the conversation of this surface where that is right, and starts a new one where that is; else it says
why not, and exits with 125. Otherwise the exit code is the agent's. What was typed is kept, but for what names another
session; a first message is not sent again to a conversation that goes on.`,
    examples: [
      'run -- claude',
      'run --surface coder-1 --role coder -- codex --model gpt-5',
      'run --new -- claude "another matter"'
    ],
    options: [
      new Option('--surface <id>', 'the surface; in a pane of tmux and its kin it is known').argParser(filled),
      new Option('--repo <name>', 'the repository; else that around the folder').argParser(filled),
      new Option('--role <name>', 'what the agent is for').argParser(filled),
      new Option('--agent <name>', 'which agent it is, where the command does not tell').argParser(filled),
      new Option('--new', 'set the conversation that is there aside, and start another')
    ]
  },
  {
    usage: 'recover',
    about: 'after a crash: show what can be brought back, ask, and resume each conversation in its place in tmux',
    more: `The plan comes first. On a terminal it then asks; elsewhere it stops there (exit code 6) unless --yes is given.
Exit code 1: something failed. What was not done is listed with the command that does it by hand. It can be interrupted
and started again at any time; nothing is resumed twice.`,
    examples: ['recover', 'recover --dry-run', 'recover --yes --only "work:*"'],
    options: [
      new Option('--dry-run', 'show the plan and stop'),
      yes(),
      new Option(
        '--only <pattern>',
        'only these: part of a surface, place, session, repo, role, agent or folder'
      ).argParser(filled),
      new Option('--at-once <number>', 'how many start at the same time (4)').argParser(positive),
      new Option('--stagger <span>', 'between two starts (200ms)').argParser(spanOption),
      new Option('--limit <span>', 'how long to wait for an agent to come up (30s)').argParser(spanOption)
    ]
  },
  {
    usage: 'status',
    about: 'show what runs where now against what the index believes, and what to do where they differ',
    more: `States: alive, starting, crashed (can be resumed), held (something stands against it), gone (nothing to resume),
unknown (nothing is proven), ended, nested (inside another agent), unrecorded (runs, and is not in the index),
foreign (of another index).
Where surfaces were found is noted in the index, for a recovery.`,
    examples: ['status', 'status --watch 5', 'status --json | jq .counts', 'status --line'],
    options: [
      new Option('--watch [seconds]', 'again and again, every 2 s or as often as is said, until Ctrl-C').argParser(
        seconds
      ),
      new Option('--socket <path...>', "tmux servers to list besides those that are known and tmux's own default"),
      new Option('--no-write', 'note nothing in the index'),
      new Option('--line', "one short line, for tmux's status bar")
    ]
  },
  {
    group: 'Every day:',
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
  {
    usage: 'hooks <action> [agent]',
    about: "install, uninstall or check the hooks in the agents' own settings",
    more: `The action is install, uninstall or status (exit code 1 where one is broken).
Agents: ${HOOK_AGENTS.join(', ')}; of others no hooks are known. Only our own commands are touched;
the rest of the settings stays as it is, to the comment. Running it twice is running it once.`,
    examples: ['hooks install claude --dry-run', 'hooks install claude', 'hooks uninstall codex', 'hooks status'],
    options: [new Option('--dry-run', 'show the exact change and write nothing')]
  },
  {
    usage: 'lookup <surface>',
    about: 'print the entry of a surface as JSON, or null',
    examples: ['lookup work:0.1']
  },
  {
    usage: 'resume-cmd <surface> [maxAgeMs]',
    about: 'print the line that resumes the session (exit code 4: nothing to resume)',
    more: 'It rests on no evidence: whether the session runs already is not asked. maxAgeMs is in ms, or has a unit (12h).',
    examples: [
      'resume-cmd work:0.1',
      'resume-cmd work:0.1 86400000',
      'eval "$(crash-resume-index resume-cmd work:0.1)"'
    ]
  },
  {
    usage: 'list',
    about: 'show what is on which surface, the latest activity first',
    examples: ['list', 'list --json | jq -r ".[].surfaceId"']
  },
  {
    group: 'By hand:',
    usage: 'end <surface>',
    about: 'end a session on purpose: it stays on file and is not resumed',
    examples: ['end work:0.1 --reason "done with it"'],
    options: [new Option('--reason <text>', 'why, in your own words')]
  },
  {
    usage: 'policy <surface> <policy>',
    about: 'auto: recovery may resume it; manual: only a person; off: nobody',
    more: 'It also clears the count of attempts.',
    examples: ['policy work:0.1 manual']
  },
  {
    usage: 'rename <from> <to>',
    about: 'give a surface another id',
    examples: ['rename work:0.1 work:2.0']
  },
  {
    usage: 'forget <surface>',
    about: 'remove the entry of a surface; the revision before it is kept',
    more: CONFIRMED,
    examples: ['forget work:0.1', 'forget work:0.1 --yes'],
    options: [yes()]
  },
  {
    usage: 'prune',
    about: 'remove the entries that nothing was heard of for long; the revision before it is kept',
    more: `${CONFIRMED}\nEntries whose processes are not proven dead stay.`,
    examples: ['prune --max-age 30d', 'prune --max-age 12h --yes'],
    options: [
      new Option('--max-age <span>', 'a number with ms, s, m, h, d or w').argParser(spanOption).makeOptionMandatory(),
      yes()
    ]
  },
  {
    usage: 'history',
    about: 'show the revisions and the kept copies, and what each revision changed',
    examples: ['history', 'history --json']
  },
  {
    usage: 'restore <revision-or-copy>',
    about: 'take a revision or a kept copy back, as a new revision',
    more: 'Entries say again what they said then; those that it lacks stay. Of a copy the begin of its name will do.',
    examples: ['restore 41', 'restore 20261129T130500123Z-before-forget']
  },
  {
    usage: 'doctor',
    about: 'look over the index, its files and their place, and say what to do',
    more: `Exit code 1: something needs attention. An index that lost an earlier state says wait for surfaces that it
lacks, until that is restored or accepted.`,
    examples: ['doctor', 'doctor --json', 'doctor --accept-loss'],
    options: [new Option('--accept-loss', 'what was lost is not coming back: surfaces that are not listed are new')]
  },
  {
    group: 'Decisions and write-ahead:',
    usage: 'decide <surface>',
    about: 'may it be resumed? (exit code 0 resume, 4 fresh, 5 wait, 6 refuse)',
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
    examples: ['settle 4f8c9d2e ok', 'settle 4f8c9d2e failed --kind exited --why "no such option"'],
    options: [
      new Option('--kind <kind>', 'how it failed').choices(KINDS).default('other'),
      new Option('--why <text>', 'one line for the next morning'),
      new Option('--session-id <id>', 'the session that came up'),
      new Option('--pid <pid>', "the agent's own process").argParser(processId)
    ]
  }
]
