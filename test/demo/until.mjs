/**
 * Waiting for something to become true, with a time limit and no sleeping on luck.
 *
 * The look is repeated whenever something happens in the watched folder. It is repeated at an interval too, since what
 * is waited for may leave no trace in a folder (a process's death), and a platform's watcher may miss a change.
 */
import { watch } from 'node:fs'

const LOOK_EVERY_MS = 20

/**
 * Resolves with the first value of `look` that is not undefined.
 * @param what named in the error after the time limit: "... did not happen within 20 s"
 */
export function until(what, look, { folder, limitMs = 20_000, signal } = {}) {
  return new Promise((resolve, reject) => {
    const watcher = folder === undefined ? undefined : watch(folder, check)
    const interval = setInterval(check, LOOK_EVERY_MS)
    const limit = setTimeout(() => end(reject, new Error(`${what}: not within ${limitMs / 1000} s`)), limitMs)
    signal?.addEventListener('abort', stop)
    if (signal?.aborted) stop()
    else check()

    function stop() {
      end(reject, signal.reason)
    }

    function check() {
      try {
        const seen = look()
        if (seen !== undefined) end(resolve, seen)
      } catch (error) {
        end(reject, error)
      }
    }

    function end(settle, value) {
      watcher?.close()
      clearInterval(interval)
      clearTimeout(limit)
      signal?.removeEventListener('abort', stop)
      settle(value)
    }
  })
}
