/**
 * Which session a running agent is in, by what its process itself shows: the files that it holds open, or a note that
 * it keeps of itself. For agents that choose their own ids, and as a proof that the right one came up.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { AgentRow } from '../agents/row.js'
import type { Owner } from '../core/schema.js'

type Environment = Readonly<Record<string, string | undefined>>

/** More open files than any agent has. */
const MAX_FILES = 4096

/** Null: it shows nothing, or may not be looked at. */
export function sessionOfProcess(row: AgentRow, owner: Owner, env: Environment = process.env): string | null {
  return heldSession(row, owner.pid) ?? (row.name === 'claude' ? claudeNote(owner, env) : null)
}

/** What was left by /clear stays open too; of several the one that began last counts. */
function heldSession({ heldFile, begun }: AgentRow, pid: number): string | null {
  if (heldFile === undefined || process.platform !== 'linux') return null
  const ids = openFiles(pid).flatMap((path) => heldFile.exec(path)?.[1] ?? [])
  const at = (id: string): number => begun?.at(id) ?? 0
  return ids.toSorted((a, b) => at(b) - at(a))[0] ?? null
}

function openFiles(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder)
      .slice(0, MAX_FILES)
      .flatMap((name) => linkOf(join(folder, name)) ?? [])
  } catch {
    return []
  }
}

/** Null: it was closed meanwhile. */
function linkOf(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

/**
 * The session that Claude Code says this process of it is in: `<config>/sessions/<process>.json` (seen with 2.1.197 and
 * 2.1.332, which writes it at the start; it is documented nowhere, and some versions do not follow /clear in it).
 */
function claudeNote({ pid, start }: Owner, env: Environment): string | null {
  const config = env['CLAUDE_CONFIG_DIR'] ?? join(env['HOME'] || homedir(), '.claude')
  try {
    const note: unknown = JSON.parse(readFileSync(join(config, 'sessions', `${pid}.json`), 'utf8'))
    if (typeof note !== 'object' || note === null || !('sessionId' in note) || !('procStart' in note)) return null
    // A note that an earlier process of this number has left.
    return String(note.procStart) === start && typeof note.sessionId === 'string' ? note.sessionId : null
  } catch {
    return null
  }
}
