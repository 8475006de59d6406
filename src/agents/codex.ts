/**
 * Codex CLI. Seen with the real 0.171.0 on Linux.
 */
import { join, resolve } from 'node:path'
import { type AgentPlace, resolveFromAgentCwd } from './agent-place.js'
import { flagTable, words } from './flags.js'
import { COMMON_DIALECT } from './hook-facts.js'
import { UUID } from './ids.js'
import type { AgentRowInput, TranscriptPlace } from './row.js'

export const codex: AgentRowInput = {
  name: 'codex',
  seen: '0.171.0',
  packages: ['@openai/codex'],
  // The file of a release.
  programPath: /(^|\/)codex-(x86_64|aarch64)-\w[\w.-]*$/,
  // The subcommand comes before the flags; `exec resume` knows fewer of them than `exec`.
  resume: (sessionId) => ['resume', sessionId],
  resumeHeadless: (sessionId, prompt, flags) => ['exec', ...flags, 'resume', sessionId, prompt],
  promptArgs: (prompt) => [prompt],
  // `exec resume` with anything else, the empty string included, starts a new session and exits 0.
  sessionId: UUID,
  // From another folder exec runs there, and the terminal form asks which folder is meant.
  resumeBoundToCwd: false,
  // The terminal form opens a read-only page, exec exits 1.
  // Spellings and arguments from the help text of 0.171.0; `--yolo` is not in it and works anyway.
  keepFlags: flagTable({ 0: '--no-alt-screen --oss --search', 1: '--local-provider --model --profile -m -p' }),
  grantFlags: flagTable({
    0: '--approve-for-me --dangerously-bypass-approvals-and-sandbox --dangerously-bypass-hook-trust --yolo',
    1: '--add-dir --ask-for-approval --config --sandbox -a -c -s'
  }),
  strictValues: {
    '--ask-for-approval': /^(on-request|untrusted)$/,
    '--sandbox': /^read-only$/,
    '-a': /^(on-request|untrusted)$/,
    '-s': /^read-only$/
  },
  terminalFlags: ['--ask-for-approval', '--no-alt-screen', '--search', '-a'],
  identityFlags: flagTable({ 0: '--all --include-non-interactive --last', optional: '--worktree' }),
  startFlags: ['--worktree'],
  sessionWords: ['fork'],
  headlessWords: ['exec', 'e', 'review', 'mcp', 'mcp-server', 'app-server', 'proto'],
  chores: words(`
    app-server apply archive cloud completion debug delete doctor exec-server features help login logout mcp
    mcp-server migrate-nfs-db migrate-rollouts plugin proto queue remote-control sandbox unarchive update
  `),
  openers: ['cloud', 'remote-control'],
  homeVariables: ['CODEX_HOME'],
  homeOf: {
    variable: 'CODEX_HOME',
    folder: (transcript) => /^(.+)\/sessions(?:\/\d+){3}\/rollout-[^/]+$/.exec(transcript)?.[1] ?? null,
    fallback: '.codex'
  },
  // The lock is held from the start, the transcript from the first prompt on.
  sessionFilePattern:
    /\/(?:thread-writer-locks\/|rollout-[^/]*-)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(?:lock|jsonl)$/i,
  startupQuestion:
    /Do you trust the contents of this directory|Hooks need review\s+\d+ hooks?|Choose (the|which) working directory|Background server has incompatible|conversation is open in another app/,
  sessionGone: /no rollout found for thread id|No saved session found with ID/,
  transcripts,
  transcriptGrows: true,
  startedSince: {
    place: (place) => {
      const home = codexHome(place)
      const name = /^rollout-.*-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl/i
      return home === null ? null : { kind: 'folder', folder: join(home, 'sessions'), depth: 3, name }
    },
    cwdField: 'cwd',
    at: startOf,
    // About 3 s on a quiet machine.
    withinMs: 15_000,
    firstWords: /"role":"user","content":\[\{"type":"input_text","text":"((?!<)(?:[^"\\]|\\.)+)"/
  },
  // In its own process; what its shared server does is not below the pane.
  moves: [
    { by: '/clear', shownBy: ['hook', 'process'] },
    { by: '/new', shownBy: ['hook', 'process'] },
    { by: '/fork', shownBy: ['hook', 'process'] },
    { by: '/resume', shownBy: ['hook'] }
  ],
  // With a server that runs already, the setting alone makes it ask what to do.
  sharedServer: {
    flag: '--no-daemon',
    words: ['-c', 'features.daemon_auto_start=false'],
    chosenBy: ['--no-daemon', '--remote']
  },
  hooks: {
    format: 'json',
    path: (place) => resolve(place.cwd, folderOf(place), 'hooks.json'),
    events: ['SessionStart', 'UserPromptSubmit', 'SessionEnd'],
    // Seconds; for SessionEnd it allows no more, and warns.
    timeout: 3,
    // Its terminal form asks for trust at the start, exec runs without the hooks. The sessions of its shared background
    // server run below the pane that started that server, so that no hook can tell their own.
    notes: [
      'Codex runs no hook that was not trusted: start codex, and trust these when it asks (or open /hooks).',
      'Codex 0.171.0 shares a background server between panes, whose hooks cannot tell the pane: add `daemon_auto_start = false` under [features] in its config.toml, or start it with --no-daemon.'
    ]
  },
  // At /quit alone, one for each thread of the process; no signal makes it say one.
  ownExits: ['other'],
  // Its `notify` program gets this for every thread of its own as well, such as the one that invents a title.
  payload: { ...COMMON_DIALECT, turn: { field: 'type', value: 'agent-turn-complete', sessionId: 'thread-id' } }
}

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * sessions/YYYY/MM/DD/rollout-<local time>-<id>.jsonl, from the first prompt on. An empty CODEX_HOME is none. A longer
 * ending would be a form that is not known: it matches, and does not begin as a transcript.
 */
function transcripts(sessionId: string, place: AgentPlace): readonly TranscriptPlace[] {
  const home = codexHome(place)
  if (home === null) return []
  const name = new RegExp(`^rollout-.*-${sessionId.replaceAll('.', '\\.')}\\.jsonl(\\.|$)`, 'i')
  const message = { field: 'type', values: ['compacted', 'event_msg', 'message', 'response_item'] }
  return [
    { kind: 'folder', folder: join(home, 'sessions'), depth: 3, name, message, likely: daysOf(sessionId) },
    { kind: 'folder', folder: join(home, 'archived_sessions'), depth: 0, name, message, archived: true }
  ]
}

function folderOf({ home, env }: AgentPlace): string {
  return env['CODEX_HOME'] || join(home, '.codex')
}

function codexHome(place: AgentPlace): string | null {
  return resolveFromAgentCwd(folderOf(place), place.cwd)
}

/** A UUID of version 7 begins with the time of its making. */
function startOf(id: string): number | null {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-7/i.test(id)) return null
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

/** That day, for any time zone. */
function daysOf(id: string): readonly string[] {
  const at = startOf(id)
  if (at === null) return []
  return [0, DAY_MS, -DAY_MS].map((shift) => new Date(at + shift).toISOString().slice(0, 10).replaceAll('-', '/'))
}
