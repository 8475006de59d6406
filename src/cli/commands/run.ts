/**
 * `run -- <agent> ...`: an agent whose conversation comes back by the same line. The exit code is the agent's; 125 is
 * ours, as it is of `timeout` and `env`.
 */
import { given, openStore, runAgent } from '../../index.js'
import type { Task } from '../task.js'
import { text } from '../task.js'
import { complain, EXIT, next, say } from '../text/report-error.js'
import { momentAhead } from '../text/table.js'

export async function runAgentCommand(task: Task): Promise<number> {
  try {
    const store = openStore(task.file)
    const end = await runAgent(store, {
      argv: task.args,
      setAside: task.options['new'] === true,
      tell: say,
      path: task.path,
      moment: (time) => momentAhead(time, Date.now()),
      ...given({
        surfaceId: text(task, 'surface'),
        repo: text(task, 'repo'),
        role: text(task, 'role'),
        agent: text(task, 'agent')
      })
    })
    if (end.kind === 'ended') return end.exitCode
    say(end.what)
    if (end.next !== undefined) next(end.next)
  } catch (error) {
    complain(error)
  }
  return EXIT.notRun
}
