/**
 * `hook <agent>`: what an agent's hook runs. It prints nothing and exits 0, whatever happens, so that it never disturbs
 * the agent; `--json` says what became of the event, `--strict` shows a failure in the exit code.
 */
import { readPayload, runHook } from '../../hooks.js'
import { arg, flag, type QuickTask } from '../task.js'
import { EXIT } from '../text/report-error.js'

export async function runHookCommand(task: QuickTask): Promise<number> {
  const failed = flag(task, 'strict') ? EXIT.failed : EXIT.ok
  try {
    // A payload in an argument is a notification. It never makes a mapping: its thread may be one of the agent's own.
    const report =
      task.args.length > 1
        ? { outcome: 'ignored', why: 'a notification' }
        : await runHook(arg(task, 0), await readPayload(process.stdin), { path: task.file })
    if (task.json) task.out.print(`${JSON.stringify(report)}\n`)
    return report.outcome === 'failed' ? failed : EXIT.ok
  } catch {
    return failed
  }
}
