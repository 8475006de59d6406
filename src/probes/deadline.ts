/**
 * A probe has a limit in time. One that runs into it has not seen, which is not "not there".
 *
 * A folder on a dead network drive can block a file operation for ever; nothing can be done about that operation, but
 * nobody waits for it either.
 */

export interface Deadline {
  /** True once the time is up; loops ask before the next step. */
  readonly passed: () => boolean
}

/**
 * Runs `work` for at most `limitMs` and gives `late` where it is not done by then. What `work` throws is thrown.
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
  // What it throws after its time was up concerns nobody any more.
  running.catch(() => {})
  try {
    return await Promise.race([running, time])
  } finally {
    clearTimeout(timer)
  }
}
