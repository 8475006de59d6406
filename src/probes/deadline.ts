/**
 * A time limit for a probe. A probe that reaches it answers "unknown", never "absent".
 *
 * A folder on a dead network drive can block a file operation for ever. The operation cannot be stopped, but no caller
 * waits for it.
 */

export interface Deadline {
  /** True once the time is up. Loops ask before each step. */
  readonly passed: () => boolean
}

/**
 * Runs `work` for at most `limitMs`, and returns `late` if it is not done by then. Throws what `work` throws.
 */
export async function within<T>(limitMs: number, late: T, work: (deadline: Deadline) => Promise<T>): Promise<T> {
  let up = limitMs <= 0
  let timer: NodeJS.Timeout | undefined
  const time = new Promise<T>((resolve) => {
    timer = setTimeout(() => {
      up = true
      resolve(late)
    }, limitMs)
  })
  const running = work({ passed: () => up })
  // Its errors after the limit concern no caller.
  running.catch(() => {})
  try {
    return await Promise.race([running, time])
  } finally {
    clearTimeout(timer)
  }
}
