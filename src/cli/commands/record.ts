/** The commands that agents' hooks and launchers call: record and touch. */
import { resolve } from 'node:path'
import { type Policy, recordToFile, touchInFile } from '../../index.js'
import { arg, json, type QuickTask, text } from '../task.js'
import { warner } from '../text/report-error.js'

export async function runRecord(task: QuickTask): Promise<number> {
  const cwd = text(task, 'cwd')
  const input = {
    surfaceId: arg(task, 0),
    sessionId: arg(task, 1),
    repo: arg(task, 2),
    role: task.args[3],
    agent: text(task, 'agent'),
    cwd: cwd === undefined ? undefined : resolve(cwd),
    env: task.options['env'] as Readonly<Record<string, string>> | undefined,
    policy: text(task, 'policy') as Policy | undefined
  }
  const entry = await recordToFile(task.file, input, { onWarning: warner(task.path) })
  if (task.json) task.out.print(json(entry))
  return 0
}

export async function runTouch(task: QuickTask): Promise<number> {
  const entry = await touchInFile(task.file, arg(task, 0), { onWarning: warner(task.path) })
  if (task.json) task.out.print(json(entry))
  return 0
}
