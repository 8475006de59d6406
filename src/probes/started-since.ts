/**
 * The sessions of an agent that started since a point in time, for a start whose id was not reported.
 *
 * Time and folder identify no session. A result says which there may be, never which it is.
 */

import { stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { agentPlace } from '../agents/agent-place.js'
import type { StartedSince } from '../agents/row.js'
import type { Environment } from '../core/environment.js'
import type { PossibleSession } from '../core/evidence.js'
import { within } from './deadline.js'
import { Folders } from './folders.js'
import { type Known, known, unknown } from './known.js'
import { busyness } from './patience.js'
import { headOf } from './transcript-files.js'

export interface StartedSinceOptions {
  /** Ms since the epoch. */
  readonly since: number
  /** The folder that they started in; absent: any. */
  readonly cwd?: string | undefined
  readonly env: Environment
  /** In ms. @default 1000 */
  readonly limitMs?: number | undefined
  /** The folders as the pass sees them. */
  readonly folders?: Folders | undefined
}

/** Enough of a first line: the folder stands near its beginning. */
const HEAD_BYTES = 256 * 1024
/** How much of a first message is shown. */
const WORDS = 60

/** These sessions. */
export async function startedSince(
  rule: StartedSince,
  options: StartedSinceOptions
): Promise<Known<readonly PossibleSession[]>> {
  const { since, cwd, env, limitMs = 1000, folders = new Folders() } = options
  const place = rule.place(agentPlace(env, cwd))
  if (place === null) return unknown('the folder of its sessions is unknown')
  return within<Known<readonly PossibleSession[]>>(limitMs * busyness(), TOO_LATE, async (deadline) => {
    const cwds = cwd === undefined ? [] : await folders.spellings(cwd)
    const found: PossibleSession[] = []
    let level: readonly string[] = [place.folder]
    for (let down = 0; down <= place.depth; down++) {
      const next: string[] = []
      for (const folder of level) {
        if (deadline.passed()) return TOO_LATE
        const names = await folders.list(folder)
        if ('state' in names) {
          if (names.state === 'missing' && down > 0) continue
          return unknown(names.why ?? `${folder} cannot be read`)
        }
        next.push(...names.folders)
        for (const file of names.files) {
          const id = place.name.exec(file)?.[1]
          if (id === undefined || (rule.at(id) ?? since) < since) continue
          const head = await headOf(join(folder, file), HEAD_BYTES)
          const text = typeof head === 'string' ? Buffer.from(head, 'latin1').toString('utf8') : null
          if (cwds.length > 0 && text !== null && !(await isIn(text, cwds, rule.cwdField))) continue
          found.push({ sessionId: id, note: noteOn(rule, id, text) })
        }
      }
      level = next
    }
    return known(found)
  })
}

/** The id, with what is known of its beginning. */
function noteOn({ at, firstWords }: StartedSince, id: string, text: string | null): string {
  const [began, words] = [at(id), textOf(`"${firstWords.exec(text ?? '')?.[1] ?? ''}"`)]
  return `${id}${began === null ? '' : `, begun ${new Date(began).toISOString()}`}${
    words ? `, "${words.replace(/\p{C}+/gu, ' ').slice(0, WORDS)}"` : ''
  }`
}

const TOO_LATE = unknown('the search took too long')

/** True unless every folder that the text names is proven to be another one. */
async function isIn(text: string, cwds: readonly string[], field: string): Promise<boolean> {
  // The field with its value, a string of JSON.
  const pattern = new RegExp(`"${field.replace(/\W/g, '\\$&')}":("(?:[^"\\\\]|\\\\.)*")`, 'g')
  const named = new Set([...text.matchAll(pattern)].map(([, value = '']) => value))
  for (const one of named) {
    const folder = textOf(one)
    if (folder === null || cwds.includes(folder) || !(await areTwo(folder, cwds[0] ?? folder))) return true
  }
  return named.size === 0
}

function textOf(json: string): string | null {
  try {
    const text: unknown = JSON.parse(json)
    return typeof text === 'string' ? text : null
  } catch {
    return null
  }
}

/**
 * True if both exist and are two folders. Names alone prove nothing: a disk may ignore case, a folder may be mounted in
 * two places, and a missing folder may have been a link.
 */
async function areTwo(one: string, other: string): Promise<boolean> {
  if (!isAbsolute(one) || !isAbsolute(other)) return false
  try {
    const [first, second] = await Promise.all([one, other].map((path) => stat(path, { bigint: true })))
    return first?.dev !== second?.dev || first?.ino !== second?.ino
  } catch {
    return false
  }
}
