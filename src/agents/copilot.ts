/**
 * GitHub Copilot CLI. Seen with the real 1.0.102 on Linux; COPILOT_HOME and the first message are from its help text.
 */
import { join } from 'node:path'
import { resolveFromAgentCwd } from './agent-place.js'
import { flagTable } from './flags.js'
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
  keepFlags: flagTable({
    0: '--disallow-temp-dir --no-color --plain-diff --screen-reader',
    1: '--agent --context --model --reasoning-effort',
    many: '--available-tools --deny-tool --deny-url --excluded-tools'
  }),
  grantFlags: flagTable({
    0: '--allow-all --allow-all-paths --allow-all-tools --allow-all-urls --autopilot --yolo',
    1: '--add-dir --additional-mcp-config --mode --plugin-dir',
    many: '--allow-tool --allow-url'
  }),
  strictValues: { '--mode': /^(interactive|plan)$/ },
  identityFlags: flagTable({ 0: '--continue', 1: '--name --session-id -n', optional: '--connect --resume -r' }),
  resumeFlags: ['--resume', '-r'],
  startFlags: ['--name', '-n'],
  headlessFlags: ['-p', '--prompt'],
  chores: ['help', 'login', 'mcp', 'plugin', 'update', 'version'],
  // It runs the hooks of a trusted project's Claude settings too.
  hookMarks: ['COPILOT_CLI'],
  homeVariables: ['COPILOT_HOME'],
  homeOf: {
    variable: 'COPILOT_HOME',
    folder: (transcript) => /^(.+)\/session-state\/[^/]+\/events\.jsonl$/.exec(transcript)?.[1] ?? null,
    fallback: '.copilot'
  },
  // Held from the first prompt on; a /clear lets go of the one before.
  sessionFilePattern: /\/session-state\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/inuse\.\d+\.hold$/,
  showsWithPrompt: true,
  moves: [{ by: '/clear', shownBy: ['process'] }],
  sessionGone: /No session, task, or name matched/,
  transcripts: (sessionId, { home, env, cwd }) => {
    const own = resolveFromAgentCwd(env['COPILOT_HOME'] || join(home, '.copilot'), cwd)
    if (own === null) return []
    const root = join(own, 'session-state')
    const message = { field: 'type', values: ['user.message', 'assistant.message'] }
    return [{ kind: 'file', path: join(root, sessionId, 'events.jsonl'), root, message }]
  }
}
