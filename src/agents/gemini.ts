/**
 * Gemini CLI. Seen with the real 0.61.0 on Linux; the form of an interactive first message is from its help text.
 */
import { join } from 'node:path'
import { asTheAgentTakesIt } from './home.js'
import { UUID } from './ids.js'
import type { AgentRow } from './row.js'

export const gemini: AgentRow = {
  name: 'gemini',
  file: 'gemini',
  programs: ['gemini'],
  packages: ['@google/gemini-cli'],
  verified: true,
  resume: (sessionId) => ['--resume', sessionId],
  resumeHeadless: (sessionId, prompt, flags) => ['--resume', sessionId, '-p', prompt, ...flags],
  promptArgs: (prompt) => ['-i', prompt],
  pin: (sessionId) => ['--session-id', sessionId],
  // It takes other ids when a session is started, and refuses prefixes when one is resumed.
  sessionId: UUID,
  unsetEnv: ['GEMINI_SESSION_ID', 'GEMINI_PROJECT_DIR', 'GEMINI_CWD'],
  resumeBoundToCwd: true,
  refusesLiveId: false,
  hazards: [
    'Gemini CLI 0.61.0 deletes a resumed conversation at its next start unless general.sessionRetention.enabled is false; copy the file first'
  ],
  // Spellings and arguments from the help text of 0.61.0.
  keepFlags: { '--model': 1, '--sandbox': 0, '--screen-reader': 0, '-m': 1, '-s': 0 },
  grantFlags: {
    '--allowed-mcp-server-names': 'many',
    '--allowed-tools': 'many',
    '--approval-mode': 1,
    '--include-directories': 'many',
    '--policy': 'many',
    '--skip-trust': 0,
    '--yolo': 0,
    '-y': 0
  },
  identityFlags: ['--resume', '--session-file', '--session-id', '--worktree', '-r', '-w'],
  asks: /Do you trust this folder|Do you trust the files in this folder/,
  // The folder's settings go before the person's.
  deletesResumed: {
    settings: ({ home, env, cwd }) => {
      const own = asTheAgentTakesIt(env['GEMINI_CLI_HOME'] || home, cwd)
      const files = [...(cwd === undefined ? [] : [cwd]), ...(own === null ? [] : [own])]
      return files.map((folder) => join(folder, '.gemini', 'settings.json'))
    },
    field: ['general', 'sessionRetention', 'enabled'],
    safe: false
  },
  sessionGone: /Invalid session identifier|No previous sessions found/,
  // tmp/<project>/chats/session-<minute>-<first 8 of the id>.jsonl; line 1 has the whole id. A start, and each resume,
  // leaves a stub at once. GEMINI_CLI_HOME, from the source, stands for the home folder, not for `.gemini` in it.
  transcripts: (sessionId, { home, env, cwd }) => {
    const own = asTheAgentTakesIt(env['GEMINI_CLI_HOME'] || home, cwd)
    if (own === null) return []
    const name = new RegExp(`^session-.*-${sessionId.slice(0, 8).replaceAll('.', '\\.')}\\.jsonl$`)
    const message = { field: 'type', values: ['user', 'gemini'] }
    return [{ kind: 'folder', folder: join(own, '.gemini', 'tmp'), depth: 2, name, idField: 'sessionId', message }]
  }
}
