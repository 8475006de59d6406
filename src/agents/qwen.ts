/**
 * Qwen Code. Seen with the real 0.15.10 on Linux; the form of an interactive first message is from its help text.
 */
import { join } from 'node:path'
import { asTheAgentTakesIt } from './home.js'
import { UUID } from './ids.js'
import type { AgentRow } from './row.js'

export const qwen: AgentRow = {
  name: 'qwen',
  file: 'qwen',
  programs: ['qwen'],
  packages: ['@qwen-code/qwen-code'],
  verified: true,
  resume: (sessionId) => ['--resume', sessionId],
  resumeHeadless: (sessionId, prompt, flags) => ['--resume', sessionId, '-p', prompt, ...flags],
  promptArgs: (prompt) => ['-i', prompt],
  pin: (sessionId) => ['--session-id', sessionId],
  sessionId: UUID,
  unsetEnv: [],
  resumeBoundToCwd: true,
  refusesLiveId: false,
  hazards: [],
  // Spellings and arguments from the help text of 0.15.10.
  keepFlags: { '--model': 1, '--sandbox': 0, '--screen-reader': 0, '-m': 1, '-s': 0 },
  grantFlags: {
    '--add-dir': 'many',
    '--allowed-mcp-server-names': 'many',
    '--allowed-tools': 'many',
    '--approval-mode': 1,
    '--exclude-tools': 'many',
    '--include-directories': 'many',
    '--mcp-config': 1,
    '--yolo': 0,
    '-y': 0
  },
  identityFlags: ['--continue', '--resume', '--session-id', '-c', '-r'],
  sessionGone: /No saved session found with ID/,
  // projects/<folder>/chats/<id>.jsonl. The two variables are from its documentation.
  transcripts: (sessionId, { home, env, cwd }) => {
    const own = asTheAgentTakesIt(env['QWEN_RUNTIME_DIR'] || env['QWEN_HOME'] || join(home, '.qwen'), cwd)
    if (own === null) return []
    return [{ kind: 'folder', folder: join(own, 'projects'), depth: 2, name: `${sessionId}.jsonl` }]
  }
}
