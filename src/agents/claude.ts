/**
 * Claude Code. Seen with the real 2.1.332, 2.1.197, 2.0.77 and 1.0.128 on Linux, where not said otherwise.
 */
import { basename, dirname, join, resolve } from 'node:path'
import { type AgentPlace, resolveFromAgentCwd } from './agent-place.js'
import { claudeProjectSlug, claudeProjectSlugUnshortened } from './claude-slug.js'
import { flagTable, words } from './flags.js'
import { UUID } from './ids.js'
import type { AgentRowInput, TranscriptPlace } from './row.js'

const MESSAGES = ['user', 'assistant']

export const claude: AgentRowInput = {
  name: 'claude',
  seen: '2.1.332',
  packages: ['@anthropic-ai/claude-code'],
  // Its background sessions run under the second name.
  programs: ['claude', 'claude.exe'],
  // A release is a file named after its version. Started by its resolved path, it has that name (seen with 2.1.197).
  programPath: /^(.*\/claude\/versions\/)?\d+\.\d+\.\d+$/,
  pidVariable: 'CLAUDE_PID',
  resumeHeadless: (sessionId, prompt, flags) => ['-p', '--resume', sessionId, prompt, ...flags],
  // A message that is the name of a subcommand runs the subcommand, even behind `--resume <id>` and behind `--` (seen
  // with 2.1.332: `claude --resume <id> mcp` prints the help of mcp). A blank before it makes it a message.
  promptArgs: (prompt) => [/^\S+$/.test(prompt) ? ` ${prompt}` : prompt],
  pin: (sessionId) => ['--session-id', sessionId],
  // Anything else opens a picker that waits for a person. The upper-case spelling of an id names another session.
  sessionId: UUID,
  // Up to 2.1.197; 2.1.332 resumes from any folder. The version between that changed it is not known.
  resumeBoundToCwd: true,
  // 2.1.332 lets two processes write one transcript; one branch is lost at the next resume.
  // Spellings and arguments from the help text of 2.1.332. Flags that hold the agent back are kept like the harmless.
  keepFlags: flagTable({
    0: `
      --ax-screen-reader --chrome --disable-slash-commands --ide --no-chrome --restricted --safe-mode
      --strict-mcp-config --verbose
    `,
    1: '--agent --effort --fallback-model --model --setting-sources',
    many: '--add-dir --disallowed-tools --disallowedTools --tools'
  }),
  grantFlags: flagTable({
    0: '--allow-dangerously-skip-permissions --dangerously-skip-permissions',
    1: '--permission-mode --plugin-dir --settings',
    many: '--allowed-tools --allowedTools --mcp-config'
  }),
  strictValues: { '--permission-mode': /^(default|dontAsk|manual|plan)$/ },
  identityFlags: flagTable({
    0: '--background --bg --continue --fork-session --no-session-persistence -c',
    1: '--session-id',
    optional: '--cloud --from-pr --resume --teleport --worktree -r -w'
  }),
  resumeFlags: ['--resume', '-r'],
  startFlags: ['--worktree', '-w'],
  headlessFlags: ['-p', '--print'],
  // A background session may run in what began as a spare one. It then has a note of itself.
  chores: words(`
    agents attach auth auto-mode bg-pty-host bg-spare config daemon doctor gateway import install logs mcp plugin plugins
    purge remote-control rm setup-token stop ultrareview update upgrade
  `),
  openers: ['agents', 'attach', 'remote-control'],
  homeVariables: ['CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_PROJECT_DIR_NAME'],
  homeOf: {
    variable: 'CLAUDE_CONFIG_DIR',
    folder: (transcript) => /^(.+)\/projects\/[^/]+\/[^/]+\.jsonl$/.exec(transcript)?.[1] ?? null,
    fallback: '.claude'
  },
  // Inherited by another Claude Code 2.1.332, some of them keep it from saving its transcript. The kind and the
  // launchers are from its bundle.
  marks: words(`
    CLAUDECODE CLAUDE_CODE_CHILD_SESSION CLAUDE_CODE_CHILD_NOTES_DIR CLAUDE_CODE_ENTRYPOINT
    CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS CLAUDE_CODE_MESSAGING_SOCKET CLAUDE_CODE_MESSAGING_TOKEN
    CLAUDE_CODE_SESSION_ATTENDED CLAUDE_CODE_SESSION_ID CLAUDE_CODE_SESSION_KIND CLAUDE_ENV_FILE CLAUDE_JOB_DIR
    CLAUDE_PID
  `),
  hookMarks: ['CLAUDE_CODE_ENTRYPOINT', 'CLAUDECODE'],
  sessionVariable: 'CLAUDE_CODE_SESSION_ID',
  // Other agents run the hooks of Claude's settings. Grok's mark is from the source of a contract suite.
  foreignMarks: ['GROK_HOOK_EVENT'],
  // A background session's hooks carry the variables of the pane that its daemon was started from (seen with 2.1.233).
  backgroundVariables: ['CLAUDE_JOB_DIR'],
  jobFolder: /\/\.claude\/jobs(\/|$)/,
  // CLAUDE_CODE_CHILD_SESSION does not tell: it is set in every hook. 1.0.128 has the entry point alone.
  isUnattended: (env) => {
    const attended = env['CLAUDE_CODE_SESSION_ATTENDED']
    return attended === '0' || (attended === undefined && /^(sdk-|mcp$)/.test(env['CLAUDE_CODE_ENTRYPOINT'] ?? ''))
  },
  startupQuestion: /Is this a project you created|Yes, I trust this folder|Do you trust the files in this folder/,
  sessionGone: /No conversation found (with session ID|to continue)/,
  // By the time of the file's last change; from its documentation and its bundle.
  retention: {
    settings: (place) => {
      const own = configOf(place)
      const folders = [...(place.cwd === undefined ? [] : [join(place.cwd, '.claude')]), ...(own === null ? [] : [own])]
      return folders.flatMap((folder) => [join(folder, 'settings.local.json'), join(folder, 'settings.json')])
    },
    field: ['cleanupPeriodDays'],
    days: 30
  },
  transcripts,
  // A compaction and a step back are appended too.
  transcriptGrows: true,
  // It resumes a session from the folder that the transcript is kept for in every version, and keeps the transcript
  // there when it is resumed from another one.
  launchFolder: {
    keeps: (transcript, folder) =>
      [claudeProjectSlug(folder), claudeProjectSlugUnshortened(folder)].includes(basename(dirname(transcript))),
    variable: 'CLAUDE_PROJECT_DIR'
  },
  // 2.1.197 and 2.1.332 write it at the start; it is documented nowhere, and some versions do not follow /clear in it.
  processNote: {
    path: (pid, place) => {
      const config = configOf(place)
      return config === null ? null : join(config, 'sessions', `${pid}.json`)
    },
    sessionId: 'sessionId',
    start: 'procStart'
  },
  // Seen with 2.1.332: a conversation that is handed to the background (the left arrow, /bg) goes on there under another
  // id; the file of that begins with its first turn. A /clear there changes the job alone.
  continued: {
    noteField: 'parkedJobId',
    jobState: (job, place) => {
      const config = configOf(place)
      return config === null ? null : join(config, 'jobs', job, 'state.json')
    },
    jobOf: (sessionId) => sessionId.slice(0, 8),
    first: 'sessionId',
    now: 'resumeSessionId',
    line: { field: 'type', value: 'continued-in', next: 'continuedInSessionId', messages: MESSAGES }
  },
  // A /fork is a copy for the background, and the pane stays in its session.
  moves: [
    { by: '/clear', shownBy: ['hook', 'process'] },
    { by: '/resume', shownBy: ['hook', 'process'] },
    { by: '/branch', shownBy: ['hook', 'process'] },
    { by: '←', shownBy: ['hook', 'process', 'disk'] },
    { by: '/bg', shownBy: ['hook', 'disk'] },
    { by: '/clear in the background', shownBy: ['hook', 'disk'] }
  ],
  hooks: {
    format: 'json',
    // An empty variable is the folder that Claude is started in, which is not one folder.
    path: ({ home, env, cwd }) => resolve(cwd, env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), 'settings.json'),
    events: ['SessionStart', 'UserPromptSubmit', 'SessionEnd'],
    // Seconds.
    timeout: 5,
    notes: []
  },
  // Typed, or Ctrl-C or Ctrl-D twice.
  ownExits: ['prompt_input_exit']
}

