/**
 * What an identifier and a stored text may look like.
 *
 * Session and attempt ids and launchers end up in command lines, so they pass an allow-list, both when
 * they are written and when they are emitted. Surface ids and other texts are data: any string without
 * control characters, bidi controls and lone surrogates. `toString`, `__proto__` and the like are ordinary.
 * The `...Problem` functions return what is wrong, to follow the name of the field, or null.
 */
import { invalidInput } from './errors.js'

/** In UTF-16 units, as are all lengths here. */
export const SURFACE_ID_LIMIT = 512
export const TEXT_LIMIT = 4096
/** 128, less the length of the placeholder's prefix: a placeholder is a session id made of an attempt id. */
export const ATTEMPT_ID_LIMIT = 120

const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/
// Control characters (C0, DEL, C1), lone surrogates, what reorders text on a screen, and Unicode's line breaks.
const UNSAFE_TEXT = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u
const PLAIN_TEXT = /^[ -~]*$/
const PLACEHOLDER_PREFIX = 'pending.'

/** True for what may be used as a session id. */
export function isSessionId(value: unknown): value is string {
  return typeof value === 'string' && SESSION_ID.test(value)
}

/** True for what may be used as the name of a program to launch. */
export function isLauncher(value: unknown): value is string {
  return typeof value === 'string' && SESSION_ID.test(value)
}

/** True for an id that stands in for a session whose own id is not known yet. Never resumable, never emitted. */
export function isPlaceholder(sessionId: string): boolean {
  return sessionId.startsWith(PLACEHOLDER_PREFIX)
}

/** The session id that stands in for the session of a capturing attempt. */
export function placeholderFor(attemptId: string): string {
  return `${PLACEHOLDER_PREFIX}${attemptId}`
}

export function sessionIdProblem(value: string): string | null {
  return isSessionId(value) ? null : 'must be 1 to 128 of A-Z a-z 0-9 . _ - and begin with a letter or digit'
}

/** For the ids of attempts and dispatches. */
export function attemptIdProblem(value: string): string | null {
  if (value.length > ATTEMPT_ID_LIMIT) return `is longer than ${ATTEMPT_ID_LIMIT} characters`
  return isSessionId(value)
    ? null
    : `must be 1 to ${ATTEMPT_ID_LIMIT} of A-Z a-z 0-9 . _ - and begin with a letter or digit`
}

/** For any stored text; an empty one is fine. */
export function textProblem(value: string, limit: number = TEXT_LIMIT): string | null {
  if (value.length > limit) return `is longer than ${limit} characters`
  // Nearly every text is plain ASCII, which the first expression tells much sooner.
  return !PLAIN_TEXT.test(value) && UNSAFE_TEXT.test(value)
    ? 'holds a control or bidi character or a lone surrogate'
    : null
}

const VARIABLE = /^[A-Z_][A-Z0-9_]*$/
const SECRET = /KEY|TOKEN|SECRET|PASSWORD/

/** For the name of a variable that is stored with its value: none that may hold a secret. */
export function variableProblem(name: string): string | null {
  if (!VARIABLE.test(name)) return 'must name variables of A-Z 0-9 _ only'
  return SECRET.test(name) ? `must not hold ${name}: it may be a secret` : null
}

/** For a text that must say something. */
export function nameProblem(value: string, limit: number = TEXT_LIMIT): string | null {
  return value.trim() === '' ? 'is blank' : textProblem(value, limit)
}

export function surfaceIdProblem(value: string): string | null {
  return nameProblem(value, SURFACE_ID_LIMIT)
}

/**
 * Throws ERR_INVALID_INPUT when the value is no string or has the problem.
 * @throws ERR_INVALID_INPUT
 */
function check(field: string, value: unknown, problemOf: (value: string) => string | null): void {
  const problem = typeof value === 'string' ? problemOf(value) : 'must be a string'
  if (problem !== null) throw invalidInput(field, problem)
}

/** @throws ERR_INVALID_INPUT */
export function checkSurfaceId(value: unknown, field = 'surfaceId'): void {
  check(field, value, surfaceIdProblem)
}

/**
 * For a session id that a caller or an agent reports: a placeholder is none.
 * @throws ERR_INVALID_INPUT
 */
export function checkSessionId(value: unknown): void {
  check('sessionId', value, sessionIdProblem)
  if (isPlaceholder(String(value))) throw invalidInput('sessionId', 'stands in for a session that is not known yet')
}

/** @throws ERR_INVALID_INPUT */
export function checkAttemptId(value: unknown, field = 'attemptId'): void {
  check(field, value, attemptIdProblem)
}

/** @throws ERR_INVALID_INPUT */
export function checkName(field: string, value: unknown): void {
  check(field, value, nameProblem)
}

/** @throws ERR_INVALID_INPUT */
export function checkText(field: string, value: unknown): void {
  check(field, value, textProblem)
}

/**
 * For a span, in milliseconds; Infinity is one.
 * @throws ERR_INVALID_INPUT
 */
export function checkMs(field: string, value: unknown): void {
  if (typeof value !== 'number' || Number.isNaN(value) || value < 0) {
    throw invalidInput(field, 'must be a number of milliseconds, 0 or more')
  }
}

/**
 * For a point in time, in milliseconds since the epoch.
 * @throws ERR_INVALID_INPUT
 */
export function checkNow(now: unknown): void {
  checkMs('now', now)
  if (now === Number.POSITIVE_INFINITY) throw invalidInput('now', 'must be finite')
}
