/**
 * Qwen Code. Seen with the real 0.15.10 on Linux; the form of an interactive first message is from its help text.
 */
import { join } from 'node:path'
import { resolveFromAgentCwd } from './agent-place.js'
import { flagTable } from './flags.js'
import { UUID } from './ids.js'
import type { AgentRowInput } from './row.js'

export const qwen: AgentRowInput = {
  name: 'qwen',
  seen: '0.15.10',
  packages: ['@qwen-code/qwen-code'],
  resumeHeadless: (sessionId, prompt, flags) => ['--resume', sessionId, '-p', prompt, ...flags],
  promptArgs: (prompt) => ['-i', prompt],
  pin: (sessionId) => ['--session-id', sessionId],
  sessionId: UUID,
  resumeBoundToCwd: true,
  // Spellings and arguments from the help text of 0.15.10.
  keepFlags: flagTable({ 0: '--sandbox --screen-reader -s', 1: '--model -m', many: '--exclude-tools' }),
  grantFlags: flagTable({
    0: '--yolo -y',
    1: '--approval-mode --mcp-config',
    many: '--add-dir --allowed-mcp-server-names --allowed-tools --include-directories'
  }),
  strictValues: { '--approval-mode': /^(default|plan)$/ },
  identityFlags: flagTable({ 0: '--continue -c', 1: '--session-id', optional: '--resume -r' }),
  resumeFlags: ['--resume', '-r'],
  headlessFlags: ['-p', '--prompt'],
  chores: ['extensions', 'hooks', 'mcp', 'skills'],
  homeVariables: ['QWEN_RUNTIME_DIR', 'QWEN_HOME'],
  moves: [{ by: '/clear', shownBy: [] }],
  sessionGone: /No saved session found with ID/,
  // projects/<folder>/chats/<id>.jsonl. The two variables are from its documentation.
  transcripts: (sessionId, { home, env, cwd }) => {
    const own = resolveFromAgentCwd(env['QWEN_RUNTIME_DIR'] || env['QWEN_HOME'] || join(home, '.qwen'), cwd)
    if (own === null) return []
    const message = { field: 'type', values: ['user', 'assistant'] }
    return [{ kind: 'folder', folder: join(own, 'projects'), depth: 2, name: `${sessionId}.jsonl`, message }]
  },
  transcriptGrows: true,
  // From its source: at every orderly end, the loss of its terminal and SIGTERM too.
  ownExits: ['prompt_input_exit']
}
