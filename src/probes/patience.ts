/**
 * Time limits that hold on a busy machine. Right after a crash everything starts at once, and a task of one second
 * takes many. A limit in wall-clock time would call that a failure.
 */
import { readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'

/** A limit grows at most to this many times its length. */
const MOST = 30

/**
 * How many times longer work takes than on a quiet machine: the processes that want a processor, for each processor.
 */
export function busyness(): number {
  return Math.min(MOST, Math.max(1, wanting() / availableParallelism()))
}

/**
 * The load average of the last minute is low right after a boot, so this also counts the processes that want to run
 * now.
 */
function wanting(): number {
  const [average = 0] = loadavg()
  try {
    const [, running = '0'] = / (\d+)\/\d+ /.exec(readFileSync('/proc/loadavg', 'utf8')) ?? []
    return Math.max(average, Number(running))
  } catch {
    return average
  }
}

/**
 * A clock for waiting in steps. It counts each step as the time that it is worth on a quiet machine, and does not count
 * while this process is stopped.
 */
export class PatientClock {
  /** In ms of a quiet machine. */
  elapsed = 0
  /** The highest factor seen so far. */
  busiest = 1

  async pause(ms: number): Promise<void> {
    await new Promise((wake) => setTimeout(wake, ms))
    const factor = busyness()
    this.busiest = Math.max(this.busiest, factor)
    this.elapsed += ms / factor
  }
}
