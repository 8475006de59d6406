/**
 * GitHub Copilot CLI. Seen with the real 1.0.102 on Linux; COPILOT_HOME and the first message are from its help text.
 */
import { join } from 'node:path'
import { resolveFromAgentCwd } from './agent-place.js'
import { UUID } from './ids.js'
import type { AgentRowInput } from './row.js'

export const copilot: AgentRowInput = {
  name: 'copilot',
  seen: '1.0.102',
  packages: ['@github/copilot'],
  resume: (sessionId) => [`--resume=${sessionId}`],
  resumeHeadless: (sessionId, prompt, flags) => [`--resume=${sessionId}`, '-p', prompt, ...flags],
  promptArgs: (prompt) => ['-i', prompt],
  // It creates the session or resumes it, whichever is right.
  pin: (sessionId) => ['--session-id', sessionId],
  sessionId: UUID,
  resumeBoundToCwd: false,
  // Spellings and arguments from the help text of 1.0.102.
  keepFlags: {
    '--agent': 1,
    '--context': 1,
    '--disallow-temp-dir': 0,
    '--model': 1,
    '--no-color': 0,
    '--plain-diff': 0,
    '--reasoning-effort': 1,
    '--screen-reader': 0
  },
  grantFlags: {
    '--add-dir': 1,
    '--additional-mcp-config': 1,
    '--allow-all': 0,
    '--allow-all-paths': 0,
    '--allow-all-tools': 0,
    '--allow-all-urls': 0,
    '--allow-tool': 'many',
    '--allow-url': 'many',
    '--autopilot': 0,
    '--available-tools': 'many',
    '--deny-tool': 'many',
    '--deny-url': 'many',
    '--excluded-tools': 'many',
    '--mode': 1,
    '--plugin-dir': 1,
    '--yolo': 0
  },
  identityFlags: {
    '--connect': 'optional',
    '--continue': 0,
    '--name': 1,
    '--resume': 'optional',
    '--session-id': 1,
    '-n': 1,
    '-r': 'optional'
  },
  headlessFlags: ['-p', '--prompt'],
  chores: ['help', 'login', 'mcp', 'plugin', 'update', 'version'],
  homeVariables: ['COPILOT_HOME'],
  sessionGone: /No session, task, or name matched/,
  transcripts: (sessionId, { home, env, cwd }) => {
    const own = resolveFromAgentCwd(env['COPILOT_HOME'] || join(home, '.copilot'), cwd)
    if (own === null) return []
    const root = join(own, 'session-state')
    return [{ kind: 'file', path: join(root, sessionId, 'events.jsonl'), root }]
  }
}
