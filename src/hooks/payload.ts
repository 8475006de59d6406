/**
 * What an agent tells its hook, as far as it is used: which session, where, and what happened.
 *
 * Prompts and answers are in these payloads too. Only the few fields that the agent's dialect names are read, and
 * nothing else of a payload is kept, logged or put into an error.
 */
import type { PayloadDialect } from '../agents/hook-facts.js'
import { given } from '../core/given.js'

export interface HookPayload {
  /** `sighting`: the session runs. `end`: the agent says that it is over. `turn`: a turn of some session is complete. */
  readonly kind: 'sighting' | 'end' | 'turn'
  /** The event's name, as the agent has it. */
  readonly event: string
  readonly sessionId: string
  readonly transcript?: string
  /** The working folder at this moment; an agent can leave its launch folder. */
  readonly cwd?: string
  readonly reason?: string
  /** True: a prompt was sent in it, now or before. False: it is new, and none was. Absent: not known. */
  readonly prompted?: boolean
}

/** @returns null where the text is no payload of a hook that names a session */
export function parsePayload(text: string, dialect: PayloadDialect): HookPayload | null {
  const fields = parseObject(text)
  if (fields === null) return null
  const { turn, ends } = dialect
  if (turn !== undefined && fields[turn.field] === turn.value) {
    const sessionId = string(fields[turn.sessionId])
    return sessionId === undefined ? null : { kind: 'turn', event: turn.value, sessionId }
  }
  const event = string(fields[dialect.event])
  const sessionId = string(fields[dialect.sessionId])
  if (event === undefined || sessionId === undefined) return null
  return {
    kind: ends.includes(event) ? 'end' : 'sighting',
    event,
    sessionId,
    ...given({
      transcript: string(fields[dialect.transcript]),
      cwd: string(fields[dialect.cwd]),
      reason: string(fields[dialect.reason]),
      prompted: promptedIn(fields, event, dialect)
    })
  }
}

/** Only a session with a prompt in it is resumed, compacted or forked. */
function promptedIn(
  fields: Record<string, unknown>,
  event: string,
  { prompts, origin }: PayloadDialect
): boolean | undefined {
  if (prompts?.includes(event)) return true
  const began = origin && string(fields[origin.field])
  return began === undefined ? undefined : !origin?.fresh.includes(began)
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    // The parser's message quotes the text.
    return null
  }
}

function string(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
