/**
 * What an agent tells its hook, as far as it is used: which session, where, and what happened.
 *
 * Prompts and answers are in these payloads too. Only the few fields named here are read, and nothing else of a
 * payload is kept, logged or put into an error.
 */

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
}

/** Codex's `notify` program gets this for every thread of its own as well, such as the one that invents a title. */
const TURN_COMPLETE = 'agent-turn-complete'

/** @returns null where the text is no payload of a hook that names a session */
export function parsePayload(text: string): HookPayload | null {
  const fields = parseObject(text)
  if (fields === null) return null
  if (fields['type'] === TURN_COMPLETE) {
    const sessionId = string(fields['thread-id'])
    return sessionId === undefined ? null : { kind: 'turn', event: TURN_COMPLETE, sessionId }
  }
  const event = string(fields['hook_event_name'])
  const sessionId = string(fields['session_id'])
  if (event === undefined || sessionId === undefined) return null
  const transcript = string(fields['transcript_path'])
  const cwd = string(fields['cwd'])
  const reason = string(fields['reason'])
  return {
    kind: event === 'SessionEnd' ? 'end' : 'sighting',
    event,
    sessionId,
    ...(transcript === undefined ? {} : { transcript }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(reason === undefined ? {} : { reason })
  }
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
