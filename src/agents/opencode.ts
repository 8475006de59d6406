/**
 * OpenCode. Seen with the real 1.18.33 on Linux; the form of an interactive first message is from its help text.
 */
import { isAbsolute, join, resolve } from 'node:path'
import { type AgentPlace, resolveFromAgentCwd } from './agent-place.js'
import { flagTable, words } from './flags.js'
import { OPENCODE_PLUGIN } from './opencode-plugin.js'
import type { AgentRowInput } from './row.js'

export const opencode: AgentRowInput = {
  name: 'opencode',
  seen: '1.18.33',
  packages: ['opencode-ai'],
  resume: (sessionId) => ['-s', sessionId],
  resumeHeadless: (sessionId, prompt, flags) => ['run', '-s', sessionId, prompt, ...flags],
  promptArgs: (prompt) => ['--prompt', prompt],
  // `run -s ""` starts a new session and exits 0.
  sessionId: /^ses_[A-Za-z0-9]{1,100}$/,
  // The terminal form works from any folder; `run -s` from another one hangs after the turn is saved.
  resumeBoundToCwd: true,
  // Spellings and arguments from the help text of 1.18.33. What would be `--prompt` is never kept.
  keepFlags: flagTable({ 0: '--mini --pure', 1: '--agent --model -m' }),
  grantFlags: flagTable({ 0: '--auto' }),
  terminalFlags: ['--mini'],
  identityFlags: flagTable({ 0: '--continue --fork -c', 1: '--session -s' }),
  resumeFlags: ['--session', '-s'],
  headlessWords: ['run', 'serve', 'web', 'acp'],
  chores: words('agent auth debug export github import mcp models pr session stats uninstall upgrade'),
  openers: ['pr'],
  homeVariables: ['OPENCODE_DB', 'XDG_DATA_HOME'],
  sessionGone: /Session not found|Invalid session ID/,
  // Sessions are rows of an SQLite file, from the first prompt on.
  transcripts: (_, place) => {
    const path = databaseOf(place)
    if (path === null) return []
    return [{ kind: 'sqlite', path, query: 'SELECT 1 FROM message WHERE session_id = ? LIMIT 1' }]
  },
  // Its plugin tells a session with its first message.
  moves: [
    { by: '/new', shownBy: ['hook'] },
    { by: '-s', shownBy: ['hook'] }
  ],
  // It has no hook commands.
  hooks: {
    format: 'plugin',
    path: ({ home, env, cwd }) =>
      resolve(cwd, env['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode/plugin/crash-resume-index.js'),
    events: ['chat.message'],
    notes: [],
    script: OPENCODE_PLUGIN
  }
}

/** From its bundle: OPENCODE_DB is a path, or the name of a file in the data folder, or keeps nothing on disk. */
function databaseOf({ home, env, cwd }: AgentPlace): string | null {
  const given = env['OPENCODE_DB'] || 'opencode.db'
  if (given === ':memory:') return null
  const data = resolveFromAgentCwd(env['XDG_DATA_HOME'] || join(home, '.local', 'share'), cwd)
  return data === null ? (isAbsolute(given) ? given : null) : resolve(data, 'opencode', given)
}
