/**
 * Gemini CLI. Seen with the real 0.61.0 on Linux; the form of an interactive first message is from its help text.
 */
import { join } from 'node:path'
import type { AgentRow } from '../core/agent-row.js'
import { UUID } from './ids.js'

export const gemini: AgentRow = {
  name: 'gemini',
  file: 'gemini',
  programs: ['gemini'],
  packages: ['@google/gemini-cli'],
  verified: true,
  resume: (sessionId) => ['--resume', sessionId],
  resumeHeadless: (sessionId, prompt) => ['--resume', sessionId, '-p', prompt],
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
  keepFlags: { '--model': 1, '--screen-reader': 0, '-m': 1 },
  identityFlags: { '--resume': 'optional', '--session-id': 1, '-r': 'optional' },
  identityWords: [],
  sessionGone: /Invalid session identifier|No previous sessions found/,
  // tmp/<project>/chats/session-<minute>-<first 8 of the id>.jsonl; line 1 has the whole id. A start, and each resume,
  // leaves a stub at once. GEMINI_CLI_HOME, from the source, stands for the home folder, not for `.gemini` in it.
  transcripts: (sessionId, { home, env }) => [
    {
      kind: 'folder',
      folder: join(env['GEMINI_CLI_HOME'] || home, '.gemini', 'tmp'),
      depth: 2,
      name: new RegExp(`^session-.*-${sessionId.slice(0, 8).replaceAll('.', '\\.')}\\.jsonl$`),
      idField: 'sessionId',
      message: { field: 'type', values: ['user', 'gemini'] }
    }
  ]
}
