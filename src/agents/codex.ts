/**
 * Codex CLI. Seen with the real 0.171.0 on Linux.
 */
import { join } from 'node:path'
import { asTheAgentTakesIt } from './home.js'
import { UUID } from './ids.js'
import type { AgentPlace, AgentRow, TranscriptPlace } from './row.js'

export const codex: AgentRow = {
  name: 'codex',
  file: 'codex',
  programs: ['codex'],
  packages: ['@openai/codex'],
  verified: true,
  // The subcommand comes before the flags; `exec resume` knows fewer of them than `exec`.
  resume: (sessionId) => ['resume', sessionId],
  resumeHeadless: (sessionId, prompt, flags) => ['exec', ...flags, 'resume', sessionId, prompt],
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
  // Spellings and arguments from the help text of 0.171.0; `--yolo` is not in it and is taken all the same.
  keepFlags: {
    '--local-provider': 1,
    '--model': 1,
    '--no-alt-screen': 0,
    '--oss': 0,
    '--profile': 1,
    '--search': 0,
    '-m': 1,
    '-p': 1
  },
  grantFlags: {
    '--add-dir': 1,
    '--approve-for-me': 0,
    '--ask-for-approval': 1,
    '--config': 1,
    '--dangerously-bypass-approvals-and-sandbox': 0,
    '--dangerously-bypass-hook-trust': 0,
    '--sandbox': 1,
    '--yolo': 0,
    '-a': 1,
    '-c': 1,
    '-s': 1
  },
  terminalFlags: ['--ask-for-approval', '--no-alt-screen', '--search', '-a'],
  identityFlags: ['--all', '--last', '--worktree'],
  // The lock is held from the start, the transcript from the first prompt on.
  heldFile: /\/(?:thread-writer-locks\/|rollout-[^/]*-)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(?:lock|jsonl)$/i,
  asks: /Do you trust the contents of this directory|Hooks need review\s+\d+ hooks?|Choose (the|which) working directory|conversation is open in another app/,
  sessionGone: /no rollout found for thread id|No saved session found with ID/,
  transcripts,
  begun: {
    place: (place) => {
      const home = codexHome(place)
      const name = /^rollout-.*-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl/i
      return home === null ? null : { kind: 'folder', folder: join(home, 'sessions'), depth: 3, name }
    },
    at: begunAt
  }
}

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * sessions/YYYY/MM/DD/rollout-<local time>-<id>.jsonl, from the first prompt on. An empty CODEX_HOME is none. A longer
 * ending would be a form that is not known: it matches, and does not begin as a transcript.
 */
function transcripts(sessionId: string, place: AgentPlace): readonly TranscriptPlace[] {
  const home = codexHome(place)
  if (home === null) return []
  const name = new RegExp(`^rollout-.*-${sessionId.replaceAll('.', '\\.')}\\.jsonl(\\.|$)`, 'i')
  return [
    { kind: 'folder', folder: join(home, 'sessions'), depth: 3, name, likely: daysOf(sessionId) },
    { kind: 'folder', folder: join(home, 'archived_sessions'), depth: 0, name, archived: true }
  ]
}

function codexHome({ home, env, cwd }: AgentPlace): string | null {
  return asTheAgentTakesIt(env['CODEX_HOME'] || join(home, '.codex'), cwd)
}

/** A UUID of version 7 begins with the time of its making. */
function begunAt(id: string): number | null {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-7/i.test(id)) return null
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

/** That day, for any time zone. */
function daysOf(id: string): readonly string[] {
  const at = begunAt(id)
  if (at === null) return []
  return [0, DAY_MS, -DAY_MS].map((shift) => new Date(at + shift).toISOString().slice(0, 10).replaceAll('-', '/'))
}
