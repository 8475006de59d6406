/**
 * Gemini CLI. Seen with the real 0.61.0 on Linux; the form of an interactive first message is from its help text.
 */
import { join, resolve } from 'node:path'
import { resolveFromAgentCwd } from './agent-place.js'
import { flagTable } from './flags.js'
import { UUID } from './ids.js'
import type { AgentRowInput } from './row.js'

export const gemini: AgentRowInput = {
  name: 'gemini',
  seen: '0.61.0',
  packages: ['@google/gemini-cli'],
  resumeHeadless: (sessionId, prompt, flags) => ['--resume', sessionId, '-p', prompt, ...flags],
  promptArgs: (prompt) => ['-i', prompt],
  pin: (sessionId) => ['--session-id', sessionId],
  // It takes other ids when a session is started, and refuses prefixes when one is resumed.
  sessionId: UUID,
  resumeBoundToCwd: true,
  hazards: [
    'Gemini CLI 0.61.0 deletes a resumed conversation at its next start unless general.sessionRetention.enabled is false; copy the file first'
  ],
  // Spellings and arguments from the help text of 0.61.0.
  keepFlags: flagTable({ 0: '--sandbox --screen-reader -s', 1: '--model -m' }),
  grantFlags: flagTable({
    0: '--skip-trust --yolo -y',
    1: '--approval-mode',
    many: '--allowed-mcp-server-names --allowed-tools --include-directories --policy'
  }),
  strictValues: { '--approval-mode': /^(default|plan)$/ },
  identityFlags: flagTable({ 1: '--session-file --session-id', optional: '--resume --worktree -r -w' }),
  resumeFlags: ['--resume', '-r'],
  startFlags: ['--worktree', '-w'],
  headlessFlags: ['-p', '--prompt'],
  chores: ['extensions', 'hooks', 'mcp', 'skills'],
  homeVariables: ['GEMINI_CLI_HOME'],
  marks: ['GEMINI_SESSION_ID', 'GEMINI_PROJECT_DIR', 'GEMINI_CWD'],
  hookMarks: ['GEMINI_SESSION_ID'],
  sessionVariable: 'GEMINI_SESSION_ID',
  startupQuestion: /Do you trust this folder|Do you trust the files in this folder/,
  // It writes a second file for a resumed session and, at its next start, takes both for damaged and removes them. The
  // folder's settings go before the person's.
  deletesResumed: {
    settings: ({ home, env, cwd }) => {
      const own = resolveFromAgentCwd(env['GEMINI_CLI_HOME'] || home, cwd)
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
    const own = resolveFromAgentCwd(env['GEMINI_CLI_HOME'] || home, cwd)
    if (own === null) return []
    const name = new RegExp(`^session-.*-${sessionId.slice(0, 8).replaceAll('.', '\\.')}\\.jsonl$`)
    const message = { field: 'type', values: ['user', 'gemini'] }
    return [{ kind: 'folder', folder: join(own, '.gemini', 'tmp'), depth: 2, name, idField: 'sessionId', message }]
  },
  moves: [{ by: '/clear', shownBy: ['hook'] }],
  hooks: {
    format: 'json',
    path: ({ home, env, cwd }) => resolve(cwd, env['GEMINI_CLI_HOME'] || home, '.gemini', 'settings.json'),
    events: ['SessionStart', 'BeforeAgent', 'SessionEnd'],
    // Milliseconds.
    timeout: 5000,
    notes: [
      'Gemini CLI 0.61.0 deletes resumed conversations by default: set general.sessionRetention.enabled to false.'
    ]
  },
  // From its source: at every orderly end, the loss of its terminal and SIGTERM too.
  ownExits: ['exit']
}
