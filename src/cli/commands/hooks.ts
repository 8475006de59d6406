/**
 * `hooks install|uninstall|status`: our hooks in the agents' own settings.
 */
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { applyHooks, HOOK_AGENTS, type HookPlan, hooksStatus, planHooks } from '../../hooks.js'
import { arg, flag, inline, json, mistake, type Task } from '../task.js'
import { lineDiff } from '../text/line-diff.js'
import { EXIT } from '../text/report-error.js'
import { table } from '../text/table.js'

export async function runHooks(task: Task): Promise<number> {
  const action = arg(task, 0)
  if (action === 'status') return status(task)
  if (action !== 'install' && action !== 'uninstall') {
    throw mistake(`the action ${JSON.stringify(action)} is unknown`, 'give install, uninstall or status')
  }
  const agent = task.args[1]
  if (agent === undefined) throw mistake(`${action} needs an agent`, `name one of ${HOOK_AGENTS.join(', ')}`)
  const dryRun = flag(task, 'dryRun')
  const program = { node: process.execPath, bin: ownPath() }
  const plan = dryRun ? planHooks(agent, action, program) : await applyHooks(agent, action, program)
  if (task.json) task.out.print(json({ ...plan, dryRun }))
  else report(task, plan, dryRun)
  return EXIT.ok
}

/** The bin's own file, for the agents to start: links are resolved. */
function ownPath(): string {
  const path = resolve(process.argv[1] ?? '')
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function report(task: Task, plan: HookPlan, dryRun: boolean): void {
  const { out } = task
  const { action, agent, path, before, after, changed, notes } = plan
  if (dryRun) {
    const lines = lineDiff(before ?? '', after ?? '')
    const gone = after === null && before !== null ? ' (removed)' : before === null ? ' (new)' : ''
    if (lines.length > 0) out.print([`${path}${gone}`, ...lines, ''].join('\n'))
  }
  if (!changed) out.note(`${agent}: ${action === 'install' ? 'the hooks are in place' : 'no hooks of ours'} in ${path}`)
  else if (dryRun) out.note(`nothing was written; without --dry-run ${path} becomes this`)
  else out.note(`${agent}: hooks ${action}ed in ${path}`)
  if (action === 'install' && ownPath().includes('/_npx/')) {
    const again = inline(task, { name: 'hooks install', args: [agent] })
    out.note('this bin is in the cache of npx, which may be cleared', `install the package, then run ${again}`)
  }
  for (const note of notes) out.note(note)
}

function status(task: Task): number {
  const all = hooksStatus()
  const rows = all.map(({ agent, state, path, events, missing, why }) => ({
    AGENT: { text: agent },
    HOOKS: { text: state.replace('_', ' ') },
    SETTINGS: { text: path },
    '': { text: missing.length > 0 ? `missing: ${missing.join(', ')}` : (why ?? events.join(' ')) }
  }))
  task.out.print(task.json ? json(all) : table(['AGENT', 'HOOKS', 'SETTINGS', ''], rows, task.look))
  return all.some(({ state }) => state === 'broken' || state === 'partly') ? EXIT.failed : EXIT.ok
}
