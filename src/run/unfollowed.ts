/**
 * What cannot be seen of an agent's session, in words for the person.
 */
import type { Launch } from '../agents/launch-argv.js'
import { inlineCommand } from '../core/own-command.js'
import type { Entry } from '../core/schema.js'

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
