/**
 * Where each agent's hooks are configured, and which of its events tell of sessions.
 *
 * Only events that every supported version knows: one unknown name disables all hooks of the file in Claude Code
 * 1.0.128 and 2.0.77. The agents whose hooks nobody has seen here are not guessed at.
 */
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

export interface HookTarget {
  readonly agent: string
  /** `json`: event names with groups of commands. `plugin`: a script of ours in a folder of the agent's. */
  readonly format: 'json' | 'plugin'
  readonly path: (env: Environment) => string
  readonly events: readonly string[]
  /** As long as the agent waits at most, in its own unit. */
  readonly timeout: number
  /** What the agent still wants from the person. */
  readonly notes: readonly string[]
}

function home(env: Environment): string {
  return env['HOME'] || homedir()
}

const TARGETS: readonly HookTarget[] = [
  {
    agent: 'claude',
    format: 'json',
    // An empty variable is the folder that Claude is started in, which is not one folder.
    path: (env) => join(resolve(env['CLAUDE_CONFIG_DIR'] || join(home(env), '.claude')), 'settings.json'),
    events: ['SessionStart', 'UserPromptSubmit', 'SessionEnd'],
    // Seconds.
    timeout: 5,
    notes: []
  },
  {
    agent: 'codex',
    format: 'json',
    path: (env) => join(resolve(env['CODEX_HOME'] || join(home(env), '.codex')), 'hooks.json'),
    events: ['SessionStart', 'UserPromptSubmit', 'SessionEnd'],
    // Seconds; for SessionEnd Codex 0.171.0 allows no more, and warns.
    timeout: 3,
    // Seen with 0.171.0: its terminal form asks for trust at the start, exec runs without the hooks. The sessions of its
    // shared background server run below whichever pane started that server, so that no hook can tell theirs.
    notes: [
      'Codex runs no hook that was not trusted: start codex, and trust these when it asks (or open /hooks).',
      'Codex 0.171.0 shares a background server between panes, whose hooks cannot tell the pane: add `daemon_auto_start = false` under [features] in its config.toml, or start it with --no-daemon.'
    ]
  },
  {
    agent: 'gemini',
    format: 'json',
    path: (env) => join(env['GEMINI_CLI_HOME'] || home(env), '.gemini', 'settings.json'),
    events: ['SessionStart', 'BeforeAgent', 'SessionEnd'],
    // Milliseconds.
    timeout: 5000,
    notes: [
      'Gemini CLI 0.61.0 deletes resumed conversations by default: set general.sessionRetention.enabled to false.'
    ]
  },
  {
    agent: 'opencode',
    format: 'plugin',
    path: (env) => {
      const config = env['XDG_CONFIG_HOME'] || join(home(env), '.config')
      return join(config, 'opencode', 'plugin', 'crash-resume-index.js')
    },
    events: ['chat.message'],
    timeout: 0,
    notes: []
  }
]

/** The agents whose hooks can be installed. */
export const HOOK_AGENTS: readonly string[] = TARGETS.map(({ agent }) => agent)

/** Null: no hooks of this agent are known. */
export function hookTarget(agent: string): HookTarget | null {
  return TARGETS.find((target) => target.agent === agent) ?? null
}