function configOf({ home, env, cwd }: AgentPlace): string | null {
  // Counts even when empty: it is then the working folder.
  return resolveFromAgentCwd(env['CLAUDE_CONFIG_DIR'] ?? join(home, '.claude'), cwd)
}

function transcripts(sessionId: string, place: AgentPlace): readonly TranscriptPlace[] {
  const { env, cwd } = place
  const config = configOf(place)
  if (config === null) return []
  const name = `${sessionId}.jsonl`
  // With other lines alone 2.1.332 begins a new conversation under the old id.
  const message = { field: 'type', values: MESSAGES }
  const projects = join(config, 'projects')
  const slugs = cwd === undefined ? [] : [claudeProjectSlug(cwd), claudeProjectSlugUnshortened(cwd)]
  const named = env['CLAUDE_CONFIG_DIR'] === undefined ? '' : (env['CLAUDE_CODE_PROJECT_DIR_NAME'] ?? '')
  const folders = [...(/^[A-Za-z0-9_-]{1,64}$/.test(named) ? [named] : []), ...slugs]
  const possible = [...new Set(folders)].filter((folder) => folder.length <= NAME_BYTES)
  return [
    ...possible.map((folder) => ({
      kind: 'file' as const,
      path: join(projects, folder, name),
      root: projects,
      message
    })),
    // The id is unique, and a session keeps the folder that it began in.
    { kind: 'folder', folder: projects, depth: 1, name, message }
  ]
}

/** No file system takes longer names. */
const NAME_BYTES = 255
