/** The commands: arguments, options and examples of each. One more command is one more line here, and a runner. */
import type { Option } from 'commander'
import { AGENTS } from '../agents.js'
import type { FailureKind } from '../core.js'
import { HOOK_AGENTS } from '../hooks.js'
import {
  agent,
  cwd,
  evidence,
  filled,
  option,
  owner,
  policy,
  positive,
  processId,
  seconds,
  spanOption,
  variables,
  yes
} from './options.js'

export interface Declaration {
  readonly usage: string
  readonly about: string
  /** The heading in the list of all commands; absent: that of the command before. */
  readonly group?: string
  readonly examples: readonly string[]
  /** What the help says below the description. */
  readonly more?: string
  readonly options?: readonly Option[]
}

/** For the examples: two agents, and one that chooses its own session ids. */
const [ONE = '', OTHER = ''] = HOOK_AGENTS
const CHOOSES_IDS = Object.values(AGENTS).find(({ pin }) => pin === null)?.name ?? OTHER
const KINDS: readonly FailureKind[] = ['not_started', 'exited', 'session_gone', 'timeout', 'refused', 'other']

const CONFIRMED = `It shows what it would remove. On a terminal it then asks; elsewhere it stops (exit code 6) unless you give --yes.
It removes no entry that has changed since it was shown (exit code 6).`
const EVIDENCE = `It looks at processes, transcripts and folders (the evidence). What you state with an option counts instead.`
const RESERVED = `An attempt is the reservation of a start or a resume. Until its owner settles it, nothing else starts the session.`

