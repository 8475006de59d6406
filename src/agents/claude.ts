/**
 * Claude Code. Seen with the real 2.1.332, 2.1.197, 2.0.77 and 1.0.128 on Linux, where not said otherwise.
 */
import { isAbsolute, join, resolve } from 'node:path'
import type { AgentPlace, AgentRow, TranscriptPlace } from '../core/agent-row.js'
import { claudeProjectSlug, claudeProjectSlugUnshortened } from './claude-slug.js'
import { UUID } from './ids.js'

export const claude: AgentRow = {
  name: 'claude',
  file: 'claude',
  programs: ['claude'],
  packages: ['@anthropic-ai/claude-code'],
  pidVariable: 'CLAUDE_PID',
  verified: true,
  resume: (sessionId) => ['--resume', sessionId],
  resumeHeadless: (sessionId, prompt) => ['-p', '--resume', sessionId, prompt],
  promptArgs: (prompt) => [prompt],
  pin: (sessionId) => ['--session-id', sessionId],
  // Anything else opens a picker that waits for a person. An upper-case id is another session.
  sessionId: UUID,
  unsetEnv: [],
  // Up to 2.1.197; 2.1.332 resumes from any folder. The version between that changed it is not known.
  resumeBoundToCwd: true,
  // 2.1.332 lets two processes write one transcript; one branch is lost at the next resume.
  refusesLiveId: false,
  hazards: [],
  keepFlags: {
    '--agent': 1,
    '--chrome': 0,
    '--effort': 1,
    '--fallback-model': 1,
    '--ide': 0,
    '--model': 1,
    '--verbose': 0
  },
  identityFlags: {
    '--bg': 0,
    '--continue': 0,
    '--fork-session': 0,
    '--from-pr': 'optional',
    '--resume': 'optional',
    '--session-id': 1,
    '-c': 0,
    '-r': 'optional'
  },
  identityWords: [],
  sessionGone: /No conversation found (with session ID|to continue)/,
  transcripts
}

function transcripts(sessionId: string, { home, env, cwd }: AgentPlace): readonly TranscriptPlace[] {
  const config = configFolder(home, env, cwd)
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

/** CLAUDE_CONFIG_DIR counts even when empty: it is then the current folder, as any relative value is taken from it. */
function configFolder(home: string, env: AgentPlace['env'], cwd: string | undefined): string | null {
  const given = env['CLAUDE_CONFIG_DIR']
  if (given === undefined) return join(home, '.claude')
  if (isAbsolute(given)) return given
  return cwd === undefined ? null : resolve(cwd, given)
}
