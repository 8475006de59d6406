/**
 * `run -- <agent> ...`: an agent whose conversation comes back by the same line. The exit code is the agent's; 125 is
 * ours, as it is of `timeout` and `env`.
 */
import { openStore, runAgent } from '../index.js'
import { complain, EXIT, next, parts, say } from './complain.js'
import type { Task } from './run.js'
import { momentAhead } from './table.js'
import { given, text } from './task-values.js'

export async function runAgentCommand(task: Task): Promise<number> {
  try {
    const store = openStore(task.file)
    const end = await runAgent(store, {
      argv: task.args,
      setAside: task.options['new'] === true,
      tell: say,
      moment: (time) => momentAhead(time, Date.now()),
      ...given({
        surfaceId: text(task, 'surface'),
        repo: text(task, 'repo'),
        role: text(task, 'role'),
        agent: text(task, 'agent')
      })
    })
    if (end.kind === 'ended') return end.exitCode
    const [what, advice] = parts(end.why)
    say(what)
    if (advice !== undefined) next(advice)
  } catch (error) {
    complain(error)
  }
  return EXIT.notRun
}
