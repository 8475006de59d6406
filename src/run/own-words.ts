/**
 * What this library adds to the start of an agent, and what it tells the person about what it cannot see.
 */
import { spawnSync } from 'node:child_process'
import type { Launch } from '../agents/launch-argv.js'
import type { Environment } from '../core/environment.js'
import { inlineCommand } from '../core/own-command.js'
import type { Entry } from '../core/schema.js'
import { busyness } from '../probes/patience.js'

/** How long the agent may take to print its help, in ms of a quiet machine. */
const HELP_MS = 3000

/** The words that keep the agent's sessions in its own process; or why there are none. */
export function serverWords({ row, program, args }: Launch, env: Environment): readonly string[] | string {
  const { sharedServer: server } = row
  if (server === undefined) return []
  const chosen = server.chosenBy.find((flag) => args.some((arg) => arg === flag || arg.startsWith(`${flag}=`)))
  if (chosen === server.flag) return []
  if (chosen !== undefined)
    return `with ${chosen}, ${row.name} leaves its sessions to a server: their ids are not told here`
  const [file, ...before] = program
  const help = spawnSync(file, [...before, '--help'], {
    encoding: 'utf8',
    env: { ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: HELP_MS * busyness()
  })
  return (help.stdout ?? '').includes(server.flag) ? [server.flag] : server.words
}

/** A line on the moves that only a hook shows, where no hook has reported yet; null: there is none. */
export function unfollowed({ row }: Launch, entry: Entry | null, path: string | undefined): string | null {
  if (entry?.transcript !== undefined || entry?.prompted !== undefined) return null
  const only = row.moves.filter(({ shownBy }) => !shownBy.includes('process') && !shownBy.includes('disk'))
  if (only.length === 0) return null
  const ways = only.map(({ by }) => by).join(', ')
  if (row.hooks === undefined) return `${row.name} does not show its session: ${ways} is not followed`
  const install = inlineCommand({ name: 'hooks', args: ['install', row.name] }, path)
  return `without its hooks, ${row.name} is not followed through ${ways}; ${install} installs them`
}
