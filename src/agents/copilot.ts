/**
 * GitHub Copilot CLI. Seen with the real 1.0.102 on Linux; COPILOT_HOME and the first message are from its help text.
 */
import { join } from 'node:path'
import type { AgentRow } from '../core/agent-row.js'
import { UUID } from './ids.js'

export const copilot: AgentRow = {
  name: 'copilot',
  file: 'copilot',
  programs: ['copilot'],
  packages: ['@github/copilot'],
  verified: true,
  resume: (sessionId) => [`--resume=${sessionId}`],
  resumeHeadless: (sessionId, prompt) => [`--resume=${sessionId}`, '-p', prompt],
  promptArgs: (prompt) => ['-i', prompt],
  // It creates the session or resumes it, whichever is right.
  pin: (sessionId) => ['--session-id', sessionId],
  sessionId: UUID,
  unsetEnv: [],
  resumeBoundToCwd: false,
  refusesLiveId: false,
  hazards: [],
  keepFlags: { '--agent': 1, '--model': 1, '--no-color': 0, '--screen-reader': 0 },
  identityFlags: { '--continue': 0, '--resume': 'optional', '--session-id': 1 },
  identityWords: [],
  sessionGone: /No session, task, or name matched/,
  transcripts: (sessionId, { home, env }) => {
    const root = join(env['COPILOT_HOME'] || join(home, '.copilot'), 'session-state')
    return [{ kind: 'file', path: join(root, sessionId, 'events.jsonl'), root }]
  }
}
