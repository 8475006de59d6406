/**
 * The command that an agent runs as its hook: Node and our bin by their absolute paths, since a hook's PATH may lack
 * both (nvm, a tmux server started elsewhere). Where either is gone, the hook does nothing, and says so nowhere but in
 * `hooks status`.
 */
import { existsSync } from 'node:fs'
import { quote } from '../core/quote.js'

/** At the end of the line, by which our own hooks are told from others'. To a shell it is a comment. */
const MARK = '# crash-resume-index'

export interface HookProgram {
  /** @default the Node that runs this */
  readonly node: string
  /** Our bin. */
  readonly bin: string
}

export function hookCommand(agent: string, { node, bin }: HookProgram): string {
  return `${quote(node)} ${quote(bin)} hook ${agent} 2>/dev/null || true ${MARK}`
}

export function isOurCommand(command: string): boolean {
  return command.trimEnd().endsWith(MARK)
}

export function isOurPlugin(text: string): boolean {
  return text.split('\n', 1)[0]?.endsWith(MARK) ?? false
}

/** The files that a command of ours starts and that are not there. */
export function missingFiles(command: string): readonly string[] {
  const words = [...command.matchAll(/'((?:[^']|'\\'')*)'|(\S+)/g)].slice(0, 2)
  const paths = words.map(([, quoted, plain]) => plain ?? (quoted ?? '').replaceAll(`'\\''`, "'"))
  return paths.filter((path) => !existsSync(path))
}

/** The plugin for OpenCode: the same command, told of each message's session; those of its sub-agents are left out. */
export function pluginText(agent: string, program: HookProgram): string {
  return `// Written by crash-resume-index; \`crash-resume-index hooks uninstall ${agent}\` removes it. ${MARK}
import { spawn } from 'node:child_process'

const command = ${JSON.stringify([program.node, program.bin, 'hook', agent])}
const children = new Set()

const tell = (sessionId, cwd) => {
  try {
    const hook = spawn(command[0], command.slice(1), { stdio: ['pipe', 'ignore', 'ignore'] })
    hook.on('error', () => {})
    hook.stdin.on('error', () => {})
    hook.stdin.end(JSON.stringify({ hook_event_name: 'chat.message', session_id: sessionId, cwd }))
  } catch {}
}

export const CrashResumeIndex = async ({ directory }) => ({
  event: async ({ event }) => {
    const info = event?.properties?.info
    if (event?.type === 'session.created' && info?.parentID) children.add(info.id)
  },
  'chat.message': async ({ sessionID }) => {
    if (sessionID && !children.has(sessionID)) tell(sessionID, directory)
  }
})
`
}
