/** The numbers that hold unless a caller says otherwise. All but the first in milliseconds. */

/** Starts and resumes of one surface within the window before the next one is refused. */
export const DEFAULT_MAX_ATTEMPTS = 2
/** An attempt older than this no longer counts. */
export const DEFAULT_ATTEMPT_WINDOW_MS = 3_600_000
/** Between two attempts. */
export const DEFAULT_COOLDOWN_MS = 60_000
/** A session seen alive this long after the last attempt is healthy: the count starts again at 0. */
export const DEFAULT_HEALTHY_AFTER_MS = 300_000
/** A touch sooner than this after the last sign of life writes nothing. */
export const DEFAULT_TOUCH_RESOLUTION_MS = 30_000
/** How long a contended writer waits for its turn before it continues without the lock. */
export const DEFAULT_LOCK_WAIT_MS = 250
/** The same for a hook, which keeps an agent waiting. */
export const DEFAULT_HOOK_LOCK_WAIT_MS = 100
