/**
 * Claude Code. Seen with the real 2.1.332, 2.1.197, 2.0.77 and 1.0.128 on Linux, where not said otherwise.
 */
import { join } from 'node:path'
import { claudeMessage } from './claude-message.js'
import { claudeProjectSlug, claudeProjectSlugUnshortened } from './claude-slug.js'
import { asTheAgentTakesIt } from './home.js'
import { UUID } from './ids.js'
import type { AgentPlace, AgentRow, TranscriptPlace } from './row.js'

export const claude: AgentRow = {
  name: 'claude',
  file: 'claude',
  programs: ['claude'],
  packages: ['@anthropic-ai/claude-code'],
  pidVariable: 'CLAUDE_PID',
  verified: true,
  resume: (sessionId) => ['--resume', sessionId],
  resumeHeadless: (sessionId, prompt, flags) => ['-p', '--resume', sessionId, prompt, ...flags],
  promptArgs: (prompt) => [claudeMessage(prompt)],
  pin: (sessionId) => ['--session-id', sessionId],
  // Anything else opens a picker that waits for a person. The upper-case spelling of an id names another session.
  sessionId: UUID,
  unsetEnv: [],
  // Up to 2.1.197; 2.1.332 resumes from any folder. The version between that changed it is not known.
  resumeBoundToCwd: true,
  // 2.1.332 lets two processes write one transcript; one branch is lost at the next resume.
  refusesLiveId: false,
  hazards: [],
  // Spellings and arguments from the help text of 2.1.332. Flags that hold the agent back are kept like the harmless.
  keepFlags: {
    '--agent': 1,
    '--ax-screen-reader': 0,
    '--chrome': 0,
    '--disable-slash-commands': 0,
    '--effort': 1,
    '--fallback-model': 1,
    '--ide': 0,
    '--model': 1,
    '--no-chrome': 0,
    '--restricted': 0,
    '--safe-mode': 0,
    '--strict-mcp-config': 0,
    '--verbose': 0
  },
  grantFlags: {
    '--add-dir': 'many',
    '--allow-dangerously-skip-permissions': 0,
    '--allowed-tools': 'many',
    '--allowedTools': 'many',
    '--dangerously-skip-permissions': 0,
    '--disallowed-tools': 'many',
    '--disallowedTools': 'many',
    '--mcp-config': 'many',
    '--permission-mode': 1,
    '--plugin-dir': 1,
    '--setting-sources': 1,
    '--settings': 1,
    '--tools': 'many'
  },
  identityFlags: [
    '--background',
    '--bg',
    '--cloud',
    '--continue',
    '--fork-session',
    '--from-pr',
    '--no-session-persistence',
    '--resume',
    '--session-id',
    '--teleport',
    '--worktree',
    '-c',
    '-r',
    '-w'
  ],
  asks: /Is this a project you created|Yes, I trust this folder|Do you trust the files in this folder/,
  sessionGone: /No conversation found (with session ID|to continue)/,
  transcripts
}

function transcripts(sessionId: string, { home, env, cwd }: AgentPlace): readonly TranscriptPlace[] {
  // Counts even when empty: it is then the working folder.
  const config = asTheAgentTakesIt(env['CLAUDE_CONFIG_DIR'] ?? join(home, '.claude'), cwd)
  if (config === null) return []
  const name = `${sessionId}.jsonl`
  const projects = join(config, 'projects')
  const slugs = cwd === undefined ? [] : [claudeProjectSlug(cwd), claudeProjectSlugUnshortened(cwd)]
  const named = env['CLAUDE_CONFIG_DIR'] === undefined ? '' : (env['CLAUDE_CODE_PROJECT_DIR_NAME'] ?? '')
  const folders = [...(/^[A-Za-z0-9_-]{1,64}$/.test(named) ? [named] : []), ...slugs]
  const possible = [...new Set(folders)].filter((folder) => folder.length <= NAME_BYTES)
  return [
    ...possible.map((folder) => ({ kind: 'file' as const, path: join(projects, folder, name), root: projects })),
    // The id is unique, and a session keeps the folder that it began in.
    { kind: 'folder', folder: projects, depth: 1, name }
  ]
}

/** No file system takes longer names. */
const NAME_BYTES = 255
