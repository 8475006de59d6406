/**
 * Qwen Code. Seen with the real 0.15.10 on Linux; the form of an interactive first message is from its help text.
 */
import { join } from 'node:path'
import type { AgentRow } from '../core/agent-row.js'
import { UUID } from './ids.js'

export const qwen: AgentRow = {
  name: 'qwen',
  file: 'qwen',
  programs: ['qwen'],
  packages: ['@qwen-code/qwen-code'],
  verified: true,
  resume: (sessionId) => ['--resume', sessionId],
  resumeHeadless: (sessionId, prompt) => ['--resume', sessionId, '-p', prompt],
  promptArgs: (prompt) => ['-i', prompt],
  pin: (sessionId) => ['--session-id', sessionId],
  sessionId: UUID,
  unsetEnv: [],
  resumeBoundToCwd: true,
  refusesLiveId: false,
  hazards: [],
  keepFlags: { '--model': 1, '--screen-reader': 0, '-m': 1 },
  identityFlags: { '--continue': 0, '--resume': 'optional', '--session-id': 1, '-c': 0, '-r': 'optional' },
  identityWords: [],
  sessionGone: /No saved session found with ID/,
  // projects/<folder>/chats/<id>.jsonl. The two variables are from its documentation.
  transcripts: (sessionId, { home, env }) => [
    {
      kind: 'folder',
      folder: join(env['QWEN_RUNTIME_DIR'] || env['QWEN_HOME'] || join(home, '.qwen'), 'projects'),
      depth: 2,
      name: `${sessionId}.jsonl`
    }
  ]
}
