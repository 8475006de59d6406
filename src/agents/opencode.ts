/**
 * OpenCode. Seen with the real 1.18.33 on Linux; the form of an interactive first message is from its help text.
 */
import { join } from 'node:path'
import type { AgentRow } from '../core/agent-row.js'

export const opencode: AgentRow = {
  name: 'opencode',
  file: 'opencode',
  programs: ['opencode'],
  packages: ['opencode-ai'],
  verified: true,
  resume: (sessionId) => ['-s', sessionId],
  resumeHeadless: (sessionId, prompt) => ['run', '-s', sessionId, prompt],
  promptArgs: (prompt) => ['--prompt', prompt],
  pin: null,
  // `run -s ""` starts a new session and exits 0.
  sessionId: /^ses_[A-Za-z0-9]{1,100}$/,
  unsetEnv: [],
  // The terminal form works from any folder; `run -s` from another one hangs after the turn is saved.
  resumeBoundToCwd: true,
  refusesLiveId: false,
  hazards: [],
  keepFlags: { '--agent': 1, '--model': 1, '-m': 1 },
  identityFlags: { '--continue': 0, '--fork': 0, '--session': 1, '-c': 0, '-s': 1 },
  identityWords: [],
  sessionGone: /Session not found|Invalid session ID/,
  // Sessions are rows of an SQLite file, from the first prompt on. OPENCODE_DB is from the source.
  transcripts: (_, { home, env }) => [
    {
      kind: 'sqlite',
      path:
        env['OPENCODE_DB'] || join(env['XDG_DATA_HOME'] || join(home, '.local', 'share'), 'opencode', 'opencode.db'),
      query: 'SELECT 1 FROM message WHERE session_id = ? LIMIT 1'
    }
  ]
}