export const COMMANDS: readonly Declaration[] = [
  {
    group: 'In the terminal:',
    usage: 'run <command...>',
    about: 'start an agent; after a crash the same line resumes its conversation',
    more: `It resumes the conversation of this surface if that is safe, and otherwise starts a new one if that is safe.
If neither is, it says why and exits with 125; any other exit code is the agent's. It keeps the options that you typed,
and does not repeat the first message to a conversation that it resumes. A session that you name (--resume ID) is resumed
here, wherever it was; what leaves the choice to the agent (-c, --last) is handed on.`,
    examples: [
      `run -- ${ONE}`,
      `run --surface coder-1 --role coder -- ${OTHER}`,
      `run --new -- ${ONE} "another matter"`
    ],
    options: [
      option('--surface <id>', 'name the surface; in a pane of tmux you can leave it out', filled),
      option('--repo <name>', 'name the repository; default: the one around the folder', filled),
      option('--role <name>', 'say what the agent is for', filled),
      option('--agent <name>', 'say which agent it is, if the command does not show it', filled),
      option('--not-running', 'say that the conversation does not run, if that cannot be told'),
      option('--new', 'end the conversation of the surface and start another')
    ]
  },
  {
    usage: 'recover',
    about: 'show what can be resumed after a crash, ask, and resume each conversation in its tmux pane',
    more: `It shows the plan first. On a terminal it then asks; elsewhere it stops (exit code 6) unless you give --yes.
Exit code 1: something failed. The report has a command for everything that was not resumed. You can interrupt it and
start it again at any time; it resumes nothing twice. Conversations that their person left (/exit) need --left. Those in
closed panes need --closed, or --only with exactly their surface, place or session.`,
    examples: ['recover', 'recover --dry-run', 'recover --yes --only "work:*"'],
    options: [
      option('--dry-run', 'show the plan and stop'),
      yes(),
      option('--retry', 'resume also what failed as often as allowed'),
      option('--not-running', 'say that what cannot be told to run does not run'),
      option('--left', 'resume also what its person left'),
      option('--closed', 'resume also what was in panes that were closed while their server lived on'),
      option('--only <pattern>', 'select by part of a surface, place, session, repo, role, agent or folder', filled),
      option('--at-once <number>', 'start this many at the same time (4)', positive),
      option('--stagger <span>', 'wait between two starts (200ms)', spanOption),
      option('--limit <span>', 'wait this long for an agent to start (30s)', spanOption),
      option('--grants', 'give back launch flags that loosen what an agent may do')
    ]
  },
  {
    usage: 'status',
    about: 'compare what runs now with the index, and show what to do where they differ',
    more: `States: alive, starting, crashed (can be resumed), closed (the same, but its pane was closed), held (something prevents a
resume), gone (nothing to resume), left (by its person), unknown (nothing is proven), ended, nested (inside another agent), unrecorded (runs, and is not in the index),
foreign (belongs to another index).
It notes in the index where it found each surface; recover uses that.`,
    examples: ['status', 'status --watch 5', 'status --json | jq .counts', 'status --line'],
    options: [
      option('--watch [seconds]', 'repeat every 2 s, or every so many seconds, until Ctrl-C', seconds),
      option('--socket <path...>', 'list these tmux servers too'),
      option('--no-write', 'write nothing to the index'),
      option('--line', "print one short line for tmux's status bar")
    ]
  },
  {
    group: 'Every day:',
    usage: 'record <surface> <session> <repo> [role]',
    about: 'note which session is on a surface',
    examples: [
      'record work:0.1 0d4ff5f1-6a5b-4f0e-9d55-3a9d7f6c1b2e golems',
      `record pane-7 a1b2 golems lead --agent ${ONE} --cwd "$PWD"`
    ],
    options: [agent(), cwd(), variables(), policy()]
  },
  { usage: 'touch <surface>', about: 'mark the session as alive', examples: ['touch work:0.1'] },
  {
    usage: 'hook <agent> [notification]',
    about: 'read one hook event from stdin; print nothing and exit 0',
    examples: [`hook ${ONE}`, `hook ${ONE} --json --strict <payload.json`],
    options: [option('--strict', 'exit 1 if the event could not be used')]
  },
  {
    usage: 'hooks <action> [agent]',
    about: "install, uninstall or check the hooks in the agents' own settings",
    more: `The action is install, uninstall or status (exit code 1 if a hook is broken). A hook is a command that the agent
runs at its events; ours reports which session is on which surface. Agents with known hooks: ${HOOK_AGENTS.join(', ')}.
It changes only our own commands and keeps the rest of the settings, comments included. You can repeat it safely.`,
    examples: [`hooks install ${ONE} --dry-run`, `hooks install ${ONE}`, `hooks uninstall ${OTHER}`, 'hooks status'],
    options: [option('--dry-run', 'show the exact change and write nothing')]
  },
  {
    usage: 'lookup <surface>',
    about: 'print the entry of a surface as JSON, or null',
    examples: ['lookup work:0.1']
  },
  {
    usage: 'resume-cmd <surface> [maxAgeMs]',
    about: 'print the command that resumes the session (exit code 4: nothing to resume)',
    more: `It does not check whether the session is already running; decide does. maxAgeMs is in ms, or has a unit (12h).`,
    examples: [
      'resume-cmd work:0.1',
      'resume-cmd work:0.1 86400000',
      'eval "$(crash-resume-index resume-cmd work:0.1)"'
    ]
  },
  {
    usage: 'list',
    about: 'list every surface with its session, the latest activity first',
    examples: ['list', 'list --json | jq -r ".[].surfaceId"'],
    options: [option('--all', 'list the old surfaces of sessions that moved, too')]
  },
  {
    group: 'By hand:',
    usage: 'end <surface>',
    about: 'end a session on purpose; it stays in the index and is not resumed',
    examples: ['end work:0.1 --reason "done with it"'],
    options: [option('--reason <text>', 'say why, in your own words')]
  },
  {
    usage: 'policy <surface> <policy>',
    about: 'set who may resume it: auto (recover does it), manual (only you), off (no one)',
    more: 'It also clears the count of attempts.',
    examples: ['policy work:0.1 manual']
  },
  { usage: 'rename <from> <to>', about: 'give a surface another id', examples: ['rename work:0.1 work:2.0'] },
  {
    usage: 'forget <surface>',
    about: 'remove the entry of a surface; you can restore it',
    more: CONFIRMED,
    examples: ['forget work:0.1', 'forget work:0.1 --yes'],
    options: [yes()]
  },
  {
    usage: 'prune',
    about: 'remove the entries without recent activity; you can restore them',
    more: `${CONFIRMED}\nEntries whose process may still be alive stay.`,
    examples: ['prune --max-age 30d', 'prune --max-age 12h --yes'],
    options: [
      option(
        '--max-age <span>',
        'remove what is older: a number with ms, s, m, h, d or w',
        spanOption
      ).makeOptionMandatory(),
      yes()
    ]
  },
  {
    usage: 'history',
    about: 'list the revisions, the kept copies and the copied conversations',
    examples: ['history', 'history --json']
  },
  {
    usage: 'restore <revision-or-copy>',
    about: 'restore a revision or a kept copy as a new revision, or put a copied conversation back',
    more: `Entries that it lacks stay as they are. A unique prefix of a copy's name is enough. A conversation is put back only
if its session does not run; what was there is copied first.`,
    examples: ['restore 41', 'restore 20261129T130500123Z-before-forget'],
    options: [option('--not-running', 'say that the conversation does not run, if that cannot be told')]
  },
  {
    usage: 'doctor',
    about: 'check the index, its files and its folder, and say what to do',
    more: `Exit code 1: something needs attention. After lost data, unknown surfaces get \`wait\` until you restore or accept
the loss.`,
    examples: ['doctor', 'doctor --json', 'doctor --accept-loss'],
    options: [option('--accept-loss', 'accept that lost entries are gone: unknown surfaces are new again')]
  },
  {
    group: 'Decide and reserve:',
    usage: 'decide <surface>',
    about: 'say whether the session may be resumed (exit code 0 resume, 4 fresh, 5 wait, 6 refuse)',
    more: EVIDENCE,
    examples: ['decide work:0.1', 'decide work:0.1 --session not_running --transcript found'],
    options: evidence()
  },
  {
    usage: 'why <surface>',
    about: 'show what is known of a surface, what was checked, and what to do next',
    more: EVIDENCE,
    examples: ['why work:0.1'],
    options: evidence()
  },
  {
    usage: 'mint <surface> <repo> [role]',
    about: 'decide, and reserve a new session id before you start it',
    more: `${RESERVED}\nIt acts only where decide says fresh.`,
    examples: [
      `mint work:0.1 golems --agent ${ONE} --owner $$`,
      `mint work:0.1 golems --agent ${CHOOSES_IDS} --capture --owner $$`
    ],
    options: [
      agent(),
      cwd(),
      option('--capture', 'let the agent choose the id; its hook reports it'),
      owner(),
      ...evidence()
    ]
  },
  {
    usage: 'claim <surface>',
    about: 'decide, and reserve the session before you resume it; print its command',
    more: `${RESERVED}\nIt acts only where decide says resume.`,
    examples: ['claim work:0.1 --owner $$ --session not_running'],
    options: [owner(), ...evidence()]
  },
  {
    usage: 'begin <surface>',
    about: 'note a long step of work inside a running session before it starts',
    examples: ['begin work:0.1 --step "migrate 3 of 7" --owner $$'],
    options: [option('--step <text>', 'say what is about to be done').makeOptionMandatory(), owner()]
  },
  {
    usage: 'settle <id> <result>',
    about: 'say how an attempt or a step ended: ok or failed',
    more: 'The id is the one that mint, claim or begin printed.',
    examples: ['settle 4f8c9d2e ok', 'settle 4f8c9d2e failed --kind exited --why "no such option"'],
    options: [
      option('--kind <kind>', 'say how it failed').choices(KINDS).default('other'),
      option('--why <text>', 'say why, in one line'),
      option('--session-id <id>', 'name the session that started'),
      option('--pid <pid>', "name the agent's own process", processId)
    ]
  }
]
