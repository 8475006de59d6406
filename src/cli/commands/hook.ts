/**
 * `hook <agent>`: what an agent's hook runs. It prints nothing and ends well, whatever happens, so that the agent is
 * never disturbed; `--json` says what became of the event, `--strict` lets a failure show in the exit code.
 */
import { readPayload, runHook } from '../../index.js'
import { indexPath } from '../index-path.js'
import { writeOut } from '../text/output.js'
import { EXIT } from '../text/report-error.js'

export interface HookWords {
  readonly agent: string
  /** Codex's notify hands its payload over as an argument. It also fires for threads that nobody sees. */
  readonly notified: boolean
  readonly path: string | undefined
  readonly json: boolean
  readonly strict: boolean
}

export async function runHookCommand({ agent, notified, path, json, strict }: HookWords): Promise<number> {
  try {
    // A notification never makes a mapping: its thread may be one for the agent's own ends.
    const report = notified
      ? { outcome: 'ignored', why: 'a notification' }
      : await runHook(agent, await readPayload(process.stdin), { path: indexPath(path) })
    if (json) writeOut(`${JSON.stringify(report)}\n`)
    return strict && report.outcome === 'failed' ? EXIT.failed : EXIT.ok
  } catch {
    return strict ? EXIT.failed : EXIT.ok
  }
}
