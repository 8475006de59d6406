/**
 * Time limits that hold on a busy machine. Right after a crash everything starts at once, so that what takes a second on
 * a quiet machine takes many; a limit by the clock on the wall would call that a failure.
 */
import { readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'

/** A limit never becomes longer than this many times its length. */
const MOST = 30

/** How many times longer things take than on a quiet machine: processes that want a processor, for each processor. */
export function busyness(): number {
  return Math.min(MOST, Math.max(1, wanting() / availableParallelism()))
}

/** The load average of the last minute is low right after a boot, so the processes that want to run now count too. */
function wanting(): number {
  const [average = 0] = loadavg()
  try {
    const [, running = '0'] = / (\d+)\/\d+ /.exec(readFileSync('/proc/loadavg', 'utf8')) ?? []
    return Math.max(average, Number(running))
  } catch {
    return average
  }
}

/** A clock for waiting in steps: it counts what the steps are worth on a quiet machine, and not while this process is stopped. */
export class PatientClock {
  /** Ms of a quiet machine. */
  elapsed = 0
  /** The busiest that the machine was seen. */
  busiest = 1

  async pause(ms: number): Promise<void> {
    await new Promise((wake) => setTimeout(wake, ms))
    const factor = busyness()
    this.busiest = Math.max(this.busiest, factor)
    this.elapsed += ms / factor
  }
}
