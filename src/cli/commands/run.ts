/**
 * `run -- <agent> ...`: an agent whose conversation the same line resumes. The exit code is the agent's; 125 is ours, as
 * it is of `timeout` and `env`.
 */
import { openStore } from '../../index.js'
import { runAgent } from '../../tmux.js'
import { flag, type Task, text } from '../task.js'
import { EXIT, next, reportError, say } from '../text/report-error.js'
import { momentAhead } from '../text/table.js'

export async function runAgentCommand(task: Task): Promise<number> {
  try {
    const store = openStore(task.file)
    const end = await runAgent(store, {
      argv: task.args,
      setAside: flag(task, 'new'),
      notRunning: flag(task, 'notRunning'),
      tell: say,
      path: task.path,
      moment: (time) => momentAhead(time, Date.now()),
      surfaceId: text(task, 'surface'),
      repo: text(task, 'repo'),
      role: text(task, 'role'),
      agent: text(task, 'agent')
    })
    if (end.kind === 'ended') return end.exitCode
    say(end.what)
    if (end.next !== undefined) next(end.next)
  } catch (error) {
    reportError(error, task.path)
  }
  return EXIT.notRun
}
