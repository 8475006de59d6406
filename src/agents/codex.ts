/**
 * Codex CLI. Seen with the real 0.171.0 on Linux.
 */
import { join } from 'node:path'
import type { AgentRow } from '../core/agent-row.js'
import { UUID } from './ids.js'

export const codex: AgentRow = {
  name: 'codex',
  file: 'codex',
  programs: ['codex'],
  packages: ['@openai/codex'],
  verified: true,
  // The subcommand comes before any flag.
  resume: (sessionId) => ['resume', sessionId],
  resumeHeadless: (sessionId, prompt) => ['exec', 'resume', sessionId, prompt],
  promptArgs: (prompt) => [prompt],
  pin: null,
  // `exec resume` with anything else, the empty string included, starts a new session and exits 0.
  sessionId: UUID,
  unsetEnv: [],
  // From another folder exec runs there, and the terminal form asks which folder is meant.
  resumeBoundToCwd: false,
  // The terminal form opens a read-only page, exec exits 1.
  refusesLiveId: true,
  hazards: [],
  keepFlags: { '--model': 1, '--oss': 0, '--profile': 1, '--search': 0, '-m': 1, '-p': 1 },
  identityFlags: { '--last': 0, '--all': 0 },
  identityWords: ['resume', 'fork'],
  // sessions/YYYY/MM/DD/rollout-<local time>-<id>.jsonl, from the first prompt on. An empty CODEX_HOME is none.
  transcripts: (sessionId, { home, env }) => [
    {
      kind: 'named',
      folder: join(env['CODEX_HOME'] || join(home, '.codex'), 'sessions'),
      depth: 3,
      name: new RegExp(`^rollout-.*-${sessionId}\\.jsonl$`)
    }
  ]
}
