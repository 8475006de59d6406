/**
 * Keeps an agent out of the server that it would share between panes: the hooks and the files of that server's sessions
 * tell no pane.
 */
import { spawnSync } from 'node:child_process'
import type { AgentRow } from '../agents/row.js'
import type { Environment } from '../core/environment.js'
import { busyness } from './patience.js'

/** How long the agent may take to print its help, in ms of a quiet machine. */
const HELP_MS = 3000

/**
 * The words that keep the agent's sessions in its own process; or why there are none.
 * @param program with what stands before the agent's own arguments
 */
export function serverWords(
  row: Pick<AgentRow, 'name' | 'sharedServer'>,
  [file, ...before]: readonly [string, ...string[]],
  args: readonly string[],
  env: Environment
): readonly string[] | string {
  const { sharedServer: server } = row
  if (server === undefined) return []
  const chosen = server.chosenBy.find((flag) => args.some((arg) => arg === flag || arg.startsWith(`${flag}=`)))
  if (chosen === server.flag) return []
  if (chosen !== undefined)
    return `with ${chosen}, ${row.name} leaves its sessions to a server: their ids are not told here`
  const help = spawnSync(file, [...before, '--help'], {
    encoding: 'utf8',
    env: { ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: Math.ceil(HELP_MS * busyness())
  })
  return (help.stdout ?? '').includes(server.flag) ? [server.flag] : server.words
}
