/**
 * Copies a conversation before a resume that may make its agent delete it.
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { agentEnv } from '../agents/launch-env.js'
import type { AgentRow } from '../agents/row.js'
import type { Environment } from '../core/environment.js'
import { given } from '../core/given.js'
import type { Entry } from '../core/schema.js'
import { findTranscript } from '../probes/transcripts.js'

export interface TranscriptBackup {
  /** The path of the copy. */
  readonly path: string
  /** One line for the person. */
  readonly why: string
}

/**
 * @param indexPath the copy goes into a folder beside it
 * @returns null: the conversation is in no danger
 * @throws if a conversation in danger cannot be copied
 */
export async function backupTranscript(
  row: AgentRow | undefined,
  entry: Pick<Entry, 'sessionId' | 'cwd' | 'transcript' | 'env'>,
  indexPath: string,
  env: Environment = process.env
): Promise<TranscriptBackup | null> {
  const own = agentEnv(row, entry, env)
  if (row?.deletesResumed === undefined || isSafe(row, entry.cwd, own)) return null
  const { sessionId, cwd, transcript } = entry
  const found = await findTranscript(row, { sessionId, ...given({ cwd, transcript }) }, { env: own })
  if (found.state === 'missing') return null
  if (found.state === 'unknown' || found.path === undefined) {
    throw new Error(`the conversation cannot be backed up before ${row.name} may delete it: ${found.why}`)
  }
  const folder = `${indexPath}.conversations`
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = freeName(join(folder, `${row.name}-${basename(found.path)}`))
  copyFileSync(found.path, path)
  chmodSync(path, 0o600)
  const setting = row.deletesResumed.field.join('.')
  const why = `the conversation is copied to ${path} first: ${row.name} may delete a resumed one at its next start unless ${setting} is ${row.deletesResumed.safe}`
  return { path, why }
}

function freeName(path: string): string {
  for (let number = 0; ; number++) {
    const name = number === 0 ? path : `${path}.${number}`
    if (!existsSync(name)) return name
  }
}

/** The first settings file that has the value decides. An unreadable file says nothing. */
function isSafe({ deletesResumed }: AgentRow, cwd: string | undefined, env: Environment): boolean {
  const home = env['HOME'] || homedir()
  const place = { home, env, ...given({ cwd }) }
  for (const path of deletesResumed?.settings(place) ?? []) {
    const value = valueIn(path, deletesResumed?.field ?? [])
    if (value !== undefined) return value === deletesResumed?.safe
  }
  return false
}

function valueIn(path: string, field: readonly string[]): unknown {
  try {
    let value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    for (const name of field) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
      value = Reflect.get(value, name)
    }
    return value
  } catch {
    return undefined
  }
}
