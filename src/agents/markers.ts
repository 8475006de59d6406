/**
 * What marks an agent that nobody sits in front of: started with a prompt by a program, often by another agent, in the
 * pane of that one. And what marks one in the background, whose environment names another pane.
 */
import { running } from './program.js'

type Environment = Readonly<Record<string, string | undefined>>

/** The first word, or a flag, that makes a start one without a person. */
interface HeadlessForm {
  readonly words?: readonly string[]
  readonly flags?: readonly string[]
}

/** From their help texts; Claude, Codex, Gemini, OpenCode, Copilot and Qwen were run so. */
const HEADLESS: Readonly<Record<string, HeadlessForm>> = {
  claude: { flags: ['-p', '--print'] },
  codex: { words: ['exec', 'e', 'review', 'mcp', 'mcp-server', 'app-server', 'proto'] },
  copilot: { flags: ['-p', '--prompt'] },
  gemini: { flags: ['-p', '--prompt'] },
  opencode: { words: ['run', 'serve', 'web', 'acp'] },
  qwen: { flags: ['-p', '--prompt'] }
}

/** Words, as the first one, that do something else than begin a conversation; from the help texts of the versions seen. */
const CHORES: Readonly<Record<string, string>> = {
  claude:
    'agents attach auth auto-mode config doctor gateway import install logs mcp plugin plugins purge remote-control rm setup-token stop ultrareview update upgrade',
  codex:
    'app-server apply archive cloud completion debug delete doctor exec-server features help login logout mcp migrate-nfs-db migrate-rollouts plugin queue remote-control sandbox unarchive update',
  copilot: 'help login mcp plugin update version',
  gemini: 'extensions hooks mcp skills',
  opencode: 'agent auth debug export github import mcp models pr session stats uninstall upgrade',
  qwen: 'extensions hooks mcp skills'
}
const INFORMS: ReadonlySet<string> = new Set(['--help', '--version', '-V', '-h', '-v'])

/** A start that begins no conversation of a person's: without one, a chore, or a question about the program. */
export function isNoConversation(agent: string, args: readonly string[]): boolean {
  if (isHeadless(agent, {}, [agent, ...args]) || args.some((arg) => INFORMS.has(arg))) return true
  const chores = Object.hasOwn(CHORES, agent) ? (CHORES[agent] ?? '') : ''
  return chores.split(' ').includes(args[0] ?? '')
}

/** @param argv of the agent's process; empty where it is not known */
export function isHeadless(agent: string, env: Environment, argv: readonly string[]): boolean {
  if (agent === 'claude' && claudeIsHeadless(env)) return true
  const form = Object.hasOwn(HEADLESS, agent) ? HEADLESS[agent] : undefined
  if (form === undefined) return false
  const { args } = running(argv)
  // The first may be the value of a flag.
  const words = args.filter((arg) => !arg.startsWith('-')).slice(0, 2)
  if (words.some((word) => form.words?.includes(word))) return true
  return args.some((arg) => form.flags?.includes(arg.split('=', 1)[0] ?? ''))
}

/**
 * Claude tells its hooks how it was started. CLAUDE_CODE_CHILD_SESSION does not tell: it is set in every hook (seen
 * with 2.1.332; 1.0.128 has the entry point alone).
 */
function claudeIsHeadless(env: Environment): boolean {
  const attended = env['CLAUDE_CODE_SESSION_ATTENDED']
  if (attended === '0') return true
  return attended === undefined && /^(sdk-|mcp$)/.test(env['CLAUDE_CODE_ENTRYPOINT'] ?? '')
}

/** A background session of Claude's works in a folder of its own, which is nobody's project. */
export function isJobFolder(cwd: string): boolean {
  return /\/\.claude\/jobs(\/|$)/.test(cwd)
}
