/**
 * The command that an agent runs as its hook: Node and our bin by their absolute paths, since a hook's PATH may lack
 * both (nvm, a tmux server started elsewhere). Where either is gone, the hook does nothing; `hooks status`
 * reports it.
 */
import { existsSync } from 'node:fs'
import { quote } from '../core/quote.js'

/** At the end of the line, by which our own hooks are told from others'. To a shell it is a comment. */
const MARK = '# crash-resume-index'

export interface HookProgram {
  /** The Node that runs it. */
  readonly node: string
  /** Gets `hook <agent>`: our bin, or a script of the caller's that calls runHook with a table of its own. */
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

/** A file of ours in an agent's folder: the row's script, below the command that it starts. */
export function pluginText(agent: string, script: string, { node, bin }: HookProgram): string {
  return `// Written by crash-resume-index; \`crash-resume-index hooks uninstall ${agent}\` removes it. ${MARK}
const command = ${JSON.stringify([node, bin, 'hook', agent])}
${script}`
}

/** The command of such a file, as a line for a shell; null: it has none. */
export function commandOfPlugin(text: string): string | null {
  const words: unknown = JSON.parse(/^const command = (\[.*\])$/m.exec(text)?.[1] ?? '[]')
  return Array.isArray(words) && words.length > 0 ? words.map((word) => quote(String(word))).join(' ') : null
}
