/**
 * OpenCode keeps its sessions in one SQLite file (seen with 1.18.33). It can be read only where Node has SQLite built
 * in; elsewhere nothing is known of a session.
 */
import { join } from 'node:path'
import { headOf, missing, type TranscriptProbe, unknown } from './transcript-files.js'

const LIMIT_MS = 200

/** What is used of node:sqlite, which Node 20 does not have. */
interface Sqlite {
  readonly DatabaseSync: new (
    path: string,
    options: { readonly readOnly: boolean; readonly timeout: number }
  ) => {
    prepare(sql: string): { get(value: string): unknown }
    close(): void
  }
}

export const opencodeTranscript: TranscriptProbe = async ({ sessionId }, around) => {
  const path =
    around.env['OPENCODE_DB'] ||
    join(around.env['XDG_DATA_HOME'] || join(around.home, '.local/share'), 'opencode/opencode.db')
  const head = await headOf(path, 16)
  if (typeof head !== 'string')
    return head.state === 'missing' ? { ...unknown('no file of OpenCode is there'), path } : head
  const sqlite: unknown = process.getBuiltinModule('node:sqlite')
  if (!isSqlite(sqlite))
    return { ...unknown('OpenCode keeps its sessions in SQLite, which this Node cannot read'), path }
  try {
    const database = new sqlite.DatabaseSync(path, { readOnly: true, timeout: LIMIT_MS })
    try {
      const row = database.prepare('SELECT 1 FROM message WHERE session_id = ? LIMIT 1').get(sessionId)
      return row === undefined
        ? { ...missing('no message of this session'), path }
        : { state: 'found', path, where: 'own' }
    } finally {
      database.close()
    }
  } catch (error) {
    return {
      ...unknown(`reading OpenCode's sessions failed: ${error instanceof Error ? error.message : 'an error'}`),
      path
    }
  }
}

function isSqlite(value: unknown): value is Sqlite {
  return typeof value === 'object' && value !== null && 'DatabaseSync' in value
}
